"""A citation as one HTML page: no script, nothing from elsewhere, the cited place marked."""

from __future__ import annotations

import base64
import hashlib
import html
from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.viewer.places import around, cited_cells, is_cited
from contracts.documents import BlockKind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.viewer.draw import PagePicture
    from contracts.chunks import Chunk
    from contracts.documents import Block, ParsedDocument, Table
    from contracts.search import Hit

__all__ = ["POLICY", "View", "page_of"]

_STYLE = """
body{font:15px/1.6 sans-serif;margin:0 auto;max-width:60em;padding:0 1em 3em;color:#222}
header{border-bottom:1px solid #ccc;padding:.6em 0}h1{font-size:1.2em;margin:0}small,.quiet{color:#666}
.old{background:#fdd;padding:.4em .8em}blockquote{border-left:4px solid #c80;background:#fff7e0;margin:1em 0;padding:.4em 1em;white-space:pre-wrap}
blockquote.near{border-color:#ccc;background:#f7f7f7;color:#555}svg{width:100%;height:auto;border:1px solid #ccc}
svg .cited{fill:#fc0;fill-opacity:.25;stroke:#c60;stroke-width:1.5}mark{background:#fe9}
section.cited{background:#fff7e0;border-left:4px solid #c80;padding-left:.6em}section{white-space:pre-wrap;margin:.3em 0}
table{border-collapse:collapse;font-size:.9em;white-space:normal}td{border:1px solid #aaa;padding:2px 6px;vertical-align:top}td.head{background:#eee}td.cited{background:#fe9}
"""
_STYLE_DIGEST = base64.b64encode(hashlib.sha256(_STYLE.encode()).digest()).decode()
POLICY = (
    f"default-src 'none'; img-src data:; style-src 'sha256-{_STYLE_DIGEST}'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
"""Content-Security-Policy of the page: nothing is run, and nothing is fetched."""

_STATUS = {
    "obsolete": "폐기된 개정입니다 (an obsolete revision)",
    "draft": "초안입니다 (a draft)",
}
_MARK = ' class="cited"'
_NEAR_ROWS = 8
_MOST_BLOCKS = 400
_MOST_CELLS = 4000


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """What is shown of a citation.

    Attributes:
        hit: The passage as its reader sees it.
        chunk: The passage as it is stored.
        before: Texts of the passages before it.
        after: Texts of those after it.
        pictures: Pages, with their numbers.
        document: What was read, or None where it is not there any more.
    """

    hit: Hit
    chunk: Chunk
    before: Sequence[str] = ()
    after: Sequence[str] = ()
    pictures: Sequence[tuple[int, PagePicture]] = ()
    document: ParsedDocument | None = None


def page_of(view: View) -> str:
    """The page."""
    hit = view.hit
    title = html.escape(hit.citation.label)
    parts = [
        f"<header><h1>{title}</h1><small>{html.escape(hit.path)}</small></header>",
        _warning(hit),
        *(f'<blockquote class="near">{html.escape(text)}</blockquote>' for text in view.before),
        f"<blockquote{'' if _has_place(view) else _MARK}>{html.escape(hit.text)}</blockquote>",
        *(f'<blockquote class="near">{html.escape(text)}</blockquote>' for text in view.after),
        *(_picture(number, picture, view.chunk) for number, picture in view.pictures),
    ]
    if not view.pictures:
        parts.append(_blocks(view))
    body = "\n".join(filter(None, parts))
    return (
        f'<!doctype html>\n<html lang="ko"><head><meta charset="utf-8"><title>{title}</title>'
        f'<meta name="viewport" content="width=device-width"><style>{_STYLE}</style></head>\n<body>{body}</body></html>\n'
    )


def _has_place(view: View) -> bool:
    """Whether the passage is marked below; a list of what an archive holds stands nowhere in it."""
    blocks = view.document.blocks if view.document is not None else ()
    return bool(view.pictures) or any(is_cited(block, view.chunk) for block in blocks)


def _warning(hit: Hit) -> str:
    said = [_STATUS[hit.status]] if hit.status in _STATUS else []
    if hit.stale:
        said.append("새 내용을 읽지 못했습니다: 이전 내용입니다 (newer content could not be read)")
    return f'<p class="old">{html.escape(" · ".join(said))}</p>' if said else ""


def _picture(number: int, picture: PagePicture, chunk: Chunk) -> str:
    width, height = f"{picture.width:g}", f"{picture.height:g}"
    boxes = dict.fromkeys(p.box for p in chunk.positions if p.page == number and p.box is not None)
    marks = "".join(
        f'<rect class="cited" x="{left:g}" y="{top:g}" width="{right - left:g}" height="{bottom - top:g}"/>'
        for left, top, right, bottom in boxes
    )
    data = base64.b64encode(picture.png).decode()
    return (
        f'<p class="quiet">{number}쪽 (page)</p><svg viewBox="0 0 {width} {height}" role="img" aria-label="{number}쪽">'
        f'<image width="{width}" height="{height}" preserveAspectRatio="none" href="data:image/png;base64,{data}"/>{marks}</svg>'
    )


def _blocks(view: View) -> str:
    if view.document is None:
        return '<p class="quiet">읽은 글이 더는 없습니다 (what was read is not there any more)</p>'
    shown = around(view.document.blocks, view.chunk)
    cited = [n for n, block in enumerate(shown) if is_cited(block, view.chunk)]
    first = max(0, (cited[0] if cited else 0) - _MOST_BLOCKS // 4)
    parts = [_block(block, view.chunk) for block in shown[first : first + _MOST_BLOCKS]]
    if first or first + _MOST_BLOCKS < len(shown):
        parts.append('<p class="quiet">일부만 보입니다 (only a part is shown)</p>')
    return f"<main>{''.join(parts)}</main>"


def _block(block: Block, chunk: Chunk) -> str:
    if block.table is not None:
        caption = html.escape(block.table.caption)
        cells = cited_cells(block.table, block.position, chunk)
        return f"<section><p>{caption}</p>{_table(block.table, cells)}</section>"
    text = html.escape(f"{block.label} {block.text}".strip())
    if not text:
        return ""
    kind = ' class="cited"' if is_cited(block, chunk) else ""
    strong = block.kind is BlockKind.HEADING
    return f"<section{kind}>{f'<b>{text}</b>' if strong else text}</section>"


def _table(table: Table, cited: frozenset[tuple[int, int]]) -> str:
    wanted = _rows(table, cited)
    rows: dict[int, list[str]] = {row: [] for row in sorted(wanted)}
    for cell in table.cells:
        if cell.row not in rows:
            continue
        inner = "".join(_table(one, frozenset()) for one in cell.tables)
        whole = wanted.issuperset(range(cell.row, cell.row + cell.row_span))
        spans = _spans(cell.row_span if whole else 1, cell.column_span)
        head = cell.row < table.header_rows or cell.column < table.header_columns
        kind = "cited" if (cell.row, cell.column) in cited else "head" if head else ""
        mark = f' class="{kind}"' if kind else ""
        rows[cell.row].append(f"<td{mark}{spans}>{html.escape(cell.text)}{inner}</td>")
    gap = f'<tr><td class="quiet" colspan="{table.columns}">⋯</td></tr>'
    lines, last = [], -1
    for row, cells in rows.items():
        lines += [gap] if row > last + 1 else []
        lines.append(f"<tr>{''.join(cells)}</tr>")
        last = row
    lines += [gap] if last + 1 < table.rows else []
    return f"<table>{''.join(lines)}</table>"


def _rows(table: Table, cited: frozenset[tuple[int, int]]) -> frozenset[int]:
    """All rows of a small table; of a large one the header, the cited rows, and some beside them."""
    if len(table.cells) <= _MOST_CELLS:
        return frozenset(range(table.rows))
    most = max(1, _MOST_CELLS // max(1, table.columns))
    near = {
        r for row, _ in sorted(cited)[:most] for r in range(row - _NEAR_ROWS, row + _NEAR_ROWS + 1)
    }
    near |= set(range(table.header_rows)) | (set() if cited else set(range(_NEAR_ROWS)))
    return frozenset(sorted(row for row in near if 0 <= row < table.rows)[:most])


def _spans(rows: int, columns: int) -> str:
    down = f' rowspan="{rows}"' if rows > 1 else ""
    return down + (f' colspan="{columns}"' if columns > 1 else "")
