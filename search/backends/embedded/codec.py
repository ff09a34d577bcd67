"""How rows, chunks and names are stored."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any

from contracts.documents import Layer

if TYPE_CHECKING:
    from datetime import date

__all__ = [
    "LAYERS",
    "day",
    "json_list",
    "plain",
    "text_key",
]

LAYERS = tuple(Layer)
"""Layers by the number that is stored; new ones go to the end."""


def plain(text: str) -> str:
    """A text that SQLite accepts: lone surrogates are written out."""
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode("utf-8")


def text_key(key: str) -> bytes:
    """A text key in 16 bytes."""
    return hashlib.blake2b(key.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def day(value: date | None) -> int:
    """Days for comparing; None lies before every day."""
    return value.toordinal() if value else 0


def json_list(values: Any) -> str:
    """A JSON list for ``json_each``; numbers and plain text."""
    return json.dumps([plain(value) if isinstance(value, str) else value for value in values])
