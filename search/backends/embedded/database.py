"""The SQLite side of the embedded index: one library, its version, the schema, transactions and the write lock.

What is searched lies in files beside the database: see ``rowfiles`` and ``segments``.

Tables::

    docs          one row a document: what filters ask, narrow
    doc_rows      the whole DocumentRow, as JSON
    doc_codes     folded business codes of a document
    successors    newer approved revisions of a document
    scopes        scope ids by name; never deleted, so that an id can be remembered
    chunks        the whole Chunk, as JSON; key = pk << 24 | ordinal
    vectors       text key → slot in the vector file
    dead          generations that were removed, whose rows in the files wait for compaction
    meta          dimension, fingerprint, generation; files that count: vectors and passages with their rows, segments of
                  postings with their sizes; rows and terms of each field

A generation of a document has its own ``pk``, never used again: keys that a search holds while the document is
published anew point to nothing, not to other text.
"""

from __future__ import annotations

import fcntl
import os
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from contracts.chunks import FIELDS
from contracts.errors import ConfigError, IndexUnavailableError
from search.backends.generations import ORDINAL_BITS

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = [
    "KEY_BITS",
    "REBUILD",
    "Connection",
    "checked_version",
    "connect",
    "described",
    "locked",
    "prepare",
    "read_meta",
    "transaction",
    "translated",
    "write_meta",
]

Connection = Any
"""A ``pysqlite3.dbapi2.Connection``; the module has no types."""

KEY_BITS = ORDINAL_BITS
REBUILD = "make it anew from the stored parses: seoga index rebuild"
SCHEMA = 3
_MINIMUM = (3, 51, 3)

_DDL = (
    """CREATE TABLE meta (name TEXT PRIMARY KEY, value) WITHOUT ROWID""",
    """CREATE TABLE docs (
        pk INTEGER PRIMARY KEY AUTOINCREMENT, document_id TEXT NOT NULL UNIQUE, version_id TEXT NOT NULL,
        scope INTEGER NOT NULL, status TEXT NOT NULL, effective INTEGER NOT NULL, type TEXT NOT NULL,
        department TEXT NOT NULL, source TEXT NOT NULL, format TEXT NOT NULL, language TEXT NOT NULL,
        security_level TEXT NOT NULL, revision TEXT NOT NULL, path BLOB NOT NULL,
        chunks INTEGER NOT NULL, totals TEXT NOT NULL, digest BLOB NOT NULL)""",
    """CREATE INDEX docs_scope ON docs (scope)""",
    """CREATE TABLE doc_rows (pk INTEGER PRIMARY KEY, data BLOB NOT NULL)""",
    """CREATE TABLE doc_codes (pk INTEGER, code TEXT, PRIMARY KEY (pk, code)) WITHOUT ROWID""",
    """CREATE TABLE successors (
        pk INTEGER, document_id TEXT, scope INTEGER, effective INTEGER,
        PRIMARY KEY (pk, document_id)) WITHOUT ROWID""",
    """CREATE TABLE scopes (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE)""",
    """CREATE TABLE chunks (key INTEGER PRIMARY KEY, data BLOB NOT NULL)""",
    """CREATE TABLE dead (number INTEGER PRIMARY KEY, pk INTEGER NOT NULL)""",
    """CREATE TABLE vectors (text_key BLOB PRIMARY KEY, slot INTEGER NOT NULL) WITHOUT ROWID""",
)


def _dbapi() -> Any:
    """The one SQLite library that opens our files.

    Two copies of SQLite in a process would break each other's POSIX locks, so everything that opens the index uses
    this module.
    """
    try:
        from pysqlite3 import dbapi2
    except ImportError as problem:
        raise ConfigError(
            "the embedded index needs the package pysqlite3", advice="pip install pysqlite3"
        ) from problem
    checked_version(dbapi2.sqlite_version_info)
    return dbapi2


def checked_version(found: tuple[int, ...]) -> None:
    """Refuse a SQLite that is too old.

    Raises:
        ConfigError: older than 3.51.3, which lets several processes write a WAL database safely.
    """
    if found < _MINIMUM:
        have, need = ".".join(map(str, found)), ".".join(map(str, _MINIMUM))
        raise ConfigError(
            f"SQLite {have} is too old for the embedded index, which needs {need} or newer",
            advice="pip install --upgrade pysqlite3 (not pysqlite3-binary)",
        )


@contextmanager
def translated() -> Iterator[None]:
    """Turn SQLite's own errors into ours; mistakes of the caller stay as they are."""
    sqlite = _dbapi()
    try:
        yield
    except sqlite.OperationalError as problem:
        raise IndexUnavailableError(f"the embedded index does not answer: {problem}") from problem
    except sqlite.DatabaseError as problem:
        if type(problem) is not sqlite.DatabaseError:
            raise
        raise IndexUnavailableError(
            f"the embedded index is damaged: {problem}",
            advice=REBUILD,
        ) from problem


def connect(path: Path) -> Connection:
    """Open the database of an index; transactions are begun by hand.

    Raises:
        ConfigError: SQLite is missing or too old.
        IndexUnavailableError: the file cannot be opened.
    """
    with translated():
        connection = _dbapi().connect(
            str(path), timeout=30.0, isolation_level=None, check_same_thread=False
        )
        for pragma in (
            "journal_mode = WAL",
            "synchronous = FULL",
            "cache_size = -32768",
            "journal_size_limit = 67108864",
            "foreign_keys = OFF",
        ):
            connection.execute(f"PRAGMA {pragma}")
    return connection


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Be the only writer, over all processes and threads.

    SQLite's own busy timeout starves writers that wait for each other; a file lock does not.
    """
    handle = os.open(folder / "write.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


@contextmanager
def transaction(connection: Connection, *, write: bool) -> Iterator[None]:
    """One transaction: a snapshot for reading, or all or nothing for writing."""
    with translated():
        connection.execute("BEGIN IMMEDIATE" if write else "BEGIN")
        try:
            yield
        except BaseException:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise
        connection.execute("COMMIT")


def prepare(folder: Path, path: Path, dimension: int, fingerprint: str, note: str = "") -> None:
    """Make the database, with a note of its maker, or see that it is the one that this program writes.

    Only making it takes the write lock: a search may be opened while another process compacts.

    Raises:
        ConfigError: made by another version of Seoga, or with another embedder.
    """
    if not path.exists() or _version(path) == 0:
        with locked(folder):
            connection = connect(path)
            try:
                with transaction(connection, write=True):
                    if connection.execute("PRAGMA user_version").fetchone()[0] == 0:
                        _create(connection, dimension, fingerprint, note)
            finally:
                connection.close()
    _check(path, dimension, fingerprint)


def _version(path: Path) -> int:
    connection = connect(path)
    try:
        with translated():
            version: int = connection.execute("PRAGMA user_version").fetchone()[0]
            return version
    finally:
        connection.close()


def described(path: Path) -> dict[str, Any]:
    """What a database says of itself: all of ``meta``.

    Raises:
        ConfigError: made by another version of Seoga.
        IndexUnavailableError: it cannot be read.
    """
    version = _version(path)
    if version != SCHEMA:
        raise ConfigError(
            f"the index has schema {version}, this version of Seoga writes schema {SCHEMA}",
            advice=REBUILD,
        )
    connection = connect(path)
    try:
        with translated():
            return read_meta(connection)
    finally:
        connection.close()


def _check(path: Path, dimension: int, fingerprint: str) -> None:
    stored = described(path)
    if (stored["fingerprint"], stored["dimension"]) != (fingerprint, dimension):
        raise ConfigError(
            f"the index was made with {stored['fingerprint']} ({stored['dimension']} dimensions), "
            f"the settings name {fingerprint} ({dimension}); their vectors cannot be compared",
            advice="seoga index rebuild (searches go on meanwhile), or set the embedder back",
        )


def _create(connection: Connection, dimension: int, fingerprint: str, note: str) -> None:
    for statement in _DDL:
        connection.execute(statement)
    values: dict[str, int | str] = {
        f"{kind}_{name}": 0 for kind in ("rows", "terms") for name in FIELDS
    }
    values |= {"dimension": dimension, "fingerprint": fingerprint, "note": note, "generation": 1}
    values |= {"vector_file": 0, "vector_count": 0, "passage_file": 0, "passage_count": 0}
    values |= {"segments": "[]", "last_segment": 0}
    write_meta(connection, values)
    connection.execute(f"PRAGMA user_version = {SCHEMA}")


def read_meta(connection: Connection) -> dict[str, Any]:
    """All of ``meta``."""
    return dict(connection.execute("SELECT name, value FROM meta"))


def write_meta(connection: Connection, values: dict[str, Any]) -> None:
    """Store these values of ``meta``."""
    connection.executemany(
        "INSERT INTO meta VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
        list(values.items()),
    )
