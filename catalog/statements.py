"""Statements that both databases understand, in the few shapes that the stores need."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields
from functools import cache
from itertools import islice
from operator import attrgetter
from typing import TYPE_CHECKING, Any, TypeVar

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite

from catalog.tables import counters

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

__all__ = ["BATCH", "batches", "bump", "counter", "numbers", "row_of", "upsert"]

BATCH = 500
"""Values of one IN list, rows of one page."""

T = TypeVar("T")


def batches(values: Iterable[T], size: int = BATCH) -> Iterator[list[T]]:
    """The values in lists of at most ``size``."""
    iterator = iter(values)
    while batch := list(islice(iterator, size)):
        yield batch


def upsert(
    connection: sa.Connection,
    table: sa.Table,
    rows: Sequence[Mapping[str, Any]],
    *,
    key: Sequence[str] = (),
    keep: Sequence[str] = (),
) -> None:
    """Insert rows; where the key exists, replace all other columns.

    Args:
        connection: Of a writing transaction.
        table: Where.
        rows: All with the same columns.
        key: Columns of a unique index; empty: the primary key.
        keep: Columns that stay as they are where the row exists.
    """
    if not rows:
        return
    keys = tuple(key) or tuple(column.name for column in table.primary_key)
    insert = (postgresql if connection.dialect.name == "postgresql" else sqlite).insert(table)
    update = {
        name: insert.excluded[name] for name in rows[0] if name not in keys and name not in keep
    }
    statement = (
        insert.on_conflict_do_update(index_elements=keys, set_=update)
        if update
        else insert.on_conflict_do_nothing(index_elements=keys)
    )
    connection.execute(statement, list(rows))


def numbers(connection: sa.Connection, name: str, count: int) -> range:
    """The next ``count`` numbers of a counter, from 1; a rollback gives them back."""
    insert = (postgresql if connection.dialect.name == "postgresql" else sqlite).insert(counters)
    statement = insert.on_conflict_do_update(
        index_elements=["name"], set_={"value": counters.c.value + insert.excluded.value}
    ).returning(counters.c.value)
    last = connection.execute(statement, {"name": name, "value": count}).scalar_one()
    return range(last - count + 1, last + 1)


def bump(connection: sa.Connection, name: str) -> int:
    """Raise a counter by one and return it."""
    return numbers(connection, name, 1)[0]


def counter(connection: sa.Connection, name: str) -> int:
    """A counter's value, 0 before its first use."""
    query = sa.select(counters.c.value).where(counters.c.name == name)
    return connection.execute(query).scalar_one_or_none() or 0


@cache
def _fields(kind: type[DataclassInstance]) -> tuple[tuple[str, ...], attrgetter[tuple[Any, ...]]]:
    names = tuple(field.name for field in fields(kind))
    return names, attrgetter(*names)


def row_of(record: DataclassInstance) -> dict[str, Any]:
    """Field names and values of a record, for a table whose columns have the same names."""
    names, values = _fields(type(record))
    return dict(zip(names, values(record), strict=True))
