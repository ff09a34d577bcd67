"""Tables: shown a page at a time, paged by a key, and exported as CSV to their end."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from dashboard.visit import File

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dashboard.visit import Visit

__all__ = ["Cell", "Column", "Filter", "Listing", "Rows", "Shown", "csv_of", "shown"]

PAGE = 50
_CSV_PAGE = 500
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


@dataclass(frozen=True, slots=True)
class Cell:
    """What stands in a cell.

    Attributes:
        text: As it is shown and exported.
        href: Where it leads, below ``/ops``, or "".
        kind: Class of its look: ``number``, ``time``, ``masked``, ``good``, ``bad``, ``doubt``, or "".
    """

    text: str
    href: str = ""
    kind: str = ""


@dataclass(frozen=True, slots=True)
class Column:
    """A column: the key of its title among the words, and whether it holds numbers."""

    word: str
    number: bool = False


@dataclass(frozen=True, slots=True)
class Rows:
    """Some rows, and the key of the last one ("" where nothing follows)."""

    rows: Sequence[Sequence[Cell]]
    next: str = ""


@dataclass(frozen=True, slots=True)
class Filter:
    """A choice above a table: its parameter, and values with their words; empty: a text field."""

    name: str
    word: str
    options: Sequence[tuple[str, str]] = ()


@dataclass(frozen=True, slots=True)
class Listing:
    """A table that can be asked for.

    Attributes:
        name: Told apart from other tables of its page by this.
        columns: From left to right.
        fetch: Given the key behind which to go on and how many rows are wanted at most.
        filters: Choices above it.
    """

    name: str
    columns: Sequence[Column]
    fetch: Callable[[str, int], Rows]
    filters: Sequence[Filter] = field(default_factory=tuple)


@dataclass(frozen=True, slots=True)
class Shown:
    """A listing with the rows of one page, and the queries of its links."""

    listing: Listing
    rows: Rows
    more: str
    csv: str
    chosen: Mapping[str, str]


def shown(visit: Visit, listing: Listing) -> Shown:
    """The page of a listing that was asked for."""
    kept = {k: v for k, v in visit.query.items() if k not in {"after", "notice", "count"} and v}
    rows = listing.fetch(visit.query.get("after", ""), PAGE)
    more = urlencode({**kept, "after": rows.next}) if rows.next else ""
    return Shown(listing, rows, more, urlencode({**kept, "csv": listing.name}), kept)


def csv_of(visit: Visit, listings: Sequence[Listing]) -> File | None:
    """The listing that is asked for as CSV, or None; with a byte order mark, which spreadsheets need for Hangul."""
    wanted = next((one for one in listings if one.name == visit.query.get("csv")), None)
    if wanted is None:
        return None
    visit.audit("csv", table=wanted.name, query=dict(visit.query))
    return File(_lines(visit, wanted), "text/csv; charset=utf-8", f"{wanted.name}.csv")


def _lines(visit: Visit, listing: Listing) -> Iterator[bytes]:
    yield b"\xef\xbb\xbf" + _line([visit.words(column.word) for column in listing.columns])
    after = ""
    while True:
        page = listing.fetch(after, _CSV_PAGE)
        for row in page.rows:
            yield _line([cell.text for cell in row])
        after = page.next
        if not after:
            return


def _line(values: Sequence[str]) -> bytes:
    buffer = io.StringIO()
    # not a formula, whoever named the file
    csv.writer(buffer).writerow([f"'{v}" if v.startswith(_FORMULA) else v for v in values])
    return buffer.getvalue().encode("utf-8", "backslashreplace")
