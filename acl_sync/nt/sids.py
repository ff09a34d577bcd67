"""Security identifiers (MS-DTYP 2.4.2). Pure."""

from __future__ import annotations

import struct

__all__ = ["BUILTIN", "CREATOR_GROUP", "CREATOR_OWNER", "EVERYONE", "OWNER_RIGHTS", "read_sid"]

EVERYONE = "S-1-1-0"
CREATOR_OWNER = "S-1-3-0"
CREATOR_GROUP = "S-1-3-1"
OWNER_RIGHTS = "S-1-3-4"
BUILTIN = "S-1-5-32-"
"""How the SIDs of a server's built-in groups begin: the same on every server, with other members on each."""

_HEAD = 8
_MOST = 15


def read_sid(data: bytes, at: int = 0) -> str:
    """The SID that begins at an offset, as text (``S-1-5-21-…``).

    Raises:
        ValueError: there is none, whole and of revision 1.
    """
    if at < 0 or len(data) < at + _HEAD or data[at] != 1 or data[at + 1] > _MOST:
        raise ValueError("not a SID")
    count = data[at + 1]
    authority = int.from_bytes(data[at + 2 : at + _HEAD], "big")
    if len(data) < at + _HEAD + 4 * count:
        raise ValueError("a SID that is cut off")
    parts = struct.unpack_from(f"<{count}I", data, at + _HEAD)
    shown = f"{authority:#x}" if authority >> 32 else str(authority)  # MS-DTYP 2.4.2.1
    return "-".join(("S-1", shown, *map(str, parts)))
