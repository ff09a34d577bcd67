"""Which paragraphs of a Hangul document are headings, and at which level.

Outline levels (개요) say so themselves. Many documents have none and number by hand: 제1장, 제1조(목적),
Ⅰ., 1., 1.1, or just set the line larger and bold. The levels of those follow the rank of the patterns that
the document really uses.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

import msgspec

from parsers.common.hangul_model import HeadKind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from parsers.common.hangul_model import Paragraph

__all__ = ["Line", "body_size", "heading_levels", "is_title_bar", "split_article"]

_MAX_HEADING = 80
_MAX_OUTLINE = 120
_SHORT = 40
_LARGE = 1.2
_LARGER = 1.05
_SENTENCE = re.compile(r"[.?!。]$|(다|요|오|시오|니까|함|음|임)[.]?$")
_LONGEST_END = 3
# Set large in forms without being titles: fields to fill in, addressees, dates.
_NO_TITLE = re.compile(r"[:：]|\(인\)|귀\s*[하중]$|^\W*\d{2,4}\s*[.년]\s*\d")
_LETTERS = re.compile(r"[^\W\d_]{2}|[^\W\d_] +[^\W\d_]")
# Rank of each pattern, the strongest first; a decimal pattern ranks by its depth.
_PATTERNS = (
    (10, re.compile(r"제\s*\d+\s*편(?=\s|$|[.(:])")),
    (11, re.compile(r"제\s*\d+\s*(장|부)(?=\s|$|[.(:])")),
    (12, re.compile(r"제\s*\d+\s*절(?=\s|$|[.(:])")),
    (13, re.compile(r"제\s*\d+\s*관(?=\s|$|[.(:])")),
    (20, re.compile(r"([ⅠⅡⅢⅣⅤⅥⅦⅧⅨⅩⅪⅫ]+|[IVX]{1,5}(?=[.．]))\s*[.．)]?\s*\S")),
    (30, re.compile(r"제\s*\d+\s*조(의\s*\d+)?\s*(\(|$|\s)")),
    (40, re.compile(r"\d{1,2}\s*[.．]\s*(?!\d)\S")),
    (41, re.compile(r"\d{1,2}([.．]\d{1,2})[.．]?\s+\S")),
    (42, re.compile(r"\d{1,2}([.．]\d{1,2}){2}[.．]?\s+\S")),
    (43, re.compile(r"\d{1,2}([.．]\d{1,2}){3,}[.．]?\s+\S")),
    (44, re.compile(r"[□■▣◆❏❑]\s*[^□■\s][^□■]*$")),
)
# What only a title bar says: a bare number and a title, or the name of an annex.
_BAR_PATTERNS = (
    (20, re.compile(r"(붙임|별첨|별표|별지|참고)\s*\d*\s+\S")),
    (40, re.compile(r"\d{1,2}\s+[^\d\s]")),
)
_FIRST = frozenset("제ⅠⅡⅢⅣⅤⅥⅦⅧⅨⅩⅪⅫIVX□■▣◆❏❑")
"""What a heading of the patterns begins with, besides digits."""
_EXPLICIT = 30
_DECIMAL = 40
# A line of a table of contents: leader and page number at its end.
_CONTENTS_LINE = re.compile(r"(\t|[.·…‥]{3,}|\s{4,})\s*[-–]?\s*\d+\s*[-–]?$")
_ARTICLE = re.compile(r"(제\s*\d+\s*조(?:의\s*\d+)?\s*\([^()\n]{1,40}\))(?:\s+(?=\S)|(?=[①-⑳]))")


class Line(msgspec.Struct, frozen=True, gc=False):
    """What matters of one paragraph of the body flow.

    Attributes:
        paragraph: The paragraph.
        text: Its text, cleaned.
        plain: It holds nothing but text.
        bar: It is the only text of a one-row table, a title bar.
    """

    paragraph: Paragraph
    text: str
    plain: bool = True
    bar: bool = False


def body_size(paragraphs: Sequence[Paragraph]) -> float:
    """Font size in points that most characters have, 0 where no size is known."""
    sizes: Counter[float] = Counter()
    for paragraph in paragraphs:
        if paragraph.size:
            sizes[paragraph.size] += len(paragraph.text())
    return sizes.most_common(1)[0][0] if sizes else 0.0


def split_article(text: str) -> tuple[str, str] | None:
    """``제1조(목적) 이 규정은 …`` as heading and text, or None where it is not such a line."""
    found = _ARTICLE.match(text) if text[:1] == "제" else None
    return (found[1], text[found.end() :]) if found else None


def is_title_bar(text: str) -> bool:
    """Whether the only text of a one-row table is a numbered title (``Ⅰ 추진 배경``, ``붙임 1 양식``)."""
    return 0 < len(text) <= _SHORT and "\n" not in text and bool(_bar_pattern(text))


def heading_levels(lines: Sequence[Line], usual_size: float) -> list[int]:
    """The heading level of each line from 1, or 0 for those that are no headings."""
    ranks = [_rank(line, usual_size) for line in lines]
    if lines and not _pattern(lines[-1].text) and not lines[-1].bar:
        # What stands large at the very end is who signs, not a heading of nothing.
        ranks[-1] = 0
    for at, line in enumerate(lines):
        if ranks[at] == 0 and _opens_text(lines, at):
            ranks[at] = _pattern(line.text)
    outline = [line.paragraph.head for line in lines]
    used = sorted({rank for rank in ranks if rank})
    order = {rank: level for level, rank in enumerate(used, start=1)}
    return [
        head.level if rank == 0 and head and _is_outline(line) else order.get(rank, 0)
        for line, rank, head in zip(lines, ranks, outline, strict=True)
    ]


def _is_outline(line: Line) -> bool:
    head = line.paragraph.head
    return (
        head is not None
        and head.kind is HeadKind.OUTLINE
        and 0 < len(line.text) <= _MAX_OUTLINE
        and "\n" not in line.text
    )


def _pattern(text: str) -> int:
    first = text[:1]
    if first not in _FIRST and not first.isdecimal():
        return 0
    if len(text) > _MAX_OUTLINE or _CONTENTS_LINE.search(text):
        return 0
    for rank, pattern in _PATTERNS:
        if pattern.match(text):
            return rank
    return 0


def _bar_pattern(text: str) -> int:
    known = _pattern(text)
    return known or next((rank for rank, found in _BAR_PATTERNS if found.match(text)), 0)


def _rank(line: Line, usual_size: float) -> int:
    """Rank of a line that is a heading by itself, whatever stands around it."""
    text, paragraph = line.text, line.paragraph
    if line.bar:
        return _bar_pattern(text)
    if not text or not line.plain or paragraph.head:
        return 0
    if split_article(text):
        return _EXPLICIT
    if len(text) > _MAX_HEADING or "\n" in text:
        return 0
    pattern = _pattern(text)
    if 0 < pattern <= _EXPLICIT:
        sentence = pattern == _EXPLICIT or _ends_sentence(text)
        return 0 if sentence and len(text) > _SHORT else pattern
    return 0 if _ends_sentence(text) else _rank_by_letters(line, pattern, usual_size)


def _ends_sentence(text: str) -> bool:
    return _SENTENCE.search(text, max(len(text) - _LONGEST_END, 0)) is not None


def _rank_by_letters(line: Line, pattern: int, usual_size: float) -> int:
    ratio = line.paragraph.size / usual_size if usual_size else 0.0
    if pattern:
        return pattern if line.paragraph.bold or ratio >= _LARGER else 0
    if ratio < _LARGE or _NO_TITLE.search(line.text) or not _LETTERS.search(line.text):
        return 0
    # Larger type ranks higher: sizes are told apart in steps of a tenth of the usual size.
    return max(9 - int((ratio - _LARGE) * 10), 1)


def _opens_text(lines: Sequence[Line], at: int) -> bool:
    """A short ``1. 추진 배경`` that no sibling follows directly: it opens what stands below it."""
    line = lines[at]
    pattern = _pattern(line.text)
    if (
        pattern < _DECIMAL
        or len(line.text) > _SHORT
        or line.paragraph.head
        or _ends_sentence(line.text)
    ):
        return False
    if "\n" in line.text or not line.plain or ":" in line.text or at + 1 >= len(lines):
        return False
    beside = [lines[at + 1].text, lines[at - 1].text if at else ""]
    return all(_pattern(text) != pattern for text in beside)
