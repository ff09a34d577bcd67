"""Documents: a list that can be narrowed, and the life of one of them."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import quote

from catalog.browse import OutcomeFilter
from contracts.errors import NotFoundError
from contracts.failures import FailureClass, advice_for
from contracts.outcomes import OutcomeKind
from dashboard.roles import Role
from dashboard.sight import MASK
from dashboard.tables import Cell, Column, Filter, Listing, Rows, csv_of, shown
from dashboard.visit import File, Page, Visit, whole

if TYPE_CHECKING:
    from catalog.browse import ListedDocument
    from catalog.records import DocumentRecord

__all__ = ["document", "documents", "filters_of", "outcome_rows"]

_LIFE = 200


def documents(visit: Visit) -> Page | File:
    """The list."""
    listing = _listing(visit)
    csv = csv_of(visit, [listing])
    if csv is not None:
        return csv
    values = {"title": "nav.documents", "intro": "intro.documents", "table": shown(visit, listing)}
    return Page("listing.html", values, part="rows")


def _listing(visit: Visit) -> Listing:
    which = OutcomeFilter(
        source=visit.query.get("source", ""),
        kind=visit.query.get("kind", ""),
        failure=visit.query.get("failure", ""),
        format=visit.query.get("format", ""),
        department=visit.query.get("department", ""),
    )
    columns = ("path", "source", "outcome", "failure", "format", "department", "at")
    return Listing(
        "documents",
        [Column(f"column.{name}") for name in columns],
        lambda after, limit: outcome_rows(visit, which, after, limit),
        filters_of(visit),
    )


def outcome_rows(visit: Visit, which: OutcomeFilter, after: str, limit: int) -> Rows:
    """Rows of documents; the names of those that the person may not read are masked."""
    found = visit.desk.catalog.browse.outcomes(which, before=whole(after), limit=limit)
    rows = [_row(visit, one) for one in found]
    return Rows(rows, str(found[-1].seq) if len(found) == limit else "")


def _row(visit: Visit, one: ListedDocument) -> list[Cell]:
    name = visit.sight.shown(
        source=one.source, document_id=one.document_id, scope_id=one.scope_id, path=one.path
    )
    if one.member_path and name != MASK:
        name = f"{name}!/{one.member_path}".encode("utf-8", "backslashreplace").decode()
    href = f"/documents/{quote(one.document_id, safe='')}" if one.document_id else ""
    kind = "bad" if one.failure else ""
    return [
        Cell(name, href, "masked" if name == MASK else "path"),
        Cell(one.source, f"/documents?source={quote(one.source)}"),
        Cell(visit.words.of("outcome", one.kind), kind=kind),
        Cell(visit.words.of("failure", one.failure) if one.failure else ""),
        Cell(one.format),
        Cell(one.department),
        Cell(one.at, kind="time"),
    ]


def filters_of(visit: Visit) -> list[Filter]:
    """Choices above a list of documents."""
    words = visit.words
    sources = [(record.name, record.name) for record in visit.desk.catalog.sources.list()]
    counted = visit.figures.now().get("by", {})
    formats = [(value, value) for value, _ in counted.get("format", ()) if value]
    departments = [(value, value) for value, _ in counted.get("department", ()) if value]
    return [
        Filter("source", "column.source", sources),
        Filter("kind", "column.outcome", [(k.value, words.of("outcome", k)) for k in OutcomeKind]),
        Filter(
            "failure", "column.failure", [(f.value, words.of("failure", f)) for f in FailureClass]
        ),
        Filter("format", "column.format", formats),
        Filter("department", "column.department", [*departments, ("-", words("word.none"))]),
    ]


def document(visit: Visit) -> Page:
    """One document: where it stands, and what happened to it since it was first seen."""
    catalog = visit.desk.catalog
    found = catalog.documents.get(visit.path["document_id"])
    if found is None:
        raise NotFoundError(visit.words("error.no_document"))
    named = visit.sight.name(found.document_id, found.scope_id)
    if named:
        visit.audit("document", [found.document_id])
    version = catalog.versions.get(found.version_id) if found.version_id else None
    outcome = catalog.outcomes.get(found.document_id)
    failure = outcome.outcome.failure if outcome else None
    values = {
        "document": found,
        "named": named,
        "mask": MASK,
        "version": version if named else None,
        "quality": catalog.quality.get(found.version_id) if version else None,
        "outcome": outcome,
        "advice": advice_for(failure) if failure else "",
        "hidden": catalog.overlay.reasons(found.document_id),
        "life": _life(visit, found, named=named),
        "conflicts": catalog.reviews.of_document(found.document_id) if named else [],
        "link": _link(visit, found) if named else "",
        "reviews": Role.REVIEWER in visit.who.roles and visit.sight.text(found.document_id),
        "rereads": not visit.who.roles.isdisjoint({Role.REVIEWER, Role.OPERATOR})
        and visit.sight.text(found.document_id),
        "security": Role.SECURITY in visit.who.roles,
    }
    return Page("document.html", values)


def _link(visit: Visit, document: DocumentRecord) -> str:
    item = visit.desk.catalog.items.get(document.item_id)
    return item.locator if item else ""


def _life(visit: Visit, document: DocumentRecord, *, named: bool) -> list[tuple[str, str, str]]:
    """When, what, and more about it; the latest first. Where it was before only those learn who may know its name."""
    catalog = visit.desk.catalog
    found = [(document.created_at, "seen", "")]
    for version in catalog.versions.of_document(document.document_id):
        what = version.metadata
        more = (
            f"{version.format}, {visit.words.of('status', what.status)} {what.revision}"
            if named
            else ""
        )
        found.append((version.created_at, "read", more.strip()))
    found += [
        (event.at, event.kind, event.detail if named else "")
        for event in catalog.events.of_document(document.document_id, _LIFE)
    ]
    if Role.SECURITY in visit.who.roles:
        found += [
            (row["at_seen"], row["change"], row["principal"])
            for row in catalog.browse.ledger(document_id=document.document_id, limit=_LIFE)
        ]
    outcome = catalog.outcomes.get(document.document_id)
    if outcome is not None:
        found.append((outcome.at, "outcome", visit.words.of("outcome", outcome.outcome.kind)))
    return sorted(found, reverse=True)[:_LIFE]
