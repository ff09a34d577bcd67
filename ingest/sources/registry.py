"""Which module reads which kind of source. A new source is one module and one line here."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, cast

from contracts.errors import ConfigError

if TYPE_CHECKING:
    from contracts.settings import SourceSettings
    from contracts.sources import Source

__all__ = ["SOURCES", "SourceEntry", "make_source"]


@dataclass(frozen=True, slots=True)
class SourceEntry:
    """A kind of source: its name in ``seoga.toml`` and ``module:class``, imported when first needed."""

    kind: str
    where: str


SOURCES: tuple[SourceEntry, ...] = (
    SourceEntry("filesystem", "ingest.sources.filesystem:FilesystemSource"),
    SourceEntry("smb", "ingest.sources.smb:SmbSource"),
)


def make_source(settings: SourceSettings) -> Source:
    """The adapter of a configured source.

    Raises:
        ConfigError: no such kind.
    """
    for entry in SOURCES:
        if entry.kind == settings.kind:
            module, _, name = entry.where.partition(":")
            return cast("Source", getattr(import_module(module), name)(settings))
    known = ", ".join(entry.kind for entry in SOURCES)
    raise ConfigError(f"source {settings.name}: no kind {settings.kind!r} (known: {known})")
