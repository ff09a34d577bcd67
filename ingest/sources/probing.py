"""What a mount can be relied on for: tried in a scratch folder, else told from its file system."""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import tempfile
import time
from pathlib import Path

import psutil

from contracts.sources import SourceProbe
from ingest.sources.statx import lstat

__all__ = ["file_system_of", "probe_folder"]

_GOOD_CHANGE_TIME = frozenset(
    {"ext2", "ext3", "ext4", "xfs", "btrfs", "zfs", "tmpfs", "f2fs", "nfs4", "overlay"}
)
"""File systems whose change time moves with content, mode, owner and access lists."""


def probe_folder(root: Path, *, write: bool) -> SourceProbe:
    """Probe without changing anything that is there.

    With ``write``, a folder is made below the root and removed again, and its files are tried on. Without, or
    where the account may not write (as a reader account should not), the answer is told from the kind of file
    system and says so.
    """
    kind = file_system_of(root)
    birth = lstat(os.fspath(root)).birth_ns is not None
    lists = _access_lists(root)
    scratch = _scratch(root) if write else None
    if scratch is None:
        reliable = kind in _GOOD_CHANGE_TIME
        note = f"파일 시스템 종류로 판단했습니다 (told from the kind of file system): {kind}"
        return SourceProbe(
            change_time=reliable,
            birth_time=birth,
            access_lists=lists,
            case_sensitive=True,
            notes=(note,),
        )
    try:
        return SourceProbe(
            change_time=_change_time_moves(scratch),
            birth_time=birth,
            access_lists=lists,
            case_sensitive=_case_sensitive(scratch),
            notes=(f"파일 시스템 (file system): {kind}",),
        )
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def _scratch(root: Path) -> Path | None:
    try:
        return Path(tempfile.mkdtemp(prefix=".seoga-probe-", dir=root))
    except OSError:
        return None


def file_system_of(root: Path) -> str:
    """Kind of the file system that a folder lies on (``ext4``, ``cifs``, …), or ``unknown``."""
    resolved = os.fspath(root.resolve())
    best = ("", "unknown")
    for mount in psutil.disk_partitions(all=True):
        point = mount.mountpoint.rstrip("/") + "/"
        if f"{resolved}/".startswith(point) and len(point) > len(best[0]):
            best = (point, mount.fstype)
    return best[1]


def _access_lists(root: Path) -> bool:
    try:
        os.getxattr(root, "system.posix_acl_access")
    except OSError as problem:
        return problem.errno == errno.ENODATA
    return True


def _change_time_moves(scratch: Path) -> bool:
    probe = scratch / "probe"
    probe.write_bytes(b"1")
    before = lstat(os.fspath(probe)).changed_ns
    time.sleep(0.02)
    probe.chmod(0o600 if probe.stat().st_mode & 0o077 else 0o640)
    after_mode = lstat(os.fspath(probe)).changed_ns
    time.sleep(0.02)
    with contextlib.suppress(OSError):
        os.utime(probe, ns=(0, 0))  # a content change that hides behind its old time
    after_touch = lstat(os.fspath(probe)).changed_ns
    return before < after_mode < after_touch


def _case_sensitive(scratch: Path) -> bool:
    (scratch / "case").write_bytes(b"")
    return not (scratch / "CASE").exists()
