"""A page of a parse sample as one HTML file: its picture, and beside it the blocks that were read."""
# mypy: allow-untyped-calls
# (PyMuPDF ships without complete types)

from __future__ import annotations

import base64
import html
import io
import re
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from app.sample_preview import missing_words

if TYPE_CHECKING:
    from collections.abc import Iterable

    from app.sample_preview import Preview
    from contracts.documents import Block, Box, ParsedDocument, Table

__all__ = ["page_html", "page_picture", "rendered_picture"]

_DPI = 110
_PICTURES = frozenset({"png", "jpeg", "tiff", "bmp", "gif", "webp"})
_DOUBTFUL = 0.8
_RENDERED = frozenset({"doc", "docx", "rtf", "odt", "ppt", "pptx", "odp"})
"""Formats that LibreOffice draws page by page. It has no filter for HWP 5, and that for HWP 3.0 drops tables."""
_RENDER_SECONDS = 60.0
_STYLE = """
body{font:14px/1.5 sans-serif;margin:0;display:grid;grid-template-columns:1fr 1fr;gap:12px}
header{grid-column:1/3;padding:8px 12px;background:#eee}
figure{margin:0;position:relative;align-self:start}figure img{width:100%}
figure i{position:absolute;border:1px solid #06c;font:10px sans-serif;color:#06c}
main{padding-right:12px}section{border-left:3px solid #06c;margin:6px 0;padding:2px 8px}
section.doubt{border-color:#c30}small{color:#666}table{border-collapse:collapse}td{border:1px solid #999;padding:2px 4px}
pre{white-space:pre-wrap;margin:0;font:inherit}mark{background:#fcc}
aside{padding:0 12px}aside pre{border:1px solid #ccc;padding:4px 8px}aside img{max-width:100%}
"""


def page_picture(
    path: Path, format_name: str, page: int
) -> tuple[bytes, tuple[float, float]] | None:
    """PNG of a page and its size in points, or None for formats that have no pages to show.

    Args:
        path: The original.
        format_name: As sniffed.
        page: From 1.
    """
    if format_name == "pdf":
        import pymupdf

        with pymupdf.open(path, filetype="pdf") as document:
            if not 1 <= page <= document.page_count:
                return None
            shown = document[page - 1]
            return shown.get_pixmap(dpi=_DPI).tobytes("png"), (shown.rect.width, shown.rect.height)
    if format_name in _PICTURES:
        from PIL import Image

        with Image.open(path) as image:
            image.seek(page - 1)
            frame = image.convert("RGB")
        frame.thumbnail((1600, 1600))
        buffer = io.BytesIO()
        frame.save(buffer, "PNG")
        return buffer.getvalue(), (0.0, 0.0)
    return None


def rendered_picture(
    path: Path, format_name: str, page: int, office: str
) -> tuple[bytes, tuple[float, float]] | None:
    """As :func:`page_picture`, drawn by LibreOffice; None where there is none, or it cannot.

    Args:
        path: The original.
        format_name: As sniffed.
        page: From 1; 0 for the first.
        office: Setting ``parse.office``.
    """
    from parsers.legacy.converter import converter_for

    converter = converter_for(office) if format_name in _RENDERED else None
    if converter is None:
        return None
    with tempfile.TemporaryDirectory(prefix="seoga-sample-") as folder:
        named = Path(folder) / f"source.{format_name}"
        named.symlink_to(path.resolve())
        made = Path(folder) / "made.pdf"
        if not converter.convert(named, made, "pdf", _RENDER_SECONDS):
            return None
        return page_picture(made, "pdf", max(page, 1))


def page_html(
    document: ParsedDocument,
    page: int,
    title: str,
    picture: tuple[bytes, tuple[float, float]] | None,
    preview: Preview | None = None,
) -> str:
    """The file; blocks are numbered in reading order, doubtful ones stand out.

    Args:
        document: What was read.
        page: From 1; 0 for all. Of a document whose blocks have no pages (HWP, HWPX) all is shown.
        title: What stands above, such as the path.
        picture: See :func:`page_picture`.
        preview: What the document says of itself; shown where there is no picture of the page.
    """
    if not any(_page(block) for block in document.blocks):
        page = 0
    blocks = [block for block in document.blocks if page in {0, _page(block)}]
    if picture:
        left = _figure(picture, blocks)
    elif preview:
        left = _preview(preview, document)
    else:
        left = "<p>이 형식은 그림이 없습니다: 원본을 여세요 (no picture of this format: open the original)</p>"
    right = "".join(_section(number, block) for number, block in enumerate(blocks, 1))
    head = f"<header>{html.escape(title)} &middot; {page or 'all'}</header>"
    return (
        f'<!doctype html><html lang="ko"><meta charset="utf-8"><title>{html.escape(title)}</title>'
        f"<style>{_STYLE}</style>{head}<div>{left}</div><main>{right}</main></html>\n"
    )


def _page(block: Block) -> int:
    position = block.position
    return position.page or position.slide or position.message or 0


def _figure(picture: tuple[bytes, tuple[float, float]], blocks: Iterable[Block]) -> str:
    data, size = picture
    image = f'<img alt="" src="data:image/png;base64,{base64.b64encode(data).decode()}">'
    marks = "".join(
        _mark(number, block.position.box, size)
        for number, block in enumerate(blocks, 1)
        if block.position.box is not None and size[0] > 0
    )
    return f"<figure>{image}{marks}</figure>"


def _preview(preview: Preview, document: ParsedDocument) -> str:
    """The stored preview; words of it that were not read stand out."""
    parts = ["<h2>문서에 저장된 미리 보기 (the document's own preview)</h2>"]
    if preview.picture:
        data = base64.b64encode(preview.picture).decode()
        parts.append(f'<p>첫 쪽 (first page)</p><img alt="" src="data:image/png;base64,{data}">')
    if preview.text:
        missing = set(missing_words(preview.text, document.blocks))
        shown = "".join(
            f"<mark>{html.escape(piece)}</mark>" if piece in missing else html.escape(piece)
            for piece in re.split(r"([^\s<>]+)", preview.text)
        )
        parts.append(
            f"<p>글의 처음; 읽은 글에 없는 낱말 {len(missing)}개 (beginning of the text; words that were not read)</p><pre>{shown}</pre>"
        )
    return f"<aside>{''.join(parts)}</aside>"


def _mark(number: int, box: Box, size: tuple[float, float]) -> str:
    left, top, right, bottom = box
    place = (
        f"left:{100 * left / size[0]:.2f}%;top:{100 * top / size[1]:.2f}%;"
        f"width:{100 * (right - left) / size[0]:.2f}%;height:{100 * (bottom - top) / size[1]:.2f}%"
    )
    return f'<i style="{place}">{number}</i>'


def _section(number: int, block: Block) -> str:
    body = (
        _table(block.table)
        if block.table
        else f"<pre>{html.escape(f'{block.label} {block.text}'.strip())}</pre>"
    )
    doubt = ' class="doubt"' if block.confidence < _DOUBTFUL else ""
    about = f"{number} {block.kind.value} {block.layer.value} {block.origin.value} {block.confidence:.2f}"
    return f"<section{doubt}><small>{about}</small>{body}</section>"


def _table(table: Table) -> str:
    rows: list[list[str]] = [[] for _ in range(table.rows)]
    for cell in table.cells:
        inner = "".join(_table(one) for one in cell.tables)
        spans = f' rowspan="{cell.row_span}" colspan="{cell.column_span}"'
        rows[cell.row].append(f"<td{spans}>{html.escape(cell.text)}{inner}</td>")
    return "<table>" + "".join(f"<tr>{''.join(row)}</tr>" for row in rows) + "</table>"
