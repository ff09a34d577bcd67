"""Listed objects with what the catalog has of them, and their lists read some hundreds at a time where that is faster."""

from __future__ import annotations

from typing import TYPE_CHECKING

from catalog.statements import batches
from contracts.documents import SourceItem
from contracts.sources import ListProblem, Skipped

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from acl_sync.tracker import ScopeTracker
    from catalog.records import ItemRecord
    from contracts.sources import SourceFolder

    Listed = SourceItem | SourceFolder | Skipped | ListProblem
    Pair = tuple[ItemRecord | None, Listed | None]

__all__ = ["looked_ahead", "merged", "same_tag"]

_AHEAD = 256


def merged(listing: Iterable[Listed], known: Iterator[ItemRecord]) -> Iterator[Pair]:
    """What a listing and the catalog have at each path, both in the order of paths; None where one has nothing."""
    waiting = next(known, None)
    for listed in listing:
        if not isinstance(listed, SourceItem):
            yield None, listed
            continue
        while waiting is not None and waiting.path < listed.path:
            yield waiting, None
            waiting = next(known, None)
        if waiting is not None and waiting.path == listed.path:
            yield waiting, listed
            waiting = next(known, None)
        else:
            yield None, listed
    while waiting is not None:
        yield waiting, None
        waiting = next(known, None)


def looked_ahead(pairs: Iterable[Pair], tracker: ScopeTracker) -> Iterator[Pair]:
    """The same pairs; lists that will be read for them are read before, if the tracker's reader gains by that."""
    if not tracker.reads_ahead:
        yield from pairs
        return
    for batch in batches(pairs, _AHEAD):
        wanted = [
            listed
            for known, listed in batch
            if listed is not None
            and not isinstance(listed, (Skipped, ListProblem))
            and _is_wanted(known, listed, tracker)
        ]
        if wanted:
            tracker.read_ahead(wanted)
        yield from batch


def same_tag(known: ItemRecord, item: SourceItem) -> bool:
    """Whether nothing tells that an item's list is another one than the catalog has."""
    before = (known.path, known.object_id, known.access_tag)
    return before == (item.path, item.object_id, item.access_tag)


def _is_wanted(
    known: ItemRecord | None, listed: SourceItem | SourceFolder, tracker: ScopeTracker
) -> bool:
    if not isinstance(listed, SourceItem):
        return not tracker.is_as_before(listed)
    return known is None or not tracker.has_list_of(
        listed, known_scope=known.scope_id, same_tag=same_tag(known, listed)
    )
