"""How rows, chunks and names are stored."""

from __future__ import annotations

import hashlib
import json
import unicodedata
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec
import numpy as np

from contracts.documents import Layer
from search.analysis import fold

if TYPE_CHECKING:
    from datetime import date

__all__ = [
    "LAYERS",
    "SLOTS",
    "day",
    "decode",
    "encode",
    "folded",
    "json_list",
    "path_bytes",
    "plain",
    "text_key",
]

T = TypeVar("T")

LAYERS = tuple(Layer)
"""Layers by the number that is stored; new ones go to the end."""

SLOTS = np.dtype([("ordinal", "<u4"), ("slot", "<u4"), ("layer", "u1")])
"""One row of ``doc_vectors.rows``: a chunk, its vector and the number of its layer."""


def encode(value: object) -> bytes:
    """JSON of a frozen value; lone surrogates (names in broken encodings) survive."""
    try:
        return msgspec.json.encode(value)
    except UnicodeEncodeError:
        return json.dumps(msgspec.to_builtins(value), ensure_ascii=True).encode("ascii")


def decode(data: bytes, kind: type[T]) -> T:
    """The value that ``encode`` was given."""
    try:
        return msgspec.json.decode(data, type=kind)
    except msgspec.ValidationError:
        raise
    except msgspec.DecodeError:
        return msgspec.convert(json.loads(data), kind)


def plain(text: str) -> str:
    """A text that SQLite accepts: lone surrogates are written out."""
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode("utf-8")


def folded(text: str) -> str:
    """How the values of filter fields are compared: width, case and composition folded."""
    return fold(text).strip()


def path_bytes(path: str) -> bytes:
    """How paths are compared: composed, otherwise as the source spells them."""
    return unicodedata.normalize("NFC", path).encode("utf-8", "surrogateescape")


def text_key(key: str) -> bytes:
    """A text key in 16 bytes."""
    return hashlib.blake2b(key.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def day(value: date | None) -> int:
    """Days for comparing; None lies before every day."""
    return value.toordinal() if value else 0


def json_list(values: Any) -> str:
    """A JSON list for ``json_each``; numbers and plain text."""
    return json.dumps([plain(value) if isinstance(value, str) else value for value in values])
