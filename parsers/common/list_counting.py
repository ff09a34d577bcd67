"""Lists of documents, counted paragraph by paragraph as Word does, whatever file format defines them.

ECMA-376 Part 1 §17.9; [MS-DOC] 2.9.147, 2.9.150 say the same of the binary format.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from parsers.common.numbering import format_number

__all__ = ["CountedList", "ListCounter", "ListLevel"]

_PLACEHOLDER = re.compile(r"%(\d)")


@dataclass(frozen=True, slots=True)
class ListLevel:
    """One level of a list: first number, format, text with ``%1`` to ``%9``, all numbers decimal or not."""

    start: int = 1
    format: str = "decimal"
    text: str = ""
    legal: bool = False
    restart: int | None = None
    style: str = ""


class CountedList(Protocol):
    """A list that paragraphs count in."""

    @property
    def abstract(self) -> str:
        """Lists with the same name here count on together."""

    @property
    def starts(self) -> Mapping[int, int]:
        """First numbers that the list sets anew, by level from 0."""

    @property
    def levels(self) -> Mapping[int, ListLevel]:
        """Levels from 0."""


class ListCounter:
    """Counts the paragraphs of a document's lists.

    Args:
        lists: Lists by the name by which paragraphs refer to them.
    """

    def __init__(self, lists: Mapping[str, CountedList]) -> None:
        self._lists = lists
        self._counts: dict[str, dict[int, int]] = {}
        self._started: set[tuple[str, int]] = set()

    def label(self, number: str, level: int) -> str | None:
        """Count one paragraph and return its printed number; "" for bullets, None for no list."""
        made = self._lists.get(number)
        if made is None:
            return None
        counts = self._counts.setdefault(made.abstract, {})
        definition = made.levels.get(level, ListLevel())
        fresh = (number, level) not in self._started and level in made.starts
        if level in counts and not fresh:
            counts[level] += 1
        else:
            counts[level] = made.starts.get(level, definition.start)
        self._started.add((number, level))
        for below in [at for at in counts if at > level]:
            after = made.levels.get(below, ListLevel()).restart
            if after is None or (after and level < after):
                del counts[below]
        return _printed(made, definition, level, counts)


def _printed(made: CountedList, definition: ListLevel, level: int, counts: dict[int, int]) -> str:
    if definition.format in ("bullet", "none"):
        return (
            "" if definition.format == "bullet" else _PLACEHOLDER.sub("", definition.text).strip()
        )

    def number(match: re.Match[str]) -> str:
        at = int(match[1]) - 1
        other = made.levels.get(at, ListLevel())
        name = "decimal" if definition.legal and at != level else other.format
        return format_number(counts.get(at, other.start), name)

    return _PLACEHOLDER.sub(number, definition.text).strip()
