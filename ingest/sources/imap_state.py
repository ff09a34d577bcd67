"""What was listed of a mail account, so that the next listing asks only for what has changed (a file of its own).

It says nothing but what the server said: without it, or with that of another machine, a listing comes out the same
and only takes longer. So every worker may keep its own, and it may be deleted at any time.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import sqlite3
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

__all__ = ["ListedMail", "ListingState", "Mark", "Named", "open_state"]

_VERSION = 1
_PAGE = 500
_TABLES = """
CREATE TABLE folders (
  number INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  uidvalidity INTEGER NOT NULL DEFAULT 0,
  mark TEXT NOT NULL DEFAULT ''
);
CREATE TABLE mails (
  folder INTEGER NOT NULL,
  uid INTEGER NOT NULL,
  tag TEXT NOT NULL,
  slug TEXT NOT NULL,
  size INTEGER NOT NULL,
  received_ns INTEGER NOT NULL,
  deleted INTEGER NOT NULL,
  twin TEXT NOT NULL,
  headers TEXT NOT NULL,
  file TEXT NOT NULL,
  PRIMARY KEY (folder, uid)
) WITHOUT ROWID;
CREATE INDEX mails_in_order ON mails (folder, file, uid);
CREATE INDEX mails_by_tag ON mails (folder, tag);
"""

Mark = tuple[int, ...]
"""UIDVALIDITY, UIDNEXT, MESSAGES and HIGHESTMODSEQ of a folder: while they stay, nothing in it has changed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedMail:
    r"""One message as the server lists it.

    Attributes:
        uid: Its number in the folder.
        tag: Digest of its Message-ID, or of its headers where it has none.
        slug: Its subject, fit for a file name.
        size: Bytes (RFC822.SIZE).
        received_ns: INTERNALDATE, nanoseconds since the epoch; 0 where it has none.
        deleted: It is marked ``\Deleted``.
        twin: Tells messages with one tag apart; "" for the first of them.
        headers: Digest of all headers, where it was needed to tell them apart.
        file: Name of the file that it is as a document.
    """

    uid: int
    tag: str
    slug: str
    size: int
    received_ns: int
    deleted: bool = False
    twin: str = ""
    headers: str = ""
    file: str = ""


@dataclass(frozen=True, slots=True)
class Named:
    """A message of several with one tag, with what tells it apart and the name that it gets."""

    uid: int
    twin: str
    headers: str
    file: str


@contextlib.contextmanager
def open_state(folder: Path | None, name: str, place: str) -> Iterator[ListingState]:
    """The state of one account, for one listing at a time; whoever comes second starts from nothing.

    Args:
        folder: Where the files lie; None: nothing is kept.
        name: Name of the source.
        place: Server and account: another one has another state.
    """
    with contextlib.ExitStack() as stack:
        file = ""
        if folder is not None:
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            digest = hashlib.sha256(place.encode("utf-8", "surrogateescape")).hexdigest()[:16]
            path = folder / f"{name}-{digest}.db"
            lock = os.open(f"{path}.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            stack.callback(os.close, lock)
            with contextlib.suppress(BlockingIOError):
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                file = os.fspath(path)
        connection = _connect(file)
        stack.callback(connection.close)
        yield ListingState(connection)


def _connect(file: str) -> sqlite3.Connection:
    """``""``: a temporary database on disk. One that is of another release, or damaged, is begun anew."""
    for last in (False, True):
        connection = sqlite3.connect(file, isolation_level=None)
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = NORMAL")
            version = connection.execute("PRAGMA user_version").fetchone()[0]
            if version == 0:
                connection.executescript(f"BEGIN;{_TABLES}PRAGMA user_version = {_VERSION};COMMIT;")
                version = _VERSION
            if version == _VERSION:
                return connection
        except sqlite3.DatabaseError:
            if last:
                connection.close()
                raise
        connection.close()
        for ending in ("", "-wal", "-shm"):
            with contextlib.suppress(FileNotFoundError):
                os.unlink(f"{file}{ending}")  # noqa: PTH108  a name, not a path
    raise AssertionError  # pragma: no cover  the second one is new


class ListingState:
    """What is known of each folder; every call is a transaction.

    Args:
        connection: From :func:`open_state`.
    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def folder(self, name: str) -> FolderState:
        """What is known of one folder, by its name on the server."""
        self._connection.execute("INSERT OR IGNORE INTO folders (name) VALUES (?)", (name,))
        row = self._connection.execute("SELECT number FROM folders WHERE name = ?", (name,))
        return FolderState(self._connection, int(row.fetchone()[0]))

    def keep_only(self, names: Iterable[str]) -> None:
        """Forget the folders that are not there any more."""
        kept = set(names)
        known = self._connection.execute("SELECT number, name FROM folders").fetchall()
        for number, name in known:
            if name not in kept:
                FolderState(self._connection, int(number)).begin(0)
                self._connection.execute("DELETE FROM folders WHERE number = ?", (number,))


class FolderState:
    """What is known of one folder.

    Args:
        connection: The file.
        number: Of the folder in it.
    """

    def __init__(self, connection: sqlite3.Connection, number: int) -> None:
        self._connection = connection
        self._number = number

    @property
    def mark(self) -> Mark:
        """The mark of the last listing that came to its end; () where there is none."""
        text = self._one("SELECT mark FROM folders WHERE number = ?")
        return tuple(int(part) for part in text.split())

    @property
    def uidvalidity(self) -> int:
        """What the known numbers are valid for."""
        return int(self._one("SELECT uidvalidity FROM folders WHERE number = ?"))

    @property
    def count(self) -> int:
        """Known messages."""
        return int(self._one("SELECT count(*) FROM mails WHERE folder = ?"))

    @property
    def last_uid(self) -> int:
        """The highest known number, or 0."""
        return int(self._one("SELECT coalesce(max(uid), 0) FROM mails WHERE folder = ?"))

    def begin(self, uidvalidity: int) -> None:
        """Forget everything: the numbers mean other messages now."""
        with self._connection:
            self._connection.execute("BEGIN IMMEDIATE")
            self._connection.execute("DELETE FROM mails WHERE folder = ?", (self._number,))
            self._connection.execute(
                "UPDATE folders SET uidvalidity = ?, mark = '' WHERE number = ?",
                (uidvalidity, self._number),
            )

    def finish(self, mark: Mark) -> None:
        """Everything is known as of this mark; (): something may be missing."""
        text = " ".join(str(part) for part in mark)
        with self._connection:
            self._connection.execute(
                "UPDATE folders SET mark = ? WHERE number = ?", (text, self._number)
            )

    def add(self, mails: Iterable[ListedMail]) -> None:
        """Messages that were not known."""
        rows = [
            (
                self._number,
                m.uid,
                m.tag,
                m.slug,
                m.size,
                m.received_ns,
                m.deleted,
                m.twin,
                m.headers,
                m.file,
            )
            for m in mails
        ]
        with self._connection:
            self._connection.execute("BEGIN IMMEDIATE")
            self._connection.executemany(
                "INSERT OR REPLACE INTO mails VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", rows
            )

    def remove(self, uids: Iterable[int]) -> None:
        """Messages that are not there any more."""
        with self._connection:
            self._connection.execute("BEGIN IMMEDIATE")
            self._connection.executemany(
                "DELETE FROM mails WHERE folder = ? AND uid = ?", [(self._number, u) for u in uids]
            )

    def set_deleted(self, uids: Iterable[int]) -> None:
        """Exactly these are marked for deletion."""
        with self._connection:
            self._connection.execute("BEGIN IMMEDIATE")
            self._connection.execute(
                "UPDATE mails SET deleted = 0 WHERE folder = ? AND deleted", (self._number,)
            )
            self._connection.executemany(
                "UPDATE mails SET deleted = 1 WHERE folder = ? AND uid = ?",
                [(self._number, uid) for uid in uids],
            )

    def uids(self, after: int, limit: int) -> list[int]:
        """The next known numbers, ascending."""
        found = self._connection.execute(
            "SELECT uid FROM mails WHERE folder = ? AND uid > ? ORDER BY uid LIMIT ?",
            (self._number, after, limit),
        )
        return [int(uid) for (uid,) in found]

    def shared_tags(self) -> Iterator[list[ListedMail]]:
        """Messages with one tag, where there are several or one was told apart: those to read first, oldest first."""
        tags = self._connection.execute(
            "SELECT tag FROM mails WHERE folder = ? GROUP BY tag HAVING count(*) > 1 OR max(twin) <> ''",
            (self._number,),
        ).fetchall()
        for (tag,) in tags:
            yield self._mails("tag = ? ORDER BY deleted, received_ns, uid", tag)

    def rename(self, named: Iterable[Named]) -> None:
        """Give messages with one tag the names that tell them apart."""
        with self._connection:
            self._connection.execute("BEGIN IMMEDIATE")
            self._connection.executemany(
                "UPDATE mails SET twin = ?, headers = ?, file = ? WHERE folder = ? AND uid = ?",
                [(n.twin, n.headers, n.file, self._number, n.uid) for n in named],
            )

    def in_order(self) -> Iterator[ListedMail]:
        """All messages, in code-point order of their files, read as they are asked for."""
        after: tuple[str, int] = ("", 0)
        while page := self._mails("(file, uid) > (?, ?) ORDER BY file, uid LIMIT ?", *after, _PAGE):
            yield from page
            after = page[-1].file, page[-1].uid

    def _mails(self, where: str, *values: object) -> list[ListedMail]:
        found = self._connection.execute(
            "SELECT uid, tag, slug, size, received_ns, deleted, twin, headers, file FROM mails"  # noqa: S608  our own words
            f" WHERE folder = ? AND {where}",
            (self._number, *values),
        )
        return [
            ListedMail(
                uid=uid, tag=tag, slug=slug, size=size, received_ns=received_ns,
                deleted=bool(deleted), twin=twin, headers=headers, file=file,
            )
            for uid, tag, slug, size, received_ns, deleted, twin, headers, file in found
        ]  # fmt: skip

    def _one(self, query: str) -> str:
        return str(self._connection.execute(query, (self._number,)).fetchone()[0])
