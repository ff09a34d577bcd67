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
    from search.understanding import Understood

__all__ = ["READ", "Ranked", "read_best", "spread", "to_read", "trust_of"]

READ = 24
"""Candidates that are read once more; beyond them the fused order stays."""

_NEAREST = 8
"""Of them at least so many of the nearest by vector: a paraphrase shares no word with its answer."""

_STRANGE, _FAMILIAR = 0.4, 0.8
"""Share of a question's terms in the best passage: below, words are not trusted; above, wholly."""

_VECTOR_ALONE = 0.95
"""Weight of the vector where words are not trusted."""

_HELD_ALONE = 0.3
"""What evidence counts there."""

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
        trust: What its words count beside its vector, see :func:`trust_of`.
        gain: What its document gains from what the query names.
        model: What a cross-encoder says, see :mod:`search.reranking`.
        copy_of: Number, in the order by score, of a better passage that says the same; None: of none.
    """

    stored: StoredChunk
    fused: Fused
    evidence: Evidence | None = None
    trust: float = 1.0
    gain: float = 0.0
    model: float = 0.0
    copy_of: int | None = None

    @property
    def score(self) -> float:
        """Of both legs, of what it holds, and of what the query names; comparable among those that were read."""
        if self.evidence is None:
            return self.fused.score
        vectors = self.fused.weight
        if 0 < vectors < 1:  # a leg that is switched off stays off
            vectors = _VECTOR_ALONE + (vectors - _VECTOR_ALONE) * self.trust
        held = _HELD_ALONE + (1 - _HELD_ALONE) * self.trust
        return self.fused.at(vectors) + held * self.evidence.score + self.gain + self.model


def trust_of(question: Question, read: Sequence[Evidence], *, exact: bool) -> float:
    """What words count for a question, 0 to 1: as much as the best passage has of them.

    A question in its document's own words is found by them; one in other words, or in another language, is not, and
    the few words that do match lead astray. A code is never a paraphrase.

    Args:
        question: What is asked.
        read: What passages hold of it.
        exact: It names a code.
    """
    if exact:
        return 1.0
    total = sum(question.terms.values()) or 1.0
    held = max((sum(question.terms[t] for t in one.held) for one in read), default=0.0) / total
    return min(1.0, max(0.0, (held - _STRANGE) / (_FAMILIAR - _STRANGE)))


def read_best(
    index: IndexBackend,
    reader: EvidenceReader,
    question: Question,
    ranked: Sequence[Fused],
    fits: Callable[[StoredChunk], bool],
    asked: Understood | None = None,
) -> list[Ranked]:
    """Fetch the first candidates, leave out what does not fit any more, and order them by what they hold.

    Args:
        index: Where they are.
        reader: Reads them.
        question: What is asked.
        ranked: All candidates, best first; at most ``READ`` of them are read.
        fits: Whether a passage may be shown; it may have changed since it was found.
        asked: What else the query says; None: nothing.
    """
    best = to_read(ranked)
    scores = {fused.key: fused for fused in best}
    stored = [found for found in index.fetch([fused.key for fused in best]) if fits(found)]
    evidence = reader.of(question, [found.chunk for found in stored])
    trust = trust_of(question, evidence, exact=asked is not None and asked.exact)
    read = [
        Ranked(found, scores[found.key], held, trust, asked.gain(found.row) if asked else 0.0)
        for found, held in zip(stored, evidence, strict=True)
    ]
    # sorted is stable: what is equal stays in the fused order
    return _with_copies(sorted(read, key=lambda found: -found.score), reader)


def to_read(ranked: Sequence[Fused]) -> list[Fused]:
    """The candidates that are read: the nearest by vector, and the best by both legs."""
    near = sorted(ranked, key=lambda fused: -fused.vector)[:_NEAREST]
    keys = {fused.key for fused in near}
    best = [fused for fused in ranked if fused.key not in keys][: READ - len(near)]
    keys |= {fused.key for fused in best}
    return [fused for fused in ranked if fused.key in keys]


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
