"""What a person settled where the evidence of a document disagrees: it is the value, as long as that evidence stays the same."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from contracts.versions import DocumentVersion, Evidence, EvidenceSource, Status
from metadata.dates import parse_date
from metadata.families import family_key
from metadata.revisions import parse_revision
from metadata.values import accept

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["SETTLED_FIELDS", "Settlement", "canonical", "own_evidence", "settled"]

SETTLED_FIELDS = (
    "revision", "status", "document_number", "security_level", "department", "effective_date",
)  # fmt: skip
"""Fields whose evidence may disagree, see :mod:`metadata.enrich`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settlement:
    """One decision.

    Attributes:
        field: Over which field.
        value: Canonical value.
        by: Who decided.
        at: When, UTC text.
        evidence: The document's own evidence of the field then.
    """

    field: str
    value: str
    by: str
    at: str
    evidence: tuple[Evidence, ...]


def canonical(field: str, said: str) -> str | None:
    """The value that a person's words stand for, or None where they are no value of the field."""
    return accept(field, said) if field in SETTLED_FIELDS else None


def own_evidence(version: DocumentVersion, field: str) -> tuple[Evidence, ...]:
    """What the document itself says of a field, in the order of its version."""
    return tuple(
        reading
        for reading in version.evidence
        if reading.field == field and reading.source is not EvidenceSource.PERSON
    )


def settled(
    version: DocumentVersion, decisions: Iterable[Settlement], path: str, name: str
) -> DocumentVersion:
    """The version with the values that were settled, each with its evidence before all others.

    A decision over evidence that has changed since, or whose value is none of its field, is left out.

    Args:
        version: As enrichment made it, or settled before.
        decisions: At most one a field.
        path: See :func:`metadata.families.family_key`.
        name: The same.
    """
    for one in decisions:
        value = canonical(one.field, one.value)
        if value is None or own_evidence(version, one.field) != one.evidence:
            continue
        said = Evidence(
            one.field, value, EvidenceSource.PERSON, one.value, f"settled by {one.by} at {one.at}"
        )
        others = [
            reading
            for reading in version.evidence
            if reading.field != one.field or reading.source is not EvidenceSource.PERSON
        ]
        version = replace(version, evidence=(said, *others), **_values(one.field, value))
        if one.field == "document_number":
            version = replace(version, family=family_key(version, path, name))
    return version


def _values(field: str, value: str) -> dict[str, Any]:
    if field == "status":
        return {"status": Status(value), "explicit_status": True}
    if field == "effective_date":
        return {"effective_date": parse_date(value)}
    if field == "revision":
        found = parse_revision(value)
        return {"revision": value, "revision_rank": found.rank if found else ()}
    return {field: value}
