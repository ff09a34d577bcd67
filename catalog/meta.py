"""Small values by key."""

from __future__ import annotations

import sqlalchemy as sa

from catalog.database import Database
from catalog.statements import upsert
from catalog.tables import meta

__all__ = ["MetaStore"]


class MetaStore:
    """What an installation remembers about itself, such as the fingerprint of its last index."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def get(self, key: str, default: str = "") -> str:
        """The value, or ``default``."""
        with self._database.read() as connection:
            found = connection.execute(sa.select(meta.c.value).where(meta.c.key == key))
            value = found.scalar_one_or_none()
        return default if value is None else value

    def set(self, key: str, value: str) -> None:
        """Store or replace."""
        with self._database.write() as connection:
            upsert(connection, meta, [{"key": key, "value": value}])

    def delete(self, key: str) -> None:
        """Forget; an unknown key is ignored."""
        with self._database.write() as connection:
            connection.execute(sa.delete(meta).where(meta.c.key == key))
