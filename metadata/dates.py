"""Dates as Korean company documents write them."""

from __future__ import annotations

import re
from datetime import date

from metadata.folding import normalise

__all__ = ["find_date", "parse_date"]

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = r"(?P<month>jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?"
_EARLIEST, _LATEST = 1950, 2100
_CENTURY_TURN = 80
"""Two-digit years from here on belong to the 1900s."""

_LONG = (
    re.compile(
        r"(?<!\d)(?P<year>(?:19|20)\d{2})\s*[.\-/년]\s*(?P<month>\d{1,2})\s*[.\-/월]\s*(?P<day>\d{1,2})(?!\d)"
    ),
    re.compile(r"(?<!\d)(?P<year>(?:19|20)\d{2})(?P<month>\d{2})(?P<day>\d{2})(?!\d)"),
    re.compile(
        r"(?<![\d.])['’‘`]?(?P<year>\d{2})\s*년\s*(?P<month>\d{1,2})\s*월\s*(?P<day>\d{1,2})\s*일"
    ),
    re.compile(
        r"['’‘`](?P<year>\d{2})\s*[.\-/]\s*(?P<month>\d{1,2})\s*[.\-/]\s*(?P<day>\d{1,2})(?!\d)"
    ),
    re.compile(
        rf"(?<!\w)(?P<day>\d{{1,2}})[\s\-]+{_MONTH}[\s\-,]+(?P<year>(?:19|20)\d{{2}})(?!\d)",
        re.IGNORECASE,
    ),
    re.compile(
        rf"(?<!\w){_MONTH}\s+(?P<day>\d{{1,2}})(?:st|nd|rd|th)?,?\s+(?P<year>(?:19|20)\d{{2}})(?!\d)",
        re.IGNORECASE,
    ),
)
_SHORT = (
    re.compile(r"(?P<year>\d{2})\s*[.\-/]\s*(?P<month>\d{1,2})\s*[.\-/]\s*(?P<day>\d{1,2})\.?"),
    re.compile(r"(?P<year>\d{2})(?P<month>\d{2})(?P<day>\d{2})"),
)
"""Forms that are dates only where a date is expected: ``24.03.01`` might be a version, ``240301`` a number."""


def find_date(text: str) -> date | None:
    """The first unmistakable date within running text (four-digit year, or an apostrophe before two)."""
    return next((found[0] for found in _search(normalise(text))), None)


def parse_date(text: str) -> date | None:
    """The date of a cell or value that is expected to hold one; two-digit years are accepted.

    A trailing weekday, time or note (``2024.03.01 (금) 14:00``) is allowed, a leading sentence is not.
    """
    flat = normalise(text).lstrip("'’‘`").strip()
    for pattern in _SHORT:
        match = pattern.fullmatch(flat)
        if match and (found := _build(match)):
            return found
    for found, start in _search(normalise(text)):
        if start <= 1:
            return found
    return None


def _search(flat: str) -> list[tuple[date, int]]:
    hits = [
        (found, match.start())
        for pattern in _LONG
        for match in pattern.finditer(flat)
        if (found := _build(match))
    ]
    return sorted(hits, key=lambda hit: hit[1])


def _build(match: re.Match[str]) -> date | None:
    year = int(match["year"])
    if len(match["year"]) == 2:  # noqa: PLR2004  '24 is 2024
        year += 1900 if year >= _CENTURY_TURN else 2000
    month = match["month"].lower()
    number = int(month) if month.isdigit() else _MONTHS.index(month[:3]) + 1
    try:
        found = date(year, number, int(match["day"]))
    except ValueError:
        return None
    return found if _EARLIEST <= year <= _LATEST else None
