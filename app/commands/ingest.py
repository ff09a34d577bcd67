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
    from contracts.settings import SourceSettings
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
    from app.wiring import open_kit, source_run
    from contracts.errors import SeogaError
    from contracts.settings import load_settings

    if name and len(targets) > 1:
        raise click.UsageError("--name 은 PATH 하나에만 (needs exactly one PATH)")
    failed = False
    with open_kit(load_settings()) as kit:
        sources = [_source(kit.catalog, target, name) for target in targets]
        for settings in sources:
            try:
                with _progress(quiet=as_json) as progress:
                    run = source_run(kit, settings, progress, dry_run=dry_run)
                    summary = run.plan() if dry_run else run.content(retry_failed=retry_failed)
            except SeogaError as problem:
                click.echo(f"seoga: {problem}", err=True)
                failed = True
                continue
            _report(kit, summary, dry_run=dry_run, as_json=as_json)
    if failed:
        sys.exit(2)


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
    """A bar on a terminal, nothing elsewhere."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    console = Console(stderr=True)
    if quiet or not console.is_terminal:
        yield lambda _path, _counts: None
        return
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task("수집 (ingest)", total=None)

        def update(path: str, counts: Counter[str]) -> None:
            shown = path.encode("utf-8", "replace").decode()[-40:]
            bar.update(task, completed=counts["items"], description=shown)

        yield update


def _report(kit: Kit, summary: RunSummary, *, dry_run: bool, as_json: bool) -> None:
    from app.report import print_summary, summary_object

    if as_json:
        import json

        click.echo(json.dumps(summary_object(kit, summary, dry_run=dry_run), ensure_ascii=False))
    else:
        print_summary(kit, summary, dry_run=dry_run)
