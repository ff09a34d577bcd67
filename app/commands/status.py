"""``seoga status``: what is stored, queued and failing."""

from __future__ import annotations

import contextlib
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from app.queue_health import broker_state

if TYPE_CHECKING:
    from app.metrics import IndexNumbers, Numbers
    from catalog.catalog import Catalog
    from contracts.settings import Settings

__all__ = ["command", "status_object"]

_SHOWN = 1000


@click.command("status", short_help="저장·대기·실패 현황 (what is stored, queued, failing).")
@click.option(
    "--failures", is_flag=True, help="실패와 거부를 모두 (every failed and rejected file)."
)
@click.option("--json", "as_json", is_flag=True, help="JSON 으로 출력.")
def command(*, failures: bool, as_json: bool) -> None:
    """저장된 문서, 대기 중인 일, 실패를 보여 줍니다 (what is stored, queued, failing)."""
    from app.wiring import open_catalog
    from contracts.settings import load_settings

    settings = load_settings()
    with open_catalog(settings) as catalog:
        found = status_object(settings, catalog, _index(settings, catalog), failures=failures)
    if as_json:
        import json

        text = json.dumps(found, ensure_ascii=False, indent=2)
        click.echo(text.encode("utf-8", "backslashreplace").decode())
    else:
        _print(found)


def status_object(
    settings: Settings,
    catalog: Catalog,
    index: IndexNumbers | None = None,
    *,
    failures: bool = False,
) -> dict[str, Any]:
    """The state as JSON values: the numbers of :mod:`app.metrics`, which ``GET /metrics`` shows, too."""
    from app.metrics import measure

    numbers = measure(settings, catalog)
    broker = broker_state(settings)
    found: dict[str, Any] = {
        "home": str(settings.home),
        "documents": numbers.documents,
        "outcomes": numbers.by_outcome(),
        "classes": numbers.by_class(),
        "queued": {"outbox": numbers.outbox, "hidden": numbers.overlay},
        "tasks": _tasks(numbers),
        "oldest_task_seconds": {k.value: round(s, 1) for k, s in numbers.oldest.items()},
        "broker": asdict(broker) if broker is not None else None,
        "conflicts": numbers.conflicts,
        "reports": {kind.value: count for kind, count in numbers.reports.items()},
        "quality": dict(numbers.quality),
        "ocr_pages": numbers.ocr_pages,
        "read": {
            name: {"documents": count, "seconds": round(spent, 3)}
            for name, (count, spent) in sorted(numbers.read.items())
        },
        "index": asdict(index) if index is not None else None,
        "disk": {"free": numbers.disk[0], "size": numbers.disk[1]},
        "queries": numbers.queries,
        "sources": [
            {
                "name": source.name,
                "items": source.items,
                "hidden": source.hidden,
                "last_content_run": source.last_content_run,
                "last_permission_run": source.last_permission_run,
                "alert": source.alert,
                "lists_drifted": source.drifted,
                "canary": asdict(source.canary) if source.canary else None,
            }
            for source in numbers.sources
        ],
        "directories": [
            {"realm": one.realm, "snapshot_at": one.snapshot_at, "problem": one.problem}
            for one in numbers.directories
        ],
        "runs": [
            {"kind": run.kind, "source": run.source, "state": run.state, "at": run.started_at}
            for run in catalog.runs.list(limit=10)
        ],
    }
    if failures:
        found["failures"] = _failures(catalog)
    return found


def _tasks(numbers: Numbers) -> dict[str, dict[str, int]]:
    found: dict[str, dict[str, int]] = {}
    for (kind, state), count in sorted(numbers.tasks.items()):
        found.setdefault(kind.value, {})[state.value] = count
    return found


def _index(settings: Settings, catalog: Catalog) -> IndexNumbers | None:
    """Figures of the index; None while an embedded installation has none yet."""
    from app.metrics import IndexNumbers, index_numbers
    from app.wiring import open_tools
    from contracts.errors import SeogaError

    if settings.index.backend == "embedded" and not catalog.documents.count():
        return None  # opening it would make it, and a model for it
    try:
        _embedder, _analyzer, index = open_tools(settings)
    except SeogaError as problem:
        return IndexNumbers(problem=str(problem))
    with contextlib.closing(index):
        return index_numbers(index.stats)


def _failures(catalog: Catalog) -> list[dict[str, str]]:
    found: list[dict[str, str]] = []
    after = 0
    while page := catalog.outcomes.current(limit=_SHOWN, after=after):
        after = page[-1].seq
        found += [
            {
                "source": record.source,
                "path": record.path,
                "member": record.member_path,
                "outcome": record.outcome.kind.value,
                "class": record.outcome.failure.value,
                "reason": record.outcome.reason,
                "advice": record.outcome.advice,
            }
            for record in page
            if record.outcome.failure is not None
        ]
    return found


def _problem(text: str) -> str:
    return f", 문제 (problem): {text}" if text else ""


def _print_directories(directories: list[dict[str, str]]) -> None:
    for one in directories:
        click.echo(
            f"디렉터리 (directory) {one['realm']}: 스냅샷 (snapshot) {one['snapshot_at'] or '-'}"
        )
        if one["problem"]:
            click.echo(f"   주의 (alert): {one['problem']}")


def _print_reports(reports: dict[str, int]) -> None:
    for kind, count in reports.items():
        if count:
            click.echo(
                f"사용자의 신고 (reports of readers): {kind} {count}, seoga feedback list --waiting"
            )


def _print(found: dict[str, Any]) -> None:
    def line(label: str, values: dict[str, int]) -> None:
        text = ", ".join(f"{key} {count}" for key, count in sorted(values.items()))
        click.echo(f"{label}: {text or '없음 (none)'}")

    click.echo(f"홈 (home): {found['home']}")
    click.echo(f"문서 (documents): {found['documents']}")
    line("결과 (outcomes)", found["outcomes"])
    line("분류 (classes)", found["classes"])
    line("대기 (queued)", found["queued"])
    for kind, states in found["tasks"].items():
        line(f"작업 (tasks) {kind}", states)
    for kind, seconds in found["oldest_task_seconds"].items():
        click.echo(f"가장 오래 기다린 일 (oldest task) {kind}: {seconds:.0f}초 (s)")
    if found["broker"]:
        problem = found["broker"]["problem"]
        click.echo(f"큐 (broker): {problem}") if problem else line(
            "울려 둔 종 (bells at the broker)", found["broker"]["bells"]
        )
    line("파싱 품질 등급 (parse quality)", found["quality"])
    if found["index"]:
        problem = found["index"].pop("problem")
        click.echo(f"색인 (index): {problem}") if problem else line("색인 (index)", found["index"])
    click.echo(f"확인할 충돌 (conflicts to settle): {found['conflicts']}")
    _print_reports(found["reports"])
    click.echo(f"기록된 질의 (queries in the audit log): {found['queries']}")
    for source in found["sources"]:
        click.echo(
            f"소스 (source) {source['name']}: {source['items']}건, 최근 {source['last_content_run'] or '-'}"
        )
        if canary := source["canary"]:
            click.echo(
                f"   권한 회수 p95 (revocation): {canary['revoked']:.1f}초, 돌려줌 (return): {canary['returned']:.1f}초, "
                f"{canary['measured']}번 (times){_problem(canary['problem'])}"
            )
        if source["alert"]:
            click.echo(f"   주의 (alert): {source['alert']}")
    _print_directories(found["directories"])
    for failure in found.get("failures", []):
        place = failure["path"] + (f"!/{failure['member']}" if failure["member"] else "")
        shown = place.encode("utf-8", "backslashreplace").decode()
        click.echo(f"{failure['class']}: {failure['source']}/{shown} — {failure['advice']}")
