"""Tables of one document for who may read it: listed, shown, and asked in SQL."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from app.threads import readable
from catalog.records import QueryRecord
from catalog.times import utc_now
from contracts.errors import NotFoundError
from ingest.reading import stored_document
from ingest.tables import open_stored_tables

if TYPE_CHECKING:
    from collections.abc import Iterator

    from acl_sync.view import AccessView
    from catalog.catalog import Catalog
    from contracts.ports import BlobStore
    from ingest.tables import DocumentTables

__all__ = ["tables_of"]


@contextmanager
def tables_of(
    catalog: Catalog, blobs: BlobStore, view: AccessView, document_id: str, reader: str
) -> Iterator[DocumentTables]:
    """The tables of a document's current version; the look is audited.

    Args:
        catalog: Documents and versions.
        blobs: Stored parses and tables.
        view: What the reader may see.
        document_id: The document.
        reader: Name, for the audit log.

    Raises:
        NotFoundError: there is no such document, the reader may not read it (worded alike), or its tables are missing.
    """
    document = catalog.documents.get(document_id)
    seen = document is not None and readable(view, document)
    versions = catalog.versions.get_many([document.version_id]) if document and seen else {}
    parsed = next((stored_document(blobs, v.parse_key) for v in versions.values()), None)
    if document is None or parsed is None:
        raise NotFoundError(
            f"{document_id}: 그런 문서가 없거나 읽을 수 없습니다 (no such document, or not for you)"
        )
    key = versions[document.version_id].parse_key
    catalog.queries.append(
        QueryRecord(
            at=utc_now(),
            reader=reader,
            query=f"tables {document_id}",
            document_ids=(document_id,),
        )
    )
    with open_stored_tables(blobs, key, parsed) as tables:
        yield tables
