"""Dictionaries of synonyms, every version of them: the newest one serves."""

from __future__ import annotations

from dataclasses import dataclass

import sqlalchemy as sa

from catalog.database import Database
from catalog.ops_tables import dictionaries
from catalog.times import utc_now

__all__ = ["DictionaryStore", "DictionaryVersion"]


@dataclass(frozen=True, slots=True, kw_only=True)
class DictionaryVersion:
    """One version.

    Attributes:
        version: From 1.
        at: Since when, UTC text.
        author: Who made it.
        note: What for, or "".
        text: The file, YAML.
    """

    version: int
    at: str
    author: str
    note: str
    text: str


class DictionaryStore:
    """One row a version; none is ever changed."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, text: str, author: str, note: str = "") -> int:
        """A new version, which serves from now on; returns its number."""
        with self._database.write() as connection:
            last = connection.scalar(sa.select(sa.func.max(dictionaries.c.version))) or 0
            values = {
                "version": last + 1,
                "at": utc_now(),
                "author": author,
                "note": note,
                "text": text,
            }
            connection.execute(sa.insert(dictionaries), values)
        return int(last) + 1

    def current(self) -> int:
        """Number of the version that serves; 0 before the first."""
        with self._database.read() as connection:
            return connection.scalar(sa.select(sa.func.max(dictionaries.c.version))) or 0

    def get(self, version: int) -> DictionaryVersion | None:
        """One version, or None."""
        query = sa.select(dictionaries).where(dictionaries.c.version == version)
        with self._database.read() as connection:
            row = connection.execute(query).mappings().first()
        return DictionaryVersion(**row) if row else None

    def newest(self, limit: int = 20) -> list[DictionaryVersion]:
        """The newest versions first."""
        query = sa.select(dictionaries).order_by(dictionaries.c.version.desc()).limit(limit)
        with self._database.read() as connection:
            return [DictionaryVersion(**row) for row in connection.execute(query).mappings()]
