"""For security officers: the ledger, who may read a document and why, what the lists look like, and what was done here."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING
from urllib.parse import quote

from acl_sync.access import explain as decisions_of
from contracts.errors import UnknownReaderError
from dashboard.sight import MASK
from dashboard.tables import Cell, Column, Filter, Listing, Rows, csv_of, shown
from dashboard.visit import File, Page, Visit, whole

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from acl_sync.access import Decision
    from catalog.records import DocumentRecord

__all__ = ["actions", "explain", "permissions", "report"]

_ROWS = 200


def permissions(visit: Visit) -> Page | File:
    """The ledger, the latest first."""
    query = visit.query

    def fetch(after: str, limit: int) -> Rows:
        found = visit.desk.catalog.browse.ledger(
            before=whole(after),
            limit=limit,
            source=query.get("source", ""),
            principal=query.get("principal", ""),
            document_id=query.get("document", ""),
        )
        rows = [_ledger_row(visit, row) for row in found]
        return Rows(rows, str(found[-1]["seq"]) if len(found) == limit else "")

    sources = [(record.name, record.name) for record in visit.desk.catalog.sources.list()]
    chosen = [Filter("source", "column.source", sources), Filter("principal", "column.principal")]
    words = ("at", "change", "principal", "place", "source", "effective")
    listing = Listing("ledger", [Column(f"column.{word}") for word in words], fetch, chosen)
    csv = csv_of(visit, [listing])
    if csv is not None:
        return csv
    return Page("permissions.html", {"table": shown(visit, listing), "here": "ledger"}, part="rows")


def _ledger_row(visit: Visit, row: Mapping[str, Any]) -> list[Cell]:
    document = row["document_id"]
    place = document or scope_name(visit, row["source"], row["scope_id"])
    href = f"/documents/{quote(document, safe='')}" if document else ""
    return [
        Cell(row["at_seen"], kind="time"),
        Cell(
            visit.words.of("change", row["change"]), kind="bad" if row["change"] == "lost" else ""
        ),
        Cell(row["principal"], f"/permissions?principal={quote(row['principal'])}"),
        Cell(place, href),
        Cell(row["source"]),
        Cell(row["effective_at"], kind="time"),
    ]


def scope_name(visit: Visit, source: str, scope_id: str) -> str:
    """A folder's scope by its folder; one of documents by its folder alone, unless the person may read them."""
    key = scope_id.removeprefix(f"{source}:")
    folder, own, _rest = key.partition("//")
    if own and scope_id not in visit.sight.access.scopes:
        key = f"{folder}//{MASK}"
    return key.encode("utf-8", "backslashreplace").decode()


def explain(visit: Visit) -> Page:
    """May this person read this document, and which entry of which gate decides."""
    wanted, reader = visit.query.get("document", "").strip(), visit.query.get("reader", "").strip()
    values: dict[str, Any] = {"here": "explain", "wanted": wanted, "reader": reader, "asked": False}
    if not wanted or not reader:
        return Page("explain.html", values | {"problem": ""})
    document = _find(visit, wanted)
    visit.audit("explain", [document.document_id] if document else (), document=wanted, of=reader)
    if document is None:
        return Page("explain.html", values | {"problem": visit.words("error.no_document")}, 404)
    try:
        principals = visit.desk.reader(reader).principals
    except UnknownReaderError:
        return Page("explain.html", values | {"problem": visit.words("error.no_reader")})
    return Page("explain.html", values | _explained(visit, document, principals))


def _explained(
    visit: Visit, document: DocumentRecord, principals: frozenset[str]
) -> dict[str, Any]:
    catalog = visit.desk.catalog
    scopes = {scope.scope_id: scope for scope in catalog.scopes.all(document.source)}
    found = decisions_of(document.scope_id, scopes, principals)
    hidden = catalog.overlay.reasons(document.document_id)
    passed = document.scope_id in scopes and bool(found) and all(one.allowed for one in found)
    named = visit.sight.name(document.document_id, document.scope_id)
    return {
        "asked": True,
        "problem": "",
        "document": document,
        "path": document.path if named else MASK,
        "may": passed and not hidden and document.state == "live",
        "known": document.scope_id in scopes,
        "hidden": hidden,
        "steps": [_step(visit, document.source, one) for one in found],
        "principals": sorted(principals),
    }


def _step(visit: Visit, source: str, one: Decision) -> dict[str, Any]:
    say = visit.words
    if one.gate is None:
        why = say("why.unreadable")
    elif one.entry is None:
        why = say("why.no_entry")
    else:
        why = f"{say.of('effect', one.entry.effect)} {one.entry.principal}"
        why += f" ({say('why.inherited')})" if one.entry.inherited else ""
    return {
        "place": scope_name(visit, source, one.scope.scope_id),
        "gate": one.gate.name if one.gate else "–",
        "allowed": one.allowed,
        "why": why,
    }


def _find(visit: Visit, name: str) -> DocumentRecord | None:
    """A document by its id, or by ``SOURCE/PATH`` or path."""
    catalog = visit.desk.catalog
    found = catalog.documents.get(name)
    if found is not None:
        return found
    for source in catalog.sources.list():
        path = name.removeprefix(f"{source.name}/")
        item = catalog.items.by_path(source.name, path.partition("!/")[0])
        for document in catalog.documents.by_item(item.item_id) if item else ():
            if document.path == path:
                return document
    return None


def report(visit: Visit) -> Page | File:
    """What the access lists of a source look like."""
    names = [record.name for record in visit.desk.catalog.sources.list()]
    wanted = visit.query.get("source", "")
    chosen = [Filter("source", "column.source", [(name, name) for name in names])]
    found = visit.desk.report(wanted) if wanted in names else None

    def fetch(after: str, limit: int) -> Rows:
        del after, limit  # the report is of one source, and worked out as a whole
        if found is None:
            return Rows([])
        rows = [
            [
                Cell(visit.words.of("finding", kind)),
                Cell(_place(visit, wanted, row.place)),
                Cell(f"{row.documents:,}", kind="number"),
                Cell(row.detail),
            ]
            for kind, rows in found.findings.items()
            for row in rows
        ]
        return Rows(rows if visit.query.get("csv") else rows[:_ROWS])

    columns = [
        Column("column.finding"),
        Column("column.place"),
        Column("column.documents", number=True),
    ]
    listing = Listing("permission_report", [*columns, Column("column.detail")], fetch, chosen)
    csv = csv_of(visit, [listing])
    if csv is not None:
        return csv
    values = {
        "table": shown(visit, listing),
        "here": "report",
        "totals": sorted(found.totals.items()) if found else [],
        "documents": found.documents if found else 0,
        "unasked": found is not None and not found.asked,
        "most": _ROWS,
    }
    return Page("report.html", values, part="rows")


def _place(visit: Visit, source: str, place: str) -> str:
    """A folder or principal as it is; a document only for those who may know its name."""
    item = visit.desk.catalog.items.by_path(source, place.partition("!/")[0])
    if item is not None and not visit.sight.name(item.document_id, item.scope_id):
        return MASK
    return place.encode("utf-8", "backslashreplace").decode()


def actions(visit: Visit) -> Page | File:
    """What people did in the dashboard, the latest first."""

    def fetch(after: str, limit: int) -> Rows:
        found = visit.desk.catalog.browse.queries(
            before=whole(after),
            limit=limit,
            actions=True,
            reader=visit.query.get("reader", ""),
        )
        rows = [_action_row(visit, row) for row in found]
        return Rows(rows, str(found[-1]["seq"]) if len(found) == limit else "")

    words = ("at", "reader", "action", "detail", "documents")
    columns = [Column(f"column.{word}", number=word == "documents") for word in words]
    listing = Listing("actions", columns, fetch, [Filter("reader", "column.reader")])
    csv = csv_of(visit, [listing])
    if csv is not None:
        return csv
    return Page(
        "permissions.html", {"table": shown(visit, listing), "here": "actions"}, part="rows"
    )


def _action_row(visit: Visit, row: Mapping[str, Any]) -> list[Cell]:
    details = json.loads(row["filters"])
    told = ", ".join(f"{name}={value}" for name, value in sorted(details.items()) if value)
    return [
        Cell(row["at"], kind="time"),
        Cell(row["reader"], f"/permissions/actions?reader={quote(row['reader'])}"),
        Cell(visit.words.of("action", row["query"])),
        Cell(told),
        Cell(str(len(json.loads(row["document_ids"]))), kind="number"),
    ]
