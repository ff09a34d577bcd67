"""What an index shall hold of documents, made from the catalog and their stored parses alone."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from contracts.chunks import IndexedDocument
from contracts.errors import ParseFailure
from contracts.tracing import span
from ingest.chunking import chunk_document
from ingest.drafts import within_budget
from ingest.embedding import terms_of, texts_of, vectors_of, with_vectors
from ingest.reading import stored_document
from ingest.rows import RowBuilder

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from catalog.records import DocumentRecord, VersionRecord
    from contracts.chunks import Chunk, DocumentRow
    from contracts.ports import IndexBackend
    from ingest.kit import Kit

__all__ = ["Made", "StoredDocuments"]

_PART_CHUNKS = 96
"""Passages that are embedded, and published, together."""

Passages = tuple[tuple["Chunk", ...], tuple[dict[str, tuple[str, ...]], ...]]
"""The chunks of a document, and the terms of each."""


@dataclass(slots=True)
class Made:
    """What became of some documents.

    Attributes:
        documents: How many were published.
        chunks: Their passages.
        embedded: Texts that were embedded now.
        gone: Ids that the index shall not hold.
        missing: Documents without a usable parse: their content must be read again.
    """

    documents: int = 0
    chunks: int = 0
    embedded: int = 0
    gone: list[str] = field(default_factory=list)
    missing: list[DocumentRecord] = field(default_factory=list)


class StoredDocuments:
    """Publishes documents as the catalog knows them now: their versions, rows and places in their chains.

    Args:
        kit: Catalog, blobs, embedder and analyzer; its index is the one that is filled. Nothing is parsed.
        also: An index that may hold vectors of the same embedder.
    """

    def __init__(self, kit: Kit, also: IndexBackend | None = None) -> None:
        self._kit = kit
        self._also = also

    def publish(self, document_ids: Iterable[str]) -> Made:
        """Publish documents anew, chunked, analysed and embedded by the kit."""
        made = Made()
        # the epoch before the documents: a row is at worst newer than it says, never older
        builder = RowBuilder(self._kit.catalog)
        pairs = self._known(document_ids, made)
        rows = {document.document_id: builder.row(document, version) for document, version in pairs}
        titles = self._titles(rows.values())
        batch: list[tuple[DocumentRow, Passages]] = []
        for document, version in pairs:
            row = rows[document.document_id]
            above = tuple(titles[a] for a in row.ancestors if a in titles)
            passages = self._passages(document, version, above)
            if passages is None:
                made.missing.append(document)
                continue
            batch.append((row, passages))
            if sum(len(chunks) for _, (chunks, _) in batch) >= _PART_CHUNKS:
                self._write(batch, made)
                batch = []
        self._write(batch, made)
        return made

    def update_rows(self, document_ids: Iterable[str]) -> Made:
        """Bring rows up to date; documents that the index does not hold in their version are published."""
        made = Made()
        builder = RowBuilder(self._kit.catalog)
        rows: list[DocumentRow] = []
        whole: list[str] = []
        for document, version in self._known(document_ids, made):
            held = self._kit.index.document(document.document_id)
            if held is None or held[0].version_id != version.version_id:
                whole.append(document.document_id)
            else:
                rows.append(builder.row(document, version))
        if rows:
            self._kit.index.update_rows(rows)
        if whole:
            more = self.publish(whole)
            more.gone += made.gone
            return more
        return made

    def delete(self, document_ids: Iterable[str]) -> None:
        """Remove documents that the catalog does not know any more."""
        ids = list(document_ids)
        if ids:
            self._kit.index.delete(ids)

    def _known(
        self, document_ids: Iterable[str], made: Made
    ) -> list[tuple[DocumentRecord, VersionRecord]]:
        """Documents that the index shall hold, with their versions; the others are noted as gone."""
        wanted = list(document_ids)
        documents = self._kit.catalog.documents.get_many(wanted)
        live = [d for d in documents.values() if d.state != "gone" and d.version_id]
        versions = self._kit.catalog.versions.get_many(d.version_id for d in live)
        pairs = [(d, versions[d.version_id]) for d in live if d.version_id in versions]
        held = {document.document_id for document, _ in pairs}
        made.gone += [key for key in wanted if key not in held]
        return pairs

    def _titles(self, rows: Iterable[DocumentRow]) -> Mapping[str, str]:
        """Titles of the containers of documents, by their ids."""
        catalog = self._kit.catalog
        containers = catalog.documents.get_many({a for row in rows for a in row.ancestors})
        versions = catalog.versions.get_many(d.version_id for d in containers.values())
        return {
            key: versions[document.version_id].metadata.title
            for key, document in containers.items()
            if document.version_id in versions
        }

    def _passages(
        self, document: DocumentRecord, version: VersionRecord, above: tuple[str, ...]
    ) -> Passages | None:
        parsed = stored_document(self._kit.blobs, version.parse_key)
        if parsed is None:
            return None
        settings = self._kit.settings.chunk
        shown, _left_out = within_budget(parsed, settings.text_budget)
        place = document.member_path.rpartition("!/")[2] or document.path
        name = place.rpartition("/")[2] or place
        try:
            chunks = chunk_document(
                shown,
                version.metadata,
                (document.document_id, version.version_id),
                self._kit.embedder,
                settings,
                containers=above,
                name=name,
            )
        except ParseFailure:
            return None  # the next run says so in the document's outcome
        return chunks, terms_of(self._kit, version.metadata, name, chunks)

    def _write(self, batch: list[tuple[DocumentRow, Passages]], made: Made) -> None:
        if not batch:
            return
        every = [chunk for _, (chunks, _) in batch for chunk in chunks]
        wanted = list(texts_of(self._kit, every))
        known = self._also.find_vectors(wanted) if self._also is not None else {}
        vectors, fresh = vectors_of(self._kit, every, known)
        with span("index.publish", documents=len(batch)):
            self._kit.index.publish(
                [
                    IndexedDocument(row=row, chunks=with_vectors(self._kit, chunks, terms, vectors))
                    for row, (chunks, terms) in batch
                ]
            )
        made.documents += len(batch)
        made.chunks += len(every)
        made.embedded += fresh
