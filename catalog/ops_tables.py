"""Tables of the dashboard and of synonyms; a change here needs a revision, as in :mod:`catalog.tables`."""

from __future__ import annotations

import sqlalchemy as sa

from catalog.columns import number, text
from catalog.tables import metadata

__all__ = ["dictionaries", "draws", "evaluations", "events", "sessions"]

dictionaries = sa.Table(
    "dictionaries",
    metadata,
    number("version", key=True),
    text("at"),
    text("author"),
    text("note"),
    text("text"),
)

evaluations = sa.Table(
    "evaluations",
    metadata,
    number("seq", key=True),
    text("at"),
    text("kind"),
    text("name"),
    text("digest"),
    number("questions"),
    text("made_with"),
    text("figures"),
)
sa.Index("ix_evaluations_name", evaluations.c.kind, evaluations.c.name, evaluations.c.seq)

sessions = sa.Table(
    "sessions",
    metadata,
    text("digest", key=True),
    text("reader"),
    text("caller"),
    text("csrf"),
    text("created_at"),
    text("expires_at"),
    text("mark"),
)

events = sa.Table(
    "events",
    metadata,
    number("seq", key=True),
    text("at"),
    text("document_id"),
    text("kind"),
    text("detail"),
)
sa.Index("ix_events_document", events.c.document_id, events.c.seq)

draws = sa.Table(
    "draws",
    metadata,
    number("draw", key=True),
    number("place", key=True),
    text("version_id"),
    text("document_id"),
    number("page"),
    text("stratum"),
    text("by"),
    text("at"),
)
sa.Index("ix_draws_document", draws.c.document_id)
