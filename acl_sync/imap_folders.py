"""Folders of a mail account as paths: namespaces, delimiters, what each is for, and whose it is."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from acl_sync.imap_server import reason_of
from contracts.errors import SourceUnreachableError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from acl_sync.imap_client import ListedFolder, MailClient
    from acl_sync.imap_server import ImapServer

__all__ = ["ImapFolder", "Space", "known_folders"]

_NOT_SELECTABLE = frozenset({b"\\noselect", b"\\nonexistent"})
_SPECIAL = {
    b"\\trash": "trash",
    b"\\junk": "junk",
    b"\\drafts": "drafts",
    b"\\all": "all",
    b"\\flagged": "flagged",
}
"""RFC 6154: what is no document (any more, yet), and views that show mails of other folders once more."""
_SPECIAL_NAMES = {
    "trash": "trash", "deleted items": "trash", "deleted messages": "trash", "휴지통": "trash", "지운 편지함": "trash", "지운편지함": "trash",
    "junk": "junk", "junk e-mail": "junk", "junk email": "junk", "spam": "junk", "스팸": "junk", "스팸 편지함": "junk", "스팸편지함": "junk", "정크 메일": "junk",
    "drafts": "drafts", "임시 보관함": "drafts", "임시보관함": "drafts",
}  # fmt: skip
"""For servers that do not tell."""


class Space(StrEnum):
    """Namespace of a folder (RFC 2342)."""

    PERSONAL = "personal"
    OTHER = "other"
    SHARED = "shared"


@dataclass(frozen=True, slots=True, kw_only=True)
class ImapFolder:
    """One folder.

    Attributes:
        path: Relative to the source's root, ``/`` between parts, "" for the root itself.
        name: As the server names it, decoded; "" for a root that is no folder.
        selectable: Messages can lie in it.
        special: What it is for: ``trash``, ``junk``, ``drafts``, ``all``, ``flagged``, or "".
        space: Whose it is.
        owner: Account that it belongs to, for another user's; else "".
    """

    path: str
    name: str
    selectable: bool
    special: str = ""
    space: Space = Space.PERSONAL
    owner: str = ""


@dataclass(frozen=True, slots=True)
class _Prefix:
    text: str
    delimiter: str
    space: Space


def known_folders(server: ImapServer) -> dict[str, ImapFolder]:
    """All folders of a source, by path; empty where its root is not there.

    Raises:
        SourceUnreachableError: the server does not answer, or does not tell.
    """
    from imapclient.exceptions import IMAPClientError

    root = server.address.folder
    try:
        return server.call(lambda client: _folders(client, root))
    except IMAPClientError as problem:
        raise SourceUnreachableError(
            f"{server.address.host}: 폴더를 볼 수 없습니다 (folders cannot be listed): {reason_of(problem)}",
            advice="계정의 권한을 확인하십시오; 아무것도 바꾸지 않았습니다 (nothing was changed)",
        ) from problem


def _folders(client: MailClient, root: str = "") -> dict[str, ImapFolder]:
    """All folders below ``root`` (a folder's name, or "" for all), by path, with every folder above each of them.

    A root that is not there gives an empty answer.
    """
    prefixes = _namespaces(client)
    tells = client.has_capability("SPECIAL-USE")
    found: dict[str, ImapFolder] = {}
    top = _path(root, "/") if root else ""
    for listed in _listed(client, prefixes):
        name, kinds = listed.name, listed.attributes
        full = _path(name, listed.delimiter)
        path = _below(full, top)
        if path is None:
            continue
        space, owner = _owner(name, prefixes)
        found[path] = ImapFolder(
            path=path,
            name=name,
            selectable=not kinds & _NOT_SELECTABLE,
            special=_special(kinds, path, tells=tells) if path else "",
            space=space,
            owner=owner,
        )
    if root and not found:
        return {}
    for path in list(found):
        for above in _above(path):
            found.setdefault(above, ImapFolder(path=above, name="", selectable=False))
    found.setdefault("", ImapFolder(path="", name="", selectable=False))
    return found


def _listed(client: MailClient, prefixes: Iterable[_Prefix]) -> Iterator[ListedFolder]:
    """Every folder once; a namespace that the plain list leaves out is asked for by its prefix."""
    seen: set[str] = set()
    for start in ("", *(p.text for p in prefixes if p.text)):
        for listed in client.folders(start):
            if listed.name and listed.name not in seen:
                seen.add(listed.name)
                yield listed


def _namespaces(client: MailClient) -> list[_Prefix]:
    if not client.has_capability("NAMESPACE"):
        return []
    spaces = zip(Space, client.namespace(), strict=True)
    return [
        _Prefix(str(prefix), _text(delimiter), space)
        for space, parts in spaces
        for prefix, delimiter in parts or ()
    ]


def _owner(name: str, prefixes: Iterable[_Prefix]) -> tuple[Space, str]:
    """The namespace with the longest prefix; below other users' stands the user's name."""
    fitting = [p for p in prefixes if f"{name}{p.delimiter}".startswith(p.text)]
    if not fitting:
        return Space.PERSONAL, ""
    chosen = max(fitting, key=lambda prefix: len(prefix.text))
    if chosen.space is not Space.OTHER:
        return chosen.space, ""
    rest = name[len(chosen.text) :]
    return chosen.space, rest.partition(chosen.delimiter)[0] if chosen.delimiter else rest


def _special(kinds: frozenset[bytes], path: str, *, tells: bool) -> str:
    for flag, use in _SPECIAL.items():
        if flag in kinds:
            return use
    return "" if tells else _SPECIAL_NAMES.get(path.rpartition("/")[2].casefold(), "")


def _path(name: str, delimiter: str) -> str:
    """A name as a path; a slash that is part of a folder's own name is written ``%2F``."""
    parts = name.split(delimiter) if delimiter else [name]
    if delimiter != "/":
        parts = [part.replace("%2F", "%252F").replace("/", "%2F") for part in parts]
    if parts[0].upper() == "INBOX":
        parts[0] = "INBOX"  # RFC 3501, 5.1: in whatever case
    return "/".join(parts).strip("/")


def _below(path: str, top: str) -> str | None:
    if not top:
        return path
    if path == top:
        return ""
    return path[len(top) + 1 :] if path.startswith(f"{top}/") else None


def _above(path: str) -> Iterator[str]:
    parts = path.split("/")
    return ("/".join(parts[:end]) for end in range(1, len(parts)))


def _text(delimiter: bytes | str | None) -> str:
    return delimiter.decode("ascii", "replace") if isinstance(delimiter, bytes) else delimiter or ""
