"""Connections and transactions, alike on SQLite and PostgreSQL.

One writing transaction at a time, on both databases. On SQLite a lock file beside the database queues
the writers of all processes (``busy_timeout`` alone starves them, see measured.md) and the transaction
begins IMMEDIATE; on PostgreSQL an advisory lock does the same, so that counters, leases and the audit
chain need no reasoning of their own and two stores can never deadlock. Readers never wait for a writer.

SQLite runs in WAL mode with ``synchronous = NORMAL``: the death of a process loses nothing that was
committed; a power cut may lose the last commits, never consistency.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy import event, exc

from contracts.errors import CatalogUnavailableError, ConfigError

__all__ = ["SQLITE_MINIMUM", "Database", "open_database"]

SQLITE_MINIMUM = (3, 51, 3)
"""Older ones have a reported WAL-reset race (measured.md)."""

_BUSY_MS = 60_000
_POSTGRES_LOCK = 0x5345_4F47_4143_4154  # "SEOGACAT"
_WRITES = "seoga_writes"
_PATIENCE = {
    "connect_timeout": 10,
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 30_000,
}
"""For libpq: a server that vanished without a word is noticed within half a minute."""


class Database:
    """An engine, its writer lock, and the transaction of each thread.

    Args:
        engine: Of one of the two databases.
        lock_file: The writers' lock file, for SQLite.
    """

    def __init__(self, engine: sa.Engine, lock_file: Path | None) -> None:
        self._engine = engine
        self._lock_file = lock_file
        self._thread = threading.local()
        self._pid = os.getpid()

    @property
    def dialect(self) -> str:
        """``sqlite`` or ``postgresql``."""
        return self._engine.dialect.name

    @contextlib.contextmanager
    def transaction(self) -> Iterator[sa.Connection]:
        """A writing transaction; within one of the same thread, a savepoint of it.

        An exception rolls back what this block wrote, and goes on.

        Raises:
            CatalogUnavailableError: the database cannot be reached or written to now.
        """
        current = self._current()
        with _translated():
            if current is not None:
                with current.begin_nested():
                    yield current
                return
            with self._writer(), self._connect(writes=True) as connection, connection.begin():
                if self.dialect == "postgresql":
                    connection.execute(sa.select(sa.func.pg_advisory_xact_lock(_POSTGRES_LOCK)))
                self._thread.connection = connection
                try:
                    yield connection
                finally:
                    self._thread.connection = None

    @contextlib.contextmanager
    def write(self) -> Iterator[sa.Connection]:
        """The thread's writing transaction where there is one, else one of its own.

        Raises:
            CatalogUnavailableError: the database cannot be reached or written to now.
        """
        current = self._current()
        if current is None:
            with self.transaction() as connection:
                yield connection
        else:
            with _translated():
                yield current

    @contextlib.contextmanager
    def read(self) -> Iterator[sa.Connection]:
        """A connection to read from: the thread's writing transaction where there is one.

        Raises:
            CatalogUnavailableError: the database cannot be reached now.
        """
        current = self._current()
        with _translated():
            if current is not None:
                yield current
            else:
                with self._connect(writes=False) as connection:
                    yield connection

    def probe(self) -> None:
        """Connect once; on SQLite alone, since only one connection may switch a new file to WAL.

        Raises:
            CatalogUnavailableError: the database cannot be reached now.
            OSError: the lock file cannot be made.
            sqlalchemy.exc.DatabaseError: the file is no database, or a damaged one.
        """
        with _translated(), self._writer(), self._connect(writes=False):
            pass

    def vacuum(self) -> None:
        """Give back the space of what was removed; on SQLite nothing of it can be read in the file afterwards.

        Raises:
            CatalogUnavailableError: the database cannot be reached or written to now.
        """
        with _translated(), self._writer(), self._engine.connect() as connection:
            raw: Any = connection.connection.dbapi_connection
            if self.dialect == "postgresql":
                raw.autocommit = True
            try:
                raw.execute("VACUUM")
                if self.dialect == "sqlite":
                    raw.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
            finally:
                if self.dialect == "postgresql":
                    raw.autocommit = False

    def close(self) -> None:
        """Close every connection that is not in use."""
        self._engine.dispose()

    def _current(self) -> sa.Connection | None:
        if os.getpid() != self._pid:
            # A forked child must not touch its parent's connections, not even to close them.
            self._engine.dispose(close=False)
            self._thread = threading.local()
            self._pid = os.getpid()
        connection: sa.Connection | None = getattr(self._thread, "connection", None)
        return connection

    def _connect(self, *, writes: bool) -> sa.Connection:
        return self._engine.connect().execution_options(**{_WRITES: writes})

    @contextlib.contextmanager
    def _writer(self) -> Iterator[None]:
        if self._lock_file is None:
            yield
            return
        # A descriptor of its own each time: flock then also holds off the other threads.
        lock = os.open(self._lock_file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield
        finally:
            fcntl.flock(lock, fcntl.LOCK_UN)
            os.close(lock)


@contextlib.contextmanager
def _translated() -> Iterator[None]:
    try:
        yield
    except (exc.OperationalError, exc.InterfaceError) as problem:
        reason = str(problem.orig).strip().splitlines()[0] if str(problem.orig).strip() else ""
        msg = f"the catalog database does not answer: {reason}"
        raise CatalogUnavailableError(msg) from problem


def open_database(url: str, home: Path) -> Database:
    """Connect; the tables are another matter (:mod:`catalog.migrate`).

    Args:
        url: ``postgresql://…``, ``sqlite:///FILE``, or "" for ``catalog.db`` below ``home``.
        home: Home folder, made where it is missing and needed.

    Raises:
        ConfigError: the address or the installed libraries cannot be used.
        CatalogUnavailableError: the server does not answer.
    """
    if not url:
        return _open_sqlite(home / "catalog.db")
    try:
        address = sa.make_url(url)
    except exc.ArgumentError as problem:
        msg = "catalog.url: not a database address"
        raise ConfigError(msg, advice="postgresql://USER@HOST/DATABASE, or empty") from problem
    if address.get_backend_name() == "sqlite":
        if not address.database or address.database == ":memory:":
            msg = "catalog.url: a SQLite catalog needs a file"
            raise ConfigError(msg)
        return _open_sqlite(home / address.database)
    if address.drivername in {"postgresql", "postgres", "postgresql+psycopg"}:
        return _open_postgres(address.set(drivername="postgresql+psycopg"))
    msg = f"catalog.url: {address.drivername} is neither postgresql nor sqlite"
    raise ConfigError(msg)


def _open_sqlite(file: Path) -> Database:
    try:
        from pysqlite3 import dbapi2
    except ImportError as problem:
        msg = "the package pysqlite3 is missing"
        raise ConfigError(msg, advice="pip install pysqlite3") from problem
    if dbapi2.sqlite_version_info < SQLITE_MINIMUM:
        needed = ".".join(map(str, SQLITE_MINIMUM))
        msg = f"SQLite {dbapi2.sqlite_version} is too old, {needed} is needed"
        raise ConfigError(msg, advice="pip install --upgrade pysqlite3")
    try:
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as problem:
        msg = f"{file.parent}: {problem.strerror}"
        raise ConfigError(
            msg, advice="set SEOGA_HOME to a folder that can be written to"
        ) from problem
    engine = sa.create_engine(
        sa.URL.create("sqlite", database=str(file)),
        module=dbapi2,
        poolclass=sa.QueuePool,
        pool_size=4,
        max_overflow=-1,
        connect_args={"isolation_level": None, "check_same_thread": False},
    )
    event.listen(engine, "connect", _prepare_sqlite)
    event.listen(engine, "begin", _begin_sqlite)
    database = Database(engine, file.with_name(f"{file.name}.lock"))
    try:
        database.probe()
    except exc.DatabaseError as problem:
        msg = f"{file}: {problem.orig}"
        raise ConfigError(msg, advice="move it away, or restore a backup") from problem
    except OSError as problem:
        msg = f"{file}: {problem.strerror}"
        raise ConfigError(msg, advice="the folder and its files must be writable") from problem
    return database


def _prepare_sqlite(connection: Any, _record: object) -> None:
    for pragma in (
        f"busy_timeout = {_BUSY_MS}",
        "journal_mode = WAL",
        "synchronous = NORMAL",
        "cache_size = -16000",
        "journal_size_limit = 67108864",
    ):
        connection.execute(f"PRAGMA {pragma}").close()


def _begin_sqlite(connection: sa.Connection) -> None:
    # The driver is in autocommit mode, so that BEGIN is ours: IMMEDIATE, or a reader's snapshot.
    writes = connection.get_execution_options().get(_WRITES)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


def _open_postgres(address: sa.URL) -> Database:
    try:
        engine = sa.create_engine(
            address, pool_pre_ping=True, pool_size=4, max_overflow=16, connect_args=_PATIENCE
        )
    except ImportError as problem:
        msg = "the package psycopg is missing"
        raise ConfigError(msg, advice="pip install 'psycopg[binary]'") from problem
    # Before SQLAlchemy's own first look at the server, which another encoding would confuse.
    event.listen(engine, "connect", _prepare_postgres, insert=True)
    database = Database(engine, None)
    database.probe()
    return database


def _prepare_postgres(connection: Any, _record: object) -> None:
    encoding = connection.info.parameter_status("server_encoding")
    if encoding != "UTF8":
        connection.close()
        msg = f"the PostgreSQL database is encoded as {encoding}, UTF8 is needed"
        raise ConfigError(msg, advice="createdb --encoding=UTF8 --template=template0 NAME")
    connection.autocommit = True
    with connection.cursor() as cursor:
        # A writer that hangs gives way in the end: everyone else waits for it.
        cursor.execute("SET lock_timeout = '120s'")
        cursor.execute("SET idle_in_transaction_session_timeout = '300s'")
    connection.autocommit = False
