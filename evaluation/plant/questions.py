"""Questions from facts: for each type a way to ask, a reader, and what counts as right. Nothing is written by a model."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Iterator, Sequence
from dataclasses import replace

from evaluation.plant.absent import absent
from evaluation.plant.keyboard import as_english, as_korean
from evaluation.plant.kinds.common import in_turn, pick
from evaluation.plant.model import Fact, Question
from evaluation.plant.pairs import bridges, comparisons
from evaluation.plant.particles import settled_particles
from evaluation.plant.people import Person
from evaluation.plant.world import World

__all__ = ["TYPES", "make_questions", "split_of"]

TYPES = {
    "code": 80,
    "table": 90,
    "paraphrase": 90,
    "version": 80,
    "permission": 70,
    "mail": 50,
    "multi": 50,
    "unanswerable": 70,
    "english": 50,
    "keyboard": 40,
}
"""Types of questions, and how many of each there are at the default size."""

_NOW = ("", "현재 ", "지금 적용되는 ", "최신 개정판에서 ")


def split_of(fact: str) -> str:
    """``tune`` or ``test``: all questions about one thing are on one side."""
    return ("tune", "test")[hashlib.sha256(fact.encode()).digest()[0] % 2]


def make_questions(world: World, facts: Sequence[Fact], scale: float = 1.0) -> list[Question]:
    """All questions, by type and number.

    Args:
        world: The plant.
        facts: What its documents state.
        scale: Times the numbers of ``TYPES``.
    """
    maker = _Maker(world, facts)
    questions: list[Question] = []
    for kind, count in TYPES.items():
        seen: set[str] = set()
        made = 0
        for question in maker.of(kind):
            if made >= round(count * scale):
                break
            if question.question in seen:
                continue
            seen.add(question.question)
            made += 1
            questions.append(_numbered(question, made))
    return questions


def _numbered(question: Question, number: int) -> Question:
    text = (
        question.question if question.type == "keyboard" else settled_particles(question.question)
    )
    return replace(question, id=f"{question.type}-{number:03d}", question=text)


class _Maker:
    """Makes questions of a type in an order of chance, every kind of document in turn."""

    def __init__(self, world: World, facts: Sequence[Fact]) -> None:
        self._world = world
        self._facts = facts
        self._rights = world.rights

    def of(self, kind: str) -> Iterator[Question]:
        rng = self._world.rng("questions", kind)
        if kind == "multi":
            yield from self._multi(rng)
        elif kind == "unanswerable":
            yield from self._unanswerable(rng)
        else:
            for turn in range(3):
                for fact in in_turn(rng, [f for f in self._facts if kind in f.asked]):
                    found = self._one(kind, fact, rng, turn)
                    if found is not None:
                        yield found

    def _one(self, kind: str, fact: Fact, rng: random.Random, turn: int) -> Question | None:
        if kind == "permission":
            return self._forbidden(fact, rng)
        text = _worded(kind, fact, rng, turn)
        readers = self._rights.readers(fact.docs[0])
        if not text or not readers:
            return None
        return self._question(kind, fact, text, pick(rng, readers))

    def _question(self, kind: str, fact: Fact, text: str, reader: Person) -> Question:
        docs = tuple(d for d in fact.docs if self._rights.may_read(reader.account, d))
        return Question(
            id="", type=kind, question=text, reader=reader.account, answerable=True, split=split_of(_family(fact)), fact=fact.id, kind=fact.kind,
            docs=docs, hops=(docs,), answer=fact.answers, stale=fact.stale, stale_docs=fact.stale_docs, place=fact.place,
            revision=fact.revision, options=dict(fact.options), looks=(fact.look,),
        )  # fmt: skip

    def _forbidden(self, fact: Fact, rng: random.Random) -> Question | None:
        """A question of somebody who may not read any document that answers it."""
        strangers = [
            p
            for p in self._world.people
            if not any(self._rights.may_read(p.account, d) for d in fact.docs)
        ]
        if not strangers:
            return None
        former = [p for p in strangers if p.came_from and not p.left]
        gone = [p for p in strangers if p.left or "vendor" in p.groups]
        chance = rng.random()
        group = former if chance < 0.3 and former else gone if chance < 0.5 and gone else strangers
        templates = (*fact.exact, *fact.plain)
        text = _filled(pick(rng, templates), fact, rng)
        return Question(
            id="", type="permission", question=text, reader=pick(rng, group).account, answerable=False, split=split_of(_family(fact)),
            fact=fact.id, kind=fact.kind, answer=fact.answers, hidden=fact.docs, looks=(fact.look,),
        )  # fmt: skip

    def _multi(self, rng: random.Random) -> Iterator[Question]:
        facts = list(in_turn(rng, [f for f in self._facts if "multi" in f.asked]))
        made = [bridges(facts, self._facts, rng), comparisons(facts, rng)]
        while made:
            for source in list(made):
                pair = next(source, None)
                if pair is None:
                    made.remove(source)
                    continue
                found = self._pair(*pair, rng)
                if found is not None:
                    yield found

    def _pair(
        self, text: str, hops: tuple[Fact, ...], answers: tuple[str, ...], rng: random.Random
    ) -> Question | None:
        if len({split_of(_family(fact)) for fact in hops}) > 1:
            return None
        readers = [
            p
            for p in self._rights.readers(hops[0].docs[0])
            if self._rights.may_read(p.account, hops[1].docs[0])
        ]
        if not readers:
            return None
        reader = pick(rng, readers).account
        parts = tuple(tuple(d for d in f.docs if self._rights.may_read(reader, d)) for f in hops)
        last = hops[-1]
        # of a comparison each part is an answer; on the way over two documents only the last one is
        docs = (
            parts[-1]
            if len(answers) == len(last.answers)
            else tuple(d for part in parts for d in part)
        )
        return Question(
            id="", type="multi", question=text, reader=reader, answerable=True, split=split_of(_family(last)),
            fact="+".join(f.id for f in hops), kind=last.kind, docs=docs, hops=parts, answer=answers, place=last.place,
            revision=last.revision, stale=last.stale, stale_docs=last.stale_docs, looks=tuple(f.look for f in hops),
        )  # fmt: skip

    def _unanswerable(self, rng: random.Random) -> Iterator[Question]:
        seen = [f for f in self._facts if self._rights.readers(f.docs[0])]
        for fact, text, look in absent(seen, rng):
            reader = pick(rng, self._rights.readers(fact.docs[0])).account
            yield Question(
                id="", type="unanswerable", question=text, reader=reader, answerable=False, split=split_of(_family(fact)), fact=fact.id,
                kind=fact.kind, looks=(look,),
            )  # fmt: skip


def _family(fact: Fact) -> str:
    """What the split is made by: a fact with its earlier and later values."""
    return "/".join(fact.id.split("/")[:2]) if fact.kind in {"standard", "scan"} else fact.id


def _filled(template: str, fact: Fact, rng: random.Random) -> str:
    names = (
        fact.subject.plain if template in fact.plain and fact.subject.plain else fact.subject.exact
    )
    return template.replace("{s}", pick(rng, names))


def _worded(kind: str, fact: Fact, rng: random.Random, turn: int) -> str:
    """The question as it is typed; "" where this fact cannot be asked so."""
    if kind == "keyboard":
        if rng.random() < 0.2 and (text := _worded("english", fact, rng, turn)):
            return as_korean(text)
        return as_english(settled_particles(_any(rng, fact.exact, fact.subject.exact)))
    plain = kind == "mail" and turn % 3 == 1
    if kind == "version" and not fact.options:
        plain = rng.random() < 0.3
        if not plain:
            return pick(rng, _NOW) + _any(rng, fact.exact, fact.subject.exact[:1])
    if plain or kind == "paraphrase":
        return _any(rng, fact.plain, fact.subject.plain)
    if kind == "english":
        return _any(rng, fact.english, fact.subject.english)
    return _any(rng, fact.exact, _names(kind, fact))


def _names(kind: str, fact: Fact) -> tuple[str, ...]:
    """For questions by code the code alone, else a name; where a thing has nothing but its code, that."""
    code = (fact.subject.code,) if fact.subject.code else ()
    if kind == "code":
        return code
    return tuple(n for n in fact.subject.exact if n not in code) or fact.subject.exact


def _any(rng: random.Random, templates: Sequence[str], names: Sequence[str]) -> str:
    """One of the templates with one of the names; "" where there is none."""
    if not templates or not names:
        return ""
    return pick(rng, templates).replace("{s}", pick(rng, names))
