"""One system call that gives an object's birth time too: ``statx(2)``.

Python 3.11 has no birth time on Linux; without it a reused inode cannot be told from a moved file.
Structure: ``struct statx`` in ``<linux/stat.h>``; offsets below are of that layout.
"""

from __future__ import annotations

import ctypes
import os
import struct
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["Looker", "ObjectStat", "look", "lstat"]

_AT_FDCWD = -100
_AT_SYMLINK_NOFOLLOW = 0x100
_WANTED = 0x7FF | 0x800  # basic stats and birth time
_BIRTH = 0x800
_SIZE = 256
_STAT = struct.Struct("=I4x8x4xIIH2xQQ32xqI4xqI4xqI4x")
"""Mask, uid, gid, mode, inode and size; 32 bytes of blocks, attributes and access time; birth, change, modification."""
_SECOND = 1_000_000_000
_MOST = 2**63 - 1


class ObjectStat(NamedTuple):
    """What one object says of itself; times in nanoseconds, ``birth_ns`` None where unknown."""

    mode: int
    uid: int
    gid: int
    inode: int
    size: int
    modified_ns: int
    changed_ns: int
    birth_ns: int | None

    @property
    def object_id(self) -> str:
        """Identity that survives a rename; never the device number, which a remount changes."""
        birth = "" if self.birth_ns is None else f"-{self.birth_ns:x}"
        return f"{self.inode:x}{birth}"

    @property
    def access_tag(self) -> str:
        """Changes with owner, group or mode; with the change time also for access lists."""
        return f"{self.mode & 0o7777:o}:{self.uid}:{self.gid}:{self.changed_ns:x}"


class Looker:
    """Looks at the objects of one open folder, one after the other and from one thread: a scan does so a million times.

    Args:
        at: Descriptor of the open folder.
    """

    def __init__(self, at: int) -> None:
        self._at = at
        self._buffer = ctypes.create_string_buffer(_SIZE)

    def __call__(self, name: str) -> ObjectStat:
        """Look at an object without following a link.

        Raises:
            OSError: as :func:`os.lstat` does.
        """
        return _look(name, _AT_SYMLINK_NOFOLLOW, self._at, self._buffer)


def lstat(path: str | bytes) -> ObjectStat:
    """Look at an object without following a link.

    Raises:
        OSError: as :func:`os.lstat` does.
    """
    return _look(path, _AT_SYMLINK_NOFOLLOW)


def look(path: Path) -> ObjectStat:
    """Look at an object that is open, by its path below ``/proc/self/fd``.

    Raises:
        OSError: as :func:`os.stat` does.
    """
    return _look(os.fspath(path), 0)


def _look(
    path: str | bytes,
    flags: int,
    at: int | None = None,
    buffer: ctypes.Array[ctypes.c_char] | None = None,
) -> ObjectStat:
    follow = flags != _AT_SYMLINK_NOFOLLOW
    if _statx is None:
        return _from_os(path, at, follow=follow)
    if buffer is None:
        buffer = ctypes.create_string_buffer(_SIZE)
    start = _AT_FDCWD if at is None else at
    done = _statx(start, os.fsencode(path), flags, _WANTED, buffer)
    if done != 0:  # raises the right error, or works where the kernel lacks the call
        return _from_os(path, at, follow=follow)
    (
        mask, uid, gid, mode, inode, size,
        birth_s, birth_n, change_s, change_n, modify_s, modify_n,
    ) = _STAT.unpack_from(buffer)  # fmt: skip
    modified = modify_s * _SECOND + modify_n
    return ObjectStat(
        mode,
        uid,
        gid,
        inode,
        size,
        modified if -_MOST <= modified <= _MOST else _kept(modified),
        change_s * _SECOND + change_n,
        birth_s * _SECOND + birth_n if mask & _BIRTH and birth_s else None,
    )


def _from_os(path: str | bytes, at: int | None, *, follow: bool) -> ObjectStat:
    seen = os.stat(path, dir_fd=at, follow_symlinks=follow)
    return ObjectStat(
        seen.st_mode,
        seen.st_uid,
        seen.st_gid,
        seen.st_ino,
        seen.st_size,
        _kept(seen.st_mtime_ns),
        seen.st_ctime_ns,
        None,
    )


def _kept(nanoseconds: int) -> int:
    """A time as the catalog can keep it: some file systems hold any 64-bit number of seconds."""
    return max(-_MOST - 1, min(_MOST, nanoseconds))


def _load() -> ctypes._NamedFuncPointer | None:
    try:
        function = ctypes.CDLL(None, use_errno=True).statx
    except (AttributeError, OSError):
        return None
    function.argtypes = [
        ctypes.c_int,
        ctypes.c_char_p,
        ctypes.c_int,
        ctypes.c_uint,
        ctypes.c_char_p,
    ]
    function.restype = ctypes.c_int
    return function


_statx = _load()
