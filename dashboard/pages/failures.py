"""What could not be read: by class and department, each file with what to do; tried again in bulk."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import quote, urlencode

from catalog.browse import OutcomeFilter
from catalog.times import utc_now
from contracts.failures import RETRYABLE, FailureClass, advice_for
from contracts.tasks import TaskKind, TaskRequest
from dashboard.pages.documents import filters_of
from dashboard.sight import MASK
from dashboard.tables import Cell, Column, Listing, Rows, csv_of, shown
from dashboard.visit import File, Page, Redirect, Visit, whole

if TYPE_CHECKING:
    from catalog.browse import ListedDocument

__all__ = ["failures", "retry"]


def failures(visit: Visit) -> Page | File:
    """Classes with their departments, and the files of the chosen ones."""
    listings = [_classes(visit), _files(visit)]
    csv = csv_of(visit, listings)
    if csv is not None:
        return csv
    failure = visit.query.get("failure", "")
    values = {
        "classes": shown(visit, listings[0]),
        "table": shown(visit, listings[1]),
        "failure": failure,
        "advice": advice_for(FailureClass(failure)) if failure in set(FailureClass) else "",
        "chosen": {k: visit.query.get(k, "") for k in ("source", "failure", "department")},
        "retryable": failure in RETRYABLE,
    }
    return Page("failures.html", values, part="rows")


def _chosen(values: dict[str, str]) -> OutcomeFilter:
    return OutcomeFilter(
        source=values["source"],
        failure=values["failure"],
        department=values["department"],
        failed=True,
    )


def _classes(visit: Visit) -> Listing:
    def fetch(after: str, limit: int) -> Rows:
        del after, limit  # at most as many as there are classes and departments
        counted = visit.figures.now().get("failures", ())
        found = sorted(counted, key=lambda row: (-row["n"], row["failure"], row["department"]))
        return Rows([_class_row(visit, r["failure"], r["department"], r["n"]) for r in found])

    columns = [
        Column("column.failure"),
        Column("column.department"),
        Column("column.files", number=True),
    ]
    return Listing("failure_classes", [*columns, Column("column.advice")], fetch)


def _class_row(visit: Visit, failure: str, department: str, count: int) -> list[Cell]:
    asked = urlencode({"failure": failure, "department": department or "-"})
    return [
        Cell(visit.words.of("failure", failure), f"/failures?failure={quote(failure)}"),
        Cell(department or visit.words("word.none")),
        Cell(f"{count:,}", f"/failures?{asked}", "number"),
        Cell(_advice(failure)),
    ]


def _advice(failure: str) -> str:
    return advice_for(FailureClass(failure)) if failure in set(FailureClass) else ""


def _files(visit: Visit) -> Listing:
    which = _chosen({k: visit.query.get(k, "") for k in ("source", "failure", "department")})

    def fetch(after: str, limit: int) -> Rows:
        before = whole(after)
        found = visit.desk.catalog.browse.outcomes(which, before=before, limit=limit)
        items = visit.desk.catalog.items.get_many(one.item_id for one in found)
        places = {number: item.locator for number, item in items.items()}
        rows = [_file_row(visit, one, places.get(one.item_id, "")) for one in found]
        return Rows(rows, str(found[-1].seq) if len(found) == limit else "")

    columns = ("path", "link", "source", "failure", "department", "at", "advice")
    chosen = [one for one in filters_of(visit) if one.name in {"source", "failure", "department"}]
    return Listing("failures", [Column(f"column.{name}") for name in columns], fetch, chosen)


def _file_row(visit: Visit, one: ListedDocument, locator: str) -> list[Cell]:
    name = visit.sight.shown(
        source=one.source, document_id=one.document_id, scope_id=one.scope_id, path=one.path
    )
    link = ""
    if name != MASK:
        link = locator
        if one.member_path:
            name = f"{name}!/{one.member_path}".encode("utf-8", "backslashreplace").decode()
    href = f"/documents/{quote(one.document_id, safe='')}" if one.document_id else ""
    return [
        Cell(name, href, "masked" if name == MASK else "path"),
        Cell(link, kind="link"),
        Cell(one.source),
        Cell(visit.words.of("failure", one.failure), kind="bad"),
        Cell(one.department),
        Cell(one.at, kind="time"),
        Cell(_advice(one.failure)),
    ]


def retry(visit: Visit) -> Redirect:
    """Have the chosen files read once more: they count as not processed, and their sources are scanned."""
    chosen = {name: visit.field(name) for name in ("source", "failure", "department")}
    back = f"/failures?{urlencode({k: v for k, v in chosen.items() if v})}"
    if not any(chosen.values()):
        return Redirect("/failures", "nothing_chosen")
    catalog = visit.desk.catalog
    visit.audit("retry", **chosen)
    asked = catalog.items.ask_again(_chosen(chosen))
    now = utc_now()
    catalog.tasks.request_many(
        TaskRequest(key=f"{TaskKind.SCAN}:{name}:{now}", kind=TaskKind.SCAN, source=name)
        for name in asked
    )
    return Redirect(back, "retry", sum(asked.values()))
