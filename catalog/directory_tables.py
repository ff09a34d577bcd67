"""Tables of the snapshots of directories; a change here needs a revision, as in :mod:`catalog.tables`."""

from __future__ import annotations

import sqlalchemy as sa

from catalog.tables import metadata
from catalog.text import SafeText

__all__ = ["directory_entries", "directory_links", "directory_snapshots"]

_NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def _text(name: str, *, key: bool = False) -> sa.Column[str]:
    return sa.Column(name, SafeText(), nullable=False, primary_key=key)


def _number(name: str, *, key: bool = False) -> sa.Column[int]:
    return sa.Column(name, _NUMBER, nullable=False, primary_key=key, autoincrement=False)


directory_snapshots = sa.Table(
    "directory_snapshots",
    metadata,
    _text("realm", key=True),
    _number("generation"),
    _number("building"),
    _text("server"),
    _text("cursor"),
    _text("refreshed_at"),
    _text("full_at"),
    _text("problem"),
)

directory_entries = sa.Table(
    "directory_entries",
    metadata,
    _text("realm", key=True),
    _number("generation", key=True),
    _text("entry_id", key=True),
    _text("kind"),
    _text("dn"),
    _text("body"),
)

directory_links = sa.Table(
    "directory_links",
    metadata,
    _text("realm", key=True),
    _number("generation", key=True),
    _text("key", key=True),
    _text("entry_id", key=True),
)
sa.Index(
    "ix_directory_links_entry",
    directory_links.c.realm,
    directory_links.c.generation,
    directory_links.c.entry_id,
)
