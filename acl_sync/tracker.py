"""Scopes as a listing goes by: what is new or changed is written at once, what is gone at the end.

A changed list takes effect with the next query, long before the run has ended.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from acl_sync.diff import changes_of
from catalog.records import LedgerRecord
from catalog.times import utc_now

if TYPE_CHECKING:
    from catalog.catalog import Catalog
    from contracts.access import AccessScope
    from contracts.documents import SourceItem
    from contracts.ports import PermissionReader, SourceFolder

__all__ = ["ScopeTracker"]


class ScopeTracker:
    """Keeps the scopes of one source equal to what its listing shows.

    Args:
        source: Name of the source.
        reader: Copies the lists.
        catalog: Where scopes and ledger are.
        trust_tags: An item whose access tag is as before has the list that it had before
            (as far as the probe found the change time reliable).
    """

    def __init__(
        self, source: str, reader: PermissionReader, catalog: Catalog, *, trust_tags: bool
    ) -> None:
        self._source = source
        self._reader = reader
        self._catalog = catalog
        self._trust_tags = trust_tags
        self._known = {scope.scope_id: scope for scope in catalog.scopes.all(source)}
        self._found: set[str] = set()
        self._new: list[AccessScope] = []
        self.lists_read = 0
        self.changed = 0

    def folder(self, folder: SourceFolder) -> None:
        """Note a folder's scope."""
        self.lists_read += 1
        self._note(self._reader.folder(folder))

    def item(self, item: SourceItem, *, known_scope: str = "", same_tag: bool = False) -> str:
        """The scope id that decides for an item.

        Args:
            item: As listed.
            known_scope: The scope that it had, or "".
            same_tag: Path and access tag are as they were then.
        """
        if self._trust_tags and same_tag and known_scope in self._known:
            self._found.add(known_scope)
            return known_scope
        self.lists_read += 1
        scope = self._reader.item(item)
        self._note(scope)
        return scope.scope_id

    def keep(self, scope_id: str) -> None:
        """Keep a scope of something that could not be listed this time, and those above it."""
        at: str | None = scope_id
        while at is not None and at in self._known and at not in self._found:
            self._found.add(at)
            at = self._known[at].parent_id

    def flush(self) -> None:
        """Write the scopes that are new; call before the items that they decide for are written."""
        if not self._new:
            return
        with self._catalog.transaction():
            self._catalog.scopes.put(self._new)
            self._write([(None, scope) for scope in self._new])
        self._new = []

    def finish(self) -> None:
        """Remove the scopes that nothing showed any more; call after a complete listing only."""
        self.flush()
        with self._catalog.transaction():
            kept = [scope for key, scope in self._known.items() if key in self._found]
            changes = self._catalog.scopes.sync(self._source, kept)
            self._write([(scope, None) for scope in changes.removed])
        self._known = {scope.scope_id: scope for scope in kept}

    def _note(self, scope: AccessScope) -> None:
        self._found.add(scope.scope_id)
        old = self._known.get(scope.scope_id)
        if old == scope:
            return
        self._known[scope.scope_id] = scope
        self.changed += 1
        if old is None:
            self._new.append(scope)
            return
        with self._catalog.transaction():
            self._catalog.scopes.put([scope])
            self._write([(old, scope)])

    def _write(self, pairs: list[tuple[AccessScope | None, AccessScope | None]]) -> None:
        now = utc_now()
        rows = [
            LedgerRecord(
                at_seen=now,
                effective_at=now,
                source=self._source,
                scope_id=change.scope_id,
                principal=change.principal,
                change=change.change,
                detail=change.gate,
            )
            for old, new in pairs
            for change in changes_of(old, new)
        ]
        self._catalog.ledger.append_many(rows)
