"""What commands note in the catalog for ``seoga doctor --adoption``: the last backup, golden run and gate."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from catalog.times import utc_now

if TYPE_CHECKING:
    from collections.abc import Mapping

    from catalog.catalog import Catalog
    from contracts.settings import Settings

__all__ = ["BACKUP", "GATE", "GOLDEN", "has_catalog", "note", "noted"]

BACKUP, GOLDEN, GATE = "last.backup", "last.golden", "last.gate"


def note(catalog: Catalog, key: str, values: Mapping[str, Any]) -> None:
    """Keep what a command has just done, with the time."""
    catalog.meta.set(key, json.dumps({"at": utc_now(), **values}, ensure_ascii=False))


def noted(catalog: Catalog, key: str) -> dict[str, Any]:
    """What was kept last, ``at`` included; empty where nothing was."""
    found: dict[str, Any] = json.loads(catalog.meta.get(key, "{}"))
    return found


def has_catalog(settings: Settings) -> bool:
    """Whether there is a catalog to note in: a bench on a machine without one shall make none."""
    return bool(settings.catalog.url) or (settings.home / "catalog.db").exists()
