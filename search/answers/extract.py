"""Sentences of passages that answer a question, as they stand there. Pure.

The best passage's best sentence comes first; then, from it and from passages nearly as good, what holds parts of the question that
are not answered yet. A row of a table is cut down to its key and the cells whose headers are asked for.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from search.analysis import GRAM
from search.answers.wants import gives, is_instruction
from search.evidence import weigh

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from search.evidence import PassageTerms, Question
    from search.ranking import Ranked

__all__ = ["Extract", "extract"]

_PASSAGES = 6
_NEARLY = 0.7
"""Share of the best passage's score that others need to have a say."""

_NEW = 0.2
"""Share of the question's worth that a further sentence must add."""

_TITLE = 0.6
"""What a term of title or heading counts beside one of the sentence itself."""

_ASKED = 0.2
"""What the kind of thing that is asked for adds."""

_FOCUS = 1.0
"""What the last word of a question counts more than the first."""

_HEADING = 40
"""Characters of a line that may be a heading."""

_ENDS = (".", "!", "?", "다", "요", "음", "함", "됨", ")")
_BAR = " | "
_PAIR = re.compile(r"^(?P<header>[^|]+?): (?P<value>.*)$", re.DOTALL)
_LONGEST = 600


@dataclass(frozen=True, slots=True)
class Extract:
    """A sentence of an answer.

    Attributes:
        text: As it stands in the document, a table's row without the cells that are not asked for.
        passage: Number of its passage in the order given.
    """

    text: str
    passage: int


@dataclass(frozen=True, slots=True)
class _Sentence:
    passage: int
    place: int
    text: str
    own: frozenset[str]
    title: frozenset[str]
    share: float
    score: float


def extract(
    question: Question,
    read: Sequence[Ranked],
    terms_of: Callable[[Ranked], PassageTerms],
    most: int = 3,
) -> list[Extract]:
    """At most ``most`` sentences, best first; none where no passage holds a term of the question.

    Args:
        question: What is asked.
        read: Passages, best first.
        terms_of: Terms of a passage.
        most: Sentences wanted.
    """
    near = [r for r in read[:_PASSAGES] if r.score >= _NEARLY * read[0].score and r.copy_of is None]
    passages = {read.index(ranked): terms_of(ranked) for ranked in near}
    worth = weigh(_focused(question), [passage.all for passage in passages.values()])
    # a term that no passage has cannot be answered, and must not decide
    worth = {t: w for t, w in worth.items() if any(t in p.all for p in passages.values())}
    total = sum(worth.values()) or 1.0
    found = [
        sentence
        for number, passage in passages.items()
        for sentence in _sentences(question, number, passage, worth, total, read[number].score)
    ]
    chosen: list[_Sentence] = []
    covered: set[str] = set()
    while found and len(chosen) < most:
        left = {term: value for term, value in worth.items() if term not in covered}
        best = max(found, key=lambda s: _gain(s, left, total, first=not chosen))
        held = best.own & left.keys()
        if not held or (chosen and sum(left[t] for t in held) < _NEW * total):
            break
        chosen.append(best)
        covered |= held
        if not covered - best.title:
            covered |= best.title & left.keys()
        found = [s for s in found if (s.passage, s.place) != (best.passage, best.place)]
    return [Extract(_shown(question, s, passages[s.passage]), s.passage) for s in chosen]


def _focused(question: Question) -> dict[str, float]:
    """Terms by weight, more the later they stand: a Korean question ends with what it asks for."""
    text = "".join(question.text.split()).casefold()
    length = len(text) or 1

    def place(term: str) -> float:
        at = text.rfind(term.removeprefix(GRAM))
        return at / length if at >= 0 else 0.5

    return {t: w * (1 + _FOCUS * place(t)) for t, w in question.terms.items()}


def _sentences(
    question: Question,
    number: int,
    passage: PassageTerms,
    worth: dict[str, float],
    total: float,
    score: float,
) -> list[_Sentence]:
    title = passage.prefix
    found = []
    for place, (text, own) in enumerate(passage.sentences):
        if not text or is_instruction(text) or not _says_more(question, own):
            continue
        inside = sum(worth.get(term, 0.0) for term in own)
        above = sum(worth.get(term, 0.0) for term in title - own)
        share = (inside + _TITLE * above) / total + _ASKED * gives(question.text, text)
        found.append(_Sentence(number, place, text, own, title, share, score))
    return found


def _gain(sentence: _Sentence, left: dict[str, float], total: float, *, first: bool) -> float:
    if first:
        return sentence.share + sentence.score
    return sum(left.get(term, 0.0) for term in sentence.own) / total


def _says_more(question: Question, own: frozenset[str]) -> bool:
    """Whether a sentence says anything that the question does not say itself: a heading does not."""
    return bool(own - question.terms.keys())


def _shown(question: Question, sentence: _Sentence, passage: PassageTerms) -> str:
    text = sentence.text
    if _BAR in text:
        return _cells(question, text)[:_LONGEST]
    following = passage.sentences[sentence.place + 1 : sentence.place + 2]
    if following and _is_heading(text):
        text = f"{text} — {following[0][0]}"
    return text[:_LONGEST]


def _cells(question: Question, row: str) -> str:
    """A row's key and the cells whose header holds a word of the question; the whole row where none or all do."""
    key, *pairs = row.split(_BAR)
    asked = [pair for pair in pairs if _asked(question, pair)]
    return _BAR.join([key, *asked]) if asked else row


def _asked(question: Question, pair: str) -> bool:
    match = _PAIR.match(pair)
    if match is None:
        return False
    header = "".join(match["header"].split("›")[-1].split())
    text = "".join(question.text.split())
    return len(header) > 1 and header.casefold() in text.casefold()


def _is_heading(line: str) -> bool:
    """Whether a line only names what the next one says."""
    return line.endswith((":", "：")) or (
        len(line) <= _HEADING and not line.endswith(_ENDS) and ": " not in line
    )
