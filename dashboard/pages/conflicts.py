"""Values whose evidence disagrees, each with where it was read, for people to settle."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import quote

from contracts.errors import NotFoundError
from dashboard.sight import MASK
from dashboard.tables import Cell, Column, Filter, Listing, Rows, csv_of, shown
from dashboard.visit import File, Page, Redirect, Visit
from metadata.settling import canonical

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from catalog.records import ConflictRecord, DocumentRecord

__all__ = ["conflict", "conflicts", "settle"]

_STATES = ("open", "settled")
_CHAIN = frozenset({"revision", "status", "effective_date", "family", "document_number"})
"""Fields that the place of a document among its revisions depends on."""


def conflicts(visit: Visit) -> Page | File:
    """Open ones, the oldest first; or settled ones."""
    state = visit.query.get("state") or _STATES[0]

    def fetch(after: str, limit: int) -> Rows:
        at, document, field = [*after.split("\t"), "", "", ""][:3]
        key = (at, document, field)
        found = visit.desk.catalog.browse.conflicts(state, after=key, limit=limit)
        last = (
            "\t".join(found[-1][name] for name in ("at", "document_id", "field")) if found else ""
        )
        return Rows([_row(visit, one) for one in found], last if len(found) == limit else "")

    words = ("path", "field", "source", "state", "verdict", "by", "at")
    states = [(one, visit.words(f"state.{one}")) for one in _STATES]
    columns = [Column(f"column.{word}") for word in words]
    listing = Listing("conflicts", columns, fetch, [Filter("state", "column.state", states)])
    csv = csv_of(visit, [listing])
    if csv is not None:
        return csv
    values = {"title": "nav.conflicts", "intro": "intro.conflicts", "table": shown(visit, listing)}
    return Page("listing.html", values, part="rows")


def _row(visit: Visit, one: Mapping[str, Any]) -> list[Cell]:
    name = visit.sight.shown(
        source=one["source"],
        document_id=one["document_id"],
        scope_id=one["scope_id"],
        path=one["path"],
    )
    fine = name != MASK
    href = f"/conflicts/{quote(one['document_id'], safe='')}/{quote(one['field'], safe='')}"
    return [
        Cell(name, href if fine else "", "path" if fine else "masked"),
        Cell(visit.words.of("field", one["field"])),
        Cell(one["source"]),
        Cell(visit.words(f"state.{one['state']}")),
        Cell(
            visit.words.of(one["field"], one["verdict"])
            if fine
            else ("" if not one["verdict"] else MASK)
        ),
        Cell(one["by"]),
        Cell(one["at"], kind="time"),
    ]


def _asked(visit: Visit) -> tuple[DocumentRecord, ConflictRecord]:
    """The conflict of the address.

    Raises:
        NotFoundError: there is none, or the person may not read the document; nothing tells which.
    """
    document = visit.desk.catalog.documents.get(visit.path["document_id"])
    if document is None or not visit.sight.text(document.document_id):
        raise NotFoundError(visit.words("error.no_document"))
    for one in visit.desk.catalog.reviews.of_document(document.document_id):
        if one.field == visit.path["field"]:
            return document, one
    raise NotFoundError(visit.words("error.no_conflict"))


def conflict(visit: Visit) -> Page:
    """Each value with its evidence, and the other revisions that the person may read."""
    document, found = _asked(visit)
    visit.audit("conflict", [document.document_id], field=found.field)
    catalog = visit.desk.catalog
    version = catalog.versions.get(document.version_id)
    members = []
    if version is not None and found.field in _CHAIN:
        chain = catalog.documents.family_members(version.authority, version.metadata.family)
        members = [pair for pair in chain if visit.sight.text(pair[0].document_id)]
    item = catalog.items.get(document.item_id)
    values = {
        "document": document,
        "conflict": found,
        "choices": list(dict.fromkeys(one.value for one in found.evidence)),
        "members": members,
        "version": version,
        "link": item.locator if item else "",
        "address": f"/conflicts/{quote(document.document_id, safe='')}/{quote(found.field, safe='')}",
    }
    return Page("conflict.html", values)


def settle(visit: Visit) -> Redirect:
    """Make the value that is right the document's: in the catalog, its chain and the index."""
    document, found = _asked(visit)
    said = (visit.field("other") or visit.field("value"))[:500]
    if not said or canonical(found.field, said) is None:
        here = f"/conflicts/{quote(document.document_id, safe='')}/{quote(found.field, safe='')}"
        return Redirect(here, "no_value")
    visit.audit("settle", [document.document_id], field=found.field, verdict=said)
    visit.desk.settle(document.document_id, found.field, said, visit.who.name)
    return Redirect("/conflicts", "settled")
