"""Remove what work left behind that was killed after its end."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ingest.pages import sweep_pages
from ingest.steps.records import PREFIX

if TYPE_CHECKING:
    from ingest.kit import Kit

__all__ = ["sweep"]


def sweep(kit: Kit) -> int:
    """Remove work records of items that no task is about, and recognised pages that nobody waits for.

    Should the work on one begin at this very moment, it finds its record gone, and reads the item again.

    Returns:
        Blobs removed.
    """
    keys: dict[int, list[str]] = {}
    for key in kit.blobs.keys(PREFIX):
        number = key.split("/")[1]
        if number.isdecimal():
            keys.setdefault(int(number), []).append(key)
    subjects: dict[str, set[str]] = {}
    known = kit.catalog.items.get_many(keys)
    for item in known.values():
        subjects.setdefault(item.source, set()).add(str(item.item_id))
    busy = {
        subject
        for source, wanted in subjects.items()
        for subject in kit.catalog.tasks.busy(source, wanted)
    }
    idle = [key for number, found in keys.items() if str(number) not in busy for key in found]
    kit.blobs.delete(idle)
    return len(idle) + sweep_pages(kit)
