"""What a reader may see, as the filter of a query: readable scopes and hidden documents."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from acl_sync.access import readable_scopes
from contracts.errors import UnknownReaderError

if TYPE_CHECKING:
    from catalog.catalog import Catalog
    from contracts.access import AccessScope, Principal
    from contracts.sources import Directory

__all__ = ["AccessView", "CatalogAccess"]

_CACHED_READERS = 1000


@dataclass(frozen=True, slots=True)
class AccessView:
    """The filter of one query.

    Attributes:
        scopes: Scopes that the reader passes now.
        hidden_documents: The overlay.
        epoch: Access epoch that this was computed at.
    """

    scopes: frozenset[str]
    hidden_documents: frozenset[str]
    epoch: int


class CatalogAccess:
    """Evaluates the access check once a reader and epoch; a changed list counts from the next query on.

    Args:
        catalog: Where scopes and overlay are.
        directory: Who is in which group, now.
    """

    def __init__(self, catalog: Catalog, directory: Directory) -> None:
        self._catalog = catalog
        self._directory = directory
        self._scopes: tuple[int, list[AccessScope]] = (-1, [])
        self._hidden: tuple[int, frozenset[str]] = (-1, frozenset())
        self._readable: dict[tuple[frozenset[Principal], int], frozenset[str]] = {}

    def filter_for(self, reader: str, restrict_groups: tuple[str, ...] = ()) -> AccessView:
        """The filter of a query by ``reader``, narrowed to what each of the groups could read.

        Raises:
            UnknownReaderError: nobody of that name. An unknown group narrows to nothing.
        """
        found = self._directory.reader(reader)
        epoch = self._catalog.scopes.epoch()
        scopes = self._readable_by(found.principals, epoch)
        for group in restrict_groups:
            # a bare name means the group of the reader's own realm
            name = group if "@" in group else f"{group}@{found.realm}"
            try:
                member = self._directory.group(name).principals
            except UnknownReaderError:
                return AccessView(frozenset(), frozenset(), epoch)
            scopes &= self._readable_by(member, epoch)
        return AccessView(scopes, self._overlay(), epoch)

    def _readable_by(self, principals: frozenset[Principal], epoch: int) -> frozenset[str]:
        known = self._readable.get((principals, epoch))
        if known is not None:
            return known
        if self._scopes[0] != epoch:
            # read the scopes after the epoch: at worst they are newer than it says, never older
            self._scopes = (epoch, self._catalog.scopes.all())
            self._readable.clear()
        if len(self._readable) >= _CACHED_READERS:
            self._readable.clear()
        found = readable_scopes(self._scopes[1], principals)
        self._readable[principals, epoch] = found
        return found

    def _overlay(self) -> frozenset[str]:
        version = self._catalog.overlay.version()
        if self._hidden[0] != version:
            self._hidden = (version, self._catalog.overlay.all())
        return self._hidden[1]
