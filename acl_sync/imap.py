"""Access lists of mail folders (RFC 4314) as gates: the right ``r`` lets read.

How rights of several identifiers join is the server's choice (RFC 4314, section 2). Here the stricter of the two ways
in use counts: as in Dovecot, of what is granted the most specific identifier decides (its own entry stands before
those of groups, groups before ``authenticated``, that before ``anyone``; of several groups one that grants is
enough); as the RFC recommends, whatever a negative identifier (``-lee``) takes away from anybody is taken away.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING

import structlog

from acl_sync.imap_folders import ImapFolder, Space, known_folders
from acl_sync.imap_server import ImapServer, reason_of
from contracts.access import AccessEntry, AccessScope, Effect, Gate
from contracts.sources import SourceFolder

if TYPE_CHECKING:
    from collections.abc import Iterable

    from contracts.documents import SourceItem
    from contracts.settings import SourceSettings

__all__ = ["ImapPermissionReader", "Realm", "gates_of", "open_reader"]

_READ = "r"

_log = structlog.get_logger()


def open_reader(settings: SourceSettings) -> ImapPermissionReader:
    """The reader of a configured source.

    Raises:
        ConfigError: the address or the account is not usable as it stands.
    """
    server = ImapServer(settings)
    realm = Realm.of(settings.acl.realm, settings.user, server.address.host)
    return ImapPermissionReader(settings.name, server, realm)


@dataclass(frozen=True, slots=True)
class Realm:
    """Whose accounts the identifiers are.

    Attributes:
        name: Realm of names without a domain.
        domain: Mail domain whose accounts are of that realm, too; those of another have the domain as their realm.
    """

    name: str
    domain: str = ""

    @classmethod
    def of(cls, configured: str, account: str, host: str) -> Realm:
        """As configured (``acl.realm``), else the server's name."""
        if configured:
            return cls(configured, account.partition("@")[2].casefold())
        return cls(host)

    def principal(self, kind: str, name: str) -> str:
        """``user:kim@realm`` or ``group:qa@realm``."""
        local, _, domain = unicodedata.normalize("NFC", name).rpartition("@")
        if not local:
            local, domain = domain, ""
        own = not domain or domain.casefold() == self.domain
        return f"{kind}:{local}@{self.name if own else domain}"

    @property
    def everyone(self) -> str:
        """Whoever is signed in."""
        return f"everyone@{self.name}"


class ImapPermissionReader:
    """See :class:`contracts.sources.PermissionReader`.

    Every folder is a scope that stands alone: on a mail server the rights of the folder above do not count. Messages
    have no lists of their own. A server without access lists has one reader: the account that the source is read with.

    Args:
        source: Name of the source.
        server: Where the folders are.
        realm: Of the identifiers.
    """

    def __init__(self, source: str, server: ImapServer, realm: Realm) -> None:
        self._source = source
        self._server = server
        self._realm = realm
        self._folders: dict[str, ImapFolder] | None = None
        self._scopes: dict[str, AccessScope] = {}

    @property
    def tags_tell(self) -> bool:
        """Nothing in a listing tells of a changed list; asking is one command a folder."""
        return False

    @property
    def basis(self) -> str:
        """Lists are translated with nothing but themselves, and read in every run."""
        return ""

    def folder(self, folder: SourceFolder) -> AccessScope:
        """The folder's scope, as its list is now.

        Raises:
            SourceUnreachableError: the server does not answer: what was known stays.
        """
        gates, readable = self._gates(folder.path)
        allowed = (e.principal for g in gates for e in g.entries if e.effect is Effect.ALLOW)
        scope = AccessScope(
            scope_id=f"{self._source}:{folder.path or '/'}",
            source=self._source,
            key=folder.path or "/",
            gates=gates,
            readable=readable,
            groups=tuple(dict.fromkeys(allowed)),
        )
        self._scopes[folder.path] = scope
        return scope

    def item(self, item: SourceItem) -> AccessScope:
        """The scope of the folder that the message lies in.

        Raises:
            SourceUnreachableError: the server does not answer.
        """
        path = item.path.rpartition("/")[0]
        if path not in self._scopes:
            self.folder(SourceFolder(path=path, object_id="", access_tag=""))
        return self._scopes[path]

    def unmatched(self) -> tuple[str, ...]:
        """Nothing: lists lie with the folders."""
        return ()

    def _gates(self, path: str) -> tuple[tuple[Gate, ...], bool]:
        from imapclient.exceptions import IMAPClientError

        found = self._known(path)
        if found is None:
            return (), False
        if not found.selectable:
            return (Gate("read"),), True  # nothing lies in it, and nothing below it asks it
        if not self._server.call(lambda client: client.has_capability("ACL")):
            return (self._owned(),), True
        try:
            listed = self._server.call(lambda client: client.rights(found.name))
        except IMAPClientError as problem:
            _log.warning("access_list_unreadable", source=self._source, reason=reason_of(problem))
            return (), False
        return gates_of(listed, self._realm, self._owner(found)), True

    def _known(self, path: str) -> ImapFolder | None:
        if self._folders is None or path not in self._folders:  # made since
            self._folders = known_folders(self._server)
        return self._folders.get(path)

    def _owned(self) -> Gate:
        owner = self._realm.principal("user", self._server.user)
        return Gate("owner", (AccessEntry(Effect.ALLOW, owner, label="owner"),))

    def _owner(self, folder: ImapFolder) -> str:
        if folder.space is Space.PERSONAL:
            return self._server.user
        return folder.owner


class _Rank(IntEnum):
    """How specific an identifier is; lower ones decide before higher ones."""

    OVERRIDE = 0
    USER = 1
    GROUP = 2
    AUTHENTICATED = 3
    ANYONE = 4


@dataclass(frozen=True, slots=True)
class _Right:
    rank: int
    principal: str
    granted: bool
    negative: bool
    label: str


_LOCAL = len(_Rank)
"""Lists of the server's own (Dovecot's ``#``) stand before those of the folder."""
_GROUPS = {
    "!$": _Rank.OVERRIDE, "group-override=": _Rank.OVERRIDE,
    "$": _Rank.GROUP, "group=": _Rank.GROUP, "group:": _Rank.GROUP,
}  # fmt: skip
_NOBODY = frozenset({"anonymous", "administrators"})
"""Identifiers that name none of our readers."""


def gates_of(listed: Iterable[tuple[str, str]], realm: Realm, owner: str) -> tuple[Gate, ...]:
    """The gates of a folder.

    Args:
        listed: Identifiers with their rights, as GETACL gives them.
        realm: Of the identifiers.
        owner: Account that ``owner`` stands for, or "" where it stands for nobody.
    """
    rights = [r for name, letters in listed if (r := _right(name, letters, realm, owner))]
    granting = sorted((r for r in rights if not r.negative), key=_strict)
    read = Gate("read", tuple(_entry(r, allow=r.granted) for r in granting))
    taken = [_entry(r, allow=False) for r in rights if r.negative and r.granted]
    if not taken:
        return (read,)
    left = [e for e in read.entries if e.effect is Effect.ALLOW]
    return read, Gate("taken away", (*taken, *left))


def _right(name: str, letters: str, realm: Realm, owner: str) -> _Right | None:
    label = f"{name} {letters}".strip()
    plain = name.removeprefix("-")
    first = 0 if plain.startswith("#") else _LOCAL
    plain = plain.removeprefix("#")
    placed = _placed(plain, realm, owner)
    if placed is None:
        return None
    rank, principal = placed
    return _Right(first + rank, principal, _READ in letters, name.startswith("-"), label)


def _placed(plain: str, realm: Realm, owner: str) -> tuple[_Rank, str] | None:
    if plain == "anyone":
        return _Rank.ANYONE, realm.everyone
    if plain == "authenticated":
        return _Rank.AUTHENTICATED, realm.everyone
    if plain == "owner":
        return (_Rank.USER, realm.principal("user", owner)) if owner else None
    if not plain or plain in _NOBODY:
        return None
    for prefix, rank in _GROUPS.items():
        if plain.startswith(prefix):
            return rank, realm.principal("group", plain.removeprefix(prefix))
    return _Rank.USER, realm.principal("user", plain.removeprefix("user="))


def _strict(right: _Right) -> tuple[int, bool]:
    """Specific ones first; of several groups a granting one is enough, of two entries for one account none."""
    groups = right.rank % _LOCAL in {_Rank.OVERRIDE, _Rank.GROUP}
    return right.rank, right.granted != groups


def _entry(right: _Right, *, allow: bool) -> AccessEntry:
    return AccessEntry(Effect.ALLOW if allow else Effect.DENY, right.principal, label=right.label)
