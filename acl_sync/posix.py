"""POSIX permissions as gates: search permission on every folder on the way, read permission on the file.

Rules: the access check algorithm of POSIX.1e draft 17, section 23.1.5 (as ``acl(5)`` describes it): owner, named
users (masked), owning and named groups (masked; any that grants is enough, else refused), others. Written as an
ordered list: the class that matches first decides, which is what a gate does.

On a mount of NFSv4 the list that the server checks is its own (:mod:`acl_sync.nfs4`); modes there are made up from it.
"""

from __future__ import annotations

import errno
import hashlib
import os
import stat
import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING

import structlog

from acl_sync.nfs4 import EXECUTE, READ_DATA, nfs4_gate, read_nfs4_list
from contracts.access import AccessEntry, AccessScope, Effect, Gate

if TYPE_CHECKING:
    from pathlib import Path

    from contracts.documents import SourceItem
    from contracts.settings import SourceSettings
    from contracts.sources import SourceFolder

__all__ = ["PosixPermissionReader", "open_reader", "posix_gate"]

READ = 4
SEARCH = 1
_XATTR = "system.posix_acl_access"
_NFS4 = "system.nfs4_acl"
_XATTR_VERSION = 2
_ENTRY = struct.Struct("<HHI")  # tag, permissions, id: include/uapi/linux/posix_acl_xattr.h
_OWNER, _USER, _OWNING_GROUP, _GROUP, _MASK, _OTHER = 0x01, 0x02, 0x04, 0x08, 0x10, 0x20
_NO_LIST = {errno.ENODATA, errno.EOPNOTSUPP}

_log = structlog.get_logger()


def open_reader(settings: SourceSettings) -> PosixPermissionReader:
    """The reader of a configured source."""
    acl = settings.acl
    return PosixPermissionReader(
        settings.name, settings.folder, acl.realm or "local", above_root=acl.above_root
    )


@dataclass(frozen=True, slots=True)
class _PosixEntry:
    tag: int
    permissions: int
    identity: int


class PosixPermissionReader:
    """See :class:`contracts.sources.PermissionReader`.

    Documents of one folder with equal owner, group, mode and list share a scope below the folder's.

    Args:
        source: Name of the source.
        root: Its root.
        realm: Realm of the numeric users and groups (``uid:1000@realm``).
        above_root: Whether the folders above the root count too; they do for people who work on this
            machine, not for those who reach the root as an exported share.
    """

    def __init__(self, source: str, root: Path, realm: str, *, above_root: bool) -> None:
        self._source = source
        self._root = root.resolve()
        self._realm = realm
        self._above_root = above_root
        self._nfs4 = _shows_nfs4(os.fspath(self._root))

    @property
    def tags_tell(self) -> bool:
        """Mode, owner and change time are in the tag."""
        return True

    @property
    def basis(self) -> str:
        """Lists are translated with nothing but themselves."""
        return ""

    def folder(self, folder: SourceFolder) -> AccessScope:
        """The folder's search gate; the root's scope also holds those of the folders above it."""
        full = self._full(folder.path)
        gates, readable = self._gates(full, SEARCH, f"search {folder.path or '/'}")
        if not folder.path and self._above_root:
            above, readable_above = self._above()
            gates, readable = (*above, *gates), readable and readable_above
        return AccessScope(
            scope_id=self._id(folder.path),
            source=self._source,
            key=folder.path or "/",
            parent_id=self._id(_parent(folder.path)) if folder.path else None,
            gates=gates,
            readable=readable,
            groups=_shown(gates),
        )

    def item(self, item: SourceItem) -> AccessScope:
        """The file's read gate, shared by files of the folder that have an equal one."""
        gates, readable = self._gates(self._full(item.path), READ, "read")
        folder = _parent(item.path)
        digest = hashlib.sha256(repr((gates, readable)).encode()).hexdigest()[:32]
        return AccessScope(
            scope_id=f"{self._id(folder)}//{digest}",
            source=self._source,
            key=f"{folder or '/'}//{digest}",
            parent_id=self._id(folder),
            gates=gates,
            readable=readable,
            groups=_shown(gates),
        )

    def unmatched(self) -> tuple[str, ...]:
        """Nothing: lists lie with the objects."""
        return ()

    def _id(self, folder: str) -> str:
        """Different for different folders, whatever they are called; ``//`` is in no path, so lists go behind it."""
        plain = (folder or "/").replace("\\", "\\\\")
        return f"{self._source}:{os.fsencode(plain).decode('utf-8', 'backslashreplace')}"

    def _full(self, path: str) -> str:
        return os.path.join(self._root, path) if path else os.fspath(self._root)  # noqa: PTH118

    def _above(self) -> tuple[tuple[Gate, ...], bool]:
        gates: list[Gate] = []
        readable = True
        for folder in reversed(self._root.parents):
            found, fine = self._gates(os.fspath(folder), SEARCH, f"search {folder}")
            gates += found
            readable = readable and fine
        return tuple(gates), readable

    def _gates(self, full: str, right: int, name: str) -> tuple[tuple[Gate, ...], bool]:
        try:
            return (self._gate(full, right, name),), True
        except OSError as problem:
            _log.warning("access_list_unreadable", source=self._source, errno=problem.errno)
        except ValueError:
            _log.warning("access_list_malformed", source=self._source)
        return (), False

    def _gate(self, full: str, right: int, name: str) -> Gate:
        seen = os.lstat(full)
        if self._nfs4 and (value := _read_list(full, _NFS4)):
            wanted = READ_DATA if right == READ else EXECUTE
            return nfs4_gate(
                read_nfs4_list(value),
                wanted,
                name,
                owner=seen.st_uid,
                group=seen.st_gid,
                realm=self._realm,
            )
        return posix_gate(seen, _read_list(full, _XATTR), right, name, self._realm)


def posix_gate(seen: os.stat_result, access_list: bytes, right: int, name: str, realm: str) -> Gate:
    """The gate of one object.

    Args:
        seen: Its status.
        access_list: Value of ``system.posix_acl_access``, or empty.
        right: ``READ`` (4) or ``SEARCH`` (1).
        name: What the gate stands for.
        realm: Realm of the numeric ids.

    Raises:
        ValueError: the access list is malformed.
    """
    entries = _decode(access_list) if access_list else _from_mode(stat.S_IMODE(seen.st_mode))
    mask = next((e.permissions for e in entries if e.tag == _MASK), 7)

    def grants(entry: _PosixEntry, *, masked: bool) -> bool:
        return bool(entry.permissions & (mask if masked else 7) & right)

    def entry(principal: str, label: str, *, allowed: bool) -> AccessEntry:
        effect = Effect.ALLOW if allowed else Effect.DENY
        return AccessEntry(effect, f"{principal}@{realm}", label=label)

    owner = [e for e in entries if e.tag == _OWNER]
    users = [e for e in entries if e.tag == _USER]
    groups = [e for e in entries if e.tag in {_OWNING_GROUP, _GROUP}]
    others = [e for e in entries if e.tag == _OTHER]
    ordered = [entry(f"uid:{seen.st_uid}", "owner", allowed=grants(e, masked=False)) for e in owner]
    ordered += [
        entry(f"uid:{e.identity}", "named user", allowed=grants(e, masked=True)) for e in users
    ]
    named = [
        (seen.st_gid if e.tag == _OWNING_GROUP else e.identity, grants(e, masked=True))
        for e in groups
    ]
    # any granting group is enough, so those stand first; a group that is only refused ends the search
    ordered += [entry(f"gid:{g}", "group", allowed=True) for g, granted in named if granted]
    ordered += [entry(f"gid:{g}", "group", allowed=False) for g, granted in named if not granted]
    ordered += [entry("everyone", "others", allowed=grants(e, masked=False)) for e in others]
    return Gate(name, tuple(ordered))


def _from_mode(mode: int) -> list[_PosixEntry]:
    return [
        _PosixEntry(_OWNER, mode >> 6 & 7, 0),
        _PosixEntry(_OWNING_GROUP, mode >> 3 & 7, 0),
        _PosixEntry(_OTHER, mode & 7, 0),
    ]


def _shows_nfs4(root: str) -> bool:
    try:
        return bool(_read_list(root, _NFS4))
    except OSError:  # the root cannot be looked at: told where its list is read
        return False


def _read_list(full: str, attribute: str) -> bytes:
    try:
        return os.getxattr(full, attribute, follow_symlinks=False)
    except OSError as problem:
        if problem.errno in _NO_LIST:
            return b""
        raise


def _decode(value: bytes) -> list[_PosixEntry]:
    head = 4
    if len(value) < head or int.from_bytes(value[:head], "little") != _XATTR_VERSION:
        raise ValueError("unknown access list version")
    if (len(value) - head) % _ENTRY.size:
        raise ValueError("access list of an odd length")
    return [_PosixEntry(*fields) for fields in _ENTRY.iter_unpack(value[head:])]


def _parent(path: str) -> str:
    return path.rpartition("/")[0]


def _shown(gates: tuple[Gate, ...]) -> tuple[str, ...]:
    allowed = (e.principal for gate in gates for e in gate.entries if e.effect is Effect.ALLOW)
    return tuple(dict.fromkeys(allowed))
