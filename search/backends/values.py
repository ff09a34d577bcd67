"""How every backend writes values down and compares them."""

from __future__ import annotations

import json
import unicodedata
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

import msgspec

from search.analysis import fold

if TYPE_CHECKING:
    from contracts.chunks import DocumentRow

__all__ = ["decode", "encode", "folded", "keep_newer_access", "path_bytes"]

T = TypeVar("T")


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


def folded(text: str) -> str:
    """How the values of filter fields are compared: width, case and composition folded."""
    return fold(text).strip()


def path_bytes(path: str) -> bytes:
    """How paths are compared: composed, otherwise as the source spells them."""
    return unicodedata.normalize("NFC", path).encode("utf-8", "surrogateescape")


def keep_newer_access(row: DocumentRow, stored: DocumentRow) -> DocumentRow:
    """The row to be written over a stored one: a write from before a change of permissions never restores the old ones."""
    if row.access_epoch >= stored.access_epoch:
        return row
    return replace(
        row,
        scope_id=stored.scope_id,
        successors=stored.successors,
        groups=stored.groups,
        access_epoch=stored.access_epoch,
    )
