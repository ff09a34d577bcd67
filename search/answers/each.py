"""Questions about several things at once (``A, B 각각의 토크는?``): one question of each. Pure, by their words."""

from __future__ import annotations

import re

__all__ = ["parts_of"]

_EACH = re.compile(r"^(?P<things>[^?]{3,160}?)\s*각각의?\s+(?P<asked>[^?]{2,}\??)$")
_JOINT = re.compile(r"\s*,\s*|\s+및\s+|(?<=[가-힣0-9A-Za-z])(?:와|과)\s+")
_MOST = 4


def parts_of(question: str) -> tuple[str, ...]:
    """The questions, in order; empty where it is about one thing, or about more than four."""
    match = _EACH.match(" ".join(question.split()))
    if match is None:
        return ()
    things = [thing.strip() for thing in _JOINT.split(match["things"]) if thing.strip()]
    if not 2 <= len(things) <= _MOST:  # noqa: PLR2004  several
        return ()
    return tuple(f"{thing}의 {match['asked']}" for thing in things)
