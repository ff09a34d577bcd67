"""Tables of a parsed document as tables of a database: for questions that sum and count.

Reads the blob store only. Large tables were stored when the document was parsed; the others are made from its blocks
here, with numbers and dates told from what people see.
"""

from __future__ import annotations

import re
import sqlite3
import tempfile
import time
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from contracts.documents import Layer
from contracts.errors import NotFoundError, QueryError
from ingest.ids import tables_key
from parsers.common.ledger import free_name, quoted
from parsers.grid_text import grid_rows, header_paths

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from contracts.documents import Block, ParsedDocument, Table
    from contracts.ports import BlobStore

__all__ = ["Answer", "DocumentTables", "TableInfo", "open_stored_tables", "open_tables", "value_of"]

_NUMBER = re.compile(
    r"(?P<minus>[-−△▲(])?\s?[₩$€£¥]?\s?(?P<digits>\d{1,3}(?:,\d{3})+|\d+)(?P<part>\.\d+)?\)?\s?(?P<unit>%|원)?"
)
_DATE = re.compile(
    r"((?:19|20)\d{2})\s?[-./년]\s?(\d{1,2})\s?[-./월]\s?(\d{1,2})\s?[.일]?(?:\s?\(?[월화수목금토일]\)?)?"
)
_LONGEST_CODE = 15
_MOST_ROWS = 1_000
_SECONDS = 10.0
_STEPS = 20_000
_ALLOWED = frozenset(
    {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE}
)

Value = str | int | float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class TableInfo:
    """A table that can be asked.

    Attributes:
        name: Its name in SQL.
        caption: Its caption.
        place: Sheet, page or slide, and cells, as far as known.
        rows: Data rows.
        columns: Names of its columns in SQL, without ``_row``.
        layer: Where it belongs in the document.
    """

    name: str
    caption: str
    place: str
    rows: int
    columns: tuple[str, ...]
    layer: Layer


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """Rows of an answer; ``cut`` where there were more."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Value, ...], ...]
    cut: bool = False


class DocumentTables:
    """The tables of one document, read-only; made by :func:`open_tables`.

    Attributes:
        tables: In the order of the document.
    """

    def __init__(self, connection: sqlite3.Connection, tables: Sequence[TableInfo]) -> None:
        self._connection = connection
        self.tables = tuple(tables)

    def ask(self, sql: str, *, most_rows: int = _MOST_ROWS, seconds: float = _SECONDS) -> Answer:
        """Answer one SELECT.

        Args:
            sql: SQL of SQLite; names of tables and columns as :attr:`tables` gives them, in double quotes.
            most_rows: Rows of the answer.
            seconds: Time that it may take.

        Raises:
            QueryError: no plain SELECT, unknown names, or too much time.
        """
        until = time.monotonic() + seconds
        self._connection.set_progress_handler(lambda: time.monotonic() > until, _STEPS)
        try:
            cursor = self._connection.execute(sql)
            found = cursor.fetchmany(most_rows + 1)
        except (sqlite3.Error, sqlite3.Warning) as problem:
            late = time.monotonic() > until
            message = f"more than {seconds:g} s" if late else str(problem)
            raise QueryError(f"the tables cannot be asked that: {message}") from problem
        finally:
            self._connection.set_progress_handler(None, 0)
        names = tuple(str(column[0]) for column in cursor.description or ())
        return Answer(columns=names, rows=tuple(found[:most_rows]), cut=len(found) > most_rows)


@contextmanager
def open_stored_tables(
    blobs: BlobStore, key: str, document: ParsedDocument
) -> Iterator[DocumentTables]:
    """The tables of a document that was ingested.

    Args:
        blobs: The blob store.
        key: Blob key of its parse.
        document: The parsed document.

    Raises:
        NotFoundError: its stored tables are missing.
    """
    data = b""
    if document.database:
        found = blobs.get(tables_key(key))
        if found is None:
            msg = "the document's stored tables are missing"
            raise NotFoundError(msg, advice="ingest it again")
        data = found
    with tempfile.TemporaryDirectory(prefix="seoga-tables-") as folder:
        path = Path(folder) / "tables.db"
        path.write_bytes(data)
        del data
        with open_tables(document, path) as tables:
            yield tables


@contextmanager
def open_tables(document: ParsedDocument, database: Path) -> Iterator[DocumentTables]:
    """The tables of a parsed document.

    Args:
        document: The document.
        database: A copy of its database, or an empty file where it has none; small tables are added to it.
    """
    with closing(sqlite3.connect(database, isolation_level=None)) as connection:
        taken = {"sqlite_master"}
        for (name,) in connection.execute("SELECT name FROM sqlite_master"):
            taken.add(name.casefold())
        tables = []
        connection.execute("BEGIN")
        for block in document.blocks:
            if block.table is None or block.layer is Layer.FURNITURE:
                continue
            if block.table.stored is not None:
                tables.append(_stored_info(connection, block, block.table))
            elif block.table.rows > block.table.header_rows:
                tables.append(_made_info(connection, block, block.table, taken))
        connection.execute("COMMIT")
        connection.set_authorizer(
            lambda action, *_: sqlite3.SQLITE_OK if action in _ALLOWED else sqlite3.SQLITE_DENY
        )
        yield DocumentTables(connection, tables)


def value_of(text: str) -> Value:
    """A cell's text as a value: numbers with their sign (△, parentheses), percent as a share, dates as ISO 8601.

    Digits with leading zeros, and more than 15 of them, are codes and stay text.
    """
    plain = text.strip()
    if not plain:
        return None
    if match := _NUMBER.fullmatch(plain):
        digits = match["digits"].replace(",", "")
        code = len(digits) > _LONGEST_CODE or (len(digits) > 1 and digits[0] == "0")
        if code or (match["minus"] == "(") is not plain.endswith((")", ")%")):
            return plain
        number = float(digits + match["part"]) if match["part"] else int(digits)
        number = -number if match["minus"] else number
        return number / 100 if match["unit"] == "%" else number
    if match := _DATE.fullmatch(plain):
        year, month, day = (int(part) for part in match.groups())
        if 1 <= month <= 12 and 1 <= day <= 31:  # noqa: PLR2004
            return f"{year:04d}-{month:02d}-{day:02d}"
    return plain


def _stored_info(connection: sqlite3.Connection, block: Block, table: Table) -> TableInfo:
    stored = table.stored
    assert stored is not None  # noqa: S101  chosen so by the caller
    listed = connection.execute(f"PRAGMA table_info({quoted(stored.view)})")
    columns = tuple(name for _, name, *_ in listed if name != "_row")
    return TableInfo(
        name=stored.view,
        caption=table.caption,
        place=_place(block),
        rows=stored.rows,
        columns=columns,
        layer=block.layer,
    )


def _made_info(
    connection: sqlite3.Connection, block: Block, table: Table, taken: set[str]
) -> TableInfo:
    """Make a database table of a block's table."""
    wanted = " ".join((table.caption or block.position.sheet or "table").split())[:60]
    name = free_name(f"_{wanted}" if wanted.casefold().startswith("sqlite_") else wanted, taken)
    taken.add(name.casefold())
    names: list[str] = []
    own = {"_row"}
    for at, path in enumerate(header_paths(table)):
        names.append(free_name(path or f"c{at + 1}", own))
        own.add(names[-1].casefold())
    listed = ", ".join(map(quoted, names))
    connection.execute(f"CREATE TABLE {quoted(name)} (_row INTEGER, {listed})")
    rows = [
        (number, *(value_of(text) for text in line))
        for number, line in _body(table)
        if any(text.strip() for text in line)
    ]
    marks = ", ".join("?" * (len(names) + 1))
    connection.executemany(f"INSERT INTO {quoted(name)} VALUES ({marks})", rows)  # noqa: S608  quoted
    return TableInfo(
        name=name,
        caption=table.caption,
        place=_place(block),
        rows=len(rows),
        columns=tuple(names),
        layer=block.layer,
    )


def _body(table: Table) -> Iterator[tuple[int, tuple[str, ...]]]:
    """Row numbers (the sheet's where known) and texts of the data rows; cells over several rows stand in each."""
    for row in grid_rows(table):
        if row.number >= table.header_rows:
            number = table.row_numbers[row.number] if table.row_numbers else row.number + 1
            yield number, row.texts


def _place(block: Block) -> str:
    position = block.position
    parts = (
        position.sheet or "",
        f"page {position.page}" if position.page else "",
        f"slide {position.slide}" if position.slide else "",
        position.cells or "",
    )
    return " ".join(part for part in parts if part)
