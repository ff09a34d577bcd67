"""Times as the catalog writes them: UTC, ISO 8601 with microseconds and ``Z``.

The width is fixed, so the order of the texts is the order of the times.
"""

from __future__ import annotations

from datetime import UTC, datetime

__all__ = ["parse_utc", "utc_now", "utc_text"]


def utc_now() -> str:
    """Now, such as ``2026-11-29T08:15:30.000250Z``."""
    return utc_text(datetime.now(UTC))


def utc_text(moment: datetime) -> str:
    """A moment in the catalog's form.

    Raises:
        ValueError: the moment has no time zone.
    """
    if moment.tzinfo is None:
        msg = "a moment without a time zone"
        raise ValueError(msg)
    return moment.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")


def parse_utc(text: str) -> datetime:
    """The moment that ``utc_text`` (or any ISO 8601 text; without an offset: UTC) stands for.

    Raises:
        ValueError: not ISO 8601.
    """
    moment = datetime.fromisoformat(text)
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
