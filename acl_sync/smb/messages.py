"""Requests that a drive is read with (MS-SMB2 2.2), each for what is open already or, in a chain, what its first opens.

Those that are sent for every file are packed here, which takes a quarter of the time that general structures take.
"""

from __future__ import annotations

import struct
from typing import Any

from smbprotocol import MAX_PAYLOAD_SIZE
from smbprotocol.file_info import FileInformationClass
from smbprotocol.header import Commands
from smbprotocol.open import SMB2ReadRequest

__all__ = ["LAST", "Packed", "asking", "closing", "listing", "opening", "reading"]

LAST = b"\xff" * 16
"""In a chain: what its first request opened."""
_CREATE = struct.Struct("<HBBIQQIIIIIHHII")
_QUERY_INFO = struct.Struct("<HBBIHHIII16s")
_CLOSE = struct.Struct("<HHI16s")
_QUERY_DIRECTORY = struct.Struct("<HBBI16sHHI")
_ALL = "*".encode("utf-16-le")
_HEADER = 64
_IMPERSONATION, _SHARE_ALL, _OPEN = 2, 7, 1


class Packed:
    """A request whose body is packed already; what ``smbprotocol`` asks of one.

    Attributes:
        data: The body.
        charge: Credits that it costs.
    """

    __slots__ = ("COMMAND", "charge", "data")

    def __init__(self, command: int, data: bytes, charge: int = 1) -> None:
        self.COMMAND = command
        self.charge = charge
        self.data = data

    def pack(self) -> bytes:
        """The body."""
        return self.data

    def __len__(self) -> int:
        return len(self.data)


def opening(name: str, access: int, options: int) -> Packed:
    """CREATE (2.2.13): open what is there, with everybody else free to do anything.

    Args:
        name: From the share's root, parts joined by a backslash.
        access: Wanted rights.
        options: As in the specification.
    """
    path = name.encode("utf-16-le")
    head = _CREATE.pack(
        57, 0, 0, _IMPERSONATION, 0, 0, access, 0, _SHARE_ALL, _OPEN, options,
        _HEADER + _CREATE.size, len(path), 0, 0,
    )  # fmt: skip
    return Packed(Commands.SMB2_CREATE, head + (path or b"\0\0"))


def asking(kind: int, what: int, size: int, parts: int) -> Packed:
    """QUERY_INFO (2.2.37): kind and class of what is asked for, most bytes, and which parts of a descriptor."""
    body = _QUERY_INFO.pack(41, kind, what, size, 0, 0, 0, parts, 0, LAST)
    return Packed(Commands.SMB2_QUERY_INFO, body)


def closing(handle: bytes) -> Packed:
    """CLOSE (2.2.15)."""
    return Packed(Commands.SMB2_CLOSE, _CLOSE.pack(24, 0, 0, handle))


def listing(handle: bytes, size: int) -> Packed:
    """QUERY_DIRECTORY (2.2.33): the next entries, with identities; only a :class:`~acl_sync.smb.lane.Lane` sends it."""
    what = FileInformationClass.FILE_ID_FULL_DIRECTORY_INFORMATION
    at = _HEADER + _QUERY_DIRECTORY.size
    body = _QUERY_DIRECTORY.pack(33, what, 0, 0, handle, at, len(_ALL), size)
    charge = (size - 1) // MAX_PAYLOAD_SIZE + 1  # 3.2.4.1.5
    return Packed(Commands.SMB2_QUERY_DIRECTORY, body + _ALL, charge)


def reading(handle: bytes, at: int, size: int) -> Any:
    """READ (2.2.19)."""
    message = SMB2ReadRequest()
    message["length"] = size
    message["offset"] = at
    message["file_id"] = handle
    message["padding"] = b"\x50"
    return message
