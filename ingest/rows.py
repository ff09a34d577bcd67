"""Document rows of the index: a pure function of the catalog."""

from __future__ import annotations

from typing import TYPE_CHECKING

from catalog.records import ConflictRecord
from contracts.chunks import DocumentRow
from contracts.versions import EvidenceSource
from metadata.families import Member, chain_conflicts, resolve_chain
from metadata.settling import own_evidence

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from catalog.catalog import Catalog
    from catalog.records import DocumentRecord, ItemRecord, VersionRecord
    from contracts.access import AccessScope
    from contracts.chunks import Successor

__all__ = ["RowBuilder", "family_of"]

_CHAIN = 2
Family = tuple[str, str]
"""Authority scope and family key."""


def family_of(version: VersionRecord) -> Family | None:
    """The chain that a version belongs to, or None where it stands alone."""
    family = version.metadata.family
    return (version.authority, family) if family else None


class RowBuilder:
    """Builds rows; keeps what one batch shares (chains, items, scopes, epoch).

    Make a new one for each batch: what it keeps is true for that moment only.

    Args:
        catalog: Read from.
        items: Items that the caller has read already.
    """

    def __init__(self, catalog: Catalog, items: Mapping[int, ItemRecord] | None = None) -> None:
        self._catalog = catalog
        self._epoch = catalog.scopes.epoch()
        self._chains: dict[Family, dict[str, tuple[Successor, ...]]] = {}
        self._open: dict[Family, dict[str, tuple[str, ...]]] = {}
        self._items: dict[int, ItemRecord | None] = dict(items or {})
        self._scopes: dict[str, AccessScope | None] = {}
        self._documents: dict[str, DocumentRecord | None] = {}

    def row(self, document: DocumentRecord, version: VersionRecord) -> DocumentRow:
        """The row of a document whose published (or about to be published) version is ``version``."""
        found = version.metadata
        item = self._item(document.item_id)
        scope = self._scope(document.scope_id)
        family = family_of(version)
        return DocumentRow(
            document_id=document.document_id,
            version_id=version.version_id,
            source=document.source,
            path=document.path,
            source_link=item.locator if item else "",
            title=found.title,
            format=version.format,
            scope_id=document.scope_id,
            document_type=found.document_type,
            department=found.department,
            status=found.status.value,
            successors=self.chain(family).get(document.document_id, ()) if family else (),
            revision=found.revision,
            effective_from=found.effective_date,
            security_level=found.security_level,
            language=found.language,
            codes=tuple(code.canonical for code in found.codes),
            ancestors=self._ancestors(document),
            groups=scope.groups if scope else (),
            modified_ns=item.modified_ns if item else 0,
            access_epoch=self._epoch,
            stale=document.stale,
        )

    def gather(self, pairs: Iterable[tuple[DocumentRecord, VersionRecord]]) -> None:
        """Read at once what the rows of these documents need."""
        known = list(pairs)
        wanted = {document.item_id for document, _ in known} - self._items.keys()
        self._items |= dict.fromkeys(wanted) | self._catalog.items.get_many(wanted)
        self.prepare(family_of(version) for _, version in known)

    def prepare(self, families: Iterable[Family | None]) -> set[str]:
        """Find out, in one look, which of these families have more than one member.

        Returns:
            The documents of all of them.
        """
        members = self._catalog.documents.family_ids({f for f in families if f is not None})
        for family, ids in members.items():
            if len(ids) < _CHAIN:
                self._chains[family], self._open[family] = {}, {}
        return {document_id for ids in members.values() for document_id in ids}

    def chain(self, family: Family) -> dict[str, tuple[Successor, ...]]:
        """Successors of each member of a family."""
        if family not in self._chains:
            members = self._members(family)
            self._chains[family] = resolve_chain(members)
            self._open[family] = chain_conflicts(members)
        return self._chains[family]

    def conflicts(self, document: DocumentRecord, version: VersionRecord) -> list[ConflictRecord]:
        """What the evidence of a document and of its chain leaves open, for people to settle."""
        found = version.metadata
        family = family_of(version)
        # what was settled stays on record, though it leaves nothing open in the chain any more
        fields = set(found.conflicts)
        fields |= {e.field for e in found.evidence if e.source is EvidenceSource.PERSON}
        if family:
            fields |= set(self.undecided(family).get(document.document_id, ()))
        return [
            ConflictRecord(
                document_id=document.document_id,
                field=field,
                evidence=own_evidence(found, field),
            )
            for field in sorted(fields)
        ]

    def undecided(self, family: Family) -> dict[str, tuple[str, ...]]:
        """Members whose place in the chain is open, with the fields that leave it so."""
        self.chain(family)
        return self._open[family]

    def _members(self, family: Family) -> Sequence[Member]:
        return [
            Member(
                document_id=document.document_id,
                scope_id=document.scope_id,
                version=version.metadata,
                content=version.content_sha256,
                rendition=version.format,
                publishes=not document.parent_id,
            )
            for document, version in self._catalog.documents.family_members(*family)
        ]

    def _ancestors(self, document: DocumentRecord) -> tuple[str, ...]:
        way: list[str] = []
        at = document.parent_id
        while at and at not in way:
            way.append(at)
            if at not in self._documents:
                self._documents[at] = self._catalog.documents.get(at)
            parent = self._documents[at]
            at = parent.parent_id if parent else ""
        return tuple(reversed(way))

    def _item(self, item_id: int) -> ItemRecord | None:
        if item_id not in self._items:
            self._items[item_id] = self._catalog.items.get(item_id)
        return self._items[item_id]

    def _scope(self, scope_id: str) -> AccessScope | None:
        if scope_id not in self._scopes:
            self._scopes[scope_id] = self._catalog.scopes.get(scope_id)
        return self._scopes[scope_id]
