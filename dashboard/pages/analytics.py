"""How people search: how much, how fast, what was not found, and what was refused. From the audit log."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlencode

from contracts.feedback import FeedbackKind
from dashboard.pages.golden import charted, latest_runs
from dashboard.sight import MASK
from dashboard.tables import Cell, Column, Filter, Listing, Rows, csv_of, shown
from dashboard.visit import File, Page, Visit, whole

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["LATEST", "analytics", "days_of", "feedback", "searches", "summary_of"]

LATEST = 10_000
_TOP = 50
_PERCENTILES = (50, 90, 95, 99)


def days_of(visit: Visit) -> Sequence[Mapping[str, Any]]:
    """Searches of the last 30 days, by day."""
    found: Sequence[Mapping[str, Any]] = visit.figures.now().get("days", [])
    return found


def summary_of(latest: Sequence[tuple[float, bool, bool, str, str]]) -> dict[str, Any]:
    """What the latest searches say together: how many, how fast, and what was not found most."""
    took = sorted(row[0] for row in latest if not row[2])
    nothing = Counter(row[3] for row in latest if row[1] and not row[2])
    return {
        "count": len(latest),
        "empty": nothing.total(),
        "refused": sum(1 for row in latest if row[2]),
        "percentiles": [(p, _percentile(took, p)) for p in _PERCENTILES] if took else [],
        "since": latest[-1][4] if latest else "",
        "nothing": nothing.most_common(_TOP),
    }


def analytics(visit: Visit) -> Page | File:
    """Figures over the latest searches, by day, and the queries that found nothing."""
    figures = visit.figures.now()
    summary = figures.get("searches") or summary_of([])
    listings = [_days(visit), _nothing(summary["nothing"]), latest_runs(visit)]
    csv = csv_of(visit, listings)
    if csv is not None:
        return csv
    values = {
        **summary,
        "as_of": figures.get("as_of", ""),
        "said": _said(visit),
        "days": shown(visit, listings[0]),
        "nothing": shown(visit, listings[1]),
        "golden": shown(visit, listings[2]),
        "charted": charted(visit)[1],
    }
    return Page("analytics.html", values)


def _said(visit: Visit) -> dict[str, Any]:
    """What readers said in the last 30 days, and how many searches of them led to a click."""
    counts = visit.figures.now().get("feedback", {})
    asked = sum(row["n"] for row in days_of(visit))
    clicks = counts.get("click", 0)
    return {"counts": sorted(counts.items()), "clicks": clicks / asked if asked else None}


def feedback(visit: Visit) -> Page | File:
    """What readers said, one by one; about documents that the person may not read only that something was said."""

    def fetch(after: str, limit: int) -> Rows:
        kind = visit.query.get("kind", "")
        found = visit.desk.catalog.browse.feedback(before=whole(after), limit=limit, kind=kind)
        rows = [_said_row(visit, row) for row in found]
        return Rows(rows, str(found[-1]["seq"]) if len(found) == limit else "")

    kinds = [(kind.value, visit.words.of("said", kind)) for kind in FeedbackKind]
    words = ("at", "said", "reader", "query", "path", "note", "settled")
    columns = [Column(f"column.{word}") for word in words]
    listing = Listing("feedback", columns, fetch, [Filter("kind", "column.said", kinds)])
    csv = csv_of(visit, [listing])
    if csv is not None:
        return csv
    values = {"title": "title.feedback", "intro": "intro.feedback", "table": shown(visit, listing)}
    return Page("listing.html", values, part="rows")


def _said_row(visit: Visit, row: Mapping[str, Any]) -> list[Cell]:
    document, seen = row["document_id"], True
    if document:
        seen = visit.sight.name(document, row["scope_id"])
    href = f"/documents/{quote(document, safe='')}" if document else ""
    return [
        Cell(row["at"], kind="time"),
        Cell(visit.words.of("said", row["kind"])),
        Cell(row["reader"]),
        Cell(row["query"]),
        Cell(row["path"] if seen else MASK, href, "path" if seen else "masked"),
        Cell(row["note"] if seen else MASK),
        Cell(row["verdict"]),
    ]


def _percentile(ordered: Sequence[float], percent: int) -> float:
    """The smallest value that at least so many percent do not exceed (nearest rank)."""
    return ordered[max(0, -(-len(ordered) * percent // 100) - 1)]


def _days(visit: Visit) -> Listing:
    def fetch(after: str, limit: int) -> Rows:
        del after, limit  # 30 at most
        rows = [
            [
                Cell(row["day"]),
                Cell(f"{row['n']:,}", kind="number"),
                Cell(f"{row['empty']:,}", kind="number"),
            ]
            for row in reversed(days_of(visit))
        ]
        return Rows(rows)

    columns = [Column("column.day"), Column("column.searches", number=True)]
    return Listing("searches_by_day", [*columns, Column("column.empty", number=True)], fetch)


def _nothing(counted: Sequence[tuple[str, int]]) -> Listing:
    def fetch(after: str, limit: int) -> Rows:
        del after, limit  # what is asked most, no more
        rows = [
            [
                Cell(query, f"/analytics/searches?{urlencode({'which': 'empty'})}"),
                Cell(str(count), kind="number"),
            ]
            for query, count in counted
        ]
        return Rows(rows)

    columns = [Column("column.query"), Column("column.times", number=True)]
    return Listing("found_nothing", columns, fetch)


def searches(visit: Visit) -> Page | File:
    """Searches one by one: all, those that found nothing, or the slowest."""
    which = visit.query.get("which", "")
    reader = visit.query.get("reader", "")

    def fetch(after: str, limit: int) -> Rows:
        browse = visit.desk.catalog.browse
        if which == "slow":
            found = browse.slow(after=_key(after), limit=limit)
            last = f"{found[-1]['took_ms']!r} {found[-1]['seq']}" if found else ""
        else:
            before = whole(after)
            found = browse.queries(
                before=before, limit=limit, empty=which == "empty", reader=reader
            )
            last = str(found[-1]["seq"]) if found else ""
        return Rows([_row(visit, row) for row in found], last if len(found) == limit else "")

    kinds = [(kind, visit.words(f"which.{kind}")) for kind in ("empty", "slow")]
    words = ("at", "reader", "query", "documents", "took", "channel")
    columns = [Column(f"column.{word}", number=word in {"documents", "took"}) for word in words]
    chosen = [Filter("which", "column.which", kinds), Filter("reader", "column.reader")]
    listing = Listing("searches", columns, fetch, chosen)
    csv = csv_of(visit, [listing])
    if csv is not None:
        return csv
    values = {"title": "title.searches", "intro": "intro.searches", "table": shown(visit, listing)}
    return Page("listing.html", values, part="rows")


def _key(after: str) -> tuple[float, int] | None:
    """Milliseconds and number of the last row of the page before, or None at the top."""
    took, _, seq = after.partition(" ")
    try:
        return (float(took), whole(seq)) if seq else None
    except ValueError:
        return None


def _row(visit: Visit, row: Mapping[str, Any]) -> list[Cell]:
    refused = json.loads(row["filters"]).get("access_epoch") == -1
    count = len(json.loads(row["document_ids"]))
    return [
        Cell(row["at"], kind="time"),
        Cell(row["reader"]),
        Cell(row["query"]),
        Cell(visit.words("word.refused") if refused else str(count), kind="number"),
        Cell(f"{row['took_ms']:.0f}", kind="number"),
        Cell(row["channel"]),
    ]
