"""Snapshots of what the directory last said of each reader (design §5)."""

from __future__ import annotations

import sqlalchemy as sa

from catalog.database import Database
from catalog.records import PrincipalSnapshot
from catalog.statements import upsert
from catalog.tables import principals
from catalog.text import from_json, to_json
from contracts.access import Reader

__all__ = ["PrincipalStore"]


class PrincipalStore:
    """One row a reader; for use while the directory is down, within its grace time."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def put(self, reader: Reader, resolved_at: str) -> PrincipalSnapshot:
        """Store the directory's answer; the generation grows where it differs from the last one."""
        with self._database.transaction() as connection:
            known = self.get(reader.name)
            generation = 1 if known is None else known.generation
            if known is not None and known.principals != reader.principals:
                generation += 1
            row = {
                "name": reader.name,
                "principals": to_json(sorted(reader.principals)),
                "generation": generation,
                "resolved_at": resolved_at,
            }
            upsert(connection, principals, [row])
        return PrincipalSnapshot(
            name=reader.name,
            principals=reader.principals,
            generation=generation,
            resolved_at=resolved_at,
        )

    def get(self, name: str) -> PrincipalSnapshot | None:
        """The last answer for a reader."""
        query = sa.select(principals).where(principals.c.name == name)
        with self._database.read() as connection:
            row = connection.execute(query).first()
        if row is None:
            return None
        return PrincipalSnapshot(
            name=row.name,
            principals=frozenset(from_json(row.principals, list[str])),
            generation=row.generation,
            resolved_at=row.resolved_at,
        )

    def forget_before(self, prefix: str, moment: str) -> int:
        """Remove readers whose name begins so and who were resolved before a moment (UTC, ISO 8601); how many."""
        begins = sa.func.substr(principals.c.name, 1, len(prefix)) == prefix
        old = sa.and_(begins, principals.c.resolved_at < moment)
        with self._database.write() as connection:
            return connection.execute(sa.delete(principals).where(old)).rowcount

    def forget(self, name: str) -> None:
        """Remove a reader (disabled, expired or gone); an unknown one is ignored."""
        with self._database.write() as connection:
            connection.execute(sa.delete(principals).where(principals.c.name == name))
