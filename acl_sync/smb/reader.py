"""Permissions of a Windows share as scopes.

Two gates, joined by AND, as the server joins them: that of the share, and that of the file. Folders on the way add
none: Windows lets everyone pass folders without rights on them ("bypass traverse checking", which everyone has unless an
administrator took it away). The scope of the root holds the share's gate and is the parent of all others. The scope of
any other folder holds what the folder hands down to new files; a file whose own list says just that belongs to it, other
files of a folder with equal lists share a scope below it.

Groups that the server has of its own are replaced by their members, as they are when the list is copied (see
:func:`acl_sync.nt.gates.expand`); where their members change, all lists are copied again.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import structlog

from acl_sync.nt.descriptors import read_descriptor
from acl_sync.nt.gates import expand, handed_down, read_gate
from acl_sync.smb.drive import Drive
from acl_sync.smb.lists import read_lists
from acl_sync.smb.share_rights import local_groups_of, share_gates
from acl_sync.smb.statuses import SmbStatusError
from contracts.access import AccessScope, Effect, Gate

if TYPE_CHECKING:
    from collections.abc import Sequence

    from acl_sync.nt.gates import LocalGroups
    from acl_sync.smb.lists import Listed
    from contracts.documents import SourceItem
    from contracts.settings import SourceSettings
    from contracts.sources import SourceFolder

__all__ = ["SmbPermissionReader", "open_reader"]

_KEPT = 2000
"""Folders that are remembered while their files are looked at, and lists of the files of each."""

_log = structlog.get_logger()


def open_reader(settings: SourceSettings) -> SmbPermissionReader:
    """The reader of a configured source.

    Raises:
        ConfigError: nothing is known of the share's own permissions.
        SourceUnreachableError: the server does not answer.
    """
    drive = Drive(settings)
    groups = drive.trying(lambda: local_groups_of(drive.line()))
    gates = drive.trying(lambda: share_gates(settings, drive))
    return SmbPermissionReader(
        settings.name,
        drive,
        tuple(expand(gate, groups) for gate in gates),
        groups,
        tags_tell=not drive.is_samba(),
    )


class SmbPermissionReader:
    """See :class:`contracts.sources.PermissionReader`, and the module.

    Args:
        source: Name of the source.
        drive: Its folder of a share.
        share: Gates of the share.
        groups: Groups of the server's own.
        tags_tell: Whether a change of a descriptor moves the change time.
    """

    def __init__(
        self,
        source: str,
        drive: Drive,
        share: tuple[Gate, ...],
        groups: LocalGroups,
        *,
        tags_tell: bool,
    ) -> None:
        self._tags_tell = tags_tell
        self._source = source
        self._drive = drive
        self._share = share
        self._groups = groups
        self._handed: dict[str, tuple[Gate | None, bool]] = {}
        self._ahead: dict[str, Listed | SmbStatusError] = {}
        self._scopes: dict[str, dict[bytes, AccessScope]] = {}

    @property
    def tags_tell(self) -> bool:
        """Windows and most others move the change time with a descriptor; Samba shows the last write in its place."""
        return self._tags_tell

    @property
    def basis(self) -> str:
        """The members of the server's own groups."""
        known = sorted(
            (sid, sorted(m) if m is not None else None) for sid, m in self._groups.members.items()
        )
        return hashlib.sha256(repr((self._groups.doubtful, known)).encode()).hexdigest()[:32]

    def folder(self, folder: SourceFolder) -> AccessScope:
        """What the folder hands down; for the root, the share's gate."""
        if not folder.path:
            return self._scope("/", None, self._share, readable=True)
        self._handed.pop(folder.path, None)
        return self._folder_scope(folder.path)

    def read_ahead(self, found: Sequence[SourceItem | SourceFolder]) -> None:
        """See :class:`contracts.sources.ReadsAhead`."""
        paths = [each.path for each in found if each.path]
        self._ahead = dict(zip(paths, read_lists(self._drive, paths), strict=True))

    def item(self, item: SourceItem) -> AccessScope:
        """The file's list: its folder's scope where it is what the folder hands down."""
        folder = item.path.rpartition("/")[0]
        data = self._list_of(item)
        known = self._scopes.setdefault(folder, {})
        scope = None if data is None else known.get(data)
        if scope is None:
            scope = self._scope_of(folder, data)
            if data is not None and scope.readable:
                self._keep(known, data, scope)
        return scope

    def _scope_of(self, folder: str, data: bytes | None) -> AccessScope:
        gate = None if data is None else self._gate(data)
        if gate is not None and folder and _decides_like(gate, self._handed_by(folder)[0]):
            return self._folder_scope(folder)
        gates = () if gate is None else (gate,)
        digest = hashlib.sha256(repr((gates, gate is not None)).encode()).hexdigest()[:32]
        return self._scope(
            f"{folder or '/'}//{digest}", self._id(""), gates, readable=gate is not None
        )

    def _keep(self, known: dict[bytes, AccessScope], data: bytes, scope: AccessScope) -> None:
        """Equal lists of a folder's files are looked at once."""
        if len(known) >= _KEPT:
            known.clear()
        known[data] = scope
        if len(self._scopes) > _KEPT:
            self._scopes.clear()

    def unmatched(self) -> tuple[str, ...]:
        """Nothing: lists lie with the objects."""
        return ()

    def _folder_scope(self, path: str) -> AccessScope:
        gate, readable = self._handed_by(path)
        # where it depends on the file's owner, every file has a list of its own, and this one is nobody's
        gates = (gate or Gate("read"),) if readable else ()
        return self._scope(path, self._id(""), gates, readable=readable)

    def _handed_by(self, path: str) -> tuple[Gate | None, bool]:
        known = self._handed.get(path)
        if known is None:
            known = self._read_folder(path)
            self._scopes.pop(path, None)  # which may have been this folder's
            if len(self._handed) >= _KEPT:
                self._handed.clear()
            self._handed[path] = known
        return known

    def _read_folder(self, path: str) -> tuple[Gate | None, bool]:
        try:
            gate = handed_down(read_descriptor(self._read(path).descriptor))
        except (SmbStatusError, ValueError) as problem:
            self._unreadable(str(problem))
            return None, False
        return (None if gate is None else expand(gate, self._groups)), True

    def _list_of(self, item: SourceItem) -> bytes | None:
        """The file's own list, or None where it could not be read."""
        try:
            seen = self._read(item.path)
        except SmbStatusError as problem:
            self._unreadable(str(problem))
            return None
        if not seen.may_be(item.object_id):
            # whether it is that very one is seen to where its bytes are read
            self._unreadable("another object is there now")
            return None
        return seen.descriptor

    def _gate(self, data: bytes) -> Gate | None:
        try:
            return expand(read_gate(read_descriptor(data)), self._groups)
        except ValueError as problem:
            self._unreadable(str(problem))
            return None

    def _read(self, path: str) -> Listed:
        told = self._ahead.pop(path, None)
        if told is None:
            (told,) = read_lists(self._drive, (path,))
        if isinstance(told, SmbStatusError):
            raise told
        return told

    def _unreadable(self, problem: str) -> None:
        _log.warning("access_list_unreadable", source=self._source, problem=problem)

    def _id(self, folder: str) -> str:
        return f"{self._source}:{folder or '/'}"

    def _scope(
        self, key: str, parent: str | None, gates: tuple[Gate, ...], *, readable: bool
    ) -> AccessScope:
        allowed = (e.principal for gate in gates for e in gate.entries if e.effect is Effect.ALLOW)
        return AccessScope(
            scope_id=f"{self._source}:{key}",
            source=self._source,
            key=key,
            parent_id=parent,
            gates=gates,
            readable=readable,
            groups=tuple(dict.fromkeys(allowed)),
        )


def _decides_like(one: Gate, other: Gate | None) -> bool:
    """Whether two lists have the same entries; not every server marks those that were handed down."""
    return other is not None and _entries(one) == _entries(other)


def _entries(gate: Gate) -> list[tuple[Effect, str]]:
    return [(entry.effect, entry.principal) for entry in gate.entries]
