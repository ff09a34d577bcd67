"""Vectors and terms for a batch of drafts: identical text is embedded once, ever."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import numpy as np

from contracts.chunks import IndexedChunk

if TYPE_CHECKING:
    from collections.abc import Iterable

    from contracts.chunks import Chunk
    from contracts.versions import DocumentVersion
    from ingest.drafts import Draft
    from ingest.kit import Kit

__all__ = ["indexed_chunks", "terms_of", "text_key", "vectors_of"]


def text_key(fingerprint: str, text: str) -> str:
    """Key of a text's vector."""
    data = f"{fingerprint}\0{text}".encode("utf-8", "surrogatepass")
    return hashlib.sha256(data).hexdigest()


def vectors_of(kit: Kit, chunks: Iterable[Chunk]) -> tuple[dict[str, bytes], int]:
    """Vectors of chunks by text key, stored ones first.

    Returns:
        The vectors (float32, little-endian), and how many texts were embedded now.
    """
    name = kit.embedder.fingerprint
    texts = {text_key(name, text): text for text in (chunk.embedded_text for chunk in chunks)}
    found = dict(kit.index.find_vectors(list(texts)))
    # by length, so that a batch holds texts of about the same cost
    missing = sorted(texts.keys() - found.keys(), key=lambda key: (len(texts[key]), key))
    size = kit.settings.embedder.batch
    for start in range(0, len(missing), size):
        keys = missing[start : start + size]
        vectors = kit.embedder.embed_passages([texts[key] for key in keys])
        little = np.ascontiguousarray(vectors, dtype="<f4")
        found.update((key, row.tobytes()) for key, row in zip(keys, little, strict=True))
    return found, len(missing)


def terms_of(
    kit: Kit, version: DocumentVersion, name: str, chunks: Iterable[Chunk]
) -> tuple[dict[str, tuple[str, ...]], ...]:
    """Terms of chunks by field.

    Args:
        kit: The analyzer.
        version: Title, number and codes of the document.
        name: File name; people search by it.
        chunks: In order.
    """
    named = version.title if name.startswith(version.title) else f"{version.title}\n{name}"
    title = kit.analyzer.terms(named)
    codes = [version.document_number, *(code.canonical for code in version.codes)]
    code_terms = kit.analyzer.terms("\n".join(filter(None, dict.fromkeys(codes))))
    return tuple(
        {
            "title": title,
            "heading": kit.analyzer.terms("\n".join(chunk.headings)),
            "codes": code_terms,
            "body": kit.analyzer.terms(chunk.embedded_text),
        }
        for chunk in chunks
    )


def indexed_chunks(kit: Kit, draft: Draft, vectors: dict[str, bytes]) -> tuple[IndexedChunk, ...]:
    """A draft's chunks with their terms and their vectors (by text key)."""
    fingerprint = kit.embedder.fingerprint
    found = []
    for chunk, terms in zip(draft.chunks, draft.terms, strict=True):
        key = text_key(fingerprint, chunk.embedded_text)
        found.append(IndexedChunk(chunk=chunk, text_key=key, vector=vectors[key], terms=terms))
    return tuple(found)
