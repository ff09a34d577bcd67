"""Tables of the dashboard and of synonyms; a change here needs a revision, as in :mod:`catalog.tables`."""

from __future__ import annotations

import sqlalchemy as sa

from catalog.tables import metadata
from catalog.text import SafeText

__all__ = ["dictionaries", "draws", "events", "sessions"]

_NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def _text(name: str, *, key: bool = False) -> sa.Column[str]:
    return sa.Column(name, SafeText(), nullable=False, primary_key=key)


def _number(name: str, *, key: bool = False) -> sa.Column[int]:
    return sa.Column(name, _NUMBER, nullable=False, primary_key=key, autoincrement=False)


dictionaries = sa.Table(
    "dictionaries",
    metadata,
    _number("version", key=True),
    _text("at"),
    _text("author"),
    _text("note"),
    _text("text"),
)

sessions = sa.Table(
    "sessions",
    metadata,
    _text("digest", key=True),
    _text("reader"),
    _text("caller"),
    _text("csrf"),
    _text("created_at"),
    _text("expires_at"),
)

events = sa.Table(
    "events",
    metadata,
    _number("seq", key=True),
    _text("at"),
    _text("document_id"),
    _text("kind"),
    _text("detail"),
)
sa.Index("ix_events_document", events.c.document_id, events.c.seq)

draws = sa.Table(
    "draws",
    metadata,
    _number("draw", key=True),
    _number("place", key=True),
    _text("version_id"),
    _text("document_id"),
    _number("page"),
    _text("stratum"),
    _text("by"),
    _text("at"),
)
sa.Index("ix_draws_document", draws.c.document_id)
