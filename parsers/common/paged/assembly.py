"""The pages of one document to its blocks: furniture, headings, tables over several pages."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

from msgspec import structs

from contracts.documents import Block, BlockKind, Layer, Origin, Position
from parsers.common.paged.blocks import paragraph_blocks, shown_words, style_of
from parsers.common.paged.captions import tied
from parsers.common.paged.figures import chart_boxes, labels_of
from parsers.common.paged.flow import Paragraph, rows_of
from parsers.common.paged.furniture import find_furniture, without_table_heads
from parsers.common.paged.grading import page_quality
from parsers.common.paged.page import PageInput, PicturePiece, arrange
from parsers.common.paged.ruling import find_grids
from parsers.common.paged.spacing import Wrapping
from parsers.common.paged.tabular import Placed, continues
from parsers.common.paged.textline import cover, outside, rounded

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from contracts.documents import Box, PageQuality
    from parsers.common.paged.content import PageRecord
    from parsers.common.paged.ruling import Grid, Rule
    from parsers.common.paged.textline import TextLine

__all__ = ["Assembly"]

_MIN_PICTURE = 40.0
_SCAN_SHARE = 0.85
_LOGO_PAGES = 3


class Assembly:
    """Lays out all pages with what only the whole document tells.

    Args:
        records: Pages in order.
        bookmarks: Level by text.
    """

    def __init__(self, records: Sequence[PageRecord], bookmarks: Mapping[str, int]) -> None:
        self._records = records
        self._lines = [record.lines() for record in records]
        everything = [line for lines in self._lines for line in lines]
        widths = [
            (line, record.content.width)
            for record, lines in zip(records, self._lines, strict=True)
            for line in lines
        ]
        self._style = style_of(widths, bookmarks)
        self._logos = _repeated_pictures(records)
        self._wrapping = Wrapping((line.text, line.trailing_space) for line in everything)
        self._grids: dict[int, tuple[list[Grid], list[Rule]]] = {}
        self._furniture = self._find_furniture()
        self._open: tuple[int, Placed] | None = None

    def _find_furniture(self) -> list[list[TextLine]]:
        """Furniture lines of each page (whole rows: a header may have a left and a right part)."""
        rows = [[piece for row in rows_of(lines, 1.0) for piece in row] for lines in self._lines]
        heights = [record.content.height for record in self._records]
        found = find_furniture(rows, heights, self._style.body)
        out = []
        for record, lines, hits in zip(self._records, rows, found, strict=True):
            kept = hits
            ruled = {i for i in hits if _between_rules(lines[i], record.content.horizontal)}
            if len(hits) > 1 or ruled:
                grids = find_grids(record.content.horizontal, record.content.vertical)
                self._grids[record.number] = grids
                kept = without_table_heads(hits, lines, grids[0])
            out.append([lines[i] for i in sorted(kept)])
        return out

    def result(self) -> tuple[list[Block], list[PageQuality]]:
        """Blocks in reading order, and the quality of each page."""
        blocks: list[Block] = []
        qualities: list[PageQuality] = []
        for record, lines, furniture in zip(
            self._records, self._lines, self._furniture, strict=True
        ):
            own, integrities = self._page(record, lines, furniture, blocks)
            unmapped = record.content.unmapped / max(1, record.content.characters)
            qualities.append(
                page_quality(record.number, own, unmapped_share=unmapped, integrities=integrities)
            )
            blocks += own
        return blocks, qualities

    def first_heading(self, blocks: Sequence[Block]) -> str:
        """The highest heading of the first page, or ""."""
        first = [b for b in blocks if b.kind is BlockKind.HEADING and b.position.page == 1]
        return min(first, key=lambda b: b.level).text if first else ""

    def _page(
        self,
        record: PageRecord,
        lines: Sequence[TextLine],
        furniture: Sequence[TextLine],
        before: list[Block],
    ) -> tuple[list[Block], list[float]]:
        kept = outside(lines, [_widened(f.box) for f in furniture])
        figures, kept = self._figures(record, kept)
        content = record.content
        page = PageInput(
            lines=kept,
            horizontal=content.horizontal,
            vertical=content.vertical,
            turned=[line for line in content.slanted if line.upright_turn],
            pictures=[*figures, *(box for box in _pictures(record) if box not in self._logos)],
            grids=self._grids.get(record.number),
        )
        middle = content.height / 2
        out = [
            self._marginal(record, f, BlockKind.HEADER) for f in furniture if f.middle[1] < middle
        ]
        integrities: list[float] = []
        pieces = arrange(page, self._wrapping)
        for index, piece in enumerate(pieces):
            if isinstance(piece, Placed):
                integrities.append(piece.integrity)
                if index == 0 and self._joins(record, piece, before):
                    continue
            out += self._piece(record, piece, figures)
            self._open = (record.number, piece) if isinstance(piece, Placed) else None
        out += [
            self._marginal(record, f, BlockKind.FOOTER) for f in furniture if f.middle[1] >= middle
        ]
        return tied(out) + self._rest(record), integrities

    def _figures(
        self, record: PageRecord, lines: list[TextLine]
    ) -> tuple[dict[Box, str], list[TextLine]]:
        """Charts with their labels, and the lines that are no labels."""
        content = record.content
        out: dict[Box, str] = {}
        for box in chart_boxes(content.shapes, (0, 0, content.width, content.height)):
            labels = labels_of(box, lines, self._style.body)
            if labels:
                taken = set(map(id, labels))
                lines = [line for line in lines if id(line) not in taken]
                rows = rows_of(labels)
                text = "\n".join(" ".join(piece.text for piece in row) for row in rows)
                out[cover([box, *(line.box for line in labels)])] = text
        return out, lines

    def _piece(
        self,
        record: PageRecord,
        piece: Paragraph | Placed | PicturePiece,
        figures: Mapping[Box, str],
    ) -> list[Block]:
        if isinstance(piece, Paragraph):
            origin = self._origin(record, piece)
            return paragraph_blocks(piece, record.number, self._style, record.shown, origin)
        position = Position(page=record.number, box=rounded(record.shown(piece.box)))
        if isinstance(piece, PicturePiece):
            text = figures.get(piece.box, "")
            return [Block(kind=BlockKind.FIGURE, text=text, position=position)]
        return [
            Block(
                kind=BlockKind.TABLE,
                table=piece.table,
                position=position,
                origin=self._origin(record, None),
                confidence=piece.confidence,
                words=shown_words(piece.words, record.shown),
            )
        ]

    def _origin(self, record: PageRecord, piece: Paragraph | None) -> Origin:
        if record.foreign or record.origin is Origin.OCR:
            return Origin.OCR
        if piece is not None and any(line.words for line in piece.lines):
            return Origin.OCR
        return record.origin

    def _marginal(self, record: PageRecord, line: TextLine, kind: BlockKind) -> Block:
        return Block(
            kind=kind,
            text=line.text,
            layer=Layer.FURNITURE,
            position=Position(page=record.number, box=rounded(record.shown(line.box))),
            origin=self._origin(record, None),
        )

    def _rest(self, record: PageRecord) -> list[Block]:
        """Watermarks and turned labels, hidden text, comments."""
        out: list[Block] = []
        content = record.content
        hidden = content.concealed if record.foreign else [*content.concealed, *content.invisible]
        watermarks = [line for line in content.slanted if not line.upright_turn]
        for lines, layer in ((watermarks, Layer.FURNITURE), (hidden, Layer.HIDDEN)):
            for line in lines:
                position = Position(page=record.number, box=rounded(record.shown(line.box)))
                out.append(
                    Block(kind=BlockKind.PARAGRAPH, text=line.text, layer=layer, position=position)
                )
        if record.links:
            where = Position(page=record.number)
            text = "\n".join(record.links)
            out.append(
                Block(
                    kind=BlockKind.NOTE, text=text, layer=Layer.NOTES, label="link", position=where
                )
            )
        return out + record.notes

    def _joins(self, record: PageRecord, piece: Placed, before: list[Block]) -> bool:
        """Append a table's rows to the one that the page before ended with."""
        if self._open is None or self._open[0] != record.number - 1:
            return False
        table = continues(self._open[1], piece)
        if table is None:
            return False
        for index in range(len(before) - 1, -1, -1):
            upper = before[index].table
            if upper is not None and upper is self._open[1].table:
                here = Position(page=record.number, box=rounded(record.shown(piece.box)))
                parts = (*(upper.parts or ((0, before[index].position),)), (upper.rows, here))
                table = structs.replace(table, parts=parts)
                before[index] = structs.replace(before[index], table=table)
                self._open = (record.number, replace(piece, table=table))
                return True
        return False


def _widened(box: Box) -> Box:
    """Where parts of a furniture line have their middles."""
    return box[0] - 1, box[1] - 1, box[2] + 1, box[3] + 1


def _between_rules(line: TextLine, horizontal: Sequence[Rule]) -> bool:
    height = line.middle[1]
    return any(rule.at < height for rule in horizontal) and any(
        rule.at > height for rule in horizontal
    )


def _repeated_pictures(records: Sequence[PageRecord]) -> set[Box]:
    """Pictures at one place on three pages or more, and on a third of them: logos."""
    seen = Counter(box for record in records for box in set(_pictures(record)))
    least = max(_LOGO_PAGES, len(records) / _LOGO_PAGES)
    return {box for box, count in seen.items() if count >= least}


def _pictures(record: PageRecord) -> list[Box]:
    """Pictures worth a mention: not the scan itself, not a bullet or a tile."""
    content = record.content
    page = content.width * content.height
    seen: set[Box] = set()
    for picture in content.pictures:
        left, top, right, bottom = picture.box
        scan = (right - left) * (bottom - top) > _SCAN_SHARE * page
        if min(right - left, bottom - top) >= _MIN_PICTURE and not scan:
            seen.add(rounded(picture.box))
    return sorted(seen, key=lambda box: (box[1], box[0]))
