"""The order of what both legs found: the best read once more, copies and long documents kept from filling the page."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from contracts.ports import IndexBackend
    from contracts.search import StoredChunk
    from search.evidence import Evidence, EvidenceReader, Question
    from search.fusion import Fused

__all__ = ["READ", "Ranked", "read_best", "spread"]

READ = 40
"""Candidates that are read once more; beyond them the fused order stays."""

_A_DOCUMENT = 3
"""Passages of one document before those of others have had their turn."""

_ALIKE = 0.9
"""Share of terms that two passages have in common, to be taken for the same text."""


@dataclass(frozen=True, slots=True)
class Ranked:
    """A passage with its place in the order.

    Attributes:
        stored: The passage.
        fused: What both legs say.
        evidence: What it holds of the question; None beyond those that are read.
        copy_of: Number, in the order by score, of a better passage that says the same; None: of none.
    """

    stored: StoredChunk
    fused: Fused
    evidence: Evidence | None = None
    copy_of: int | None = None

    @property
    def score(self) -> float:
        """Fused score and evidence; comparable among those that were read."""
        return self.fused.score + (self.evidence.score if self.evidence is not None else 0.0)


def read_best(
    index: IndexBackend,
    reader: EvidenceReader,
    question: Question,
    ranked: Sequence[Fused],
    fits: Callable[[StoredChunk], bool],
) -> list[Ranked]:
    """Fetch the first candidates, leave out what does not fit any more, and order them by what they hold.

    Args:
        index: Where they are.
        reader: Reads them.
        question: What is asked.
        ranked: All candidates, best first; at most ``READ`` of them are read.
        fits: Whether a passage may be shown; it may have changed since it was found.
    """
    best = ranked[:READ]
    scores = {fused.key: fused for fused in best}
    stored = [found for found in index.fetch([fused.key for fused in best]) if fits(found)]
    evidence = reader.of(question, [found.chunk for found in stored])
    read = [
        Ranked(found, scores[found.key], held) for found, held in zip(stored, evidence, strict=True)
    ]
    # sorted is stable: what is equal stays in the fused order
    return _with_copies(sorted(read, key=lambda found: -found.score), reader)


def _with_copies(read: Sequence[Ranked], reader: EvidenceReader) -> list[Ranked]:
    found: list[Ranked] = []
    terms = [reader.passage(ranked.stored.chunk).all for ranked in read]
    numbers = [frozenset(t for t in held if any(c.isdigit() for c in t)) for held in terms]
    for place, ranked in enumerate(read):
        same = next(
            (
                before
                for before in range(place)
                if found[before].copy_of is None
                and numbers[before] == numbers[place]
                and _alike(terms[before], terms[place])
            ),
            None,
        )
        found.append(ranked if same is None else replace(ranked, copy_of=same))
    return found


def _alike(one: frozenset[str], other: frozenset[str]) -> bool:
    """Whether they have nearly all terms in common (Jaccard). A number that differs is told apart before."""
    small, large = sorted((len(one), len(other)))
    return small >= _ALIKE * large and len(one & other) >= _ALIKE * len(one | other)


def spread(read: Sequence[Ranked]) -> list[Ranked]:
    """The same passages: first those that say something else than the ones before, few of one document; then the others."""
    first: list[Ranked] = []
    later: list[Ranked] = []
    of_document: Counter[str] = Counter()
    for ranked in read:
        document = ranked.stored.row.document_id
        if ranked.copy_of is None and of_document[document] < _A_DOCUMENT:
            of_document[document] += 1
            first.append(ranked)
        else:
            later.append(ranked)
    return [*first, *later]
