"""Conflicts that people settle: the settled value becomes the document's, in the catalog and in the index."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from contracts.errors import NotFoundError, QueryError
from ingest.rows import family_of
from metadata.settling import Settlement, canonical, settled

if TYPE_CHECKING:
    from collections.abc import Iterable

    from catalog.catalog import Catalog
    from catalog.records import ConflictRecord, DocumentRecord, VersionRecord

__all__ = ["NoValueError", "apply_settled", "settle_conflict"]


class NoValueError(QueryError):
    """What was said is no value of the field."""

    code = "no_value"


def apply_settled(
    document: DocumentRecord, version: VersionRecord, records: Iterable[ConflictRecord]
) -> VersionRecord:
    """A version with what people settled of its document.

    Args:
        document: Whose version.
        version: As it was read, or settled before.
        records: Conflicts of the document; open ones are left aside.
    """
    decisions = [
        Settlement(field=one.field, value=one.verdict, by=one.by, at=one.at, evidence=one.evidence)
        for one in records
        if one.state == "settled"
    ]
    if not decisions:
        return version
    place = document.member_path.rpartition("!/")[2] or document.path
    name = place.rpartition("/")[2] or place
    return replace(version, metadata=settled(version.metadata, decisions, document.path, name))


def settle_conflict(catalog: Catalog, document_id: str, field: str, said: str, by: str) -> str:
    """Make a value the document's, and note the documents whose rows change: its own and those of its chain.

    The index follows with the next :func:`ingest.drain.drain`. The value stays through further runs while the
    document's own evidence of the field stays the same; where it changes, the conflict is open again.

    Args:
        catalog: Where the conflict is.
        document_id: Its document.
        field: Its field.
        said: The value, as a document would write it (``폐기``, ``Rev.C``, ``2026-03-02``).
        by: Who decided.

    Returns:
        The canonical value.

    Raises:
        NotFoundError: there is no such conflict.
        NoValueError: ``said`` is no value of the field.
    """
    with catalog.transaction():
        if not any(one.field == field for one in catalog.reviews.of_document(document_id)):
            raise NotFoundError(f"no conflict over {field} of {document_id}")
        value = canonical(field, said)
        if value is None:
            raise NoValueError(
                f"{said!r}: {field} 의 값이 아닙니다 (no value of {field})",
                advice="문서에 적는 대로: 현행, 폐기, 초안, 3, Rev.C, 2026-03-02 (as a document would write it)",
            )
        catalog.reviews.settle(document_id, field, verdict=value, by=by)
        catalog.events.add([document_id], "settled", f"{field}: {value} ({by})")
        touched = {document_id}
        document = catalog.documents.get(document_id)
        before = catalog.versions.get(document.version_id) if document else None
        if document is not None and before is not None:
            after = apply_settled(document, before, catalog.reviews.of_document(document_id))
            catalog.versions.put(after)
            families = {f for f in (family_of(before), family_of(after)) if f is not None}
            chains = catalog.documents.family_ids(families)
            touched |= {key for keys in chains.values() for key in keys}
        catalog.outbox.add(sorted(touched))
    return value
