"""Both legs of a search: words and vectors, and one order of what they find."""

from __future__ import annotations

import re
from dataclasses import replace
from statistics import fmean
from typing import TYPE_CHECKING

from search.fusion import fuse

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from contextlib import AbstractContextManager

    import numpy as np
    import numpy.typing as npt

    from contracts.ports import IndexBackend
    from contracts.search import Candidate, SearchFilter
    from contracts.settings import SearchSettings
    from search.dictionary import Expansion
    from search.fusion import Fused
    from search.tools import QueryAnalysis, SearchTools
    from search.understanding import Understood

__all__ = ["both_legs", "terms_of"]

_SYNONYM = 0.4
"""Weight of a synonym's terms beside those of the query's own words."""

_OTHERS = 60
"""Passages in the other language that are looked at."""

_ORDINARY = slice(10, 50)
"""Ranks that tell how near ordinary passages of a language lie; the first ones may be answers."""

_SHARE_KOREAN, _SHARE_ENGLISH = 0.3, 0.8
"""How much of the distance between languages is made up for, by the language of the query (docs/decisions/0016)."""

_HANGUL = re.compile(r"[가-힣ㄱ-ㆎ]")
_LATIN = re.compile(r"[A-Za-z]{2,}")


def both_legs(
    tools: SearchTools,
    asked: Understood,
    where: SearchFilter,
    settings: SearchSettings,
    stage: Callable[[str], AbstractContextManager[None]],
) -> list[Fused]:
    """Candidates of both legs within a filter, best first.

    Args:
        tools: Index, embedder and analyzer.
        asked: The query.
        where: Filter of both legs.
        settings: Their weights and the number of candidates; a leg of weight 0 is not asked.
        stage: Times a stage by name.
    """
    weight, limit = settings.vector_weight, settings.candidates
    lexical: list[Candidate] = []
    cosines: dict[int | str, float] = {}
    if weight < 1:
        with stage("analyse"):
            terms = terms_of(tools.analyzer, asked.text, asked.expansions)
        with stage("lexical"):
            lexical = tools.index.lexical(terms, where, limit)
    if weight > 0:
        with stage("embed"):
            vector = tools.embedder.embed_query(asked.text)
        with stage("vector"):
            nearest = tools.index.nearest(vector, where, limit)
            cosines = {candidate.key: candidate.score for candidate in nearest}
            others = [c.key for c in lexical if c.key not in cosines]
            cosines |= tools.index.similarities(vector, others)
        with stage("languages"):
            cosines |= _evened(tools.index, vector, asked.text, where, nearest)
    with stage("fuse"):
        return fuse(lexical, cosines, weight)


def terms_of(
    analyzer: QueryAnalysis, text: str, expansions: Sequence[Expansion]
) -> dict[str, float]:
    """Terms of a query and, with less weight, of other words for what it says."""
    terms = analyzer.query(text)
    beside: dict[str, float] = {}
    for other in (other for expansion in expansions for other in expansion.others):
        for term, value in analyzer.query(other).items():
            beside[term] = max(value * _SYNONYM, beside.get(term, 0.0))
    return beside | terms


def _evened(
    index: IndexBackend,
    vector: npt.NDArray[np.float32],
    text: str,
    where: SearchFilter,
    nearest: Sequence[Candidate],
) -> dict[int | str, float]:
    """Cosines of passages in the other language, raised by what that language lies farther off.

    A multilingual embedder puts a passage in the query's own language nearer than one that answers in another. How much,
    show passages of either language that are near but not the nearest.
    """
    korean = _HANGUL.search(text) is not None
    if not korean and not _LATIN.search(text):
        return {}
    if any(name == "language" for name, _ in where.fields) or len(nearest) < _ORDINARY.stop:
        return {}
    language, share = ("en", _SHARE_KOREAN) if korean else ("ko", _SHARE_ENGLISH)
    narrowed = replace(where, fields=(*where.fields, ("language", language)))
    far = index.nearest(vector, narrowed, _OTHERS)
    if len(far) < _ORDINARY.stop:
        return {}
    keys = {candidate.key for candidate in far}
    own = [candidate.score for candidate in nearest if candidate.key not in keys]
    if len(own) < _ORDINARY.stop:
        return {}
    gap = fmean(own[_ORDINARY]) - fmean(c.score for c in far[_ORDINARY])
    return {c.key: c.score + max(0.0, gap) * share for c in far}
