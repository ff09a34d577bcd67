"""``seoga ingest``: scan, parse and index now."""

from __future__ import annotations

import contextlib
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Callable, Iterator

    from catalog.catalog import Catalog
    from contracts.settings import Settings, SourceSettings
    from contracts.tasks import TaskKind
    from ingest.kit import Kit
    from ingest.runs import RunSummary

__all__ = ["command"]


@click.command("ingest", short_help="공유 폴더를 지금 수집 (scan, parse and index now).")
@click.argument("targets", nargs=-1, required=True, metavar="PATH|SOURCE...")
@click.option(
    "--dry-run", is_flag=True, help="바뀔 것만 보여 줍니다 (only tell what would change)."
)
@click.option(
    "--retry-failed", is_flag=True, help="재시도할 수 있는 실패도 다시 (also retry what failed)."
)
@click.option("--name", help="PATH 의 소스 이름 (name of the source for a PATH).")
@click.option("--json", "as_json", is_flag=True, help="요약을 JSON 으로 (summary as JSON).")
def command(
    targets: tuple[str, ...], *, dry_run: bool, retry_failed: bool, name: str | None, as_json: bool
) -> None:
    """폴더 또는 등록된 소스를 훑어 새 문서와 바뀐 문서를 색인합니다.

    Scans folders or configured sources, and parses and indexes what is new or changed. A folder that is not a source
    yet becomes one. Every file ends with an outcome; a bad file never ends the run.
    """
    from app.telemetry import telemetry
    from app.wiring import open_kit
    from contracts.settings import load_settings

    if name and len(targets) > 1:
        raise click.UsageError("--name 은 PATH 하나에만 (needs exactly one PATH)")
    settings = load_settings()
    if settings.queue.backend == "in_process" or dry_run:
        with telemetry(settings.telemetry, "ingest"), open_kit(settings) as kit:
            sources = [_source(kit.catalog, target, name) for target in targets]
            fine = [
                _run(kit, s, dry_run=dry_run, retry_failed=retry_failed, as_json=as_json)
                for s in sources
            ]
    else:
        fine = _hand_over(settings, targets, name, retry_failed=retry_failed, as_json=as_json)
    if not all(fine):
        sys.exit(2)


def _run(
    kit: Kit, source: SourceSettings, *, dry_run: bool, retry_failed: bool, as_json: bool
) -> bool:
    """Do it here; whether it could be done."""
    from app.wiring import source_run
    from contracts.errors import SeogaError

    try:
        with _progress(quiet=as_json) as progress:
            run = source_run(kit, source, progress, dry_run=dry_run)
            summary = run.plan() if dry_run else run.content(retry_failed=retry_failed)
    except SeogaError as problem:
        click.echo(f"seoga: {problem}", err=True)
        return False
    _report(kit.catalog, summary, dry_run=dry_run, as_json=as_json)
    return True


def _hand_over(
    settings: Settings,
    targets: tuple[str, ...],
    name: str | None,
    *,
    retry_failed: bool,
    as_json: bool,
) -> list[bool]:
    """Let the workers do it; for each target, whether it could be done."""
    from app.handover import HandedOverError, Handover
    from app.wiring import open_catalog
    from app.work import check_queue, open_ringer
    from contracts.tasks import TaskKind

    check_queue(settings)
    fine = []
    with open_catalog(settings) as catalog, open_ringer(settings, catalog) as ringer:
        sources = [_source(catalog, target, name).name for target in targets]
        over = Handover(catalog, ringer, TaskKind.SCAN, lambda line: click.echo(line, err=True))
        over.ask(sources, {"retry_failed": "1"} if retry_failed else None)
        try:
            with _left(quiet=as_json) as progress:
                over.wait(progress)
        except KeyboardInterrupt:
            click.echo("맡긴 일은 계속됩니다 (the work goes on): seoga queue list", err=True)
            sys.exit(130)
        for source in sources:
            try:
                summary = over.summary(source)
            except HandedOverError as problem:
                click.echo(f"seoga: {problem}", err=True)
                fine.append(False)
            else:
                _report(catalog, summary, dry_run=False, as_json=as_json)
                fine.append(True)
    return fine


def _source(catalog: Catalog, target: str, name: str | None) -> SourceSettings:
    from app.sources import source_of_path
    from app.wiring import source_settings

    if catalog.sources.get(target) is not None:
        return source_settings(catalog, target)
    path = Path(target)
    if not path.is_dir():
        known = ", ".join(s.name for s in catalog.sources.list())
        raise click.UsageError(
            f"{target}: 폴더도 소스도 아닙니다 (neither a folder nor a source; sources: {known or '-'})"
        )
    return source_of_path(catalog, path, name)


@contextlib.contextmanager
def _progress(*, quiet: bool) -> Iterator[Callable[[str, Counter[str]], None]]:
    from app.progress import progress

    with progress("수집 (ingest)", quiet=quiet) as update:
        yield lambda path, counts: update(path[-40:], counts["items"], None)


@contextlib.contextmanager
def _left(*, quiet: bool) -> Iterator[Callable[[dict[TaskKind, int]], None]]:
    """What is left to do."""
    from app.progress import progress

    with progress("수집 (ingest)", quiet=quiet, counted=False) as update:

        def show(left: dict[TaskKind, int]) -> None:
            shown = ", ".join(f"{kind} {count}" for kind, count in sorted(left.items()))
            update(f"남은 일 (left): {shown}", None, None)

        yield show


def _report(catalog: Catalog, summary: RunSummary, *, dry_run: bool, as_json: bool) -> None:
    from app.report import print_summary, summary_object

    if as_json:
        import json

        found = summary_object(catalog, summary, dry_run=dry_run)
        click.echo(json.dumps(found, ensure_ascii=False))
    else:
        print_summary(catalog, summary, dry_run=dry_run)
