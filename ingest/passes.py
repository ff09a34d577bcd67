"""Which access lists a run over a source reads: those whose tag has moved, or all of them.

All are read by the first run, by the run after a change of what lists are translated with, by one that is asked to,
and by schedule, since a tag may miss a change: a clock set back, a restored backup, a server that keeps no change
time. A pass over all lists that was broken off goes on where it was.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from catalog.text import digest
from catalog.times import parse_utc, utc_now
from ingest.schedules import latest_slot

if TYPE_CHECKING:
    from catalog.catalog import Catalog
    from contracts.settings import SourceSettings
    from contracts.sources import PermissionReader

__all__ = [
    "ListPass",
    "drift_of",
    "forget_passes",
    "next_pass",
    "note_unmatched",
    "unmatched_of",
]

_MOST = 1000

_RULES = "1"
"""Raised when lists are translated in another way than before."""

_KEYS = ("basis", "full", "under_way", "drift", "unmatched")


@dataclass(frozen=True, slots=True, kw_only=True)
class ListPass:
    """How one run reads the lists of a source.

    Attributes:
        source: Name of the source.
        basis: What the lists are translated with, as a digest.
        read_all: Whether every list is read.
        read_until: What an earlier run of this pass has read: everything up to this path.
        repairs: Whether a list that differs under its old tag has drifted, rather than been translated anew.
        drifted: Lists that earlier runs of this pass found so.
    """

    source: str
    basis: str
    read_all: bool
    read_until: str = ""
    repairs: bool = False
    drifted: int = 0

    def reached(self, catalog: Catalog, path: str, drifted: int) -> None:
        """Note how far a pass over all lists has come, should its run be broken off."""
        if self.read_all:
            state = {"basis": self.basis, "path": path, "repairs": self.repairs}
            count = self.drifted + (drifted if self.repairs else 0)
            catalog.meta.set(_key("under_way", self.source), json.dumps({**state, "drift": count}))

    def done(self, catalog: Catalog, drifted: int) -> int:
        """Note that the listing is complete; lists that have drifted, found by a pass over all of them."""
        count = self.drifted + (drifted if self.repairs else 0)
        if self.read_all:
            with catalog.transaction():
                catalog.meta.set(_key("basis", self.source), self.basis)
                catalog.meta.set(_key("full", self.source), utc_now())
                catalog.meta.set(_key("drift", self.source), str(count))
                catalog.meta.delete(_key("under_way", self.source))
        return count


def next_pass(
    catalog: Catalog,
    settings: SourceSettings,
    permissions: PermissionReader,
    *,
    asked: bool = False,
    now: datetime | None = None,
) -> ListPass:
    """The pass that a run over a source makes.

    Args:
        catalog: Remembers the passes.
        settings: The source's settings.
        permissions: Reads its lists.
        asked: Whether somebody wants every list read.
        now: With a time zone; None: now.
    """
    name = settings.name
    basis = digest(
        _RULES,
        type(permissions).__qualname__,
        settings.place,
        settings.acl.model_dump_json(),
        permissions.basis,
    )
    same = catalog.meta.get(_key("basis", name)) == basis
    last = catalog.meta.get(_key("full", name))
    begun = json.loads(catalog.meta.get(_key("under_way", name), "{}"))
    if begun.get("basis") == basis and not asked:
        return ListPass(
            source=name,
            basis=basis,
            read_all=True,
            read_until=begun["path"],
            repairs=begun["repairs"],
            drifted=begun["drift"],
        )
    due = asked or not same or not last or _due(settings, last, now or datetime.now(UTC))
    return ListPass(source=name, basis=basis, read_all=due, repairs=same)


def drift_of(catalog: Catalog, source: str) -> tuple[int, str]:
    """Lists that the last pass over all of them found changed without their tag, and when that was (UTC text or "")."""
    count = int(catalog.meta.get(_key("drift", source), "0"))
    return count, catalog.meta.get(_key("full", source))


def note_unmatched(catalog: Catalog, source: str, lists: tuple[str, ...]) -> None:
    """Keep which lists of a complete listing were of nothing that is there."""
    key, text = _key("unmatched", source), json.dumps(lists[:_MOST])
    if catalog.meta.get(key, "[]") != text:
        catalog.meta.set(key, text)


def unmatched_of(catalog: Catalog, source: str) -> list[str]:
    """Lists that are of nothing that is there, as the last complete listing saw them; at most a thousand."""
    found: list[str] = json.loads(catalog.meta.get(_key("unmatched", source), "[]"))
    return found


def forget_passes(catalog: Catalog, source: str) -> None:
    """Forget a source's passes: the next run reads every list."""
    for what in _KEYS:
        catalog.meta.delete(_key(what, source))


def _due(settings: SourceSettings, last: str, now: datetime) -> bool:
    slot = latest_slot(settings.full_permission_schedule, now, parse_utc(last))
    return slot is not None


def _key(what: str, source: str) -> str:
    return f"lists.{what}.{source}"
