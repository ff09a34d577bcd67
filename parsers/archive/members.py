"""What all containers do with their members."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING

from contracts.documents import Child, ChildRelation, ParsedDocument, Quality
from contracts.errors import ParseFailure
from contracts.failures import FailureClass
from parsers.common.names import safe_name

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from contracts.parsing import ParserContext

__all__ = ["CHUNK", "check_depth", "failed", "is_junk", "over_the_limit", "result"]

CHUNK = 1 << 18
"""Bytes unpacked at a time."""
_RESOURCE_FORKS = ("__MACOSX/",)
_JUNK = frozenset({".DS_Store", "Thumbs.db", "desktop.ini"})


def failed(name: str, failure: FailureClass, detail: str) -> Child:
    """A member that could not be taken out."""
    return Child(
        name=safe_name(name), relation=ChildRelation.MEMBER, failure=failure.value, detail=detail
    )


def over_the_limit(name: str, rest: int | None) -> Child:
    """The first of the members that are too many; ``rest`` where their number is known."""
    return failed(
        name,
        FailureClass.ARCHIVE_BOMB,
        "more members than allowed" if rest is None else f"{rest} members are over the limit",
    )


def is_junk(name: str) -> bool:
    """Whether a member is a resource fork, or what a system keeps for itself."""
    last = name.rpartition("/")[2]
    return name.startswith(_RESOURCE_FORKS) or last in _JUNK or last.startswith("._")


def check_depth(context: ParserContext) -> None:
    """Raise ``archive_bomb`` where no level may follow."""
    if context.budget.depth < 0:
        raise ParseFailure(
            FailureClass.ARCHIVE_BOMB, "more containers within containers than allowed"
        )


def result(
    format_name: str, children: Sequence[Child], names: Sequence[str], junk: int
) -> ParsedDocument:
    """The container as a document.

    Args:
        format_name: As :mod:`parsers.sniff` names it.
        children: What was taken out, or why not.
        names: Names of the members that were wanted, as the container has them.
        junk: Members that nobody wants.
    """
    return ParsedDocument(
        format=format_name,
        children=tuple(children),
        properties={"members": str(len(names))},
        quality=Quality(),
        warnings=tuple(_warnings(children, names, junk)),
    )


def _warnings(children: Sequence[Child], names: Sequence[str], junk: int) -> Iterator[str]:
    if junk:
        yield f"{junk} resource forks and system files were skipped"
    renamed = sum(safe_name(name) != unicodedata.normalize("NFC", name) for name in names)
    if renamed:
        yield f"{renamed} member names were made safe"
    lost = sum(bool(child.failure) for child in children)
    if lost:
        yield f"{lost} members could not be taken out"
