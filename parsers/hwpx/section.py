"""``section*.xml`` of an HWPX package as paragraphs with their objects (OWPML, KS X 6101 section 10)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from contracts.documents import BlockKind, Layer
from contracts.errors import ParseFailure
from contracts.failures import FailureClass
from parsers.common.hangul_model import (
    Aside,
    GridCell,
    GridTable,
    Head,
    HeadKind,
    Item,
    Note,
    Paragraph,
)
from parsers.common.hangul_numbers import Counters, format_shape, shape_by_name
from parsers.hwpx.header import whole_number
from parsers.hwpx.objects import Charts, field_link, own_text, read_shape
from parsers.hwpx.package import local_name

if TYPE_CHECKING:
    from collections.abc import Iterable

    from parsers.hwpx.header import Header

__all__ = ["SectionReader"]

_SHAPES = frozenset(
    {"pic", "ole", "container", "rect", "ellipse", "arc", "polygon", "curve", "line"}
    | {"connectLine", "textart", "video", "chart"}
)
_IN_TEXT = {"tab": "\t", "lineBreak": "\n", "hyphen": "-", "nbSpace": " ", "fwSpace": " "}
_ASIDES = {
    "header": (BlockKind.HEADER, Layer.FURNITURE),
    "footer": (BlockKind.FOOTER, Layer.FURNITURE),
    "hiddenComment": (BlockKind.NOTE, Layer.HIDDEN),
}
_HEAD_KINDS = {
    "OUTLINE": HeadKind.OUTLINE,
    "NUMBER": HeadKind.NUMBER,
    "BULLET": HeadKind.BULLET,
}


class SectionReader:
    """Reads the sections of one document one after the other; numbers go on from section to section.

    Args:
        header: Definitions of ``header.xml``.
        charts: Gives the words of a chart part.
        max_cells: Table cells of the whole document, beyond which the file is ``too_large``.
    """

    def __init__(self, header: Header, charts: Charts, max_cells: int) -> None:
        self._header = header
        self._charts = charts
        self._cells_left = max_cells
        self._counters = Counters()
        self._outline = 0
        self._deleted: set[str] = set()

    def read(self, root: Any) -> list[Paragraph]:
        """The paragraphs of a section or master page."""
        self._deleted.clear()
        return self.paragraphs(root)

    def paragraphs(self, parent: Any) -> list[Paragraph]:
        """The paragraphs directly below ``parent`` (a section or paragraph list)."""
        found = []
        for child in parent:
            name = local_name(child)
            if name == "p":
                found.append(self._paragraph(child))
            elif name == "subList":
                found.extend(self.paragraphs(child))
        return found

    def listed(self, parent: Any) -> list[Paragraph]:
        """The paragraphs of the paragraph list in ``parent``; tracked deletions do not reach into it."""
        outside, self._deleted = self._deleted, set()
        paragraphs = self.paragraphs(parent)
        self._deleted = outside
        return paragraphs

    def _paragraph(self, element: Any) -> Paragraph:
        items: list[Item] = []
        paragraph = Paragraph(items)
        letters: dict[str, int] = {}
        for run in element:
            if local_name(run) != "run":
                continue
            before = len(items)
            for child in run:
                self._in_run(child, paragraph)
            length = sum([len(item) for item in items[before:] if isinstance(item, str)])
            shape = run.get("charPrIDRef", "")
            letters[shape] = letters.get(shape, 0) + length
        usual = max(letters, key=letters.__getitem__) if letters else ""
        paragraph.size, paragraph.bold = self._header.letter(usual)
        paragraph.head = self._head(element)
        return paragraph

    def _head(self, element: Any) -> Head | None:
        style = self._header.head(element.get("paraPrIDRef", ""))
        if style is None or style.kind not in _HEAD_KINDS:
            return None
        kind = _HEAD_KINDS[style.kind]
        if kind is HeadKind.BULLET:
            return Head(kind, style.level, self._header.bullets.get(style.reference, "•"))
        key = style.reference or (self._outline if kind is HeadKind.OUTLINE else 0)
        numbering = self._header.numberings.get(key)
        label = self._counters.advance(key, numbering, style.level) if numbering else ""
        return Head(kind, style.level, label)

    def _in_run(self, element: Any, paragraph: Paragraph) -> None:
        name = local_name(element)
        if name == "t":
            if len(element):
                paragraph.items.extend(self._text(element))
            elif element.text and not self._deleted:
                paragraph.items.append(element.text)
        elif name == "ctrl":
            for child in element:
                self._control(child, paragraph)
        elif name == "secPr":
            self._outline = whole_number(element.get("outlineShapeIDRef"))
        elif not self._deleted:
            paragraph.items.extend(self._objects(element, name))

    def _objects(self, element: Any, name: str) -> Iterable[Item]:
        if name == "tbl":
            return [self._table(element)]
        if name in _SHAPES:
            return read_shape(element, self, self._charts)
        if name == "switch":
            return self._switch(element)
        if name == "":
            return ()
        text = own_text(element, name)
        if text is not None:
            return [text] if text else ()
        # An element that this reader does not know: its paragraphs are still text of the document.
        return read_shape(element, self, self._charts)

    def _switch(self, element: Any) -> Iterable[Item]:
        """Alternatives of one object: the newer chart in ``case``, an older stand-in in ``default``."""
        for choice in element:
            items: list[Item] = []
            for child in choice:
                items.extend(self._objects(child, local_name(child)))
            if items:
                return items
        return ()

    def _text(self, element: Any) -> Iterable[str]:
        if element.text and not self._deleted:
            yield element.text
        for child in element:
            name = local_name(child)
            if name == "deleteBegin":
                self._deleted.add(child.get("Id", ""))
            elif name == "deleteEnd":
                self._deleted.discard(child.get("Id", ""))
            elif name in _IN_TEXT and not self._deleted:
                yield _IN_TEXT[name]
            if child.tail and not self._deleted:
                yield child.tail

    def _control(self, element: Any, paragraph: Paragraph) -> None:
        name = local_name(element)
        if self._deleted and name != "secPr":
            return
        if name in _ASIDES:
            kind, layer = _ASIDES[name]
            paragraph.items.append(Aside(kind, layer, self.listed(element)))
        elif name in {"footNote", "endNote"}:
            paragraph.items.append(self._note(element))
        elif name == "autoNum":
            paragraph.items.append(_automatic_number(element))
        elif name == "fieldBegin":
            link = field_link(element)
            if link:
                paragraph.links.append(link)
            if element.find("{*}subList") is not None:
                memo = Aside(BlockKind.NOTE, Layer.HIDDEN, self.listed(element))
                paragraph.items.append(memo)
        elif name == "secPr":
            self._outline = whole_number(element.get("outlineShapeIDRef"))

    def _note(self, element: Any) -> Note:
        number = next((child for child in element.iter() if local_name(child) == "autoNum"), None)
        label = "" if number is None else _automatic_number(number)
        return Note(label, self.listed(element))

    def _table(self, element: Any) -> GridTable:
        table = GridTable(
            whole_number(element.get("rowCnt")),
            whole_number(element.get("colCnt")),
            [],
            inline=is_inline(element),
        )
        row_number = 0
        for child in element:
            name = local_name(child)
            if name == "tr":
                for column, cell in enumerate(child.iterfind("{*}tc")):
                    table.cells.append(self._cell(cell, row_number, column))
                row_number += 1
            elif name == "caption":
                table.caption = self.listed(child)
        table.rows = min(table.rows, max(row_number, 1)) if table.rows else row_number
        return table

    def _cell(self, element: Any, row: int, column: int) -> GridCell:
        self._cells_left -= 1
        if self._cells_left < 0:
            raise ParseFailure(FailureClass.TOO_LARGE, "more table cells than parse.max_cells")
        address = span = None
        for child in element:
            name = local_name(child)
            if name == "cellAddr" and address is None:
                address = child
            elif name == "cellSpan" and span is None:
                span = child
        if address is not None:
            row = min(whole_number(address.get("rowAddr"), row), _MAX_ROWS)
            column = min(whole_number(address.get("colAddr"), column), _MAX_COLUMNS)
        row_span = whole_number(span.get("rowSpan"), 1) if span is not None else 1
        column_span = whole_number(span.get("colSpan"), 1) if span is not None else 1
        return GridCell(
            row,
            column,
            max(row_span, 1),
            max(column_span, 1),
            self.listed(element),
            header=element.get("header") in {"1", "true"},
        )


_MAX_ROWS = 65_535
_MAX_COLUMNS = 4_095


def is_inline(element: Any) -> bool:
    """Whether an object is set like a character (글자처럼 취급)."""
    position = element.find("{*}pos")
    return position is not None and position.get("treatAsChar") == "1"


def _automatic_number(element: Any) -> str:
    """A caption or note number; page numbers are not stored, so they give no text."""
    if element.get("numType", "PAGE") in {"PAGE", "TOTAL_PAGE"}:
        return ""
    style = element.find("{*}autoNumFormat")
    number = whole_number(element.get("num"), 1)
    if style is None:
        return str(number)
    if style.get("userChar") and style.get("type") == "USER_CHAR":
        text = style.get("userChar")
    else:
        text = format_shape(number, shape_by_name(style.get("type", "DIGIT")))
    return f"{style.get('prefixChar', '')}{text}{style.get('suffixChar', '')}"
