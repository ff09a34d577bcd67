"""Where a passage stands, for people and for programs, and what its document's status is to a reader."""

from __future__ import annotations

from typing import TYPE_CHECKING

from contracts.search import Citation
from contracts.versions import Status

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import date

    from contracts.chunks import Chunk, DocumentRow
    from contracts.documents import Position

__all__ = ["STATUS_WORDS", "citation", "status_for"]

STATUS_WORDS = {
    Status.CURRENT: "현행",
    Status.OBSOLETE: "폐기",
    Status.DRAFT: "초안",
    Status.UNKNOWN: "상태 미확인",
}
"""How people call a status."""


def status_for(
    row: DocumentRow, scopes: frozenset[str], hidden: frozenset[str], as_of: date
) -> str:
    """The status as a reader sees it: superseded only by what the reader may read.

    Args:
        row: The document.
        scopes: Scopes that the reader passes.
        hidden: Documents under the overlay.
        as_of: Day of the view.
    """
    superseded = any(
        successor.scope_id in scopes
        and successor.document_id not in hidden
        and (successor.effective_from is None or successor.effective_from <= as_of)
        for successor in row.successors
    )
    if superseded and row.status in {Status.CURRENT, Status.UNKNOWN}:
        return Status.OBSOLETE.value
    return row.status


def citation(chunk: Chunk, row: DocumentRow, status: str, as_of: date) -> Citation:
    """The citation of a passage: its first page, slide, sheet or message, and the area there.

    Args:
        chunk: The passage.
        row: Its document.
        status: As the reader sees it.
        as_of: Day of the view; a document that comes into force later says so.
    """
    head = f"{row.title} ({_standing(row, status, as_of)})"
    if not chunk.positions:
        return Citation(label=head)
    first = chunk.positions[0]
    there = [position for position in chunk.positions if _place(position) == _place(first)]
    area = _area(there)
    where = _where(chunk.positions, area)
    return Citation(
        label=f"{head} {where}" if where else head,
        page=first.page,
        slide=first.slide if first.page is None else None,
        sheet=first.sheet if first.page is None and first.slide is None else None,
        message=first.message if _place(first)[:3] == (None, None, None) else None,
        range=area,
    )


def _standing(row: DocumentRow, status: str, as_of: date) -> str:
    revision = [f"개정 {row.revision}"] if row.revision else []
    if row.effective_from is not None and row.effective_from > as_of:
        return ", ".join([*revision, f"{row.effective_from.isoformat()} 시행 예정"])
    known = {member.value: word for member, word in STATUS_WORDS.items()}
    return ", ".join([*revision, known.get(status, status)])


def _place(position: Position) -> tuple[int | None, int | None, str | None, int | None]:
    return (position.page, position.slide, position.sheet, position.message)


def _area(positions: Sequence[Position]) -> str:
    """All cell ranges there, or the first box."""
    cells = list(dict.fromkeys(position.cells for position in positions if position.cells))
    if cells:
        return ",".join(cells)
    box = positions[0].box
    return ",".join(f"{value:g}" for value in box) if box else ""


def _where(positions: Sequence[Position], area: str) -> str:
    first = positions[0]
    if first.page is not None:
        return f"{_span(p.page for p in positions)}쪽"
    if first.slide is not None:
        return f"슬라이드 {_span(p.slide for p in positions)}"
    if first.sheet is not None:
        return f"시트 '{first.sheet}' {area}".rstrip()
    if first.message is not None:
        return f"메시지 {_span(p.message for p in positions)}"
    return ""


def _span(numbers: Iterable[int | None]) -> str:
    """``4``, or ``4–6``."""
    known = [number for number in numbers if number is not None]
    return str(known[0]) if min(known) == max(known) else f"{min(known)}–{max(known)}"
