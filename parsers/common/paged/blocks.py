"""Pieces of pages to blocks: headings with levels, list items, captions, tables."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from contracts.documents import Block, BlockKind, Layer, Origin, Position, Word
from parsers.common.paged.captions import is_caption
from parsers.common.paged.outline import Mark, find_mark, split_article
from parsers.common.paged.textline import rounded

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from contracts.documents import Box
    from parsers.common.paged.flow import Paragraph
    from parsers.common.paged.textline import TextLine

__all__ = ["Style", "paragraph_blocks", "plain_key", "shown_words", "style_of"]

_LARGER = 1.12
_MAX_HEADING = 90
_MAX_MARKED = 60
_SENTENCE = re.compile(r"(?:[다요까음함됨임]|니다|[가-힣]것)\s*[.。?!]$|[.;,:]$|다\.\s*\S|[,;]$")
_LEADERS = re.compile(r"\s?(?:[·.․‥…⋯‧]\s?){6,}")
_ROW = 6
_NOTE = re.compile(r"^(?:※|\*{1,3}\s|주\s*[:)]|주\d\)|자료\s*:|출처\s*:|[†‡])")
_LEVELS = 6
_RUNNING = 0.42
_COLUMN = 0.22
_ENOUGH = 0.15
_ALIKE = 0.88
_MAX_LINES = 3
_SMALL_PRINT = 0.95
_SHORT_MARK = 3  # "12." may as well number a list
_PARTED = re.compile(r"(\d{1,2})\.(\d{1,2})\.?")
# The height of recognised words varies with their letters: only a clear difference counts.
_LARGER_SEEN = 1.4


@dataclass(frozen=True, slots=True)
class Style:
    """What headings of one document look like.

    Attributes:
        body: Usual font size, points.
        bold_body: Most of the text is bold, so that bold says nothing.
        sizes: Sizes above the body's, largest first: their rank is a heading's level.
        bookmarks: Level of each bookmark by its text (see :func:`plain_key`).
        counted: Numbers of two parts (``1.2``) at the start of lines, of which the one before or after stands
            in the document, too.
    """

    body: float
    bold_body: bool
    sizes: tuple[float, ...]
    bookmarks: Mapping[str, int]
    counted: frozenset[str] = frozenset()


def plain_key(text: str) -> str:
    """Text without white space and case, to compare headings with bookmarks."""
    return "".join(text.split()).casefold()


def style_of(lines: Iterable[tuple[TextLine, float]], bookmarks: Mapping[str, int]) -> Style:
    """Find the body's size and the sizes of headings from all lines of a document.

    Args:
        lines: Lines with the widths of their pages. Long lines tell the body's size: in many Korean
            documents most of the text stands in tables, and is smaller.
        bookmarks: Level of each bookmark.
    """
    running: Counter[float] = Counter()
    columns: Counter[float] = Counter()
    parted: set[tuple[int, int]] = set()
    weight: Counter[float] = Counter()
    bold = total = 0
    for line, width in lines:
        text, box = line.text, line.box
        size, letters, share = round(line.size * 2) / 2, len(text), box[2] - box[0]
        weight[size] += letters
        if share > _RUNNING * width:
            running[size] += letters
        if share > _COLUMN * width:
            columns[size] += letters
        if number := _PARTED.match(text):
            parted.add((int(number[1]), int(number[2])))
        total += letters
        bold += letters if line.bold else 0
    if not weight:
        return Style(10.0, bold_body=False, sizes=(), bookmarks=bookmarks)
    votes = running if sum(running.values()) > _ENOUGH * total else weight
    body = max(votes, key=lambda size: (votes[size], size))
    # On a page of columns only footnotes and captions are as wide as the page.
    if columns:
        usual = max(columns, key=lambda size: (columns[size], size))
        body = max(body, usual)
    larger = sorted((s for s in weight if s >= _LARGER * body), reverse=True)
    ranks: list[float] = []
    for size in larger:
        if not ranks or size < _ALIKE * ranks[-1]:
            ranks.append(size)
    counted = frozenset(
        f"{major}.{minor}"
        for major, minor in parted
        if {(major, minor - 1), (major, minor + 1)} & parted
    )
    return Style(body, bold * 2 > total, tuple(ranks), bookmarks, counted)


def paragraph_blocks(
    paragraph: Paragraph, page: int, style: Style, place: Callable[[Box], Box], origin: Origin
) -> list[Block]:
    """The block or blocks of one paragraph (an article's heading and its text are two)."""
    text = paragraph.text
    if text.count(".") + text.count("·") >= _ROW or any(sign in text for sign in "․‥…⋯‧"):
        text = _LEADERS.sub(" … ", text)
    words = shown_words([word for line in paragraph.lines for word in line.words], place)
    confidence = paragraph.confidence

    def block(kind: BlockKind, content: str, level: int = 0, label: str = "") -> Block:
        layer = Layer.NOTES if kind is BlockKind.NOTE else Layer.BODY
        return Block(
            kind=kind,
            text=content,
            layer=layer,
            level=level,
            label=label,
            position=Position(page=page, box=rounded(place(paragraph.box))),
            origin=origin,
            confidence=round(confidence, 4),
            words=words,
        )

    article = split_article(text)
    if article:
        head = block(BlockKind.HEADING, article[0], level=_mark_level(3, style))
        return [head, block(BlockKind.PARAGRAPH, article[1])] if article[1] else [head]
    level = heading_level(paragraph, style, recognised=origin is Origin.OCR)
    if level:
        return [block(BlockKind.HEADING, text, level=level)]
    if is_caption(text):
        return [block(BlockKind.CAPTION, text)]
    mark = find_mark(text)
    if mark and mark.rest and not _heads(mark, style):
        return [
            block(BlockKind.LIST_ITEM, mark.rest, level=max(1, mark.depth - 1), label=mark.label)
        ]
    return [block(BlockKind.PARAGRAPH, text)]


def shown_words(words: Iterable[Word], place: Callable[[Box], Box]) -> tuple[Word, ...]:
    """Words with their boxes on the page as shown."""
    return tuple(Word(w.text, rounded(place(w.box)), w.confidence) for w in words)


def heading_level(paragraph: Paragraph, style: Style, *, recognised: bool = False) -> int:
    """Level from 1 of a heading, 0 for other text. Size tells first, then weight, then the mark."""
    text = paragraph.text
    known = style.bookmarks.get(plain_key(text)) if style.bookmarks else 0
    if known:
        return min(known, _LEVELS)
    if _is_other(paragraph, recognised=recognised):
        return 0
    if paragraph.size >= (_LARGER_SEEN if recognised else _LARGER) * style.body:
        return _size_level(paragraph.size, style)
    if paragraph.size < _SMALL_PRINT * style.body or len(text) > _MAX_MARKED:
        return 0
    return _weight_level(paragraph, style)


def _is_other(paragraph: Paragraph, *, recognised: bool) -> bool:
    """Too long for a heading, a sentence, a caption, a note, an entry of a table of contents, a label along the edge."""
    text = paragraph.text
    # Recognised: ascenders and descenders alone make a line of a sentence look large.
    if len(text) > (_MAX_MARKED if recognised else _MAX_HEADING) or not _has_letters(text):
        return True
    if is_caption(text) or len(paragraph.lines) > _MAX_LINES:
        return True
    if any(line.upright_turn for line in paragraph.lines):
        return True
    return bool(_SENTENCE.search(text) or _NOTE.match(text) or _LEADERS.search(text))


def _weight_level(paragraph: Paragraph, style: Style) -> int:
    """Headings of the body's size: bold, or with a mark that stands before headings only."""
    mark = find_mark(paragraph.text)
    bold = paragraph.bold and not style.bold_body
    if mark and mark.rest and (bold or _heads(mark, style)):
        return _mark_level(mark.depth, style)
    if bold and len(paragraph.lines) == 1:
        return min(len(style.sizes) + 1, _LEVELS)
    return 0


def _heads(mark: Mark, style: Style) -> bool:
    """The mark alone makes a heading: a chapter's or article's, or a number such as ``1.2`` that others count on."""
    if not mark.heading:
        return False
    return (
        len(mark.label) > _SHORT_MARK
        or mark.label.startswith("제")
        or mark.label.strip(".") in style.counted
    )


def _size_level(size: float, style: Style) -> int:
    rank = sum(s > size * 1.1 for s in style.sizes)
    return min(rank + 1, _LEVELS)


def _mark_level(depth: int, style: Style) -> int:
    """Marks rank below headings that are set larger."""
    return min(max(depth, min(len(style.sizes), 2) + 1), _LEVELS)


def _has_letters(text: str) -> bool:
    """At least two: a number is no heading."""
    return sum(map(str.isalpha, text)) > 1
