"""Korean particles that depend on the last sound before them: ``중량은(는)`` → ``중량은``."""

from __future__ import annotations

import re

__all__ = ["settled_particles"]

_PAIR = re.compile(
    r"(?P<last>[^\s])(?P<closing>[)\]']?)(?:(?P<with>은|이|을|과)\((?P<without>는|가|를|와)\))"
)
_DIGITS_WITH_TAIL = "013678"
_LETTERS_WITH_TAIL = "LMNRlmnr"


def settled_particles(text: str) -> str:
    """Every pair such as ``을(를)`` becomes the one that the sound before it asks for."""
    return _PAIR.sub(_chosen, text)


def _chosen(match: re.Match[str]) -> str:
    last = match["last"]
    number = ord(last) - 0xAC00
    closed = (
        number % 28 != 0 if 0 <= number < 11_172 else last in _DIGITS_WITH_TAIL + _LETTERS_WITH_TAIL
    )
    return f"{last}{match['closing']}{match['with'] if closed else match['without']}"
