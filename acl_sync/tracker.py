"""Scopes as a listing goes by.

What a changed list takes away is taken away at once, long before the run has ended. What it gives is given when the
listing is complete: by then everything whose content is not the one that the index shows has been seen.

A list is read where its tag is another one than it was read under. A folder's tag is kept with its scope, and only
when everything that lies in the folder has been compared: an item that has its folder's scope may have a list that
differs from the folder's new one, so it is looked at again whenever the folder's list was, also by the run after one
that was broken off.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from acl_sync.diff import changes_of
from catalog.records import LedgerRecord
from catalog.text import digest
from catalog.times import utc_now
from contracts.sources import ReadsAhead, SourceFolder

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from catalog.catalog import Catalog
    from contracts.access import AccessScope
    from contracts.documents import SourceItem
    from contracts.sources import PermissionReader

__all__ = ["ScopeTracker", "close_scopes", "drop_scopes"]


class ScopeTracker:
    """Keeps the scopes of one source equal to what its listing shows.

    Args:
        source: Name of the source.
        reader: Copies the lists.
        catalog: Where scopes and ledger are.
        trust_tags: An item whose access tag is as before has the list that it had before
            (as far as the probe found the change time reliable).
        read_all: Read every list all the same.
        read_until: But not what an earlier run has read: everything up to this path in the order of the listing.
        check: Raises where the source itself is gone: then a list that cannot be read says nothing of the list.

    Attributes:
        lists_read: Lists that were read since nothing told that they are as before. The root's, which also has what
            lies above it and is looked at in every run, counts where it has changed.
        changed: Scopes that are new or differ.
        drifted: Lists that differ although their tag is as before.
    """

    def __init__(  # noqa: PLR0913  the parts of a run, each once
        self,
        source: str,
        reader: PermissionReader,
        catalog: Catalog,
        *,
        trust_tags: bool,
        read_all: bool = False,
        read_until: str = "",
        check: Callable[[], None] = lambda: None,
    ) -> None:
        self._source = source
        self._reader = reader
        self._catalog = catalog
        self._trust_tags = trust_tags
        self._read_all = read_all
        self._read_until = read_until
        self._check = check
        self._known = {scope.scope_id: scope for scope in catalog.scopes.all(source)}
        self._stored_tags = catalog.scopes.tags(source)
        self._by_tag = {tag: scope_id for scope_id, tag in self._stored_tags.items()}
        self._read_anew: dict[str, tuple[str, str]] = {}
        self._unsettled: set[str] = set()
        self._found: set[str] = set()
        self._new: list[AccessScope] = []
        self._held: dict[str, tuple[AccessScope, AccessScope]] = {}
        self._changed: set[str] = set()
        self._folders: dict[str, bool] = {}
        self.lists_read = 0
        self.changed = 0
        self.drifted = 0

    @property
    def reads_ahead(self) -> bool:
        """Whether it is of use to say which lists will be read."""
        return isinstance(self._reader, ReadsAhead)

    def read_ahead(self, found: Sequence[SourceItem | SourceFolder]) -> None:
        """Read lists for the calls of ``folder`` and ``item`` that come next."""
        if isinstance(self._reader, ReadsAhead):
            self._reader.read_ahead(found)

    def is_as_before(self, folder: SourceFolder) -> bool:
        """Whether a folder's list needs no reading."""
        known, _ = self._before(folder)
        return known is not None and bool(folder.path) and self._trusted(f"{folder.path}/")

    def has_list_of(self, item: SourceItem, *, known_scope: str, same_tag: bool) -> bool:
        """Whether an item's list needs no reading; arguments as for ``item``."""
        return self._tells(known_scope, same_tag=same_tag) and self._trusted(item.path)

    def folder(self, folder: SourceFolder) -> None:
        """Note a folder's scope."""
        known, tag = self._before(folder)
        if known is not None and folder.path and self._trusted(f"{folder.path}/"):
            self._found.add(known.scope_id)
            self._folders[folder.path] = True
            return
        scope = self._reader.folder(folder)
        self._folders[folder.path] = scope.readable
        same = known is not None and scope == known
        if self._read_all or not same or folder.path:
            self.lists_read += 1
        if known is not None and not same and folder.path:
            self.drifted += 1
        if not same:
            self._read_anew[scope.scope_id] = (folder.path, tag)
        if scope.scope_id not in self._stored_tags or scope != self._known.get(scope.scope_id):
            self._unsettled.add(scope.scope_id)
        self._note(scope)

    def item(self, item: SourceItem, *, known_scope: str = "", same_tag: bool = False) -> str:
        """The scope id that decides for an item.

        Args:
            item: As listed.
            known_scope: The scope that it had, or "".
            same_tag: Path and access tag are as they were then.
        """
        if self.has_list_of(item, known_scope=known_scope, same_tag=same_tag):
            self._found.add(known_scope)
            return known_scope
        as_before = self._tells(known_scope, same_tag=same_tag)
        self.lists_read += 1
        scope = self._reader.item(item)
        if as_before and scope.scope_id != known_scope:
            self.drifted += 1
        self._note(scope)
        return scope.scope_id

    def _before(self, folder: SourceFolder) -> tuple[AccessScope | None, str]:
        """The scope that a folder had when it had the tag that it has now, and what is kept of the tag."""
        if not self._trust_tags or not folder.access_tag:
            return None, ""
        tag = digest(folder.path, folder.object_id, folder.access_tag)
        known = self._known.get(self._by_tag.get(tag, ""))
        return (known if known is not None and known.readable else None), tag

    def _tells(self, known_scope: str, *, same_tag: bool) -> bool:
        """Whether a tag that is as before tells that an item has the scope that it had."""
        if not self._trust_tags or not same_tag or known_scope in self._unsettled:
            return False
        # a list that could not be read leaves no mark on the tag: it is tried again
        known = self._known.get(known_scope)
        return known is not None and known.readable

    def _trusted(self, place: str) -> bool:
        """Whether a tag that is as before is enough at this place of the listing."""
        return not self._read_all or place <= self._read_until

    def unlisted(self, item: SourceItem, known_scope: str) -> str:
        """The scope id of an item below something that could not be listed: its lists are read all the same.

        A folder whose list cannot be read either lets nobody through; then the item keeps its scope.
        """
        folders = item.path.split("/")[:-1]
        for depth in range(len(folders) + 1):
            path = "/".join(folders[:depth])
            if path not in self._folders:
                self.folder(SourceFolder(path=path, object_id="", access_tag=""))
            if not self._folders[path]:
                self._keep(known_scope)
                return known_scope
        return self.item(item)

    def changed_above(self, scope_id: str) -> bool:
        """Whether this scope, or one above it, has changed since the listing began."""
        at: str | None = scope_id if self._changed else None
        while at is not None and at in self._known:
            if at in self._changed:
                return True
            at = self._known[at].parent_id
        return False

    def flush(self) -> None:
        """Write the scopes that are new; call before the items that they decide for are written."""
        if not self._new:
            return
        with self._catalog.transaction():
            self._catalog.scopes.put(self._new)
            self._write([(None, scope) for scope in self._new])
        self._new = []

    def settle(self) -> None:
        """Let changed lists give what they give; call when every listed item has been compared."""
        self.flush()
        if self._held:
            with self._catalog.transaction():
                self._catalog.scopes.put([new for _, new in self._held.values()])
                self._write(list(self._held.values()))
            self._held = {}
        self._tag(self._read_anew)

    def checkpoint(self, path: str) -> None:
        """Keep what has been read; call when every item up to ``path`` has been compared and written.

        Lists that give more than they gave are left for the end, so the next run reads them again.
        """
        self.flush()
        done = {
            scope_id: place
            for scope_id, place in self._read_anew.items()
            if scope_id not in self._held and _left_behind(place[0], path)
        }
        self._tag(done)

    def _tag(self, places: Mapping[str, tuple[str, str]]) -> None:
        tags = {
            scope_id: tag
            for scope_id, (_, tag) in places.items()
            if self._known[scope_id].readable and self._stored_tags.get(scope_id, "") != tag
        }
        self._catalog.scopes.set_tags(tags)
        self._stored_tags |= tags

    def finish(self) -> None:
        """Remove the scopes that nothing showed any more; call after a complete listing only."""
        self.settle()
        with self._catalog.transaction():
            kept = [scope for key, scope in self._known.items() if key in self._found]
            changes = self._catalog.scopes.sync(self._source, kept)
            self._write([(scope, None) for scope in changes.removed])
        self._known = {scope.scope_id: scope for scope in kept}

    def _keep(self, scope_id: str) -> None:
        at: str | None = scope_id
        while at is not None and at in self._known and at not in self._found:
            self._found.add(at)
            at = self._known[at].parent_id

    def _note(self, scope: AccessScope) -> None:
        self._found.add(scope.scope_id)
        old = self._known.get(scope.scope_id)
        if old is scope:
            return
        if old == scope:
            self._known[scope.scope_id] = scope  # found at once the next time
            return
        if not scope.readable:
            self._check()
        self._known[scope.scope_id] = scope
        self._changed.add(scope.scope_id)
        self.changed += 1
        if old is None:
            self._new.append(scope)
            return
        stored = self._held[scope.scope_id][0] if scope.scope_id in self._held else old
        joined = _joined(stored, scope)
        self._held[scope.scope_id] = (joined, scope)
        # what is taken away stands in the ledger with it: should the run end here, the next one could not tell any more
        with self._catalog.transaction():
            self._catalog.scopes.put([joined])
            self._catalog.scopes.set_tags({scope.scope_id: ""})
            self._stored_tags.pop(scope.scope_id, None)
            self._write([(stored, joined)])

    def _write(self, pairs: list[tuple[AccessScope | None, AccessScope | None]]) -> None:
        _write_changes(self._catalog, self._source, pairs)


def close_scopes(catalog: Catalog, source: str) -> None:
    """Let nobody through the scopes of a source, since its lists cannot be read; the next good run opens them."""
    found = [scope for scope in catalog.scopes.all(source) if scope.readable]
    pairs = [(scope, replace(scope, readable=False)) for scope in found]
    with catalog.transaction():
        catalog.scopes.put(closed for _, closed in pairs)
        _write_changes(catalog, source, pairs)


def drop_scopes(catalog: Catalog, source: str) -> None:
    """Remove the scopes of a source; who loses what stands in the ledger."""
    with catalog.transaction():
        changes = catalog.scopes.sync(source, ())
        _write_changes(catalog, source, [(scope, None) for scope in changes.removed])


def _write_changes(
    catalog: Catalog, source: str, pairs: Iterable[tuple[AccessScope | None, AccessScope | None]]
) -> None:
    now = utc_now()
    rows = [
        LedgerRecord(
            at_seen=now,
            effective_at=now,
            source=source,
            scope_id=change.scope_id,
            principal=change.principal,
            change=change.change,
            detail=change.gate,
        )
        for old, new in pairs
        for change in changes_of(old, new)
    ]
    catalog.ledger.append_many(rows)


def _left_behind(folder: str, path: str) -> bool:
    """Whether a listing that has come to ``path`` has passed everything in a folder."""
    return bool(folder) and f"{folder}/" <= path and not path.startswith(f"{folder}/")


def _joined(old: AccessScope, new: AccessScope) -> AccessScope:
    """A scope that lets through whom both let through."""
    gates = tuple(dict.fromkeys((*old.gates, *new.gates)))
    return replace(new, gates=gates, readable=old.readable and new.readable)
