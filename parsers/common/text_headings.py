"""Headings that say so by their number alone, such as 제1장, 제3조(목적), Ⅰ., 1. and 1.2.

For plain text, and for documents whose author numbered by hand and used no heading styles. Levels follow the rank
of the patterns that the text really uses.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from msgspec import structs

from contracts.documents import Block, BlockKind, Layer
from parsers.common.hangul_headings import split_article

__all__ = ["heading_rank", "list_label", "with_headings"]

_MOST_LETTERS = 80
_SENTENCE = re.compile(r"[.?!。]$|(?:다|요|오|함|음|임|됨|것)\.?$|[,;:：]$")
_CONTENTS_LINE = re.compile(r"(?:\t|[.·…‥]{3,}|\s{4,})\s*[-–]?\s*\d+\s*[-–]?$")
_RANKS = (
    (10, re.compile(r"제\s*\d+\s*편(?=\s|$|[.(:])")),
    (11, re.compile(r"제\s*\d+\s*[장부](?=\s|$|[.(:])")),
    (12, re.compile(r"제\s*\d+\s*절(?=\s|$|[.(:])")),
    (13, re.compile(r"제\s*\d+\s*관(?=\s|$|[.(:])")),
    (14, re.compile(r"제\s*\d+\s*조(?:의\s*\d+)?\s*(?:\(|$|\s)")),
    (20, re.compile(r"(?:[Ⅰ-Ⅻ]+\s*[.．)]?|[IVX]{1,5}[.．)])\s*\S")),
    (30, re.compile(r"\d{1,2}\s*[.．](?!\d)\s*\S")),
    (31, re.compile(r"\d{1,2}(?:[.．-]\d{1,2})[.．]?\s+\S")),
    (32, re.compile(r"\d{1,2}(?:[.．-]\d{1,2}){2}[.．]?\s+\S")),
    (33, re.compile(r"\d{1,2}(?:[.．-]\d{1,2}){3,}[.．]?\s+\S")),
)
_EXPLICIT = 13
"""Up to this rank a number says by itself that it is a heading."""
_SIMPLE = 30
"""``1.`` numbers headings and lists alike: what follows decides."""
_LABEL = re.compile(
    r"(\(?\d{1,3}[.)]|\(?[가-하][.)]|[가나다라마바사아자차카타파하]\.|\(?[a-zA-Z][.)]|[①-⑳㉑-㉟㊱-㊿]|[⑴-⒇⒈-⒛㈀-㈛㉠-㉻]|"
    r"[-*+•·●○◦▪▫■□◆◇▶▷►※ㅇ–—☞✓☐☑])(?:\s+|(?<=[①-⑳])|(?<=[가-하][.)]))(?=\S)"
)
_BULLETS = frozenset("-*+•·●○◦▪▫■□◆◇▶▷►ㅇ–—")


def heading_rank(text: str) -> int:
    """Rank of a line that may be a heading (smaller is stronger), 0 for none."""
    text = text.strip()
    if not text or "\n" in text or len(text) > _MOST_LETTERS or _CONTENTS_LINE.search(text):
        return 0
    for rank, pattern in _RANKS:
        if pattern.match(text):
            return rank if rank <= _EXPLICIT or not _SENTENCE.search(text) else 0
    return 0


def list_label(line: str) -> tuple[str, str] | None:
    """``가. 내용`` as label and text; bullets have the label ""; None for a line that is no list item."""
    found = _LABEL.match(line)
    if found is None:
        return None
    label = found[1]
    return ("" if label in _BULLETS else label), line[found.end() :].strip()


def with_headings(blocks: Sequence[Block]) -> list[Block]:
    """Body paragraphs and numbered items that are headings by their number become headings.

    ``제1조(목적) 이 규정은 …`` is parted into heading and text.
    """
    parted: list[Block] = []
    for block in blocks:
        article = split_article(block.text) if _may_be(block) else None
        if article and not block.label:
            parted += [
                structs.replace(block, text=article[0]),
                structs.replace(block, text=article[1]),
            ]
        else:
            parted.append(block)
    ranks = [heading_rank(_line(block)) if _may_be(block) else 0 for block in parted]
    ranks = [
        0 if rank == _SIMPLE and not _opens_text(parted, ranks, at) else rank
        for at, rank in enumerate(ranks)
    ]
    levels = {rank: level for level, rank in enumerate(sorted(set(ranks) - {0}), start=1)}
    return [
        structs.replace(
            block, kind=BlockKind.HEADING, text=_line(block), label="", level=levels[rank]
        )
        if rank
        else block
        for block, rank in zip(parted, ranks, strict=True)
    ]


def _may_be(block: Block) -> bool:
    kind = block.kind
    return block.layer is Layer.BODY and kind in (BlockKind.PARAGRAPH, BlockKind.LIST_ITEM)


def _line(block: Block) -> str:
    return f"{block.label} {block.text}".strip()


def _opens_text(blocks: Sequence[Block], ranks: Sequence[int], at: int) -> bool:
    """Whether ``1. …`` stands over something else than the next number of its list."""
    if at + 1 >= len(blocks):
        return False
    following = ranks[at + 1]
    if following == _SIMPLE:
        return False
    before = ranks[at - 1] if at else 0
    return before != _SIMPLE or following == 0
