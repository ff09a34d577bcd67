"""What servers last said of people where that differs from the snapshot.

A snapshot is some minutes old. Somebody who was taken out of a group since, and whom a server was asked about, must
not get the group back when the servers fail: their last answer counts then, not the snapshot.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from catalog.times import utc_text
from contracts.access import Principal, Reader

if TYPE_CHECKING:
    from collections.abc import Callable

    from catalog.people import DirectorySnapshot
    from catalog.principals import PrincipalStore

__all__ = ["LastAnswers"]


class LastAnswers:
    """The latest answers of one realm's servers, by entry.

    Args:
        store: Where they are kept.
        realm: Whose.
        now: The time.
    """

    def __init__(
        self,
        store: PrincipalStore,
        realm: str,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._store = store
        self._realm = realm
        self._now = now

    def since(self, known: DirectorySnapshot, entry_id: str) -> frozenset[Principal] | None:
        """What was answered after the snapshot was read (empty: nobody), or None where nothing differed."""
        kept = self._store.get(self._name(entry_id))
        if kept is None or kept.resolved_at < known.refreshed_at:
            return None
        return kept.principals

    def note(
        self,
        known: DirectorySnapshot,
        entry_id: str,
        answer: frozenset[Principal],
        snapshot_says: Callable[[], frozenset[Principal]],
    ) -> None:
        """Keep an answer (empty: nobody) where the snapshot, or what was kept since, says something else."""
        kept = self.since(known, entry_id)
        if (snapshot_says() if kept is None else kept) == answer:
            return
        reader = Reader(name=self._name(entry_id), principals=answer, realm=self._realm)
        self._store.put(reader, utc_text(self._now()))

    def forget(self, known: DirectorySnapshot) -> None:
        """Let go of what was answered before the snapshot was read: it does not count any more."""
        self._store.forget_before(self._name(""), known.refreshed_at)

    def _name(self, entry_id: str) -> str:
        return f"{self._realm}:{entry_id}"
