"""Pages that were drawn for review; every reviewer of a draw sees the same ones."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import sqlalchemy as sa

from catalog.database import Database
from catalog.ops_tables import draws
from catalog.statements import batches, bump
from catalog.times import utc_now

__all__ = ["DrawRecord", "DrawStore", "DrawnPage"]


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawnPage:
    """One page of a draw.

    Attributes:
        draw: Its draw, from 1; 0 before it is stored.
        place: Its place in the draw, from 1; 0 before it is stored.
        version_id: The version to look at.
        document_id: Its document.
        page: Number from 1; 0 for a document without pages.
        stratum: Format, grade and department, separated by tabs.
    """

    draw: int = 0
    place: int = 0
    version_id: str
    document_id: str
    page: int
    stratum: str


@dataclass(frozen=True, slots=True)
class DrawRecord:
    """A draw: its number, who drew it and when, and how many pages it has."""

    draw: int
    by: str
    at: str
    pages: int


class DrawStore:
    """Draws with their pages."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, pages: Iterable[DrawnPage], by: str) -> int:
        """Store a draw and return its number."""
        now = utc_now()
        with self._database.transaction() as connection:
            draw = bump(connection, "draws")
            rows = [
                {
                    "draw": draw, "place": place, "version_id": page.version_id,
                    "document_id": page.document_id, "page": page.page, "stratum": page.stratum,
                    "by": by, "at": now,
                }
                for place, page in enumerate(pages, 1)
            ]  # fmt: skip
            for batch in batches(rows):
                connection.execute(sa.insert(draws), batch)
        return draw

    def latest(self, limit: int = 20) -> list[DrawRecord]:
        """The latest draws, the latest first."""
        query = (
            sa.select(
                draws.c.draw,
                sa.func.min(draws.c.by).label("by"),
                sa.func.min(draws.c.at).label("at"),
                sa.func.count().label("pages"),
            )
            .group_by(draws.c.draw)
            .order_by(draws.c.draw.desc())
            .limit(limit)
        )
        with self._database.read() as connection:
            return [DrawRecord(*row) for row in connection.execute(query)]

    def pages(self, draw: int, *, after: int = 0, limit: int = 100) -> list[DrawnPage]:
        """Pages of a draw behind a place, in order."""
        where = sa.and_(draws.c.draw == draw, draws.c.place > after)
        query = sa.select(draws).where(where).order_by(draws.c.place).limit(limit)
        names = ("draw", "place", "version_id", "document_id", "page", "stratum")
        with self._database.read() as connection:
            rows = connection.execute(query).mappings()
            return [DrawnPage(**{name: row[name] for name in names}) for row in rows]
