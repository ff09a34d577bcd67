"""Marks that Korean documents put before headings and list items, with their depth."""

from __future__ import annotations

import re

import msgspec

__all__ = ["Mark", "find_mark", "is_page_number", "split_article"]


class Mark(msgspec.Struct, frozen=True, gc=False):
    """A mark at the start of a line.

    Attributes:
        label: The mark itself, such as ``제1조``, ``1.1``, ``가.``, ``□``.
        depth: 1 for the outermost (chapters) to 8.
        heading: It stands before headings (else before list items, which may still be headings).
        rest: What follows it.
    """

    label: str
    depth: int
    heading: bool
    rest: str


_MARKS: tuple[tuple[str, int, bool], ...] = (
    (r"제\s?\d{1,3}\s?편(?=\s|$)", 1, True),
    (r"제\s?\d{1,3}\s?장(?=\s|$)", 1, True),
    (r"(?:Chapter|CHAPTER|Part|PART)\s\d{1,3}(?=\W|$)", 1, True),
    (r"제\s?\d{1,3}\s?절(?=\s|$)", 2, True),
    (r"제\s?\d{1,4}\s?조(?:의\s?\d{1,3})?(?=\s?[\(（\[【])", 3, True),
    (r"[ⅠⅡⅢⅣⅤⅥⅦⅧⅨⅩ]{1,3}\.?(?=\s|[가-힣]|$)", 1, True),
    (r"(?:I|II|III|IV|V|VI|VII|VIII|IX|X|XI|XII)\.(?=\s|[가-힣])", 1, True),
    (r"\d{1,2}(?:\.\d{1,2}){1,4}\.?(?=\s+[^\d\s%])", 0, True),
    (r"\d{1,2}\.(?=\s*[^\d\s.])", 2, True),
    (r"[가나다라마바사아자차카타파하거너더러머버서어저처커터퍼허]\.(?=\s*\S)", 3, False),
    (r"\d{1,2}\)(?=\s*\S)", 4, False),
    (r"[가나다라마바사아자차카타파하]\)(?=\s*\S)", 5, False),
    (r"\(\d{1,2}\)(?=\s*\S)", 5, False),
    (r"\([가나다라마바사아자차카타파하]\)(?=\s*\S)", 6, False),
    (r"[①-⑳㉑-㉟]", 6, False),
    (r"[㉮-㉻㉠-㉭ⓐ-ⓩ]", 7, False),
    (r"[□■◇◆▣](?=\s*\S)", 2, False),
    (r"[○●◎❍ㅇ](?=\s+\S)", 3, False),
    (r"[○●◎❍](?=\S)", 3, False),
    (r"[―—–](?=\s*\S)", 4, False),
    (r"-(?=\s+\S)", 4, False),
    (r"[•·∙‣▪▸▶►➢∘◦⦁✓✔➤](?=\s*\S)", 5, False),
    (r"\*(?=\s+\S)", 5, False),
    (r"[a-zA-Z][.)](?=\s+\S)", 6, False),
)
_ANY_MARK = re.compile("|".join(f"({pattern})" for pattern, _, _ in _MARKS))
_ARTICLE = re.compile(
    r"^(제\s?\d{1,4}\s?조(?:의\s?\d{1,3})?\s?[\(（\[【][^)）\]】]{1,40}[)）\]】])\s*"
)
_PAGE_NUMBER = re.compile(
    r"^[\s\-–—―~<\[|·•]*(?:page|p\.?|쪽|페이지)?\s*(\d{1,4})\s*(?:쪽|페이지|page)?"
    r"(?:\s*(?:/|of|중)\s*\d{1,4})?[\s\-–—―~>\]|·•]*$",
    re.IGNORECASE,
)


def find_mark(text: str) -> Mark | None:
    """The mark that ``text`` starts with, or None."""
    found = _ANY_MARK.match(text)
    if found is None or found.lastindex is None:
        return None
    _, depth, heading = _MARKS[found.lastindex - 1]
    label = found.group()
    level = depth or min(8, label.strip(".").count(".") + 2)
    return Mark(label, level, heading, text[found.end() :].strip())


def split_article(text: str) -> tuple[str, str] | None:
    """``제3조(정의) 이 지침에서 …`` as heading and text; None where it is no article."""
    found = _ARTICLE.match(text)
    return (found.group(1), text[found.end() :]) if found else None


def is_page_number(text: str) -> int | None:
    """The number, where the whole text is a page number such as ``- 3 -`` or ``3 / 12``."""
    found = _PAGE_NUMBER.match(text)
    return int(found.group(1)) if found else None
