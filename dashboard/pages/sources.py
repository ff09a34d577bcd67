"""Sources: schedules and runs; pause, run now, and confirm deletions that a guarded scan has hidden."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING
from urllib.parse import quote

import structlog

from catalog.times import utc_now
from contracts.errors import NotFoundError, SeogaError
from contracts.tasks import TaskKind, TaskRequest
from dashboard.sight import MASK
from dashboard.tables import Cell, Column, Listing, Rows, csv_of, shown
from dashboard.visit import File, Page, Redirect, Visit, whole

if TYPE_CHECKING:
    from catalog.records import SourceRecord

__all__ = ["confirm", "deletions", "pause", "run", "sources"]

_PATIENCE = 3.0
_RUNS = 30
_KINDS = {"content": TaskKind.SCAN, "permissions": TaskKind.ACL}
_log = structlog.get_logger()


def sources(visit: Visit) -> Page | File:
    """Each source with its schedules, and the latest runs."""
    catalog = visit.desk.catalog
    listing = _runs(visit)
    csv = csv_of(visit, [listing])
    if csv is not None:
        return csv
    known = {one["name"]: one for one in visit.figures.now().get("status", {}).get("sources", ())}
    rows = [
        {
            "record": record,
            "place": record.config.get("url") or record.config.get("root", ""),
            "content": record.config.get("content_schedule", ""),
            "permissions": record.config.get("permission_schedule", ""),
            "hidden": catalog.browse.hidden_count(record.name),
            "items": known.get(record.name, {}).get("items"),
        }
        for record in catalog.sources.list()
    ]
    tasks = catalog.tasks.counts()
    values = {
        "sources": rows,
        "runs": shown(visit, listing),
        "tasks": sorted((kind.value, state.value, n) for (kind, state), n in tasks.items() if n),
    }
    return Page("sources.html", values)


def _runs(visit: Visit) -> Listing:
    def fetch(after: str, limit: int) -> Rows:
        del after, limit  # the latest
        rows = []
        for one in visit.desk.catalog.runs.list(limit=_RUNS):
            counts = ", ".join(
                f"{name} {count}" for name, count in sorted(one.counts.items()) if count
            )
            kind = {"failed": "bad", "lost": "bad", "done": "good"}.get(one.state, "")
            rows.append(
                [
                    Cell(one.started_at, kind="time"),
                    Cell(one.source),
                    Cell(visit.words.of("run", one.kind)),
                    Cell(visit.words.of("runstate", one.state), kind=kind),
                    Cell(one.finished_at, kind="time"),
                    Cell(counts),
                    Cell(one.message),
                ]
            )
        return Rows(rows)

    words = ("started", "source", "run", "state", "finished", "counts", "message")
    return Listing("runs", [Column(f"column.{word}") for word in words], fetch)


def _source(visit: Visit) -> SourceRecord:
    found = visit.desk.catalog.sources.get(visit.path["name"])
    if found is None:
        raise NotFoundError(visit.words("error.no_source"))
    return found


def pause(visit: Visit) -> Redirect:
    """Take the source out of the schedules, or put it back."""
    record = _source(visit)
    paused = visit.field("paused") == "1"
    visit.audit("pause" if paused else "resume", source=record.name)
    visit.desk.catalog.sources.set_paused(record.name, paused=paused)
    return Redirect("/sources", "paused" if paused else "resumed")


def run(visit: Visit) -> Redirect:
    """Ask for a run now; whoever does the work takes it up."""
    record = _source(visit)
    kind = _KINDS.get(visit.field("kind"))
    if kind is None:
        return Redirect("/sources", "nothing_chosen")
    visit.audit("run", source=record.name, kind=kind.value)
    key = f"{kind}:{record.name}:{utc_now()}"
    visit.desk.catalog.tasks.request_many([TaskRequest(key=key, kind=kind, source=record.name)])
    return Redirect("/sources", "asked")


def deletions(visit: Visit) -> Page | File:
    """What a guarded scan has hidden, and what would go for good."""
    record = _source(visit)
    listing = _hidden(visit, record.name)
    csv = csv_of(visit, [listing])
    if csv is not None:
        return csv
    values = {
        "source": record,
        "count": visit.desk.catalog.browse.hidden_count(record.name),
        "table": shown(visit, listing),
    }
    return Page("deletions.html", values, part="rows")


def _hidden(visit: Visit, source: str) -> Listing:
    def fetch(after: str, limit: int) -> Rows:
        processed, _, number = after.rpartition(" ")
        key = (processed, whole(number))
        found = visit.desk.catalog.browse.hidden(source, after=key, limit=limit)
        rows = []
        for row in found:
            name = visit.sight.shown(
                source=source,
                document_id=row["document_id"],
                scope_id=row["scope_id"],
                path=row["path"],
            )
            href = f"/documents/{quote(row['document_id'], safe='')}" if row["document_id"] else ""
            rows.append(
                [
                    Cell(name, href, "masked" if name == MASK else "path"),
                    Cell(f"{row['size']:,}", kind="number"),
                ]
            )
        last = f"{found[-1]['processed']} {found[-1]['item_id']}" if len(found) == limit else ""
        return Rows(rows, last)

    columns = [Column("column.path"), Column("column.size", number=True)]
    return Listing("deletions", columns, fetch)


def confirm(visit: Visit) -> Redirect:
    """Let go for good of what the person has seen listed; refused where the list has changed meanwhile."""
    record = _source(visit)
    there = f"/sources/{quote(record.name, safe='')}/deletions"
    count = visit.desk.catalog.browse.hidden_count(record.name)
    if visit.field("name") != record.name:
        return Redirect(there, "wrong_name")
    if visit.field("count") != str(count):
        return Redirect(there, "list_changed")
    visit.audit("confirm-deletions", source=record.name, count=count)
    desk, figures = visit.desk, visit.figures
    done: list[int] = []

    def work() -> None:
        try:
            done.append(desk.confirm_deletions(record.name))
            figures.forget()
        except SeogaError as problem:
            _log.error("confirm_failed", source=record.name, reason=str(problem))
            desk.catalog.sources.set_alert(record.name, str(problem))

    thread = threading.Thread(target=work, name="confirm", daemon=True)
    thread.start()
    thread.join(_PATIENCE)
    if done:
        return Redirect("/sources", "confirmed", done[0])
    return Redirect("/sources", "confirming" if thread.is_alive() else "confirm_failed")
