"""The whole catalog as lines of JSON, of one moment, and back; alike for both databases, and from one to the other."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator

import sqlalchemy as sa

from catalog.database import Database
from catalog.directory_tables import directory_snapshots
from catalog.ops_tables import sessions
from catalog.statements import batches
from catalog.tables import counters, documents, ledger, metadata, queries
from contracts.errors import ConfigError

__all__ = ["EPOCH_LEAP", "copied_tables", "dump", "load"]

EPOCH_LEAP = 1_000_000
"""By so much the access epoch of a restored catalog is ahead: an index that has seen newer writes believes the restored ones."""

_EPOCH = "access_epoch"
_LEFT_OUT = {sessions.name}
"""Nobody is logged in after a restore."""
_BATCH = 2_000
_TELLING = (documents, ledger, queries)


def copied_tables() -> list[sa.Table]:
    """All tables of a copy, by name."""
    known = {table.name: table for table in (*metadata.sorted_tables, directory_snapshots)}
    return [known[name] for name in sorted(known) if name not in _LEFT_OUT]


def dump(database: Database, write: Callable[[str, Iterator[str]], None]) -> None:
    """Every row of every table, in the order of its key, as of one moment.

    Args:
        database: Of the catalog.
        write: Called with the name of each table and its rows, a line of JSON each, without line breaks.

    Raises:
        CatalogUnavailableError: the database does not answer.
    """
    with database.read() as connection:
        if database.dialect == "postgresql":
            connection.execute(sa.text("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ"))
        for table in copied_tables():
            query = sa.select(table).order_by(*table.primary_key.columns)
            found = connection.execute(query.execution_options(yield_per=_BATCH)).mappings()
            write(table.name, (json.dumps(dict(row), sort_keys=True) for row in found))


def load(database: Database, tables: Iterable[tuple[str, Iterable[str]]], *, leap: bool) -> None:
    """Put rows that ``dump`` wrote into a catalog that holds nothing yet, all in one transaction.

    Args:
        database: Of the catalog, at the revision that the rows are of.
        tables: Names and lines.
        leap: Raise the access epoch by ``EPOCH_LEAP``.

    Raises:
        ConfigError: documents, ledger or audit log are not empty, or a table is not known; nothing is changed.
        CatalogUnavailableError: the database does not answer.
    """
    known = {table.name: table for table in copied_tables()}
    with database.transaction() as connection:
        for table in _TELLING:
            if connection.execute(sa.select(sa.literal(1)).select_from(table).limit(1)).first():
                raise ConfigError(
                    "카탈로그가 비어 있지 않습니다 (the catalog is not empty)",
                    advice="빈 SEOGA_HOME 이나 빈 데이터베이스에 되살리세요 (restore into an empty home or database)",
                )
        for table in known.values():
            connection.execute(sa.delete(table))
        for name, lines in tables:
            if name not in known:
                raise ConfigError(f"{name}: 모르는 표입니다 (no table of this Seoga)")
            for batch in batches(lines, _BATCH):
                connection.execute(sa.insert(known[name]), [json.loads(line) for line in batch])
        if leap:
            where = counters.c.name == _EPOCH
            raised = counters.c.value + EPOCH_LEAP
            connection.execute(sa.update(counters).where(where).values(value=raised))
