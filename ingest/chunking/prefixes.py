"""Title prefixes: ``container › title › heading › heading`` within a share of the passage."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ingest.chunking.units import TokenCounter

__all__ = ["title_prefix"]

_JOINT = " › "
_GAP = "…"


def title_prefix(
    title: str,
    headings: Sequence[str],
    containers: Sequence[str],
    budget: int,
    counter: TokenCounter,
) -> str:
    """The prefix, at most ``budget`` tokens.

    What is too long is shortened from the least telling end: first the containers go, then the headings between
    title and the innermost one, then the innermost heading and the title are cut.
    """
    own = [part for part in headings if part != title]
    parts = [*containers, title, *own]
    first = len(containers)
    while _count(parts, counter) > budget and first > 0:
        parts.pop(0)
        first -= 1
    while _count(parts, counter) > budget and len(parts) > 2:  # noqa: PLR2004  title and innermost heading
        parts.pop(1)
    if _count(parts, counter) <= budget:
        return _JOINT.join(parts)
    share = budget // len(parts)
    return _JOINT.join(_cut(part, share, counter) for part in parts if share > 1) or _cut(
        title, budget, counter
    )


def _count(parts: Sequence[str], counter: TokenCounter) -> int:
    return counter.one(_JOINT.join(parts))


def _cut(text: str, budget: int, counter: TokenCounter) -> str:
    """The longest start of a text, with ``…``, that counts at most ``budget`` less the joint."""
    room = max(1, budget - counter.one(_JOINT.strip()))
    if counter.one(text) <= room:
        return text
    low, high = 0, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        if counter.one(text[:middle].rstrip() + _GAP) <= room:
            low = middle
        else:
            high = middle - 1
    return text[:low].rstrip() + _GAP if low else ""
