"""The first page: what there is, what waits, what is wrong and what to do about it."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from catalog.times import parse_utc, utc_text
from dashboard.pages.analytics import LATEST, summary_of
from dashboard.roles import Role
from dashboard.tables import Cell, Column, Listing, Rows, csv_of, shown
from dashboard.visit import File, Page, Visit

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from dashboard.desk import Desk

__all__ = ["figures_of", "overview"]

_GIB = 1 << 30
_DISK_LOW = 0.1
_BY = ("source", "format", "department")


def figures_of(desk: Desk) -> dict[str, Any]:
    """The numbers of ``seoga status``, and the counts that only pages show."""
    counted = desk.catalog.browse.outcome_counts("source", "kind")
    by = {"source": counted}
    by["format"] = desk.catalog.browse.outcome_counts("format", "kind")
    by["department"] = desk.catalog.browse.outcome_counts("department", "kind")
    return {
        "status": desk.status(),
        "by": {name: _grouped(rows, name) for name, rows in by.items()},
        "failures": desk.catalog.browse.failures(),
        "searches": summary_of(desk.catalog.browse.latest_searches(LATEST)),
        "feedback": desk.catalog.browse.feedback_counts(_month_ago()),
        "days": desk.catalog.browse.query_days(_month_ago()),
    }


def _month_ago() -> str:
    return utc_text(datetime.now(UTC) - timedelta(days=30))


def overview(visit: Visit) -> Page | File:
    """Numbers, alerts, and a table for each way of counting."""
    found = visit.figures.now()
    if not found:
        return Page("overview.html", {"ready": False, "tables": [], "alerts": []}, part="figures")
    listings = [_counts(visit, found["by"][name], name) for name in _BY]
    csv = csv_of(visit, listings)
    if csv is not None:
        return csv
    status = found["status"]
    values = {
        "ready": True,
        "as_of": found["as_of"],
        "tiles": _tiles(visit, status),
        "alerts": _alerts(visit, status),
        "sources": _freshness(status),
        "tasks": status["tasks"],
        "oldest": status["oldest_task_seconds"],
        "outcomes": sorted(status["outcomes"].items(), key=lambda pair: -pair[1]),
        "tables": [shown(visit, one) for one in listings],
        "sizes": _sizes(status),
    }
    return Page("overview.html", values, part="figures")


def _grouped(rows: Iterable[Mapping[str, Any]], name: str) -> list[tuple[str, dict[str, int]]]:
    """Counts by kind of outcome, for each value, the most frequent first."""
    found: dict[str, Counter[str]] = {}
    for row in rows:
        found.setdefault(row[name], Counter())[row["kind"]] += row["n"]
    pairs = sorted(found.items(), key=lambda pair: (-pair[1].total(), pair[0]))
    return [(value, dict(counts)) for value, counts in pairs]


_KINDS = ("indexed", "indexed_with_warnings", "rejected", "failed", "skipped")


def _counts(visit: Visit, rows: Sequence[tuple[str, dict[str, int]]], name: str) -> Listing:
    def fetch(after: str, limit: int) -> Rows:
        del after, limit  # a few dozen at most
        return Rows([_count_row(visit, name, value, counts) for value, counts in rows])

    columns = [
        Column(f"column.{name}"),
        *(Column(f"outcome.{kind}", number=True) for kind in _KINDS),
    ]
    return Listing(f"by_{name}", columns, fetch)


def _count_row(visit: Visit, name: str, value: str, counts: Mapping[str, int]) -> list[Cell]:
    asked = {name: value or "-"}
    cells = [Cell(value or visit.words("word.none"), f"/documents?{urlencode(asked)}")]
    for kind in _KINDS:
        number = counts.get(kind, 0)
        href = f"/documents?{urlencode({**asked, 'kind': kind})}" if number else ""
        cells.append(Cell(f"{number:,}", href, "number"))
    return cells


def _tiles(visit: Visit, status: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    """Word, number, and where its rows are ("" where the person may not go)."""
    operator = Role.OPERATOR in visit.who.roles
    reviewer = operator or Role.REVIEWER in visit.who.roles
    failed = sum(status["classes"].values())
    waiting = sum(states.get("queued", 0) for states in status["tasks"].values())
    return [
        ("tile.documents", f"{status['documents']:,}", "/documents"),
        ("tile.failed", f"{failed:,}", "/failures" if operator else ""),
        ("tile.conflicts", f"{status['conflicts']:,}", "/conflicts" if reviewer else ""),
        ("tile.waiting", f"{waiting:,}", "/sources" if operator else ""),
        ("tile.queries", f"{status['queries']:,}", "/analytics" if operator else ""),
        ("tile.ocr", f"{status['ocr_pages']:,}", "/review/worst" if reviewer else ""),
    ]


def _sizes(status: Mapping[str, Any]) -> list[tuple[str, str]]:
    disk, index = status["disk"], status["index"] or {}
    found = [("size.disk", f"{disk['free'] / _GIB:.1f} / {disk['size'] / _GIB:.1f} GiB")]
    if index and not index["problem"]:
        found.append(("size.chunks", f"{index['chunks']:,}"))
        found.append(("size.index", f"{index['bytes'] / _GIB:.2f} GiB"))
    found.append(("size.outbox", f"{status['queued']['outbox']:,}"))
    found.append(("size.hidden", f"{status['queued']['hidden']:,}"))
    return found


def _freshness(status: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Of each source: how old its permissions are, and how soon a right that is taken away shows."""
    now = datetime.now(UTC)
    found = []
    for source in status["sources"]:
        last = source["last_permission_run"]
        age = (now - parse_utc(last)).total_seconds() if last else None
        found.append({**source, "permission_age": age})
    return found


def _alerts(visit: Visit, status: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    """What is wrong, what to do, and where."""
    say = visit.words
    found: list[tuple[str, str, str]] = []
    for source in status["sources"]:
        if source["alert"]:
            found.append((f"{source['name']}: {source['alert']}", say("advice.source"), "/sources"))
        if source["hidden"]:
            text = say("alert.hidden", name=source["name"], n=source["hidden"])
            found.append((text, say("advice.hidden"), f"/sources/{source['name']}/deletions"))
        canary = source["canary"]
        if canary and canary["problem"]:
            found.append((f"{source['name']}: {canary['problem']}", say("advice.canary"), ""))
    for directory in status["directories"]:
        if directory["problem"]:
            text = f"{directory['realm']}: {directory['problem']}"
            found.append((text, say("advice.directory"), ""))
    parked = sum(states.get("parked", 0) for states in status["tasks"].values())
    if parked:
        found.append((say("alert.parked", n=parked), say("advice.parked"), "/failures"))
    disk = status["disk"]
    if disk["free"] < _DISK_LOW * disk["size"]:
        found.append((say("alert.disk"), say("advice.disk"), ""))
    index = status["index"]
    if index and index["problem"]:
        found.append((f"{say('alert.index')} {index['problem']}", say("advice.index"), ""))
    return found
