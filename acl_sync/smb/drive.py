"""A folder of a share: what is in it, what it says of each object, and its bytes.

Nothing is written, and nothing that is open keeps anybody else from writing, renaming or removing.
"""

from __future__ import annotations

import os
import threading
import time
import weakref
from typing import TYPE_CHECKING, Any, TypeVar

from smbprotocol.file_info import InfoType

from acl_sync.smb.dfs import targets_of
from acl_sync.smb.lane import Lane
from acl_sync.smb.line import Account, Answer, Line, LineLostError
from acl_sync.smb.messages import LAST, asking, closing, listing, opening, reading
from acl_sync.smb.place import place_of
from acl_sync.smb.statuses import (
    BAD_NETWORK_NAME,
    END_OF_FILE,
    NO_MORE_FILES,
    NO_SUCH_FILE,
    OBJECT_NAME_INVALID,
    PATH_NOT_COVERED,
    SmbStatusError,
)
from acl_sync.smb.wire import buffer_of, created, entries_of, read_of
from contracts.errors import ConfigError, SourceUnreachableError

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable

    from smbprotocol.tree import TreeConnect

    from acl_sync.smb.place import Place
    from acl_sync.smb.wire import Found
    from contracts.settings import SourceSettings

__all__ = ["Drive", "account_of", "same_object"]

_T = TypeVar("_T")
_READ_DATA, _READ_ATTRIBUTES = 0x1, 0x80
_IS_FOLDER, _SEQUENTIAL, _IS_FILE, _BACKUP = 0x1, 0x4, 0x40, 0x4000
_FILE_ID = 6  # FileInternalInformation
_BLOCK, _LISTING, _REST = 1 << 20, 1 << 18, 1 << 16  # bytes of one answer
_REFERRALS = 8
"""Targets that are namespaces themselves, one after the other."""
_PAUSES = (0.2, 1.0, 3.0)
"""Seconds before each further try after a connection was lost."""


class Drive:
    """See the module; safe to use from several threads, and after a fork.

    Args:
        settings: Of the source.

    Raises:
        ConfigError: its address or its password file cannot be read.
    """

    def __init__(self, settings: SourceSettings) -> None:
        self.place: Place = place_of(settings)
        self._account = account_of(settings)
        self._lines: dict[tuple[str, int], Line] = {}
        self._lanes: list[Lane] = []  # none, or the one
        self._pid = os.getpid()
        self._lock = threading.RLock()
        self._generation = 0
        self._was_up = False
        self._target: Place | None = None
        weakref.finalize(self, _hang_up, self._lines, self._lanes)

    def entries(self, path: str, expected: Found | None = None) -> list[Found]:
        """Everything in a folder, in no order.

        Args:
            path: Below the place, parts joined by ``/``; "" for the place itself.
            expected: As it was listed; None: whatever is there.

        Raises:
            SmbStatusError: the server refused, or another folder is there now (``NO_SUCH_FILE``).
            SourceUnreachableError: no server answers.
        """
        return self.trying(lambda: list(self._entries(path, expected)))

    def is_empty(self, path: str) -> bool:
        """Whether nothing is in a folder; only the beginning of it is listed."""

        def ask() -> bool:
            found = self._entries(path, None)
            try:
                return next(found, None) is None
            finally:
                found.close()

        return self.trying(ask)

    def look(self, path: str) -> Found:
        """What an object says of itself (its name is left out)."""
        return self.trying(lambda: self._ask(path, _READ_ATTRIBUTES, 0)[0])

    def read(self, path: str, start: Callable[[Found], Callable[[bytes], object]]) -> None:
        """Hand over the bytes of a file, block by block.

        Args:
            path: As for ``entries``.
            start: Called with the object that was opened; returns what takes the blocks. Called again where the
                connection was lost on the way and everything begins anew.
        """
        self.trying(lambda: self._read(path, start))

    def file_system(self) -> tuple[str, int]:
        """Name of the file system (``NTFS``, …) and its attributes, as the server says (MS-FSCC 2.5.1)."""

        def ask() -> tuple[str, int]:
            query = asking(InfoType.SMB2_0_INFO_FILESYSTEM, 5, 1024, 0)
            _, (answer,) = self._ask("", _READ_ATTRIBUTES, _IS_FOLDER, query)
            data = buffer_of(_body(answer))
            return data[12:].decode("utf-16-le"), int.from_bytes(data[:4], "little")

        return self.trying(ask)

    def is_samba(self) -> bool:
        """Whether the server is Samba, whose change time is the time of the last write: a list that changes leaves it.

        It says so in the extended part of the object id of its file systems ("SmBa", ``smbd/trans2.c``).
        """

        def ask() -> bool:
            query = asking(InfoType.SMB2_0_INFO_FILESYSTEM, 8, 64, 0)
            _, (answer,) = self._ask("", _READ_ATTRIBUTES, _IS_FOLDER, query)
            return (
                not answer.status and buffer_of(answer.body)[16:20] == b"aBmS"
            )  # the number 0x536D4261

        return self.trying(ask)

    @property
    def target(self) -> Place:
        """Where the place is really kept: itself, or what its DFS namespace refers to."""
        self.line()
        return self._target or self.place

    def line(self) -> Line:
        """The connection to the server of the target, made where there is none."""
        with self._lock:
            if os.getpid() != self._pid:  # the connections are the parent's
                self._lines.clear()
                self._lanes.clear()
                self._pid = os.getpid()
            if self._target is None:
                self._target = self._resolved(self.place, _REFERRALS)
            return self._line_to(self._target)

    def lane(self) -> Lane:
        """A connection to the share of the target for many small requests, made where there is none."""
        with self._lock:
            unused = self._target is None
            line = self.line()  # which finds the target
            if not self._lanes:
                place = self.target
                if unused:  # by anybody else: no second one is needed
                    del self._lines[place.host, place.port]
                else:
                    line = self._connected(place)
                try:
                    self._lanes.append(Lane(line, place.share, self._account.timeout))
                except BaseException:
                    line.close()
                    raise
            return self._lanes[0]

    def _line_to(self, place: Place) -> Line:
        key = (place.host, place.port)
        if key not in self._lines:
            self._lines[key] = self._connected(place)
            self._was_up = True
        return self._lines[key]

    def _connected(self, place: Place) -> Line:
        try:
            return Line(place.host, place.port, self._account)
        except SourceUnreachableError as problem:
            if not self._was_up or Line.is_refusal(problem):
                raise
            raise LineLostError(problem.message) from problem

    def _resolved(self, place: Place, left: int) -> Place:
        """The place, or the first target of its namespace that answers; what else is wrong is told by who asks."""
        line = self._line_to(place)
        try:
            tree = line.tree(place.share)
            made, _ = line.exchange(
                tree, [opening(_sent(tree, place, ""), _READ_ATTRIBUTES, 0), closing(LAST)]
            )
            status = made.status
        except SmbStatusError as problem:
            status = problem.status
        if status not in {BAD_NETWORK_NAME, PATH_NOT_COVERED} or not left:
            return place
        for target in targets_of(line, place):
            try:
                return self._resolved(target, left - 1)
            except (SourceUnreachableError, LineLostError):
                continue
        return place

    def trying(self, call: Callable[[], _T]) -> _T:
        """The result of a call, made again over a new connection where the connection was lost.

        Raises:
            SourceUnreachableError: no server answers, or not for long enough.
        """
        pauses = iter(_PAUSES)
        while True:
            lines = self._generation
            try:
                return call()
            except UnicodeEncodeError as problem:
                raise SmbStatusError(OBJECT_NAME_INVALID) from problem
            except ValueError as problem:
                self._give_up(lines)
                raise SourceUnreachableError(
                    f"source {self._account.source}: {self.place.host} 의 답을 읽을 수 없습니다 (a malformed answer): {problem}",
                    advice="아무것도 바꾸지 않았습니다 (nothing was changed)",
                ) from problem
            except LineLostError as problem:
                self._give_up(lines)
                pause = next(pauses, None)
                if pause is None:
                    raise SourceUnreachableError(
                        f"source {self._account.source}: {self.place.host} 연결이 끊겼습니다 (connection lost): {problem}",
                        advice="아무것도 바꾸지 않았습니다 (nothing was changed)",
                    ) from problem
                time.sleep(pause)

    def _give_up(self, generation: int) -> None:
        """Close the connections, unless another thread has made new ones meanwhile; the next may go to another target."""
        with self._lock:
            if self._generation == generation:
                _hang_up(self._lines, self._lanes)
                self._target = None
                self._generation += 1

    # -- one request each --------------------------------------------------------------------------

    def tree(self) -> TreeConnect:
        """The share of the place.

        Raises:
            SmbStatusError: it is not there, or not for this account.
        """
        return self.line().tree(self.target.share)

    def sent_name(self, tree: TreeConnect, path: str) -> str:
        """A path as it is sent for this share."""
        return self.sent_names(tree, (path,))[0]

    def sent_names(self, tree: TreeConnect, paths: Iterable[str]) -> list[str]:
        """Paths as they are sent for this share."""
        place = self.target
        return [_sent(tree, place, path) for path in paths]

    def chain(self, path: str, access: int, options: int, *more: Any) -> list[Answer]:
        """Open an object and do more with it, in one exchange."""
        tree = self.tree()
        return self.line().exchange(
            tree, [opening(self.sent_name(tree, path), access, options), *more]
        )

    def _ask(self, path: str, access: int, options: int, *more: Any) -> tuple[Found, list[Answer]]:
        queries = (asking(InfoType.SMB2_0_INFO_FILE, _FILE_ID, 8, 0), *more)
        made, number, *rest = self.chain(path, access, options | _BACKUP, *queries, closing(LAST))
        return _opened(made, number)[0], rest[:-1]

    def _entries(self, path: str, expected: Found | None) -> Generator[Found]:
        lane = self.lane()
        size = min(_LISTING, lane.most_answered)
        access = _READ_DATA | _READ_ATTRIBUTES
        name = self.sent_name(lane.tree, path)
        number = asking(InfoType.SMB2_0_INFO_FILE, _FILE_ID, 8, 0)
        first = opening(name, access, _IS_FOLDER | _BACKUP)
        # that there is no more is mostly said at once
        more = (listing(LAST, size), listing(LAST, _REST))
        made, numbered, *answers = lane.exchange((first, number, *more))
        found, handle = _opened(made, numbered)
        try:
            if expected is not None and not same_object(found, expected):
                raise SmbStatusError(NO_SUCH_FILE)
            while True:
                for answer in answers:
                    if answer.status in {NO_MORE_FILES, NO_SUCH_FILE}:
                        return
                    yield from entries_of(buffer_of(_body(answer)))
                answers = lane.exchange((listing(handle, size),))
        finally:
            lane.exchange((closing(handle),))

    def _read(self, path: str, start: Callable[[Found], Callable[[bytes], object]]) -> None:
        number = asking(InfoType.SMB2_0_INFO_FILE, _FILE_ID, 8, 0)
        access = _READ_DATA | _READ_ATTRIBUTES
        made, numbered = self.chain(path, access, _IS_FILE | _SEQUENTIAL | _BACKUP, number)
        found, handle = _opened(made, numbered)
        line, tree = self.line(), self.tree()
        try:
            take, at = start(found), 0
            while True:
                (answer,) = line.exchange(tree, [reading(handle, at, min(_BLOCK, line.most_read))])
                if answer.status == END_OF_FILE:
                    break
                block = read_of(_body(answer))
                if not block:
                    break
                take(block)
                at += len(block)
        finally:
            line.exchange(tree, [closing(handle)])


def _sent(tree: TreeConnect, place: Place, path: str) -> str:
    parts = [part for part in (place.folder, path) if part]
    if tree.is_dfs_share:  # MS-SMB2 3.2.4.3: then the name begins with server and share
        parts = [place.host, place.share, *parts]
    return "\\".join(parts).replace("/", "\\")


def same_object(one: Found, other: Found) -> bool:
    """Whether two looks were at one object: when it was made and, where both looks told it, its number."""
    numbers = {one.file_id, other.file_id} - {0}
    return one.created == other.created and len(numbers) <= 1


def account_of(settings: SourceSettings) -> Account:
    """Who reads a source.

    Raises:
        ConfigError: the password file cannot be read.
    """
    password = None
    if settings.password_file is not None:
        try:
            password = (
                settings.password_file.expanduser().read_text(encoding="utf-8").rstrip("\r\n")
            )
        except (OSError, UnicodeDecodeError) as problem:
            raise ConfigError(
                f"source {settings.name}: password_file {settings.password_file}: {problem}"
            ) from problem
    return Account(
        source=settings.name,
        user=settings.user or None,
        password=password,
        encrypt=settings.encrypt,
        timeout=settings.timeout_seconds,
    )


def _hang_up(lines: dict[tuple[str, int], Line], lanes: list[Lane]) -> None:
    while lines:
        lines.popitem()[1].close()
    while lanes:
        lanes.pop().close()


def _opened(made: Answer, numbered: Answer) -> tuple[Found, bytes]:
    """What was opened, and its handle; without a number where the server has none."""
    body = _body(made)
    number = 0 if numbered.status else int.from_bytes(buffer_of(numbered.body), "little")
    return created(body, number)


def _body(answer: Answer) -> bytes:
    if answer.status:
        raise SmbStatusError(answer.status)
    return answer.body
