"""Vectors and terms for a batch of drafts: identical text is embedded once, ever."""

from __future__ import annotations

import hashlib
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from catalog.statements import batches
from contracts.chunks import IndexedChunk
from contracts.tracing import span

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from contracts.chunks import Chunk
    from contracts.versions import DocumentVersion
    from ingest.drafts import Draft
    from ingest.kit import Kit

__all__ = [
    "embed_texts",
    "indexed_chunks",
    "terms_of",
    "text_key",
    "texts_of",
    "vectors_of",
    "with_vectors",
]


def text_key(fingerprint: str, text: str) -> str:
    """Key of a text's vector."""
    data = f"{fingerprint}\0{text}".encode("utf-8", "surrogatepass")
    return hashlib.sha256(data).hexdigest()


def texts_of(kit: Kit, chunks: Iterable[Chunk]) -> dict[str, str]:
    """The texts that are embedded of chunks, by key."""
    name = kit.embedder.fingerprint
    return {text_key(name, text): text for text in (chunk.embedded_text for chunk in chunks)}


def embed_texts(kit: Kit, texts: Mapping[str, str]) -> dict[str, bytes]:
    """Vectors of texts (float32, little-endian), by key."""
    made: dict[str, bytes] = {}
    if not texts:
        return made
    # by length, so that a batch holds texts of about the same cost
    keys = sorted(texts, key=lambda key: (len(texts[key]), key))
    with span("embed", texts=len(texts)):
        for batch in batches(keys, kit.settings.embedder.batch):
            vectors = kit.embedder.embed_passages([texts[key] for key in batch])
            little = np.ascontiguousarray(vectors, dtype="<f4")
            made.update((key, row.tobytes()) for key, row in zip(batch, little, strict=True))
    return made


def vectors_of(
    kit: Kit, chunks: Iterable[Chunk], known: Mapping[str, bytes] = MappingProxyType({})
) -> tuple[dict[str, bytes], int]:
    """Vectors of chunks by text key: known ones first, then stored ones; the others are made now.

    Returns:
        The vectors (float32, little-endian), and how many texts were embedded now.
    """
    texts = texts_of(kit, chunks)
    found = {key: known[key] for key in texts.keys() & known.keys()}
    found |= kit.index.find_vectors([key for key in texts if key not in found])
    made = embed_texts(kit, {key: text for key, text in texts.items() if key not in found})
    return found | made, len(made)


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
    return with_vectors(kit, draft.chunks, draft.terms, vectors)


def with_vectors(
    kit: Kit,
    chunks: Iterable[Chunk],
    terms: Iterable[dict[str, tuple[str, ...]]],
    vectors: dict[str, bytes],
) -> tuple[IndexedChunk, ...]:
    """Chunks with their terms (as many, in the same order) and their vectors (by text key)."""
    fingerprint = kit.embedder.fingerprint
    found = []
    for chunk, words in zip(chunks, terms, strict=True):
        key = text_key(fingerprint, chunk.embedded_text)
        found.append(IndexedChunk(chunk=chunk, text_key=key, vector=vectors[key], terms=words))
    return tuple(found)
