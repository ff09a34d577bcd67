"""The whole search beside each of its legs alone, by kind of question, on the index that serves."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any

from search.requests import filter_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import date

    from contracts.search import Candidate, SearchFilter, StoredChunk
    from evaluation.golden import GoldenLine
    from search.service import Access, Searcher

__all__ = ["compare_legs", "vectors_alone", "whole_search", "words_alone"]

_LOOKED_AT = 200
"""Candidates of a leg."""

_BEST = 3


def compare_legs(
    lines: Sequence[GoldenLine], searcher: Searcher, access: Access, today: date
) -> dict[str, Any]:
    """Hit@3 and MRR of words alone, vectors alone and the whole search.

    Args:
        lines: Questions with the paths of their documents; a path counts for what is inside it, too.
        searcher: The whole search.
        access: What each question's reader may read.
        today: Day of the view.

    Returns:
        ``questions``, and by split (``all`` where a line names none) and type, ``lexical``, ``vector`` and ``search``, each with
        ``hit_at_3`` and ``mrr`` (0 to 1), beside the number of questions.
    """
    ranks: dict[tuple[str, str], list[dict[str, int | None]]] = defaultdict(list)
    for line in (line for line in lines if line.answerable):
        request = line.request(_LOOKED_AT // 2)
        where = filter_of(request, access.filter_for(line.reader), today)
        paths = {
            "lexical": (s.row.path for s in words_alone(searcher, line.question, where)),
            "vector": (s.row.path for s in vectors_alone(searcher, line.question, where)),
            "search": (hit.path for hit in searcher.search(request).hits),
        }
        found = {name: _rank(line, list(dict.fromkeys(of))) for name, of in paths.items()}
        for kind in ("all", line.type):
            ranks[line.split or "all", kind].append(found)
    figures: dict[str, Any] = defaultdict(dict)
    for (split, kind), rows in sorted(ranks.items()):
        figures[split][kind] = {"questions": len(rows)} | {
            leg: _figures([row[leg] for row in rows]) for leg in ("lexical", "vector", "search")
        }
    return {"questions": len(lines), "splits": dict(figures)}


def words_alone(searcher: Searcher, text: str, where: SearchFilter) -> list[StoredChunk]:
    """Passages in the order of BM25."""
    tools = searcher.tools
    return _fetched(searcher, tools.index.lexical(tools.analyzer.query(text), where, _LOOKED_AT))


def vectors_alone(searcher: Searcher, text: str, where: SearchFilter) -> list[StoredChunk]:
    """Passages in the order of their vectors."""
    tools = searcher.tools
    vector = tools.embedder.embed_query(text)
    return _fetched(searcher, tools.index.nearest(vector, where, _LOOKED_AT))


def whole_search(searcher: Searcher, text: str, where: SearchFilter) -> list[StoredChunk]:
    """Passages in the order of the whole search, those that were read."""
    return [ranked.stored for ranked in searcher.rank(text, where)]


def _fetched(searcher: Searcher, candidates: Sequence[Candidate]) -> list[StoredChunk]:
    return searcher.index.fetch([candidate.key for candidate in candidates])


def _rank(line: GoldenLine, paths: Sequence[str]) -> int | None:
    for rank, path in enumerate(paths, start=1):
        if any(path == wanted or path.startswith(f"{wanted}!/") for wanted in line.docs):
            return rank
    return None


def _figures(ranks: Sequence[int | None]) -> dict[str, float]:
    found = [rank for rank in ranks if rank]
    return {
        "hit_at_3": round(sum(rank <= _BEST for rank in found) / len(ranks), 4),
        "mrr": round(sum(1 / rank for rank in found) / len(ranks), 4),
    }
