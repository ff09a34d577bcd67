"""The sources that were ever configured or ingested."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa

from catalog.database import Database
from catalog.records import SourceRecord
from catalog.statements import row_of, upsert
from catalog.tables import sources
from catalog.text import from_json, to_json
from contracts.errors import NotFoundError

__all__ = ["SourceStore"]


class SourceStore:
    """One row a source."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def upsert(self, record: SourceRecord) -> None:
        """Store kind, config, origin and paused; of a known source, run times and alert stay."""
        row = {**row_of(record), "config": to_json(record.config)}
        with self._database.write() as connection:
            keep = ("last_content_run", "last_permission_run", "alert")
            upsert(connection, sources, [row], keep=keep)

    def get(self, name: str) -> SourceRecord | None:
        """The source of that name."""
        with self._database.read() as connection:
            row = connection.execute(sa.select(sources).where(sources.c.name == name)).first()
        return _record(row) if row else None

    def list(self) -> list[SourceRecord]:
        """All of them, by name."""
        with self._database.read() as connection:
            rows = connection.execute(sa.select(sources).order_by(sources.c.name)).all()
        return [_record(row) for row in rows]

    def set_alert(self, name: str, alert: str) -> None:
        """Raise an alert, or take it back with "".

        Raises:
            NotFoundError: no such source.
        """
        self._update(name, {"alert": alert})

    def set_paused(self, name: str, *, paused: bool) -> None:
        """Take the source out of the schedules, or put it back.

        Raises:
            NotFoundError: no such source.
        """
        self._update(name, {"paused": paused})

    def touch(self, name: str, *, content_run: str = "", permission_run: str = "") -> None:
        """Note when a complete scan ended (UTC texts); "" leaves the time as it is.

        Raises:
            NotFoundError: no such source.
        """
        values = {"last_content_run": content_run, "last_permission_run": permission_run}
        self._update(name, {key: value for key, value in values.items() if value})

    def delete(self, name: str) -> None:
        """Forget the source's row; its items and documents are another matter."""
        with self._database.write() as connection:
            connection.execute(sa.delete(sources).where(sources.c.name == name))

    def _update(self, name: str, values: dict[str, Any]) -> None:
        with self._database.write() as connection:
            values = values or {"name": name}
            where = sources.c.name == name
            if not connection.execute(sa.update(sources).where(where).values(values)).rowcount:
                msg = f"no source {name}"
                raise NotFoundError(msg)


def _record(row: sa.Row[Any]) -> SourceRecord:
    values = dict(row._mapping)  # noqa: SLF001  SQLAlchemy's public name
    return SourceRecord(**{**values, "config": from_json(values["config"], dict[str, Any])})
