"""Questions that nothing on the drive answers, each near to what is there."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence

from evaluation.plant.attributes import PROCESSES
from evaluation.plant.kinds.common import in_turn, pick
from evaluation.plant.model import Fact

__all__ = ["absent"]

Nothing = tuple[Fact, str, tuple[str, ...]]
"""A fact nearby, the question, and strings that stand nowhere together in what people see."""

_NOT_SAID = {
    "8d": ("{s}의 재발 방지 교육을 맡은 강사는 누구인가?", "강사"),
    "manual": ("{s}의 구입 가격은 얼마인가?", "구입 가격"),
    "standard": ("{s} 작업자의 시간당 임금은?", "시간당 임금"),
    "ecn": ("{s}의 금형 수정 비용은 얼마인가?", "금형 수정 비용"),
    "letter": ("{s}에 적힌 계약 위약금은?", "계약 위약금"),
    "minutes": ("{s}에 배정된 예산 금액은?", "예산 금액"),
    "inspection": ("{s}의 운송 차량 번호는?", "운송 차량 번호"),
    "notice": ("{s}에 나온 경비실 당직자 이름은?", "경비실 당직자"),
    "slides": ("{s}의 신입 사원 퇴사율은?", "신입 사원 퇴사율"),
    "drawings": ("{s}을(를) 그린 캐드 프로그램 버전은?", "캐드 프로그램 버전"),
}


def absent(facts: Sequence[Fact], rng: random.Random) -> Iterator[Nothing]:
    """Five kinds in turn: what only a hidden sheet says, another process, no such number, no such project, not said.

    Args:
        facts: Those of documents that somebody may read.
        rng: Of chance.
    """
    makers = (_hidden, _other_process, _no_such_code, _no_such_thing, _not_said)
    running = [make(facts, rng) for make in makers]
    while running:
        for source in list(running):
            found = next(source, None)
            if found is None:
                running.remove(source)
            else:
                yield found


def _hidden(facts: Sequence[Fact], rng: random.Random) -> Iterator[Nothing]:
    for fact in in_turn(rng, [f for f in facts if "hidden" in f.asked]):
        name = pick(rng, fact.subject.exact)
        yield fact, pick(rng, fact.exact).replace("{s}", name), (*fact.look[:1], fact.label)


def _other_process(facts: Sequence[Fact], rng: random.Random) -> Iterator[Nothing]:
    for fact in in_turn(rng, [f for f in facts if f.kind == "standard" and f.plain]):
        code = fact.subject.code.split("-")[1]
        attribute = pick(rng, pick(rng, [p for p in PROCESSES if p.code != code]).attributes)
        name = fact.subject.exact[0]
        yield fact, pick(rng, attribute.exact).replace("{s}", name), (name, attribute.label)


def _no_such_code(facts: Sequence[Fact], rng: random.Random) -> Iterator[Nothing]:
    numbered = [f for f in facts if f.subject.code[-4:].isdigit() and f.kind != "drawings"]
    for fact in in_turn(rng, numbered):
        code = f"{fact.subject.code[:-4]}{rng.randrange(9100, 9999)}"
        yield fact, pick(rng, fact.exact).replace("{s}", code), (code,)


def _no_such_thing(facts: Sequence[Fact], rng: random.Random) -> Iterator[Nothing]:
    for fact in in_turn(rng, [f for f in facts if f.kind == "standard" and f.plain]):
        name = f"QQ{rng.randrange(1, 10)} {fact.subject.exact[0].partition(' ')[2]}"
        yield fact, pick(rng, fact.exact).replace("{s}", name), (name,)


def _not_said(facts: Sequence[Fact], rng: random.Random) -> Iterator[Nothing]:
    for fact in in_turn(rng, [f for f in facts if f.kind in _NOT_SAID and f.plain]):
        text, word = _NOT_SAID[fact.kind]
        yield fact, text.replace("{s}", pick(rng, fact.subject.exact)), (fact.look[0], word)
