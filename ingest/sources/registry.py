"""Which module reads which kind of source. A new source is one module and one line here."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, cast

from contracts.errors import ConfigError

if TYPE_CHECKING:
    from pathlib import Path

    from contracts.settings import SourceSettings
    from contracts.sources import Source

__all__ = ["SOURCES", "SourceEntry", "make_source"]


@dataclass(frozen=True, slots=True)
class SourceEntry:
    """A kind of source: its name in ``seoga.toml`` and ``module:class``, imported when first needed.

    ``keeps``: the class also takes a folder for what it has listed.
    """

    kind: str
    where: str
    keeps: bool = False


SOURCES: tuple[SourceEntry, ...] = (
    SourceEntry("filesystem", "ingest.sources.filesystem:FilesystemSource"),
    SourceEntry("smb", "ingest.sources.smb:SmbSource"),
    SourceEntry("imap", "ingest.sources.imap:ImapSource", keeps=True),
)


def make_source(settings: SourceSettings, kept: Path | None = None) -> Source:
    """The adapter of a configured source.

    Args:
        settings: The source's group of settings.
        kept: Folder for what adapters note of a listing, so that the next one is quicker; None: nothing is noted.

    Raises:
        ConfigError: no such kind.
    """
    for entry in SOURCES:
        if entry.kind == settings.kind:
            module, _, name = entry.where.partition(":")
            adapter = getattr(import_module(module), name)
            return cast("Source", adapter(settings, kept) if entry.keeps else adapter(settings))
    known = ", ".join(entry.kind for entry in SOURCES)
    raise ConfigError(f"source {settings.name}: no kind {settings.kind!r} (known: {known})")
