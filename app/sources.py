"""Sources by path and by name."""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING

from app.controls import check_overlaps
from catalog.records import SourceRecord
from contracts.errors import ConfigError
from contracts.settings import SourceSettings

if TYPE_CHECKING:
    from pathlib import Path

    from catalog.catalog import Catalog

__all__ = ["add_source", "source_of_path"]


def source_of_path(catalog: Catalog, path: Path, name: str | None = None) -> SourceSettings:
    """The source whose root is ``path``, added where there is none yet.

    Raises:
        ConfigError: the name is taken by another root, or the path overlaps another source.
    """
    root = path.expanduser().resolve()
    for record in catalog.sources.list():
        settings = SourceSettings.model_validate(dict(record.config))
        if settings.is_folder and settings.folder.resolve() == root:
            return settings
    chosen = name or _free_name(catalog, root)
    return add_source(catalog, SourceSettings(name=chosen, root=root), origin="path")


def add_source(catalog: Catalog, settings: SourceSettings, origin: str) -> SourceSettings:
    """Store a new source.

    Raises:
        ConfigError: the name is taken, or the root lies within another source or around one: its documents
            would be there twice, perhaps with other permissions.
    """
    if catalog.sources.get(settings.name) is not None:
        raise ConfigError(f"{settings.name}: 이미 있는 소스 이름입니다 (the name is taken)")
    check_overlaps(catalog, settings)
    kept = settings.resolved()
    config = kept.model_dump(mode="json")
    catalog.sources.upsert(
        SourceRecord(name=kept.name, kind=kept.kind, config=config, origin=origin)
    )
    return kept


def _free_name(catalog: Catalog, root: Path) -> str:
    plain = unicodedata.normalize("NFC", root.name).lower()
    base = re.sub(r"[^a-z0-9가-힣._-]+", "-", plain).strip("-._")[:48] or "source"
    taken = {record.name for record in catalog.sources.list()}
    return next(n for n in [base, *(f"{base}-{i}" for i in range(2, 10_000))] if n not in taken)
