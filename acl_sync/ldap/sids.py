"""Security identifiers, GUIDs and times, from Windows's bytes."""

from __future__ import annotations

import uuid
from datetime import UTC, datetime, timedelta

__all__ = [
    "EVERYONE",
    "domain_of",
    "guid_text",
    "moment_of",
    "sid_bytes",
    "sid_text",
    "well_known",
]

EVERYONE = "S-1-1-0"
_NETWORK = "S-1-5-2"
_AUTHENTICATED = "S-1-5-11"
_GUEST_RID = "501"

_NEVER = 0x7FFF_FFFF_FFFF_FFFF
_EPOCH = datetime(1601, 1, 1, tzinfo=UTC)
_LEAST, _WORD = 8, 4


def sid_text(value: bytes) -> str:
    """``S-1-5-…`` of a binary SID (MS-DTYP 2.4.2.2), or "" where it is none."""
    if len(value) < _LEAST or len(value) != _LEAST + _WORD * value[1]:
        return ""
    authority = int.from_bytes(value[2:8], "big")
    rest = (value[at : at + _WORD] for at in range(_LEAST, len(value), _WORD))
    return "-".join(["S", str(value[0]), str(authority), *(str(_little(word)) for word in rest)])


def sid_bytes(text: str) -> bytes:
    """The binary SID.

    Raises:
        ValueError: the text is no SID.
    """
    letter, revision, authority, *rest = text.split("-")
    if letter.upper() != "S":
        raise ValueError(text)
    head = bytes([int(revision), len(rest)]) + int(authority).to_bytes(6, "big")
    return head + b"".join(int(number).to_bytes(_WORD, "little") for number in rest)


def domain_of(sid: str) -> str:
    """SID of the domain that an account or group is of."""
    return sid.rpartition("-")[0]


def well_known(sid: str) -> frozenset[str]:
    """What every token of somebody who came over the network holds: Everyone, Network, Authenticated Users.

    MS-DTYP 2.4.2.4 and MS-LSAT 3.1.1.1; the guest of a domain is not authenticated.
    """
    known = {EVERYONE, _NETWORK}
    if sid.rpartition("-")[2] != _GUEST_RID:
        known.add(_AUTHENTICATED)
    return frozenset(known)


def guid_text(value: bytes) -> str:
    """A GUID (MS-DTYP 2.3.4.2: the first three fields little-endian), or "" where it is none."""
    return str(uuid.UUID(bytes_le=value)) if len(value) == len(uuid.NAMESPACE_DNS.bytes) else ""


def moment_of(filetime: int) -> datetime | None:
    """The moment of a FILETIME (100 ns since 1601, UTC); None: never (0, or the largest number)."""
    if filetime <= 0 or filetime >= _NEVER:
        return None
    try:
        return _EPOCH + timedelta(microseconds=filetime // 10)
    except OverflowError:
        return None


def _little(word: bytes) -> int:
    return int.from_bytes(word, "little")
