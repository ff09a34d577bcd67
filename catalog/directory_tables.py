"""Tables of the snapshots of directories; a change here needs a revision, as in :mod:`catalog.tables`."""

from __future__ import annotations

import sqlalchemy as sa

from catalog.columns import number, text
from catalog.tables import metadata

__all__ = ["directory_entries", "directory_links", "directory_snapshots"]

directory_snapshots = sa.Table(
    "directory_snapshots",
    metadata,
    text("realm", key=True),
    number("generation"),
    number("building"),
    text("server"),
    text("cursor"),
    text("refreshed_at"),
    text("full_at"),
    text("problem"),
)

directory_entries = sa.Table(
    "directory_entries",
    metadata,
    text("realm", key=True),
    number("generation", key=True),
    text("entry_id", key=True),
    text("kind"),
    text("dn"),
    text("body"),
)

directory_links = sa.Table(
    "directory_links",
    metadata,
    text("realm", key=True),
    number("generation", key=True),
    text("key", key=True),
    text("entry_id", key=True),
)
sa.Index(
    "ix_directory_links_entry",
    directory_links.c.realm,
    directory_links.c.generation,
    directory_links.c.entry_id,
)
