"""``seoga status``: what is stored, queued and failing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
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
        found = status_object(settings, catalog, failures=failures)
    if as_json:
        import json

        text = json.dumps(found, ensure_ascii=False, indent=2)
        click.echo(text.encode("utf-8", "backslashreplace").decode())
    else:
        _print(found)


def status_object(
    settings: Settings, catalog: Catalog, *, failures: bool = False
) -> dict[str, Any]:
    """The state as JSON values."""
    outcomes: dict[str, int] = {}
    classes: dict[str, int] = {}
    for (kind, failure), count in catalog.outcomes.counts().items():
        outcomes[kind.value] = outcomes.get(kind.value, 0) + count
        if failure is not None:
            classes[failure.value] = classes.get(failure.value, 0) + count
    found: dict[str, Any] = {
        "home": str(settings.home),
        "documents": catalog.documents.count(),
        "outcomes": outcomes,
        "classes": classes,
        "queued": {"outbox": catalog.outbox.count(), "hidden": len(catalog.overlay.all())},
        "conflicts": len(catalog.reviews.list()),
        "quality": catalog.quality.counts(),
        "queries": catalog.queries.count(),
        "sources": [
            {
                "name": record.name,
                "items": catalog.items.count(record.name, "present"),
                "hidden": catalog.items.count(record.name, "hidden"),
                "last_content_run": record.last_content_run,
                "last_permission_run": record.last_permission_run,
                "alert": record.alert,
            }
            for record in catalog.sources.list()
        ],
        "runs": [
            {"kind": run.kind, "source": run.source, "state": run.state, "at": run.started_at}
            for run in catalog.runs.list(limit=10)
        ],
    }
    if failures:
        found["failures"] = _failures(catalog)
    return found


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


def _print(found: dict[str, Any]) -> None:
    def line(label: str, values: dict[str, int]) -> None:
        text = ", ".join(f"{key} {count}" for key, count in sorted(values.items()))
        click.echo(f"{label}: {text or '없음 (none)'}")

    click.echo(f"홈 (home): {found['home']}")
    click.echo(f"문서 (documents): {found['documents']}")
    line("결과 (outcomes)", found["outcomes"])
    line("분류 (classes)", found["classes"])
    line("대기 (queued)", found["queued"])
    line("파싱 품질 등급 (parse quality)", found["quality"])
    click.echo(f"확인할 충돌 (conflicts to settle): {found['conflicts']}")
    click.echo(f"기록된 질의 (queries in the audit log): {found['queries']}")
    for source in found["sources"]:
        click.echo(
            f"소스 (source) {source['name']}: {source['items']}건, 최근 {source['last_content_run'] or '-'}"
        )
        if source["alert"]:
            click.echo(f"   주의 (alert): {source['alert']}")
    for failure in found.get("failures", []):
        place = failure["path"] + (f"!/{failure['member']}" if failure["member"] else "")
        shown = place.encode("utf-8", "backslashreplace").decode()
        click.echo(f"{failure['class']}: {failure['source']}/{shown} — {failure['advice']}")
