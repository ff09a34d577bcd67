"""Plain text of a mail as blocks: paragraphs, and what is quoted from earlier mails in its own layer."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from contracts.documents import Block, BlockKind, Layer, Position

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

__all__ = ["starts_quote", "text_blocks", "unflow"]

_PLACE = Position(message=1)
_DIVIDER = re.compile(
    r"\s*[-_=*\[\s]{2,}\s*(?:original message|original appointment|원본 ?메시지|원본 ?(?:이|전자 ?)?메일|원문|"
    r"받은 ?메일 ?내용|보낸 ?메일 ?내용|reply message|원본 메일 내용)\s*[-_=*\]\s]*$|"
    r"\s*\[\s*(?:원본 ?메시지|원본 ?메일)\s*\]\s*$|"
    r"\s*\|-{6,}>\s*$",  # Notes draws the old headers in boxes
    re.IGNORECASE,
)
_ATTRIBUTION = re.compile(
    r"\s*(?:on\b.{0,120}\d.{0,120}\bwrote\s*:|.{0,120}\d{4}.{0,120}\bwrote\s*:|"
    r".{0,200}(?:님이|님께서|께서)\s*(?:.{0,60}\d.{0,20}\s)?(?:작성|쓴 글|쓰신 글|보낸 (?:글|메시지|메일))\s*:?|"
    r".{0,200}(?:이\(가\)|[이가])\s(?:쓴|작성한) 글\s*:|"
    r".{0,200}\d{4}[년.\-/].{3,160}<[^>]+@[^>]+>(?:\s*(?:이|가)?\s*작성)?\s*:)\s*$",
    re.IGNORECASE,
)
# Outlook puts the old mail's headers above its text; three of them in a row are no accident.
_OLD_HEADER = re.compile(
    r"\s*\*?(?:from|sent|date|to|cc|subject|보낸 ?사람|보낸 ?날짜|보낸 ?시간|받는 ?사람|참조|제목|날짜|"
    r"발신인?|수신인?|일시)\s*\*?\s*[:：]",
    re.IGNORECASE,
)
_MIN_OLD_HEADERS = 3
_OLD_VALUE = re.compile(r"@|\d{4}\s?[년./-]|\b(?:19|20)\d\d\b|\b\d{1,2}:\d\d\b")
"""An address, a year or a time: headers name when and by whom; a list of stops or months does not."""
_ATTRIBUTION_LINES = 3
_ATTRIBUTION_ENDS = (":", "작성", "글", "메시지", "메일")
_LONGEST_MARK = 400
"""Longer lines are no dividers; matching them would take time that grows with their square."""


def text_blocks(text: str, *, forwarded: bool = False, answers: bool = True) -> list[Block]:
    """Paragraphs of a plain body.

    Args:
        text: The body.
        forwarded: The mail hands on another one: what is below a divider is its content, not a quotation.
        answers: The mail answers another one: otherwise a line with ``>`` is quoted only below one that says whose it is.
    """
    blocks: list[Block] = []
    lines = text.expandtabs(4).splitlines()
    for run, layer in _runs(lines, forwarded=forwarded, answers=answers):
        blocks += [
            Block(kind=BlockKind.PARAGRAPH, text=paragraph, layer=layer, position=_PLACE)
            for paragraph in _paragraphs(run)
        ]
    return blocks


def starts_quote(lines: Sequence[str], at: int) -> bool:
    """Whether everything from this line on is an earlier mail: a divider, or its header block."""
    if len(lines[at]) > _LONGEST_MARK:
        return False
    if _DIVIDER.match(lines[at]):
        return True
    if not _OLD_HEADER.match(lines[at]):
        return False
    following = [line[:_LONGEST_MARK] for line in lines[at : at + 8] if line.strip()]
    headers = [line for line in following if _OLD_HEADER.match(line)]
    return len(headers) >= _MIN_OLD_HEADERS and any(_OLD_VALUE.search(line) for line in headers)


def unflow(text: str, *, delete_space: bool) -> str:
    """Join the soft line breaks of ``format=flowed`` (RFC 3676, 4.2).

    Args:
        text: The body.
        delete_space: ``delsp=yes``: the space at the end of a soft line is not part of the text.
    """
    lines: list[str] = []
    soft = False
    depth = 0
    for line in text.splitlines():
        quotes = len(line) - len(line.lstrip(">"))
        content = line[quotes:].removeprefix(" ")
        goes_on = content.endswith(" ") and content != "-- "
        if soft and quotes == depth and content != "-- ":
            lines[-1] += content
        else:
            lines.append((">" * quotes + " " if quotes else "") + content)
        if goes_on and delete_space:
            lines[-1] = lines[-1][:-1]
        soft, depth = goes_on, quotes
    return "\n".join(lines)


def _runs(lines: list[str], *, forwarded: bool, answers: bool) -> Iterator[tuple[list[str], Layer]]:
    """Neighbouring lines of one layer, quotation marks removed."""
    run: list[str] = []
    layer = Layer.BODY
    for line, wanted in _layered(lines, forwarded=forwarded, answers=answers):
        if wanted is not layer and run:
            yield run, layer
            run = []
        layer = wanted
        run.append(line)
    if run:
        yield run, layer


def _layered(lines: list[str], *, forwarded: bool, answers: bool) -> Iterator[tuple[str, Layer]]:
    own_text = False
    marks_quote = answers or forwarded
    rest_is_old = False
    at = 0
    while at < len(lines):
        line = lines[at]
        if not rest_is_old and own_text and not forwarded:
            rest_is_old = starts_quote(lines, at)
        if rest_is_old:
            yield _bare(line), Layer.QUOTED
        elif marks_quote and line.lstrip().startswith(">"):
            yield _bare(line), Layer.BODY if forwarded else Layer.QUOTED
        elif span := _attribution(lines, at):
            marks_quote = True
            for number in range(span):
                yield lines[at + number], Layer.QUOTED
            rest_is_old = own_text and not forwarded and not _marked_below(lines, at + span)
            at += span - 1
        else:
            own_text = own_text or bool(line.strip())
            yield line, Layer.BODY
        at += 1


def _attribution(lines: list[str], at: int) -> int:
    """How many lines from here say who wrote what follows; 0 for none."""
    if not lines[at].strip():
        return 0
    joined = ""
    for span in range(1, _ATTRIBUTION_LINES + 1):
        if at + span > len(lines) or not lines[at + span - 1].strip():
            return 0
        if len(joined) + len(lines[at + span - 1]) > _LONGEST_MARK:
            return 0
        joined = f"{joined} {lines[at + span - 1].strip()}"
        if (
            joined.endswith(_ATTRIBUTION_ENDS)
            and _ATTRIBUTION.match(joined)
            and _marked_below(lines, at + span, or_at_end=True)
        ):
            return span
    return 0


def _marked_below(lines: list[str], at: int, *, or_at_end: bool = False) -> bool:
    """Whether the next written line is a quoted one (``or_at_end``: or any, after a blank line)."""
    for number, line in enumerate(lines[at : at + 3]):
        if line.strip():
            return line.lstrip().startswith(">") or (or_at_end and number > 0)
    return False


def _bare(line: str) -> str:
    return line.lstrip("> \t")


def _paragraphs(lines: list[str]) -> Iterator[str]:
    paragraph: list[str] = []
    for line in [*lines, ""]:
        if line.strip():
            paragraph.append(line.rstrip().replace("\0", ""))
        elif paragraph:
            yield "\n".join(paragraph)
            paragraph = []
