"""Sentences of passages that answer a question, as they stand there. Pure.

The best passage's best sentence comes first; then, from it and from passages nearly as good, what holds parts of the question that
are not answered yet. A row of a table is cut down to its key and the cells whose headers are asked for.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from search.answers.wants import gives, is_instruction
from search.evidence import rest_held, weigh

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from search.evidence import PassageTerms, Question
    from search.ranking import Ranked

__all__ = ["NEARLY", "REST", "Extract", "extract"]

_PASSAGES = 6
REST = 0.2
"""Share of what the question says beside its subject that the first sentence must hold: one about the right thing that does not say
what is asked for answers nothing."""

NEARLY = 0.7
"""Share of the best passage's score that others need to have a say."""

_NEW = 0.2
"""Share of the question's worth that a further sentence must add."""

_LABEL = 0.4
"""What a row gains that gives a value for something that the question names."""

_ASKED = 0.2
"""What the kind of thing that is asked for adds."""

_HEADING = 40
"""Characters of a line that may be a heading."""

_ENDS = (".", "!", "?", "다", "요", "음", "함", "됨", ")")
_BAR = " | "
_PAIR = re.compile(r"^(?P<header>[^|]+?): (?P<value>.*)$", re.DOTALL)
_LONGEST = 600
_COLUMNS = 3
_DIGIT = re.compile(r"\d")
_UNIT = re.compile(r"[(\[]?\s*(?:단위|unit)\s*[:：]", re.IGNORECASE)


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
    top, document = read[0].score, read[0].stored.row.document_id
    # which of the best one's passages answers is told by sentences alone: its head looks most like the question
    scores = [top if r.stored.row.document_id == document else r.score for r in read]
    near = [n for n, r in enumerate(read) if scores[n] >= NEARLY * top and r.copy_of is None]
    own = [n for n in near if read[n].stored.row.document_id == document][:_PASSAGES]
    passages = {n: terms_of(read[n]) for n in sorted({*own, *near[:_PASSAGES]})}
    worth = weigh(question.focused(), [passage.all for passage in passages.values()])
    # a term that no passage has cannot be answered, and must not decide
    worth = {t: w for t, w in worth.items() if any(t in p.all for p in passages.values())}
    total = sum(worth.values()) or 1.0
    found = [
        sentence
        for number, passage in passages.items()
        for sentence in _sentences(question, number, passage, worth, total, scores[number])
    ]
    chosen: list[_Sentence] = []
    covered: set[str] = set()
    answering = [s for s in found if rest_held(question, s.title, s.own) >= REST]
    while found and len(chosen) < most:
        left = {term: value for term, value in worth.items() if term not in covered}
        among = found if chosen else answering
        if not among:
            break
        best = max(among, key=lambda s: _gain(s, left, total, first=not chosen))
        held = best.own & left.keys()
        if not held or (chosen and sum(left[t] for t in held) < _NEW * total):
            break
        chosen.append(best)
        covered |= held | (best.title & left.keys())
        found = [s for s in found if (s.passage, s.place) != (best.passage, best.place)]
    return [Extract(_shown(question, s, passages[s.passage]), s.passage) for s in chosen]


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
        if _UNIT.match(text) or _is_header(passage, place):
            continue
        # what the head says holds for every sentence below it; one that repeats it says no more
        share = sum(worth.get(term, 0.0) for term in own | title) / total
        share += _ASKED * gives(question.text, text) + _LABEL * _labelled(question, text)
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
    if _is_heading(text) and (below := _below(passage, sentence.place)):
        text = f"{text} — {below}"
    return text[:_LONGEST]


def _below(passage: PassageTerms, place: int) -> str:
    """What stands below a heading: the first line that is neither the head of a table nor a heading of a table itself."""
    for number in range(place + 1, len(passage.sentences)):
        line = passage.sentences[number][0]
        rows = [text for text, _ in passage.sentences[number + 1 : number + 2] if _BAR in text]
        if not _is_header(passage, number) and not (
            rows and _BAR not in line and _is_heading(line)
        ):
            return line
    return ""


def _cells(question: Question, row: str) -> str:
    """A row's key and the cells whose header holds a word of the question; the whole row where none or all do."""
    key, *pairs = row.split(_BAR)
    asked = [pair for pair in pairs if _asked(question, pair)]
    return _BAR.join([key, *asked]) if asked else row


def _asked(question: Question, pair: str) -> bool:
    match = _PAIR.match(pair)
    if match is None:
        return False
    header = _joined(match["header"].split("›")[-1])
    return len(header) > 1 and header in _joined(question.text)


def _is_header(passage: PassageTerms, place: int) -> bool:
    """Whether a line is the head of the table below it: cells without figures or values, above rows of such or of as many cells."""
    line = passage.sentences[place][0]
    if _BAR not in line or place + 1 == len(passage.sentences) or _DIGIT.search(line):
        return False
    cells, below = line.split(_BAR), passage.sentences[place + 1][0].split(_BAR)
    if any(_PAIR.match(cell) for cell in cells):
        return False
    headed = any(_PAIR.match(cell) for cell in below[1:])
    return headed or (len(cells) == len(below) >= _COLUMNS)


def _labelled(question: Question, row: str) -> bool:
    """Whether a row gives a value that the question lacks under a key or header that the question names."""
    if _BAR not in row:
        return False
    text = _joined(question.text)
    cells = [_cell(cell) for cell in row.split(_BAR)]
    key = cells[0][1]
    given = [(header, value) for header, value in cells if value and value not in text]
    return any(len(header) > 1 and header in text for header, _ in given) or (
        len(key) > 1 and key in text and bool(given)
    )


def _cell(cell: str) -> tuple[str, str]:
    """The last part of its header, and its value."""
    match = _PAIR.match(cell)
    if match is None:
        return "", _joined(cell)
    return _joined(match["header"].split("›")[-1]), _joined(match["value"])


def _joined(text: str) -> str:
    return "".join(text.split()).casefold()


def _is_heading(line: str) -> bool:
    """Whether a line only names what the next one says."""
    return line.endswith((":", "：")) or (
        len(line) <= _HEADING and not line.endswith(_ENDS) and ": " not in line
    )
