"""Readings from the pages: title block, header layer, revision table and the first lines."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from contracts.documents import BlockKind, Layer
from contracts.versions import Evidence, EvidenceSource
from metadata.codes import document_number_in
from metadata.folding import clip, fold_label, normalise
from metadata.labels import field_of, is_label, pairs_in_line, starts_with_label
from metadata.places import cell_place, head_blocks, is_footer, place, tables_in
from metadata.revisions import Revision, comparable, find_revision, parse_revision
from metadata.statuses import declared_status, line_status
from metadata.values import DATE_FIELDS, accept, security_mark

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from contracts.documents import Block, Cell, ParsedDocument, Position, Table

__all__ = ["read_pages"]

_TITLE_ROWS = 15
_TOP_LINES = 5
_HEADER_LINE, _SHORT_LINE = 120, 40
_HISTORY = re.compile(
    r"개정\s*(?:이력|내역|사항|기록|연혁)|변경\s*이력|제\s*·?\s*개정\s*이력|revision\s*(?:history|record|log)|change\s*(?:history|log)",
    re.IGNORECASE,
)
_CHANGES = frozenset(
    ("개정내용", "변경내용", "개정사유", "변경사유", "내용", "사유", "개정사항", "변경사항", "주요개정내용", "description", "changes", "remarks", "비고")
)  # fmt: skip
_DATE_LABELS = frozenset((*DATE_FIELDS,))
_FOREIGN = frozenset(
    (
        "도면번호",
        "도번",
        "품번",
        "부품번호",
        "문서번호",
        "표준번호",
        "문서명",
        "품명",
        "drawingno",
        "partno",
        "docno",
    )
)
"""Columns that make a table a list of other documents or parts."""


def read_pages(document: ParsedDocument) -> list[Evidence]:
    """Everything that the pages themselves say, in order of reading, repeats once.

    Mail bodies are left to their headers: a mail quotes and forwards what belongs to other documents.
    """
    readings: list[Evidence] = []
    for block in document.blocks:
        if block.layer is Layer.FURNITURE or block.kind in {BlockKind.HEADER, BlockKind.FOOTER}:
            readings.extend(_furniture(block))
    lines = 0
    for block in head_blocks(document):
        if block.table is not None:
            readings.extend(_title_block(block.table, block.position))
        elif block.kind not in {BlockKind.HEADER, BlockKind.FOOTER}:
            readings.extend(_lines(block, at_top=lines < _TOP_LINES))
            lines += 1
    readings.extend(_revision_tables(document))
    return list(dict.fromkeys(readings))


def _furniture(block: Block) -> Iterator[Evidence]:
    if block.table is not None:
        if not is_footer(block):
            yield from _title_block(block.table, block.position)
        return
    where = f"{'footer' if is_footer(block) else 'header'} {place(block.position)}".strip()
    for line in block.text.split("\n"):
        yield from _marks(line, EvidenceSource.TITLE_BLOCK, where)
        if is_footer(block) or len(line) > _HEADER_LINE:
            continue
        pairs = list(_pairs(line, EvidenceSource.TITLE_BLOCK, where))
        yield from pairs
        fields = {reading.field for reading in pairs}
        number = document_number_in(line)
        if number and "document_number" not in fields:
            yield Evidence("document_number", number, EvidenceSource.TITLE_BLOCK, clip(line), where)
        revision = find_revision(line)
        if revision and "revision" not in fields:
            yield Evidence("revision", revision.text, EvidenceSource.TITLE_BLOCK, clip(line), where)


def _lines(block: Block, *, at_top: bool) -> Iterator[Evidence]:
    """Readings of a text block; stamps and revisions of headings count at the top only.

    Further down, 폐기 alone is a way to treat defective parts, and a heading tells of other revisions.
    """
    where = place(block.position)
    for line in block.text.split("\n"):
        pairs = list(_pairs(line, EvidenceSource.BODY, where)) if starts_with_label(line) else []
        yield from pairs
        stamped = at_top and block.kind is not BlockKind.LIST_ITEM
        yield from _marks(line, EvidenceSource.BODY, where, stamped=stamped)
        declared = declared_status(line)
        if declared:
            yield Evidence(
                "status", declared[0].value, EvidenceSource.BODY, clip(declared[1]), where
            )
        heads = at_top and block.kind is BlockKind.HEADING and not pairs
        if heads and (revision := find_revision(line)):
            yield Evidence("revision", revision.text, EvidenceSource.BODY, clip(line), where)


def _marks(
    line: str, source: EvidenceSource, where: str, *, stamped: bool = True
) -> Iterator[Evidence]:
    if len(line) > _HEADER_LINE:
        return
    status = line_status(line) if stamped and len(line) <= _SHORT_LINE else None
    if status:
        yield Evidence("status", status[0].value, source, clip(status[1]), where)
    level = security_mark(line)
    if level:
        yield Evidence("security_level", level, source, clip(line), where)


def _pairs(line: str, source: EvidenceSource, where: str) -> Iterator[Evidence]:
    for field, text, raw in pairs_in_line(line):
        yield from _reading(field, text, raw, source, where)


def _reading(
    field: str, text: str, raw: str, source: EvidenceSource, where: str
) -> Iterator[Evidence]:
    value = accept(field, text)
    if value is None:
        return
    yield Evidence(field, value, source, clip(raw), where)
    if field == "document_number" and (revision := find_revision(normalise(text))):
        yield Evidence("revision", revision.text, source, clip(raw), where)


# -- title block -----------------------------------------------------------------------------------


def _title_block(outer: Table, position: Position) -> Iterator[Evidence]:
    for table in tables_in(outer):
        grid = {(cell.row, cell.column): cell for cell in table.cells if cell.row < _TITLE_ROWS}
        for cell in grid.values():
            where = cell_place(position, table, cell)
            for line in cell.text.split("\n"):
                yield from _pairs(line, EvidenceSource.TITLE_BLOCK, where)
            mark = security_mark(cell.text) if len(cell.text) <= _SHORT_LINE else None
            if mark:
                yield Evidence(
                    "security_level", mark, EvidenceSource.TITLE_BLOCK, clip(cell.text), where
                )
            field = field_of(cell.text)
            if field:
                yield from _value_of(field, cell, table, grid, position)


def _value_of(
    field: str,
    label: Cell,
    table: Table,
    grid: dict[tuple[int, int], Cell],
    position: Position,
) -> Iterator[Evidence]:
    """The value right of a label, else below it where the label heads a single row of values."""
    right = grid.get((label.row, label.column + label.column_span))
    below_row = label.row + label.row_span
    below = grid.get((below_row, label.column))
    candidates = [right] if right is not None else []
    after = below_row + below.row_span if below is not None else 0
    follower = grid.get((after, label.column))
    # only one row of values below a row of labels: two or more are a list of other things
    if below is not None and (after >= table.rows or (follower and is_label(follower.text))):
        candidates.append(below)
    for cell in candidates:
        where = cell_place(position, table, cell)
        raw = f"{normalise(label.text)}: {cell.text}"
        found = list(_reading(field, cell.text, raw, EvidenceSource.TITLE_BLOCK, where))
        if found:
            yield from found
            return


# -- revision table --------------------------------------------------------------------------------


def _revision_tables(document: ParsedDocument) -> Iterator[Evidence]:
    lead = ""
    for block in document.blocks:
        if block.layer in {Layer.HIDDEN, Layer.QUOTED}:
            continue
        if block.table is None:
            lead = block.text or lead
            continue
        for table in tables_in(block.table):
            yield from _revision_table(table, block.position, f"{lead} {table.caption}")
        lead = ""


def _revision_table(table: Table, position: Position, lead: str) -> Iterator[Evidence]:
    rows: dict[int, dict[int, Cell]] = {}
    for cell in table.cells:
        rows.setdefault(cell.row, {})[cell.column] = cell
    for number in sorted(rows)[:_TITLE_ROWS]:
        labels = {column: cell for column, cell in rows[number].items() if cell.text}
        titled = bool(_HISTORY.search(lead)) or any(
            _HISTORY.search(cell.text) for r in rows if r < number for cell in rows[r].values()
        )
        columns = _history_columns(labels, titled=titled)
        if columns:
            entries = _entries([rows[r] for r in sorted(rows) if r > number], columns)
            yield from _last_entry(entries, table, position)
            return


def _history_columns(labels: dict[int, Cell], *, titled: bool) -> tuple[int, int] | None:
    """Columns of revision and date (or −1) where a row heads a revision table."""
    revision, dated, changes = -1, -1, False
    for column, cell in labels.items():
        folded = fold_label(cell.text)
        if folded in _FOREIGN:
            return None
        field = field_of(cell.text)
        if field == "revision":
            revision = column
        elif field in _DATE_LABELS or folded == "날짜":
            dated = column
        changes = changes or folded in _CHANGES
    if revision < 0 or not (changes or titled) or (dated < 0 and not titled):
        return None
    return revision, dated


def _entries(
    rows: Iterable[dict[int, Cell]], columns: tuple[int, int]
) -> list[tuple[Revision, str | None, Cell]]:
    entries = []
    for row in rows:
        cell = row.get(columns[0])
        revision = parse_revision(cell.text) if cell is not None else None
        if cell is None or revision is None:
            continue
        dated = row.get(columns[1])
        entries.append((revision, accept("revised_date", dated.text) if dated else None, cell))
    return entries


def _last_entry(
    entries: list[tuple[Revision, str | None, Cell]], table: Table, position: Position
) -> Iterator[Evidence]:
    """The newest entry: tables grow downwards as a rule, upwards in some houses; their ranks tell."""
    if not entries:
        return
    last = entries[-1]
    if all(comparable(entry[0].rank, last[0].rank) for entry in entries):
        last = max(reversed(entries), key=lambda entry: entry[0].rank)
    elif all(entry[1] for entry in entries):
        last = max(reversed(entries), key=lambda entry: entry[1] or "")
    revision, dated, cell = last
    where = cell_place(position, table, cell)
    yield Evidence("revision", revision.text, EvidenceSource.REVISION_TABLE, clip(cell.text), where)
    if dated:
        yield Evidence("revised_date", dated, EvidenceSource.REVISION_TABLE, clip(dated), where)
