"""Text of OpenDocument: paragraphs, headings, lists, tables, notes, frames (part 3, §5, §7, §9)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from contracts.documents import Block, BlockKind, Cell, Layer, Table
from parsers.common.headers import headers_of_table
from parsers.common.opc import Element
from parsers.common.open_chart import chart_block
from parsers.odf.charts import Objects
from parsers.odf.names import SVG, TABLE, TEXT, count, local_name
from parsers.odf.styles import ListCounter, Styles

__all__ = ["Flow", "described", "rows_of"]

_MOST_DEPTH = 60
_MOST_BLANKS = 1000
_LEFT_OUT = frozenset(
    {"tracked-changes", "sequence-decls", "variable-decls", "user-field-decls", "forms", "change", "change-start", "change-end",
     "bookmark", "bookmark-start", "bookmark-end", "soft-page-break", "ruby-text", "index-title-template"}
)  # fmt: skip
_FLOWS = frozenset({"section", "index-body", "table-of-content", "illustration-index", "alphabetical-index", "user-index", "bibliography", "table-index", "object-index", "text-box", "numbered-paragraph", "index-title", "page-sequence"})  # fmt: skip


@dataclass(slots=True)
class _Pieces:
    """Content of a paragraph: visible and hidden text, and what hangs on it."""

    parts: list[str] = field(default_factory=list)
    hidden: list[str] = field(default_factory=list)
    after: list[Block] = field(default_factory=list)


class Flow:
    """Reads block-level content.

    Args:
        styles: Styles of the document.
        objects: Opens the objects that its frames show.
    """

    def __init__(self, styles: Styles, objects: Objects) -> None:
        self._styles = styles
        self._objects = objects
        self._counter = ListCounter(styles)

    def blocks(self, container: Iterable[Element], depth: int = 0) -> Iterator[Block]:
        """Blocks of a container in order; notes follow the paragraph that they belong to."""
        for child in container if depth < _MOST_DEPTH else ():
            name = local_name(child)
            if name in ("p", "h"):
                yield from self._paragraph(child, depth)
            elif name == "list":
                yield from self._list(child, "", "", 1, depth)
            elif name == "table":
                yield from self._table(child, depth)
            elif name in (
                "frame",
                "custom-shape",
                "g",
                "rect",
                "line",
                "ellipse",
                "image",
                "object",
            ):
                yield from self._drawn(child, depth)
            elif name in _FLOWS:
                yield from self.blocks(child, depth + 1)

    def text(self, container: Iterable[Element]) -> str:
        """All text of a container, a line a paragraph."""
        blocks = (b for b in self.blocks(container) if b.layer is Layer.BODY)
        return "\n".join(f"{block.label} {block.text}".strip() for block in blocks)

    # -- paragraphs --------------------------------------------------------------------------------

    def _paragraph(
        self, element: Element, depth: int, label: str | None = None, level: int = 0
    ) -> Iterator[Block]:
        pieces = _Pieces()
        style = str(element.get(f"{TEXT}style-name", ""))
        hidden = self._styles.is_hidden("paragraph", style)
        self._inline(element, pieces, hidden=hidden, depth=depth)
        text, hidden_text = _shown(pieces.parts), _shown(pieces.hidden)
        named = local_name(element) == "h"
        outline = count(element, f"{TEXT}outline-level") if named else self._styles.outline(style)
        if text and outline and (named or label is None):
            yield Block(kind=BlockKind.HEADING, text=text, level=outline, label=label or "")
        elif text and label is not None:
            yield Block(kind=BlockKind.LIST_ITEM, text=text, level=level, label=label)
        elif text:
            yield Block(kind=BlockKind.PARAGRAPH, text=text)
        if hidden_text:
            yield Block(kind=BlockKind.PARAGRAPH, text=hidden_text, layer=Layer.HIDDEN)
        yield from pieces.after

    def _inline(self, element: Element, pieces: _Pieces, *, hidden: bool, depth: int) -> None:
        target = pieces.hidden if hidden else pieces.parts
        target.append(" ".join((element.text or "").split("\n")))
        for child in element:
            self._inline_child(child, pieces, hidden=hidden, depth=depth)
            target.append(" ".join((child.tail or "").split("\n")))

    def _inline_child(self, child: Element, pieces: _Pieces, *, hidden: bool, depth: int) -> None:
        name = local_name(child)
        target = pieces.hidden if hidden else pieces.parts
        if name == "s":
            target.append(" " * min(count(child, f"{TEXT}c"), _MOST_BLANKS))
        elif name == "tab":
            target.append("\t")
        elif name == "line-break":
            target.append("\n")
        elif name == "note":
            pieces.after += self._note(child)
        elif name == "annotation":
            pieces.after += self._remark(child)
        elif name in ("frame", "custom-shape", "g", "rect"):
            pieces.after += self._drawn(child, depth + 1)
        elif name in _LEFT_OUT or name == "annotation-end" or depth > _MOST_DEPTH:
            return
        else:
            style = str(child.get(f"{TEXT}style-name", ""))
            out_of_sight = name in ("hidden-text", "hidden-paragraph")
            inner = hidden or out_of_sight or self._styles.is_hidden("text", style)
            self._inline(child, pieces, hidden=inner, depth=depth + 1)

    def _note(self, element: Element) -> Iterator[Block]:
        body = element.find(f"{TEXT}note-body")
        citation = element.find(f"{TEXT}note-citation")
        label = "".join(map(str, citation.itertext())) if citation is not None else ""
        text = self.text(body) if body is not None else ""
        if text:
            yield Block(kind=BlockKind.NOTE, text=text, label=label.strip(), layer=Layer.NOTES)

    def _remark(self, element: Element) -> Iterator[Block]:
        """A comment with its author (§14.1)."""
        author = element.findtext("{http://purl.org/dc/elements/1.1/}creator") or ""
        text = self.text(element)
        if text:
            yield Block(kind=BlockKind.NOTE, text=text, label=author.strip(), layer=Layer.NOTES)

    # -- lists -------------------------------------------------------------------------------------

    def _list(
        self, element: Element, style: str, key: str, level: int, depth: int
    ) -> Iterator[Block]:
        style = str(element.get(f"{TEXT}style-name", "")) or style
        if not key:
            on = element.get(f"{TEXT}continue-numbering") == "true"
            given = element.get("{http://www.w3.org/XML/1998/namespace}id")
            goes_on = element.get(f"{TEXT}continue-list")
            key = str(goes_on or (style if on else given or f"{style}#{id(element)}"))
        for item in element if depth < _MOST_DEPTH else ():
            name = local_name(item)
            if name not in ("list-item", "list-header"):
                continue
            first = name == "list-item"
            asked = count(item, f"{TEXT}start-value", 0) or None
            for child in item:
                kind = local_name(child)
                if kind == "list":
                    yield from self._list(child, style, key, level + 1, depth + 1)
                elif kind in ("p", "h"):
                    label = self._counter.label(style, key, level, asked) if first else None
                    first = False
                    yield from self._paragraph(child, depth + 1, label, level)
                else:
                    yield from self.blocks([child], depth + 1)

    # -- tables ------------------------------------------------------------------------------------

    def _table(self, element: Element, depth: int) -> Iterator[Block]:
        after: list[Block] = []
        table = self._read_table(element, depth, after)
        if table is not None:
            yield Block(kind=BlockKind.TABLE, table=table)
        yield from after

    def _read_table(self, element: Element, depth: int, after: list[Block]) -> Table | None:
        cells: list[Cell] = []
        strong: set[tuple[int, int]] = set()
        rows = columns = heads = 0
        for row, header in rows_of(element):
            column = 0
            for entry in row:
                name = local_name(entry)
                if name not in ("table-cell", "covered-table-cell"):
                    continue
                if name == "table-cell":
                    text, tables = self._cell(entry, depth, after)
                    down, across = (
                        count(entry, f"{TABLE}number-rows-spanned"),
                        count(entry, f"{TABLE}number-columns-spanned"),
                    )
                    if text or tables or down > 1 or across > 1:
                        cells.append(Cell(rows, column, text, down, across, tables))
                    if self._styles.is_strong(
                        "table-cell", str(entry.get(f"{TABLE}style-name", ""))
                    ):
                        strong.add((rows, column))
                column += count(entry, f"{TABLE}number-columns-repeated")
            columns = max(columns, min(column, 1024))
            heads += int(header and heads == rows)
            rows += 1
        cells = [cell.within(rows, columns) for cell in cells if cell.column < columns]
        if not any(cell.text or cell.tables for cell in cells):
            return None
        table = Table(cells=tuple(cells), rows=rows, columns=columns)
        return headers_of_table(table, frozenset(strong), heads if heads < rows else 0)

    def _cell(
        self, entry: Element, depth: int, after: list[Block]
    ) -> tuple[str, tuple[Table, ...]]:
        lines, tables = [], []
        for block in self.blocks(entry, depth + 1):
            if block.layer is not Layer.BODY:
                after.append(block)
            elif block.table is not None:
                tables.append(block.table)
            else:
                mark = "•" if block.kind is BlockKind.LIST_ITEM and not block.label else block.label
                lines.append(f"{mark} {block.text}".strip())
        return "\n".join(line for line in lines if line), tuple(tables)

    # -- frames ------------------------------------------------------------------------------------

    def _drawn(self, element: Element, depth: int) -> Iterator[Block]:
        """Text, tables and pictures of a frame or shape; of the ways to show one thing, the first."""
        if depth > _MOST_DEPTH:
            return
        words = described(element)
        found = False
        for child in element:
            name = local_name(child)
            if name in ("text-box", "p", "list", "table"):
                found = True
                inner = child if name == "text-box" else [child]
                yield from self.blocks(inner, depth + 1)
            elif name in ("frame", "custom-shape", "g", "rect", "ellipse"):
                found = True
                yield from self._drawn(child, depth + 1)
            elif name == "object" and (chart := self._chart(child)) is not None:
                found = True
                yield chart
            elif name in ("image", "object", "object-ole") and not found:
                found = True
                yield Block(kind=BlockKind.FIGURE, text=words)
                words = ""
        if words:
            yield Block(kind=BlockKind.FIGURE, text=words)

    def _chart(self, element: Element) -> Block | None:
        root = self._objects(element)
        return chart_block(root) if root is not None else None


def described(element: Element) -> str:
    """Title and description of a shape."""
    parts = [element.findtext(f"{SVG}title") or "", element.findtext(f"{SVG}desc") or ""]
    return "\n".join(dict.fromkeys(part.strip() for part in parts if part.strip()))


def rows_of(table: Element) -> Iterator[tuple[Element, bool]]:
    """Rows of a table, also those in groups, and whether each is a header row."""
    for child in table:
        name = local_name(child)
        if name == "table-row":
            yield child, local_name(table) == "table-header-rows"
        elif name in ("table-header-rows", "table-rows", "table-row-group"):
            yield from rows_of(child)


def _shown(parts: list[str]) -> str:
    lines = "".join(parts).split("\n")
    return "\n".join(" ".join(line.split(" ")).strip() for line in lines).strip()
