"""Where sentences end in Korean and English text. Pure."""

from __future__ import annotations

import re

__all__ = ["sentences"]

_END = re.compile(r"(?<=[.!?。！？…])[\"'”’)\]」』]*\s+|[ \t]*\n\s*")
_NOT_END = re.compile(
    r"(?:(?:^|[\s(])(?:No|Nos|Rev|Ver|Fig|Tab|Eq|Mr|Ms|Dr|St|vs|cf|etc|approx|e\.g|i\.e|Co|Ltd|Inc|Corp|제|약)\.|(?:^|[\s(])(?:\d{1,3}|[가-하A-Za-z])\.)$",
    re.IGNORECASE,
)
"""``Rev. 3``, ``1. 목적`` and ``2024. 3. 1.`` do not end a sentence."""
_YEAR = re.compile(r"(?<!\d)(?:(?:19|20)\d{2}|'\d{2})\.$")
"""``2025. 5. 18.``: a year ends a sentence only where no month follows."""
_LOOKBACK = 12


def sentences(text: str) -> list[tuple[str, str]]:
    r"""``(joint, sentence)`` of a text; ``joint`` is ``"\n"`` where a line began, else ``" "``."""
    found: list[tuple[str, str]] = []
    start, joint = 0, "\n"
    for match in _END.finditer(text):
        broken = "\n" in match.group()
        before = text[max(start, match.start() - _LOOKBACK) : match.start()]
        dated = text[match.end() : match.end() + 1].isdigit() and _YEAR.search(before)
        if not broken and (dated or _NOT_END.search(before)):
            continue
        end = match.start() + len(match.group().rstrip())
        piece = text[start:end].strip()
        if piece:
            found.append((joint, piece))
            joint = "\n" if broken else " "
        elif broken:
            joint = "\n"
        start = match.end()
    rest = text[start:].strip()
    if rest:
        found.append((joint, rest))
    return found
