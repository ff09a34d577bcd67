"""Requests that a drive is read with (MS-SMB2 2.2), each for what is open already or, in a chain, what its first opens."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from smbprotocol.file_info import FileInformationClass
from smbprotocol.open import (
    CreateDisposition,
    ImpersonationLevel,
    Open,
    SMB2CloseRequest,
    SMB2QueryDirectoryRequest,
    SMB2QueryInfoRequest,
    SMB2ReadRequest,
)

if TYPE_CHECKING:
    from smbprotocol.tree import TreeConnect

__all__ = ["LAST", "asking", "closing", "listing", "opening", "reading"]

LAST = b"\xff" * 16
"""In a chain: what its first request opened."""
_SHARE_ALL = 7


def opening(tree: TreeConnect, name: str, access: int, options: int) -> Any:
    """CREATE: open what is there, with everybody else free to do anything."""
    message, _ = Open(tree, name).create(
        ImpersonationLevel.Impersonation,
        access,
        0,
        _SHARE_ALL,
        CreateDisposition.FILE_OPEN,
        options,
        send=False,
    )
    return message


def asking(kind: int, what: int, size: int, more: int) -> Any:
    """QUERY_INFO: kind and class of what is asked for, most bytes, and which parts of a descriptor."""
    message = SMB2QueryInfoRequest()
    message["info_type"] = kind
    message["file_info_class"] = what
    message["output_buffer_length"] = size
    message["additional_information"] = more
    message["file_id"] = LAST
    return message


def listing(handle: bytes, size: int) -> Any:
    """QUERY_DIRECTORY: the next entries, with identities."""
    message = SMB2QueryDirectoryRequest()
    message["file_information_class"] = FileInformationClass.FILE_ID_FULL_DIRECTORY_INFORMATION
    message["file_id"] = handle
    message["output_buffer_length"] = size
    message["buffer"] = "*".encode("utf-16-le")
    return message


def reading(handle: bytes, at: int, size: int) -> Any:
    """READ."""
    message = SMB2ReadRequest()
    message["length"] = size
    message["offset"] = at
    message["file_id"] = handle
    message["padding"] = b"\x50"
    return message


def closing(handle: bytes) -> Any:
    """CLOSE."""
    message = SMB2CloseRequest()
    message["file_id"] = handle
    return message
