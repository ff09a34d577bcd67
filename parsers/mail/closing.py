"""What stands below a mail's own text and says nothing of the matter: signatures, disclaimers, lines of devices.

There is no standard but ``-- `` (RFC 3676, 4.3), which few programs write. So the end of a mail's own text is read
from below: lines that hold contact data, who somebody is, or legal phrases are taken as long as they follow
each other, and only where enough of them prove it. What a person wrote as a sentence ends the search. A signature
without contact data is told by its first line: the sender's name, ``한지우 드림``, or what follows "Kind regards,".

Above the text stands at most a banner: that the mail comes from outside.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from msgspec import structs

from contracts.documents import BlockKind, Layer
from parsers.mail import cues
from parsers.mail.sender import Sender

if TYPE_CHECKING:
    from collections.abc import Sequence

    from contracts.documents import Block

__all__ = ["is_signature", "set_closing_apart"]

_SHORT = 48
_MOST_SIGNED = 12
"""More lines below a name are no signature."""
_BANNER = 400
"""Longer paragraphs are no banner."""
_MOST_LINES = 30
_LONGEST = 1500
"""Longer lines are no part of a signature; a disclaimer in one line may be this long."""


@dataclass(frozen=True, slots=True)
class _Line:
    block: int
    number: int
    text: str
    listed: bool = False


def set_closing_apart(blocks: Sequence[Block], sender: Sender | None = None) -> list[Block]:
    """Move what is no text of the mail's own to the ``furniture`` layer: signature and disclaimer, a banner above.

    Where nothing would be left of the mail's own text, everything stays.

    Args:
        blocks: A mail's blocks, quoted parts already in their layer.
        sender: Who wrote it; a line with that name can begin a signature.
    """
    if not any(block.layer is Layer.BODY for block in blocks):
        # all that was written stands where the program puts the signature
        return [
            structs.replace(b, layer=Layer.BODY) if b.layer is Layer.FURNITURE else b
            for b in blocks
        ]
    made = _without_banner(list(blocks))
    for begin, end in reversed(_own_runs(made)):
        lines = _lines(made, begin, end)
        cut = _closing_start(lines, sender or Sender(""))
        if cut < len(lines) and any(line.text.strip() for line in lines[:cut]):
            made[begin:end] = _split(made[begin:end], lines[cut], begin)
    return made if any(b.layer is Layer.BODY for b in made) else list(blocks)


def is_signature(text: str) -> bool:
    """Whether text that its markup calls a signature can be one: people write answers into that place, too.

    Args:
        text: All text of the element, lines separated by line feeds.
    """
    lines = [_bounded(line) for line in text.split("\n") if line.strip()]
    marks = (cues.DEVICE, cues.SIGN_OFF, cues.DELIMITER)
    if len(lines) > _MOST_LINES or not any(
        _tells(line) or any(mark.match(line) for mark in marks) for line in lines
    ):
        return False
    return not any(
        cues.SENTENCE.search(line)
        and not (_contacts(line) or _identity(line) or cues.DEVICE.match(line) or _is_legal(line))
        for line in lines
    )


def _without_banner(blocks: list[Block]) -> list[Block]:
    """The first paragraph in its layer, where it only says that the mail comes from outside."""
    for at, block in enumerate(blocks):
        if block.layer is Layer.BODY:
            text = " ".join(block.text.split())
            patterns = (cues.OUTSIDE, cues.OF_MAIL, cues.BEWARE)
            if len(text) <= _BANNER and all(pattern.search(text) for pattern in patterns):
                blocks[at] = structs.replace(block, layer=Layer.FURNITURE)
            break
    return blocks


def _own_runs(blocks: Sequence[Block]) -> list[tuple[int, int]]:
    """The last run of own blocks before each quotation, and the last of all."""
    runs: list[tuple[int, int]] = []
    start: int | None = None
    own_end = 0
    for at, block in enumerate([*blocks, None]):
        if block is not None and block.layer is Layer.BODY:
            start = at if start is None else start
            own_end = at + 1
        elif start is not None and (block is None or block.layer is Layer.QUOTED):
            runs.append((start, own_end))
            start = None
    return runs[:1] + runs[1:][-1:]


def _lines(blocks: Sequence[Block], begin: int, end: int) -> list[_Line]:
    """The lines of the run's paragraphs after its last table or heading, blank ones between paragraphs."""
    found: list[_Line] = []
    for at in range(begin, end):
        block = blocks[at]
        if block.table is not None or block.kind is BlockKind.HEADING:
            if _is_card(block):
                found.append(_Line(at, 0, _card_text(block)))
            else:
                found = (
                    [_Line(at, 0, "표.")] if block.table is not None else [_Line(at, 0, block.text)]
                )
            continue
        listed = block.kind is BlockKind.LIST_ITEM
        found += [
            _Line(at, number, _bounded(line.strip(cues.BOX)), listed)
            for number, line in enumerate(block.text.split("\n"))
        ]
    return found


def _bounded(text: str) -> str:
    """Both ends of a line that is too long for anything here: the patterns would take time with its square."""
    most = 3 * _LONGEST
    return text if len(text) <= most else f"{text[: most // 2]} {text[-most // 2 :]}"


def _is_card(block: Block) -> bool:
    """A table that is a visiting card: contact data and little else."""
    text = _card_text(block)
    return block.table is not None and len(text) <= _LONGEST and _contacts(text) >= 2  # noqa: PLR2004  phone and address


def _card_text(block: Block) -> str:
    return " ".join(cell.text for cell in block.table.cells) if block.table is not None else ""


def _closing_start(lines: Sequence[_Line], sender: Sender) -> int:
    """Index of the first line that does not belong to the text; the number of lines where all do."""
    return _signed_start(lines, _apart_start(lines, _below_legal(lines)), sender)


def _apart_start(lines: Sequence[_Line], cut: int) -> int:
    """Index of the rule, the delimiter or the card with which the signature above ``cut`` begins; else ``cut``."""
    for at in range(max(0, cut - _MOST_LINES), cut):
        below = [line.text for line in lines[at + 1 : cut]]
        if cues.DELIMITER.match(lines[at].text) and len(below) <= _MOST_LINES:
            return at
        if cues.RULE.match(lines[at].text) and below and _proves(below) and not _prose(below):
            return at
    return _card_start(lines, cut)


def _card_start(lines: Sequence[_Line], cut: int) -> int:
    """Index from which on lines above ``cut`` are who somebody is and how to reach them."""
    at = cut
    while at > 0 and _belongs(lines[at - 1].text):
        at -= 1
    taken = [line.text for line in lines[at:cut]]
    while taken and not _tells(
        taken[0]
    ):  # a name or a short line counts only within what is proved
        at, taken = at + 1, taken[1:]
    if not taken or not _proves(taken) or (at > 0 and _goes_on(lines, at)):
        return cut
    return at


def _signed_start(lines: Sequence[_Line], cut: int, sender: Sender) -> int:
    """Index of the line above ``cut`` that signs; only lines of a signature follow it."""
    start, strange = cut, 0
    for at in range(cut - 1, max(0, cut - _MOST_SIGNED - 1), -1):
        line = lines[at].text
        if lines[at].listed or (_sentence(line) and not cues.SIGN_OFF.match(line)):
            break
        if _signs(lines, at, sender):
            if 2 * strange > cut - at:
                break  # a list of what the named one does, not who it is
            start = at
        strange += not _belongs(line) and not cues.SIGN_OFF.match(line)
    return start


def _signs(lines: Sequence[_Line], at: int, sender: Sender) -> bool:
    line, above = lines[at].text, lines[at - 1].text
    if cues.GREETING.match(line) or lines[at - 1].listed:
        return False
    named = sender.signs(line) and _says_who(line, sender.rest(line))
    if cues.VALEDICTION.match(above):
        return named or _is_name(line) or _identity(line)
    if cues.ANNOUNCES.search(above) and not _sentence(above):
        return False
    ended = cues.ENDED.search(above) or cues.RULE.match(above) or cues.GREETING.match(above)
    apart = lines[at].block != lines[at - 1].block
    if cues.SIGN_OFF.match(line):
        return bool(ended) or apart
    return named and (bool(ended) or (apart and not _tells(above)))


def _says_who(line: str, rest: str) -> bool:
    """Whether beside the name a line says nothing, or a position, unit, company or contact data."""
    who = _identity(line) or _contacts(line) or cues.UNIT.search(rest)
    return not rest or bool(who or re.search(r"\S\s*[,|/·(]", line))


def _sentence(text: str) -> bool:
    """Whether a person wrote the line as a sentence; contact data, companies and sign-offs end in dots, too."""
    if len(text) > 4 * _SHORT:
        return True
    ended = cues.SENTENCE.search(text) and not _identity(text) and not cues.GREETING.match(text)
    return bool(ended) and not _contacts(text)


def _goes_on(lines: Sequence[_Line], at: int) -> bool:
    """Whether the line above announces what follows, or is an entry of the same list: then it is content."""
    above = lines[at - 1]
    if cues.GREETING.match(above.text):
        return False
    joined = above.block == lines[at].block
    return bool(cues.ANNOUNCES.search(above.text)) or (joined and not cues.ENDED.search(above.text))


def _below_legal(lines: Sequence[_Line]) -> int:
    """Index from which on everything is disclaimers and lines of devices."""
    at = len(lines)
    while at > 0:
        begin = at
        while (
            begin > 0
            and lines[begin - 1].block == lines[at - 1].block
            and _could_be_legal(lines[begin - 1].text)
        ):
            begin -= 1
        paragraph = " ".join(line.text for line in lines[begin:at])
        last = lines[at - 1].text
        if begin < at and _is_legal(paragraph):
            at = _legal_start(lines, begin, at)
        elif _is_legal(last) or cues.DEVICE.match(last) or cues.RULE.match(last):
            at -= 1
        else:
            break
    while at < len(lines) and cues.RULE.match(lines[at].text) and at + 1 == len(lines):
        at += 1  # a rule with nothing below it
    return at


def _legal_start(lines: Sequence[_Line], begin: int, end: int) -> int:
    """Where within a paragraph the disclaimer begins: its shortest end that says as much."""
    whole = _legal_cues(" ".join(line.text for line in lines[begin:end]))
    for at in range(end - 1, begin, -1):
        if _legal_cues(" ".join(line.text for line in lines[at:end])) == whole:
            return at
    return begin


def _could_be_legal(text: str) -> bool:
    return bool(text.strip()) and len(text) <= _LONGEST and not cues.GREETING.match(text)


def _legal_cues(text: str) -> int:
    return sum(bool(pattern.search(text)) for pattern in cues.LEGAL)


def _is_legal(text: str) -> bool:
    short_notice = len(text) <= 2 * _SHORT and bool(cues.PRINTING.search(text))
    return short_notice or (len(text) <= 3 * _LONGEST and _legal_cues(text) >= cues.ENOUGH_LEGAL)


def _contacts(text: str) -> int:
    """Kinds of contact data in a line."""
    return sum(
        bool(pattern.search(text)) for pattern in (cues.PHONE, cues.ADDRESS, cues.LABEL, cues.PLACE)
    )


def _identity(text: str) -> bool:
    bare = text.strip(" |/·*[]<>")
    firm = cues.COMPANY_END.search(bare)
    if not bare or len(bare) > 2 * _SHORT or (cues.SENTENCE.search(bare) and not firm):
        return False
    return bool(cues.COMPANY.search(bare) or cues.POSITION.search(bare) or cues.UNIT.search(bare))


def _tells(text: str) -> bool:
    """Whether a line can begin a signature."""
    return bool(cues.RULE.match(text) or _contacts(text) or _identity(text) or _is_name(text))


def _is_name(text: str) -> bool:
    """A name, or the same one in two scripts."""
    return all(cues.NAME.match(part) for part in re.split(r"[|/]", text))


def _belongs(text: str) -> bool:
    """Whether a line can be part of a signature."""
    if len(text) > 4 * _SHORT or cues.GREETING.match(text):
        return False
    if not text.strip() or cues.RULE.match(text) or cues.DEVICE.match(text) or _is_name(text):
        return True
    if _contacts(text):
        # a sentence that mentions a number is somebody's text
        return not cues.SENTENCE.search(text) or bool(cues.LABEL.match(text.lstrip(" |[(<*")))
    return _identity(text) or (
        len(text.strip()) <= _SHORT and not cues.SENTENCE.search(text) and _slogan(text)
    )


def _slogan(text: str) -> bool:
    """A short line in brackets or quotation marks, or one in Latin capitals, as companies put below their names."""
    bare = text.strip()
    return bare[:1] in "\"'“‘<[「『*" or (
        bare.isascii() and bare.upper() == bare and any(c.isalpha() for c in bare)
    )


def _proves(lines: Sequence[str]) -> bool:
    """Contact data of two kinds, or of one beside who somebody is."""
    kinds = {
        name
        for name, pattern in (
            ("phone", cues.PHONE),
            ("address", cues.ADDRESS),
            ("place", cues.PLACE),
        )
        if any(pattern.search(line) for line in lines)
    }
    who = any(_identity(line) or _is_name(line) for line in lines)
    return len(kinds) >= 2 or (len(kinds) == 1 and who)  # noqa: PLR2004  see the docstring


def _prose(lines: Sequence[str]) -> bool:
    return any(
        len(line) > 4 * _SHORT or (cues.SENTENCE.search(line) and not _contacts(line))
        for line in lines
    )


def _split(run: list[Block], first: _Line, begin: int) -> list[Block]:
    """The run with everything from a line on in the ``furniture`` layer."""
    at = first.block - begin
    made = run[:at]
    block = run[at]
    if first.number:
        above, below = (
            block.text.split("\n")[: first.number],
            block.text.split("\n")[first.number :],
        )
        made.append(structs.replace(block, text="\n".join(above)))
        block = structs.replace(block, text="\n".join(below))
    return [
        *made,
        *(structs.replace(b, layer=Layer.FURNITURE) for b in [block, *run[at + 1 :]]),
    ]
