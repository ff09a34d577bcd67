"""Figures of the evaluation over time: every run of a golden set or of the gate that the commands have kept."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlencode

from catalog.evaluations import GATE, GOLDEN
from dashboard.tables import Cell, Column, Filter, Listing, Rows, csv_of, shown
from dashboard.visit import File, Page, Visit, whole

if TYPE_CHECKING:
    from catalog.evaluations import Evaluation

__all__ = ["CHARTED", "charted", "golden", "latest_runs"]

CHARTED = ("hit_at_1", "hit_at_3", "mrr", "answers_right", "answer_right", "refusal_precision")
"""Figures of the chart, as far as a run has them; ``answers_right`` is of golden sets, ``answer_right`` of the gate."""
_SHOWN = (
    "hit_at_1", "hit_at_3", "hit_at_5", "mrr", "answers_right", "citations_right", "false_answers", "refusal_precision",
)  # fmt: skip
_ALSO = {
    "answers_right": "answer_right",
    "citations_right": "citation_document",
    "hit_at_5": "hit_at_10",
}
"""What the gate has in the place of a golden set's figure."""
_CHART = 60
_LATEST = 10


def golden(visit: Visit) -> Page | File:
    """Every run."""
    listing = _listing(visit, "golden")
    csv = csv_of(visit, [listing])
    if csv is not None:
        return csv
    values = {"title": "title.golden", "intro": "intro.golden", "table": shown(visit, listing)}
    return Page("listing.html", values, part="rows")


def latest_runs(visit: Visit) -> Listing:
    """The latest runs of the set that the chart shows."""
    return _listing(visit, "golden", most=_LATEST)


def charted(visit: Visit) -> tuple[str, str, list[Evaluation]]:
    """What the chart shows: kind and file that were asked for, else those of the latest run; and its runs, the oldest first."""
    store = visit.desk.catalog.evaluations
    kind, name = _chosen(visit.query.get("set", ""))
    if not name:
        latest = store.newest(kind=GOLDEN, limit=1) or store.newest(limit=1)
        if not latest:
            return GOLDEN, "", []
        kind, name = latest[0].kind, latest[0].name
    return kind, name, store.newest(kind=kind, name=name, limit=_CHART)[::-1]


def _chosen(text: str) -> tuple[str, str]:
    kind, _, name = text.partition(":")
    return (kind, name) if kind in {GOLDEN, GATE} else ("", "")


def _listing(visit: Visit, name: str, most: int = 0) -> Listing:
    store = visit.desk.catalog.evaluations
    if most:
        kind, file, _ = charted(visit)
    else:
        kind, file = _chosen(visit.query.get("set", ""))

    def fetch(after: str, limit: int) -> Rows:
        taken = min(limit, most) if most and "csv" not in visit.query else limit
        found = store.newest(kind=kind, name=file, before=whole(after), limit=taken)
        more = len(found) == limit and not (most and "csv" not in visit.query)
        return Rows([_row(visit, one) for one in found], str(found[-1].seq) if more else "")

    words = ("at", "set", "questions", *_SHOWN, "worse", "made_with")
    columns = [
        Column(f"column.{word}", number=word not in {"at", "set", "made_with"}) for word in words
    ]
    sets = [(f"{k}:{n}", f"{visit.words(f'evaluation.{k}')}: {n}") for k, n in store.names()]
    return Listing(name, columns, fetch, [Filter("set", "column.set", sets)] if sets else ())


def _row(visit: Visit, one: Evaluation) -> list[Cell]:
    which = {"set": f"{one.kind}:{one.name}"}
    text = f"{visit.words(f'evaluation.{one.kind}')}: {one.name} ({one.digest[:8]})"
    worse = one.figures.get("worse")
    return [
        Cell(one.at, kind="time"),
        Cell(text, f"/analytics/golden?{urlencode(which)}"),
        Cell(f"{one.questions:,}", kind="number"),
        *(Cell(_share(one, name), kind="number") for name in _SHOWN),
        Cell("–" if worse is None else f"{worse:.0f}", kind="bad" if worse else "number"),
        Cell(one.made_with),
    ]


def _share(one: Evaluation, name: str) -> str:
    value = one.figures.get(name, one.figures.get(_ALSO.get(name, "")))
    return "–" if value is None else f"{value:.3f}"
