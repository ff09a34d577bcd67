"""Drafts of golden lines, from what readers asked and said; a person reviews each before it counts.

A draft has ``review``: what is to be looked at. :func:`evaluation.golden.read_golden` refuses lines that still have it.
"""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from contracts.feedback import FeedbackKind
from search.analysis import fold

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from catalog.catalog import Catalog
    from catalog.records import QueryRecord
    from contracts.feedback import Feedback

__all__ = ["drafts"]

_VOTES = {
    FeedbackKind.CLICK: 1,
    FeedbackKind.UP: 2,
    FeedbackKind.DOWN: -2,
    FeedbackKind.WRONG_REVISION: -3,
    FeedbackKind.SHOULD_NOT_SEE: -9,
}
_OWN = ("document ", "tables ", "thread ", "feedback ")
"""Lines of the audit log that are no questions."""


@dataclass(slots=True)
class _Asked:
    """One question of one reader.

    Attributes:
        question: As last asked.
        reader: Who.
        times: How often.
        first: Documents that stood first, with how often.
        empty: How often nothing was found.
        votes: Of feedback, by document; "" is the answer as a whole.
        said: Kinds of feedback.
    """

    question: str
    reader: str
    times: int = 0
    first: Counter[str] = field(default_factory=Counter)
    empty: int = 0
    votes: Counter[str] = field(default_factory=Counter)
    said: set[FeedbackKind] = field(default_factory=set)


def drafts(catalog: Catalog, *, least: int = 3, limit: int = 200) -> list[dict[str, Any]]:
    """Draft lines: first the questions that something was said of, then those that were asked often; most asked first.

    Args:
        catalog: Feedback, audit log, documents.
        least: How often a question must have been asked where nothing was said of it.
        limit: At most so many.
    """
    asked = _asked(catalog.queries.stream(), catalog.feedback.stream())
    wanted = [one for one in asked if one.said or one.times >= least]
    wanted.sort(key=lambda one: (not one.said, -one.times, one.question, one.reader))
    kept = wanted[:limit]
    ids = {name for one in kept for name in (*one.votes, *one.first) if name}
    paths = {name: record.path for name, record in catalog.documents.get_many(ids).items()}
    return [_draft(one, paths) for one in kept]


def _asked(queries: Iterable[QueryRecord], feedback: Iterable[Feedback]) -> Iterator[_Asked]:
    found: dict[tuple[str, str], _Asked] = defaultdict(lambda: _Asked("", ""))
    for record in queries:
        if record.query.startswith(_OWN) or not record.query.strip():
            continue
        one = found[record.reader, _key(record.query)]
        one.question, one.reader, one.times = record.query, record.reader, one.times + 1
        if record.document_ids:
            one.first[record.document_ids[0]] += 1
        else:
            one.empty += 1
    for said in feedback:
        if said.query.strip():
            one = found[said.reader, _key(said.query)]
            one.question, one.reader = one.question or said.query, said.reader
            one.votes[said.document_id] += _VOTES[said.kind]
            one.said.add(said.kind)
    return iter(found.values())


def _key(question: str) -> str:
    return " ".join(fold(question).split())


def _draft(one: _Asked, paths: Mapping[str, str]) -> dict[str, Any]:
    liked = [name for name, votes in one.votes.most_common() if name and votes > 0]
    docs = liked or [
        name for name, _ in one.first.most_common(1) if one.votes.get(name, 0) >= 0 and name
    ]
    digest = hashlib.sha256(f"{one.reader}\0{_key(one.question)}".encode("utf-8", "replace"))
    return {
        "id": f"draft-{digest.hexdigest()[:10]}",
        "question": one.question,
        "reader": one.reader,
        "type": "feedback" if one.said else "frequent",
        "answerable": bool(docs),
        "docs": [paths[name] for name in docs if name in paths],
        "answer": [],
        "options": {},
        "review": _reasons(one, liked),
    }


def _reasons(one: _Asked, liked: list[str]) -> list[str]:
    """What a person is to look at."""
    reasons = [f"{one.times}번 물음 (asked)"] if one.times else []
    reasons += sorted(kind.value for kind in one.said)
    if one.empty:
        reasons.append(
            f"{one.empty}번 결과 없음: 있어야 하는가 (nothing was found: should there be?)"
        )
    if not liked:
        reasons.append("문서는 맨 앞에 나온 것일 뿐 (the document merely came first)")
    reasons.append("answer 를 적고 review 를 지우세요 (fill in the answer, remove this)")
    return reasons
