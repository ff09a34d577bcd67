"""What a run did, for people and for programs."""

from __future__ import annotations

import resource
from collections import Counter
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.table import Table

if TYPE_CHECKING:
    from catalog.catalog import Catalog
    from ingest.runs import RunSummary

__all__ = ["print_summary", "summary_object"]

_SHOWN = 20
_OUTCOMES = {
    "indexed": "색인됨",
    "indexed_with_warnings": "색인됨(경고)",
    "rejected": "거부",
    "failed": "실패",
    "skipped": "제외",
}


def summary_object(catalog: Catalog, summary: RunSummary, *, dry_run: bool) -> dict[str, Any]:
    """The summary as JSON values."""
    if dry_run:
        return {
            "source": summary.source,
            "dry_run": True,
            "planned": [{"change": kind, "path": _shown(path)} for kind, path in summary.planned],
            "scan": dict(summary.scan),
        }
    outcomes: Counter[str] = Counter()
    classes: Counter[str] = Counter()
    for (kind, failure), count in catalog.outcomes.counts(summary.source).items():
        outcomes[kind.value] += count
        if failure is not None:
            classes[failure.value] += count
    return {
        "source": summary.source,
        "outcomes": dict(outcomes),
        "classes": dict(classes),
        "scan": dict(summary.scan),
        "work": {str(key): count for key, count in summary.work.items()},
        "seconds": {stage: round(spent, 3) for stage, spent in summary.seconds.items()},
        "peak_mb": {"main": _main_peak(), "parse": _parse_peak(catalog, summary.source)},
        "alert": summary.alert,
    }


def print_summary(catalog: Catalog, summary: RunSummary, *, dry_run: bool) -> None:
    """The summary on standard output."""
    console = Console(highlight=False, soft_wrap=True)
    found = summary_object(catalog, summary, dry_run=dry_run)
    if dry_run:
        for change in found["planned"]:
            console.print(f"{change['change']:10} {change['path']}", markup=False)
        console.print(f"{len(found['planned'])}건이 바뀝니다 (changes; nothing was done)")
        return
    table = Table(title=f"{summary.source}: 결과 (outcomes)", title_justify="left")
    table.add_column("결과 (outcome)")
    table.add_column("문서 (documents)", justify="right")
    for kind, count in sorted(found["outcomes"].items()):
        table.add_row(f"{_OUTCOMES[kind]} ({kind})", str(count))
    console.print(table)
    _print_failures(catalog, summary, console)
    console.print(_line("스캔 (scan)", found["scan"]))
    console.print(_line("처리 (work)", found["work"]))
    console.print(_line("초 (seconds)", found["seconds"]))
    console.print(_line("최대 메모리 MB (peak memory)", found["peak_mb"]))
    if summary.alert:
        console.print(f"주의 (alert): {summary.alert}", markup=False)


def _print_failures(catalog: Catalog, summary: RunSummary, console: Console) -> None:
    failures = [
        record
        for record in catalog.outcomes.current(summary.source, limit=100_000)
        if record.outcome.failure is not None
    ]
    for record in failures[:_SHOWN]:
        place = record.path + (f"!/{record.member_path}" if record.member_path else "")
        failure = record.outcome.failure
        console.print(
            f"  {failure.value if failure else ''}: {_shown(place)} — {record.outcome.advice}",
            markup=False,
        )
    if len(failures) > _SHOWN:
        rest = len(failures) - _SHOWN
        console.print(f"  … 외 {rest}건: seoga status --failures (and {rest} more)")


def _line(label: str, values: dict[str, Any]) -> str:
    return f"{label}: " + ", ".join(f"{key} {value}" for key, value in sorted(values.items()))


def _shown(path: str) -> str:
    return path.encode("utf-8", "backslashreplace").decode()


def _main_peak() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024


def _parse_peak(catalog: Catalog, source: str) -> int:
    found = catalog.outcomes.current(source, limit=1_000_000)
    return round(max((record.peak_mb for record in found), default=0))
