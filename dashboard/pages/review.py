"""Parse quality: draws of pages, what reviewers said of them, how they agree, and the worst documents."""

from __future__ import annotations

import threading
from collections import defaultdict
from typing import TYPE_CHECKING
from urllib.parse import quote

import structlog

from catalog.draws import DrawnPage
from contracts.errors import NotFoundError, SeogaError
from dashboard.samples import agreements, drawn, right_pages
from dashboard.sight import MASK
from dashboard.tables import Cell, Column, Filter, Listing, Rows, csv_of, shown
from dashboard.visit import File, Page, Redirect, Visit, whole

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from catalog.records import PageVerdict
    from dashboard.samples import Share

__all__ = ["draw", "draw_pages", "review", "shares_by_month", "worst"]

_MOST = 500
_PATIENCE = 2.0
_GRADES = ("D", "C", "B", "A")
_log = structlog.get_logger()


def review(visit: Visit) -> Page | File:
    """Draws, the share of right pages over time, and how reviewers agree."""
    verdicts = visit.desk.catalog.reviews.page_verdicts()
    listings = [_agreement(visit, verdicts), _months(visit, verdicts)]
    csv = csv_of(visit, listings)
    if csv is not None:
        return csv
    counted = visit.figures.now().get("status", {}).get("quality", {})
    values = {
        "draws": visit.desk.catalog.draws.latest(),
        "share": right_pages(verdicts),
        "agreement": shown(visit, listings[0]),
        "months": shown(visit, listings[1]),
        "grades": [(grade, counted.get(grade, 0)) for grade in _GRADES],
        "most": _MOST,
    }
    return Page("review.html", values)


def shares_by_month(verdicts: Iterable[PageVerdict]) -> list[tuple[str, Share]]:
    """The share of right pages of the verdicts of each month (``2026-11``), the oldest first."""
    by_month: dict[str, list[PageVerdict]] = defaultdict(list)
    for verdict in verdicts:
        by_month[verdict.at[:7]].append(verdict)
    return [(month, right_pages(found)) for month, found in sorted(by_month.items())]


def _months(visit: Visit, verdicts: list[PageVerdict]) -> Listing:
    del visit
    rows = [
        [
            Cell(month),
            Cell(str(share.pages), kind="number"),
            Cell(str(share.right), kind="number"),
            Cell(f"{share.share:.1%}", kind="number"),
            Cell(f"{share.low:.1%} – {share.high:.1%}", kind="number"),
        ]
        for month, share in reversed(shares_by_month(verdicts))
    ]
    words = ("month", "pages", "rightpages", "right", "interval")
    columns = [Column(f"column.{word}", number=word != "month") for word in words]
    return Listing("right_by_month", columns, lambda _after, _limit: Rows(rows))


def _agreement(visit: Visit, verdicts: list[PageVerdict]) -> Listing:
    del visit
    rows = [
        [
            Cell(one.first),
            Cell(one.second),
            Cell(str(one.pages), kind="number"),
            Cell(f"{one.agreed:.1%}", kind="number"),
            Cell("–" if one.kappa is None else f"{one.kappa:.3f}", kind="number"),
        ]
        for one in agreements(verdicts)
    ]
    words = ("first", "second", "pages", "agreed", "kappa")
    columns = [Column(f"column.{word}", number=word not in {"first", "second"}) for word in words]
    return Listing("agreement", columns, lambda _after, _limit: Rows(rows))


def draw(visit: Visit) -> Redirect:
    """Draw pages of documents that the person may read; a large catalog is gone through in the background."""
    count, lot = whole(visit.field("count")), whole(visit.field("seed"))
    if not 1 <= count <= _MOST:
        return Redirect("/review", "bad_count")
    catalog, by, scopes = visit.desk.catalog, visit.who.name, visit.sight.access.scopes
    visit.audit("draw", count=count, seed=lot)
    made: list[int] = []

    def work() -> None:
        try:
            samples = drawn(catalog, count, lot, scopes)
            if samples:
                pages = [
                    DrawnPage(
                        version_id=one.version_id,
                        document_id=one.document.document_id,
                        page=one.page,
                        stratum="\t".join(one.stratum),
                    )
                    for one in samples
                ]
                made.append(catalog.draws.add(pages, by))
        except SeogaError as problem:
            _log.error("draw_failed", code=problem.code, reason=str(problem))

    thread = threading.Thread(target=work, name="draw", daemon=True)
    thread.start()
    thread.join(_PATIENCE)
    if made:
        return Redirect(f"/review/draws/{made[0]}", "drawn")
    return Redirect("/review", "drawing" if thread.is_alive() else "nothing_drawn")


def draw_pages(visit: Visit) -> Page | File:
    """The pages of a draw, with the person's own verdicts."""
    number = whole(visit.path["draw"])
    if not visit.desk.catalog.draws.pages(number, limit=1):
        raise NotFoundError(visit.words("error.no_draw"))
    listing = _draw_listing(visit, number)
    csv = csv_of(visit, [listing])
    if csv is not None:
        return csv
    values = {"title": "title.draw", "intro": "intro.draw", "table": shown(visit, listing)}
    return Page("listing.html", values, part="rows")


def _draw_listing(visit: Visit, number: int) -> Listing:
    catalog, me = visit.desk.catalog, visit.who.name

    def fetch(after: str, limit: int) -> Rows:
        behind = whole(after)
        pages = catalog.draws.pages(number, after=behind, limit=limit)
        documents = catalog.documents.get_many(page.document_id for page in pages)
        said = catalog.reviews.verdicts_over({page.version_id for page in pages})
        rows = []
        for page in pages:
            document = documents.get(page.document_id)
            fine = document is not None and visit.sight.text(page.document_id)
            own = [
                v.verdict
                for v in said
                if (v.version_id, v.page, v.by) == (page.version_id, page.page, me)
            ]
            others = sum(
                1
                for v in said
                if (v.version_id, v.page) == (page.version_id, page.page) and v.by != me
            )
            kind, grade, department = page.stratum.split("\t")
            href = f"/review/pages/{quote(page.version_id, safe='')}/{page.page}?draw={number}"
            rows.append(
                [
                    Cell(str(page.place), kind="number"),
                    Cell(
                        document.path if document and fine else MASK,
                        href if fine else "",
                        "path" if fine else "masked",
                    ),
                    Cell(str(page.page or "–"), kind="number"),
                    Cell(kind),
                    Cell(grade),
                    Cell(department),
                    Cell(
                        visit.words.of("verdict", own[0]) if own else "–",
                        kind="bad" if own == ["bad"] else "",
                    ),
                    Cell(str(others), kind="number"),
                ]
            )
        return Rows(rows, str(pages[-1].place) if len(pages) == limit else "")

    words = ("place", "path", "page", "format", "grade", "department", "own", "others")
    numbers = {"place", "page", "others"}
    columns = [Column(f"column.{word}", number=word in numbers) for word in words]
    return Listing("draw", columns, fetch)


def worst(visit: Visit) -> Page | File:
    """Documents of a grade, the least certain first."""
    grade = visit.query.get("grade") or _GRADES[0]

    def fetch(after: str, limit: int) -> Rows:
        key = _key(after)
        found = visit.desk.catalog.browse.worst(grade=grade, after=key, limit=limit)
        rows = [_worst_row(visit, row) for row in found]
        last = (
            f"{found[-1]['confidence']!r} {found[-1]['version_id']}" if len(found) == limit else ""
        )
        return Rows(rows, last)

    words = ("path", "source", "grade", "confidence", "reasons")
    columns = [Column(f"column.{word}", number=word == "confidence") for word in words]
    chosen = [Filter("grade", "column.grade", [(one, one) for one in _GRADES])]
    listing = Listing("worst", columns, fetch, chosen)
    csv = csv_of(visit, [listing])
    if csv is not None:
        return csv
    values = {"title": "title.worst", "intro": "intro.worst", "table": shown(visit, listing)}
    return Page("listing.html", values, part="rows")


def _key(after: str) -> tuple[float, str]:
    """Confidence and version of the last row of the page before."""
    low, _, version = after.partition(" ")
    try:
        return (float(low), version) if version else (-1.0, "")
    except ValueError:
        return (-1.0, "")


def _worst_row(visit: Visit, row: Mapping[str, Any]) -> list[Cell]:
    name = visit.sight.shown(
        source=row["source"],
        document_id=row["document_id"],
        scope_id=row["scope_id"],
        path=row["path"],
    )
    href = f"/documents/{quote(row['document_id'], safe='')}"
    return [
        Cell(name, href, "masked" if name == MASK else "path"),
        Cell(row["source"]),
        Cell(row["grade"]),
        Cell(f"{row['confidence']:.2f}", kind="number"),
        Cell(", ".join(visit.words.of("reason", one) for one in _reasons(row["reasons"]))),
    ]


def _reasons(stored: str) -> list[str]:
    from catalog.text import from_json

    return from_json(stored, list[str])
