"""A mail account over IMAP: every message of every folder that it may read is a document.

Nothing is written: folders are opened with EXAMINE and bodies read with BODY.PEEK, so no message becomes read.
"""

from __future__ import annotations

import contextlib
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from acl_sync.imap_folders import ImapFolder, known_folders
from acl_sync.imap_server import ImapServer, reason_of
from contracts.documents import SourceItem
from contracts.errors import ItemBusyError, ItemGoneError, SourceUnreachableError
from contracts.outcomes import SkipReason
from contracts.sources import ListProblem, Skipped, SourceFolder, SourceProbe
from ingest.sources.imap_listing import body_of, identity_of, opened, refresh
from ingest.sources.imap_names import object_id, place_of, tag_of_object
from ingest.sources.imap_state import open_state
from ingest.sources.naming import NameRules

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import IO

    from acl_sync.imap_client import MailClient
    from contracts.settings import SourceSettings
    from ingest.sources.imap_names import MessagePlace
    from ingest.sources.imap_state import ListedMail, ListingState

__all__ = ["ImapSource"]

_PART = 1 << 20
"""Bytes of a message fetched at once: one of any size takes no more memory."""
_Listed = SourceItem | SourceFolder | Skipped | ListProblem


class ImapSource:
    """See :class:`contracts.sources.Source`.

    Args:
        settings: The source's group of settings.
        kept: Folder for what was listed; None: every listing asks for everything.

    Raises:
        ConfigError: the address or the account is not usable as it stands.
    """

    kind = "imap"

    def __init__(self, settings: SourceSettings, kept: Path | None = None) -> None:
        self._settings = settings
        self._kept = kept
        self._server = ImapServer(settings)
        self._rules = NameRules(settings)
        self._named = [
            *(p.strip("/") for p in settings.include),
            *(p.removeprefix("!").strip("/") for p in settings.exclude if p.startswith("!")),
        ]

    @property
    def name(self) -> str:
        """Name of the configured source."""
        return self._settings.name

    def probe(self, *, write: bool = False) -> SourceProbe:  # noqa: ARG002  nothing is ever written
        """What the server offers; nothing is written, whatever is asked."""
        self.check()
        notes = [
            f"{name}: {'있음 (yes)' if self._has(name) else f'없음 (no): {without}'}"
            for name, without in (
                ("CONDSTORE", "폴더마다 명령 세 개 (three commands a folder)"),
                ("ACL", "메일함 주인만 읽음 (only the account itself reads)"),
                ("SPECIAL-USE", "휴지통 등은 이름으로 (trash and the like told by name)"),
            )
        ]
        notes.append("메일함에는 아무것도 쓰지 않습니다 (nothing is written to a mailbox)")
        return SourceProbe(
            change_time=False,
            birth_time=True,  # a Message-ID is not given twice
            access_lists=False,  # not POSIX ones
            case_sensitive=True,
            notes=tuple(notes),
        )

    def check(self) -> None:
        """Make sure that the account can be read, and is the one that is meant.

        Raises:
            SourceUnreachableError: the server, the root folder or the marker folder is not there, or there is no mail.
        """
        self._folders()

    def list(self) -> Iterator[_Listed]:
        """List all folders and messages; see :mod:`ingest.sources.imap_listing` for what it costs."""
        self._server.close()  # servers may go on with the rights that a connection began with
        folders = self._folders()
        place = f"{self._settings.url}\n{self._settings.user}"
        with open_state(self._kept, self.name, place) as state:
            yield from self._walk(folders, state)
            state.keep_only(folder.name for folder in folders.values() if folder.name)

    @contextlib.contextmanager
    def fetch(self, item: SourceItem) -> Iterator[Path]:
        """Copy the message to a temporary file, and make sure that it is the one that was listed."""
        from imapclient.exceptions import IMAPClientError

        try:
            place, tag = place_of(item.locator), tag_of_object(item.object_id)
        except ValueError as problem:
            raise ItemGoneError(f"{item.path} is no message") from problem
        with tempfile.NamedTemporaryFile(prefix="seoga-mail-", suffix=".eml") as file:
            try:
                self._server.call(lambda client: _download(client, place, tag, file))
            except IMAPClientError as problem:
                message = f"{item.path} cannot be read ({reason_of(problem)})"
                if self._server.call(lambda client: client.folder_exists(place.folder)):
                    raise ItemBusyError(message) from problem
                raise ItemGoneError(message) from problem
            except SourceUnreachableError as problem:
                if not self._server.answers():
                    raise
                raise ItemBusyError(f"{item.path}: {problem.message}") from problem
            file.flush()
            yield Path(file.name)

    # -- folders -----------------------------------------------------------------------------------

    def _folders(self) -> dict[str, ImapFolder]:
        folders = known_folders(self._server)
        if not folders:
            raise self._unreachable(
                f"폴더가 없습니다 (no such folder): {self._server.address.folder}"
            )
        marker = self._settings.marker
        if marker and marker not in folders:
            raise self._unreachable(f"표식 폴더가 없습니다 (marker folder is missing): {marker}")
        self._look_for_mail(folders)
        return folders

    def _look_for_mail(self, folders: dict[str, ImapFolder]) -> None:
        """An account without a single message is not the one that is meant."""
        from imapclient.exceptions import IMAPClientError

        for path in sorted(folders, key=lambda path: (path != "", path != "INBOX", path)):
            folder = folders[path]
            if not folder.selectable or self._skipped(folder):
                continue
            try:
                found = self._count(folder.name)
            except IMAPClientError as problem:
                if path:
                    continue  # the listing will tell
                raise self._unreachable(
                    f"폴더를 읽을 수 없습니다 (root folder): {reason_of(problem)}"
                ) from problem
            if found:
                return
        raise self._unreachable("메일이 하나도 없습니다 (the account is empty)")

    def _unreachable(self, problem: str) -> SourceUnreachableError:
        return SourceUnreachableError(
            f"소스 {self.name} (source): {self._settings.url}: {problem}",
            advice="계정과 주소를 확인하십시오; 아무것도 바꾸지 않았습니다 (nothing was changed)",
        )

    def _count(self, folder: str) -> int:
        told = self._server.call(lambda client: client.status(folder, ["MESSAGES"]))
        return told.get("MESSAGES", 0)

    def _has(self, capability: str) -> bool:
        return bool(self._server.call(lambda client: client.has_capability(capability)))

    # -- listing -----------------------------------------------------------------------------------

    def _walk(self, folders: dict[str, ImapFolder], state: ListingState) -> Iterator[_Listed]:
        below: dict[str, list[ImapFolder]] = {}
        for path, folder in folders.items():
            if path:
                below.setdefault(path.rpartition("/")[0], []).append(folder)
        waiting: list[Iterator[_Listed | ImapFolder]] = [iter((folders[""],))]
        blocked: set[str] = set()
        while waiting:
            found = next(waiting[-1], None)
            if found is None:
                waiting.pop()
            elif not isinstance(found, ImapFolder):
                yield found
            elif reason := self._skipped(found):
                yield Skipped(found.path, reason)
            else:
                yield SourceFolder(path=found.path, object_id=f"folder-{found.name}", access_tag="")
                problem = self._refresh(found, state)
                if problem and not any(_within(found.path, path) for path in blocked):
                    blocked.add(found.path)
                    yield ListProblem(found.path, problem)
                waiting.append(
                    _merged(
                        self._mails(found, state) if not problem else iter(()),
                        sorted(below.get(found.path, ()), key=_place),
                    )
                )

    def _refresh(self, folder: ImapFolder, state: ListingState) -> str:
        """What keeps the folder from being listed, or ""."""
        from imapclient.exceptions import IMAPClientError

        if not folder.selectable:
            return ""
        known = state.folder(folder.name)
        try:
            self._server.call(lambda client: refresh(client, folder.name, known))
        except IMAPClientError as problem:
            return reason_of(problem)
        except SourceUnreachableError as problem:
            if not self._server.answers():
                raise
            return problem.message  # something in this folder breaks the connection each time
        return ""

    def _mails(self, folder: ImapFolder, state: ListingState) -> Iterator[SourceItem | Skipped]:
        if not folder.selectable:
            return
        known = state.folder(folder.name)
        uidvalidity = known.uidvalidity
        for mail in known.in_order():
            path = f"{folder.path}/{mail.file}" if folder.path else mail.file
            if mail.deleted:
                yield Skipped(path, SkipReason.DELETED)
            elif self._rules.excluded(path, folder=False):
                yield Skipped(path, SkipReason.EXCLUDED)
            else:
                yield self._item(folder, mail, path, uidvalidity)

    def _item(
        self, folder: ImapFolder, mail: ListedMail, path: str, uidvalidity: int
    ) -> SourceItem:
        link = self._server.address.link(self._server.user, folder.name, uidvalidity, mail.uid)
        return SourceItem(
            source=self.name,
            object_id=object_id(folder.name, mail.tag, mail.twin),
            path=path,
            locator=link,
            size=mail.size,
            modified_ns=mail.received_ns,
        )

    def _skipped(self, folder: ImapFolder) -> str:
        """Why a folder is left out, with all below it, or ""."""
        path = folder.path
        if not path:
            return ""
        if path == self._settings.marker:
            return SkipReason.SYSTEM_FILE
        if self._rules.excluded(path, folder=True):
            return SkipReason.EXCLUDED
        if folder.special and not any(_within(named, path) for named in self._named):
            return SkipReason.SPECIAL_FOLDER
        return ""


def _download(client: MailClient, place: MessagePlace, tag: str, file: IO[bytes]) -> None:
    with opened(client, place.folder) as chosen:
        if chosen[b"UIDVALIDITY"] != place.uidvalidity:
            raise ItemBusyError(f"{place.folder}: messages were renumbered since they were listed")
        _copy(client, place, tag, file)


def _copy(client: MailClient, place: MessagePlace, tag: str, file: IO[bytes]) -> None:
    if identity_of(client, place.uid) != tag:
        raise ItemGoneError(f"{place.folder}: message {place.uid} is not the one that was listed")
    file.seek(0)
    file.truncate()
    at, size = 0, _PART
    while size == _PART:
        told = client.fetch([place.uid], [f"BODY.PEEK[]<{at}.{_PART}>"]).get(place.uid)
        if told is None:
            raise ItemGoneError(f"{place.folder}: message {place.uid} is not there any more")
        part = body_of(told, b"BODY[]")
        file.write(part)
        size = len(part)
        at += size


def _merged(
    mails: Iterator[SourceItem | Skipped], folders: list[ImapFolder]
) -> Iterator[_Listed | ImapFolder]:
    """A folder stands where its content does, so that the whole listing is in order of full paths."""
    waiting = iter(folders)
    folder = next(waiting, None)
    for mail in mails:
        while folder is not None and _place(folder) < mail.path:
            yield folder
            folder = next(waiting, None)
        yield mail
    while folder is not None:
        yield folder
        folder = next(waiting, None)


def _place(folder: ImapFolder) -> str:
    return f"{folder.path}/"


def _within(path: str, folder: str) -> bool:
    return path == folder or path.startswith(f"{folder}/")
