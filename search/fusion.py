"""One ranking from two legs: scores are brought to 0…1 and added, ranks are not.

Equal ranks hide how sure a leg is: with reciprocal rank fusion a certain hit of one leg loses against two lukewarm ones
(figures in ``docs/decisions/0002-korean-analysis.md``).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from contracts.search import Candidate

__all__ = ["Fused", "fuse"]

Key = int | str


@dataclass(frozen=True, slots=True)
class Fused:
    """A chunk with its place among the candidates of one query.

    Attributes:
        key: Of the chunk.
        score: Weighted sum of the two parts, 0 to 1.
        lexical: BM25 by the best BM25 of the query, 0 to 1; 0 without a lexical match.
        vector: Cosine between the least and the best of the candidates, 0 to 1.
        bm25: Raw, 0.0 without a lexical match.
        cosine: Raw, or None where it is not known.
        weight: Of the vector in the score.
    """

    key: Key
    score: float
    lexical: float
    vector: float
    bm25: float
    cosine: float | None
    weight: float = 0.61

    def at(self, weight: float) -> float:
        """The score with another weight of the vector, 0 to 1."""
        return weight * self.vector + (1 - weight) * self.lexical


def fuse(
    lexical: Sequence[Candidate],
    cosines: Mapping[Key, float],
    vector_weight: float,
) -> list[Fused]:
    """Rank the candidates of both legs.

    A chunk without a lexical match gets no lexical credit, however good its vector. BM25 has a natural zero (no term in
    common), so it is divided by the best; cosines of an embedder lie close together at no fixed place, so they are
    stretched between the least and the best candidate.

    Args:
        lexical: Candidates of the lexical leg, positive BM25.
        cosines: Cosine of every candidate, those of the lexical leg included; a missing one counts as the least.
        vector_weight: 0 to 1; the lexical part has the rest.

    Returns:
        Every candidate once, best first; equal ones by raw scores, then in the order of their keys.
    """
    bm25 = {candidate.key: candidate.score for candidate in lexical}
    best = max(bm25.values(), default=0.0)
    least, most = min(cosines.values(), default=0.0), max(cosines.values(), default=0.0)
    fused = []
    for key in bm25.keys() | cosines.keys():
        words = bm25.get(key, 0.0) / best if best > 0 else 0.0
        cosine = cosines.get(key)
        near = _stretched(cosine, least, most)
        fused.append(
            Fused(
                key=key,
                score=vector_weight * near + (1 - vector_weight) * words,
                lexical=words,
                vector=near,
                bm25=bm25.get(key, 0.0),
                cosine=cosine,
                weight=vector_weight,
            )
        )
    return sorted(fused, key=_order)


def _stretched(cosine: float | None, least: float, most: float) -> float:
    if cosine is None:
        return 0.0
    return (cosine - least) / (most - least) if most > least else 1.0


def _order(fused: Fused) -> tuple[float, float, float, str]:
    cosine = -2.0 if fused.cosine is None else fused.cosine
    return (-fused.score, -fused.bm25, -cosine, f"{fused.key:>20}")
