"""A scratch folder on a share, for a probe that writes; removed at the end."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

from smbprotocol.file_info import FileAttributes, InfoType
from smbprotocol.open import (
    CreateDisposition,
    ImpersonationLevel,
    Open,
    SMB2CloseRequest,
    SMB2SetInfoRequest,
    SMB2WriteRequest,
)

from acl_sync.smb.statuses import GONE, SmbStatusError

if TYPE_CHECKING:
    from typing import Self

    from acl_sync.smb.drive import Drive
    from acl_sync.smb.wire import Found

__all__ = ["Scratch"]

_WRITE, _DELETE, _WRITE_LIST = 0x2, 0x10000, 0x40000
_IS_FOLDER, _IS_FILE, _DELETE_ON_CLOSE = 0x1, 0x40, 0x1000
_LIST = 0x4
_LAST = b"\xff" * 16


class Scratch:
    """A folder that exists within a ``with`` block.

    Args:
        drive: Where.
        name: Its name below the drive's place.
    """

    def __init__(self, drive: Drive, name: str) -> None:
        self._drive = drive
        self._name = name
        self._files: set[str] = set()

    def __enter__(self) -> Self:
        self._make("", _IS_FOLDER, _WRITE, CreateDisposition.FILE_CREATE)
        return self

    def __exit__(self, *_: object) -> None:
        for name in self._files:
            with contextlib.suppress(SmbStatusError):
                self._remove(name, _IS_FILE)
        self._remove("", _IS_FOLDER)

    def put(self, name: str, data: bytes) -> None:
        """Write a file."""
        self._files.add(name)
        write = SMB2WriteRequest()
        write["file_id"] = _LAST
        write["buffer"] = data
        more = [write] if data else []
        self._make(name, _IS_FILE, _WRITE, CreateDisposition.FILE_OVERWRITE_IF, *more)

    def look(self, name: str) -> Found:
        """What a file says of itself."""
        return self._drive.look(f"{self._name}/{name}")

    def holds(self, name: str) -> bool:
        """Whether a file of that name is there, spelt so or not."""
        try:
            self.look(name)
        except SmbStatusError as problem:
            if problem.status in GONE:
                return False
            raise
        return True

    def protect(self, name: str) -> None:
        """Give a file an access list of its own: its owner only."""
        change = SMB2SetInfoRequest()
        change["info_type"] = InfoType.SMB2_0_INFO_SECURITY
        change["file_info_class"] = 0
        change["additional_information"] = _LIST
        change["file_id"] = _LAST
        change["buffer"] = _OWNER_ONLY
        self._make(name, _IS_FILE, _WRITE_LIST, CreateDisposition.FILE_OPEN, change)

    def _remove(self, name: str, kind: int) -> None:
        self._make(name, kind | _DELETE_ON_CLOSE, _DELETE, CreateDisposition.FILE_OPEN)

    def _make(self, name: str, options: int, access: int, how: int, *more: Any) -> None:
        path = f"{self._name}/{name}" if name else self._name
        tree = self._drive.tree()
        opened, _ = Open(tree, self._drive.sent_name(tree, path)).create(
            ImpersonationLevel.Impersonation,
            access | 0x80,
            FileAttributes.FILE_ATTRIBUTE_DIRECTORY if options & _IS_FOLDER else 0,
            7,
            how,
            options,
            send=False,
        )
        close = SMB2CloseRequest()
        close["file_id"] = _LAST
        for answer in self._drive.line().exchange(tree, [opened, *more, close]):
            if answer.status:
                raise SmbStatusError(answer.status)


def _owner_only() -> bytes:
    """``D:(A;;FA;;;OW)``: a self-relative descriptor whose one entry gives the owner all rights."""
    owner_rights = bytes.fromhex("010100000000000304000000")  # S-1-3-4
    ace = (
        bytes([0, 0])
        + (8 + len(owner_rights)).to_bytes(2, "little")
        + (0x1F01FF).to_bytes(4, "little")
    )
    ace += owner_rights
    size = (8 + len(ace)).to_bytes(2, "little")
    header = bytes([1, 0]) + (0x8004).to_bytes(2, "little") + bytes(12) + (20).to_bytes(4, "little")
    return header + bytes([2, 0]) + size + (1).to_bytes(2, "little") + bytes(2) + ace


_OWNER_ONLY = _owner_only()
