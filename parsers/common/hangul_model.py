"""What both Hangul formats (HWP 5 and HWPX) hold, in one shape that neither of them owns.

A reader turns its file into paragraphs with the objects at the place of their anchors;
:mod:`parsers.common.hangul_flow` turns those into blocks. Sizes are in points. They are structures of msgspec's, which are
made in a fraction of a dataclass's time: a document has thousands.
"""

from __future__ import annotations

from enum import Enum

import msgspec

from contracts.documents import BlockKind, Layer, Table

__all__ = [
    "Aside",
    "Box",
    "Figure",
    "GridCell",
    "GridTable",
    "Head",
    "HeadKind",
    "Item",
    "Note",
    "Paragraph",
]


class HeadKind(Enum):
    """What Hangul prints before a paragraph (문단 머리)."""

    OUTLINE = "outline"
    NUMBER = "number"
    BULLET = "bullet"


class Head(msgspec.Struct, frozen=True):
    """The head of a paragraph: its kind, level from 1, and the printed label (``1.``, ``가.``)."""

    kind: HeadKind
    level: int
    label: str


class Paragraph(msgspec.Struct, gc=False):
    """One paragraph: text and objects in the order in which they are anchored.

    Attributes:
        items: Text runs and objects; two runs in sequence belong together.
        head: What is printed before the text, or None.
        size: Font size of most of the text, 0 where unknown.
        bold: Whether most of the text is bold.
        links: Addresses that its hyperlinks lead to.
    """

    items: list[Item] = []
    head: Head | None = None
    size: float = 0.0
    bold: bool = False
    links: list[str] = []

    def text(self) -> str:
        """The text runs, without the objects."""
        items = self.items
        if len(items) == 1:
            return items[0] if isinstance(items[0], str) else ""
        return "".join([item for item in items if isinstance(item, str)])


class GridCell(msgspec.Struct, gc=False):
    """A table cell at its own address, from 0; ``header`` where the author marked it (제목 셀)."""

    row: int
    column: int
    row_span: int
    column_span: int
    paragraphs: list[Paragraph]
    header: bool = False


class GridTable(msgspec.Struct):
    """A table as stored: sizes as declared, cells as listed, not yet checked against each other.

    Attributes:
        inline: It stands in the line like a character (글자처럼 취급).
    """

    rows: int
    columns: int
    cells: list[GridCell]
    caption: list[Paragraph] = []
    inline: bool = False


class Box(msgspec.Struct):
    """A text box or shape with text (글상자)."""

    paragraphs: list[Paragraph]
    caption: list[Paragraph] = []
    inline: bool = False


class Figure(msgspec.Struct):
    """A picture, chart or embedded object.

    Attributes:
        text: What it says in words: alternative text, titles of a chart.
        table: The values of a chart.
        caption: Its caption.
        inline: It stands in the line like a character.
    """

    text: str = ""
    table: Table | None = None
    caption: list[Paragraph] = []
    inline: bool = False


class Note(msgspec.Struct):
    """A footnote (각주) or endnote (미주) with its printed mark (``1)``)."""

    label: str
    paragraphs: list[Paragraph]


class Aside(msgspec.Struct):
    """Text beside the flow: header, footer, master page (furniture), hidden comment or memo (hidden)."""

    kind: BlockKind
    layer: Layer
    paragraphs: list[Paragraph]


Item = str | GridTable | Box | Figure | Note | Aside
