"""Questions over two documents: the same of two things, and one document that names what another says more of."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterator, Sequence

from evaluation.plant.model import Fact

__all__ = ["bridges", "comparisons"]

Pair = tuple[str, tuple[Fact, ...], tuple[str, ...]]
"""The question, the facts in order, and all that a right answer says."""

_BASES = {
    "standard": "작업표준에서 정한 {label}은(는) 얼마인가?",
    "drawings": "도면 목록에 적힌 {label}은(는) 무엇인가?",
}
_FROM = {"ecn": "{code} 설계변경 대상 부품은", "8d": "{code} 보고서의 부품은"}


def comparisons(facts: Sequence[Fact], rng: random.Random) -> Iterator[Pair]:
    """The same attribute of two things, whose values differ."""
    by_label: dict[tuple[str, str], list[Fact]] = defaultdict(list)
    for fact in facts:
        if fact.kind in {"standard", "drawings", "manual"}:
            by_label[fact.kind, fact.label].append(fact)
    groups = [by_label[key] for key in sorted(by_label)]
    while groups:
        rng.shuffle(groups)
        for group in groups:
            if len(group) > 1:
                first, second = group.pop(), group.pop()
                if first.answers != second.answers:
                    names = f"{first.subject.exact[0]}, {second.subject.exact[0]}"
                    text = f"{names} 각각의 {first.label}은(는)?"
                    yield text, (first, second), (*first.answers, *second.answers)
        groups = [group for group in groups if len(group) > 1]


def bridges(facts: Sequence[Fact], every: Sequence[Fact], rng: random.Random) -> Iterator[Pair]:
    """A change or a claim names a part; the part's standard or drawing says the rest."""
    by_part: dict[str, list[Fact]] = defaultdict(list)
    for fact in facts:
        if fact.kind in _BASES and fact.link:
            by_part[fact.link].append(fact)
    seen = set()
    for start in every:
        targets = by_part.get(start.link, [])
        if start.kind not in _FROM or not targets or start.subject.code in seen:
            continue
        seen.add(start.subject.code)
        target = targets[rng.randrange(len(targets))]
        text = f"{_FROM[start.kind].format(code=start.subject.code)} {_BASES[target.kind].format(label=target.label)}"
        yield text, (start, target), target.answers
