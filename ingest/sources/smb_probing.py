"""What a file server can be relied on for: tried in a scratch folder, else told from what it says of itself."""

from __future__ import annotations

import secrets
import time
from typing import TYPE_CHECKING

from acl_sync.smb.scratch import Scratch
from acl_sync.smb.statuses import SmbStatusError
from contracts.sources import SourceProbe

if TYPE_CHECKING:
    from acl_sync.smb.drive import Drive

__all__ = ["probe_drive"]

_PERSISTENT_LISTS = 0x8  # FILE_PERSISTENT_ACLS, MS-FSCC 2.5.1
_GOOD_CHANGE_TIME = frozenset({"NTFS", "ReFS"})
"""File systems whose change time moves with content, owner and list; other servers name themselves so too."""
_TICK = 0.05


def probe_drive(drive: Drive, *, write: bool) -> SourceProbe:
    """Probe without changing anything that is there.

    With ``write``, a folder is made and removed again, and a file in it is tried on. Without, or where the account may
    not write (as a reader account should not), the answer is told from the file system that the server names.
    """
    kind, attributes = drive.file_system()
    samba = drive.is_samba()
    kind = f"{kind} (Samba)" if samba else kind
    lists = bool(attributes & _PERSISTENT_LISTS)
    if write:
        try:
            return _tried(drive, kind, lists=lists)
        except SmbStatusError as problem:
            note = f"써 보지 못했습니다 (could not be tried): {problem}"
    else:
        note = f"서버가 말한 종류로 판단했습니다 (told from what the server says): {kind}"
    return SourceProbe(
        change_time=lists and kind in _GOOD_CHANGE_TIME,
        birth_time=True,
        access_lists=lists,
        case_sensitive=False,
        notes=(note,),
    )


def _tried(drive: Drive, kind: str, *, lists: bool) -> SourceProbe:
    with Scratch(drive, f".seoga-probe-{secrets.token_hex(6)}") as scratch:
        scratch.put("probe", b"1")
        before = scratch.look("probe")
        time.sleep(_TICK)
        scratch.protect("probe")
        relisted = scratch.look("probe")
        time.sleep(_TICK)
        scratch.put("probe", b"2")
        rewritten = scratch.look("probe")
        scratch.put("case", b"")
        return SourceProbe(
            change_time=before.changed < relisted.changed < rewritten.changed,
            birth_time=before.created == rewritten.created > 0,
            access_lists=lists,
            case_sensitive=not scratch.holds("CASE"),
            notes=(f"파일 시스템 (file system): {kind}",),
        )
