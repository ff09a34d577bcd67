"""What every backend checks of a generation, and how it tells whether two have the same content."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from search.backends.values import encode

if TYPE_CHECKING:
    from contracts.chunks import IndexedDocument

__all__ = ["ORDINAL_BITS", "check_generation", "generation_digest"]

ORDINAL_BITS = 24
"""Ordinals lie below ``2**ORDINAL_BITS``."""


def check_generation(document: IndexedDocument, dimension: int) -> None:
    """Raise where a generation cannot be stored.

    Raises:
        ValueError: ordinals that repeat or are out of range, or a vector of another length.
    """
    ordinals = {chunk.chunk.ordinal for chunk in document.chunks}
    if len(ordinals) < len(document.chunks):
        msg = f"{document.row.document_id}: two chunks have the same ordinal"
        raise ValueError(msg)
    if ordinals and not 0 <= min(ordinals) <= max(ordinals) < 1 << ORDINAL_BITS:
        msg = f"{document.row.document_id}: ordinals lie between 0 and {(1 << ORDINAL_BITS) - 1}"
        raise ValueError(msg)
    if any(len(chunk.vector) != 4 * dimension for chunk in document.chunks):
        msg = f"{document.row.document_id}: vectors have {4 * dimension} bytes in this index"
        raise ValueError(msg)


def generation_digest(document: IndexedDocument) -> bytes:
    """Names a generation: publishing it again changes nothing but the row."""
    digest = hashlib.blake2b(digest_size=16)
    for chunk in document.chunks:
        digest.update(encode((chunk.chunk, chunk.text_key, chunk.terms)))
    return digest.digest()
