"""Keys of blobs, and how a blob is packed where nothing else tells a damaged one."""

from __future__ import annotations

import hashlib
import re
import zlib

__all__ = ["checked_key", "framed", "is_key", "unframed"]

_KEY = re.compile(r"[a-z0-9][a-z0-9._-]{0,199}(/[a-z0-9][a-z0-9._-]{0,199})*")
_LONGEST = 1000
_LEVEL = 3
_MAGIC = b"seoga-blob-1\n"
_DIGEST = 16


def is_key(key: str) -> bool:
    """Whether this can be a key: parts of at most 200 characters that begin with a letter or digit, 1,000 in all."""
    return len(key) <= _LONGEST and _KEY.fullmatch(key) is not None


def checked_key(key: str) -> str:
    """The key.

    Raises:
        ValueError: it is none.
    """
    if not is_key(key):
        raise ValueError(f"not a blob key: {key!r}")
    return key


def framed(data: bytes) -> bytes:
    """A mark, a BLAKE2b digest (16 bytes) of the content, and the content, compressed."""
    digest = hashlib.blake2b(data, digest_size=_DIGEST).digest()
    return _MAGIC + digest + zlib.compress(data, _LEVEL)


def unframed(stored: bytes) -> bytes | None:
    """What ``framed`` was given, or None where these are not exactly its bytes."""
    start = len(_MAGIC) + _DIGEST
    if not stored.startswith(_MAGIC):
        return None
    unpacking = zlib.decompressobj()
    try:
        data = unpacking.decompress(stored[start:]) + unpacking.flush()
    except zlib.error:
        return None
    if not unpacking.eof or unpacking.unused_data:
        return None
    digest = hashlib.blake2b(data, digest_size=_DIGEST).digest()
    return data if digest == stored[len(_MAGIC) : start] else None
