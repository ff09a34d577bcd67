"""Passages as readers see them. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from contracts.search import Hit
from search.citations import citation, status_for

if TYPE_CHECKING:
    from contracts.chunks import DocumentRow
    from contracts.search import SearchFilter, StoredChunk
    from search.ranking import Ranked

__all__ = ["hit_of", "readable", "row_readable"]


def _shown(name: str) -> str:
    """A name as people may see it; undecodable bytes become U+FFFD."""
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def readable(stored: StoredChunk, where: SearchFilter) -> bool:
    """Whether a passage may be shown: its row may have been updated since it was found."""
    return row_readable(stored.row, where)


def row_readable(row: DocumentRow, where: SearchFilter) -> bool:
    """Whether a document's scope is readable and nothing hides it."""
    return row.scope_id in where.scopes and row.document_id not in where.hidden_documents


def hit_of(rank: int, ranked: Ranked, where: SearchFilter) -> Hit:
    """A passage with its citation and status, as this filter's reader sees them."""
    chunk, row = ranked.stored.chunk, ranked.stored.row
    status = status_for(row, where.scopes, where.hidden_documents, where.as_of)
    return Hit(
        rank=rank,
        document_id=row.document_id,
        chunk_id=chunk.chunk_id,
        title=_shown(row.title),
        path=_shown(row.path),
        source_link=_shown(row.source_link),
        type=row.document_type,
        status=status,
        revision=row.revision,
        layer=chunk.layer.value,
        text=chunk.text,
        citation=citation(chunk, row, status, where.as_of),
        context=_shown(chunk.title_prefix),
        stale=row.stale,
        score=_score(ranked),
    )


def _score(ranked: Ranked) -> dict[str, float]:
    fused, held = ranked.fused, ranked.evidence
    parts = {"total": ranked.score, "lexical": fused.lexical, "vector": fused.vector}
    parts["bm25"] = fused.bm25
    if fused.cosine is not None:
        parts["cosine"] = fused.cosine
    if held is not None:
        parts |= {"coverage": held.coverage, "sentence": held.sentence, "overlap": held.overlap}
        parts |= {"trust": ranked.trust, "gain": ranked.gain, "model": ranked.model}
    return parts
