"""``seoga index``: make the index anew beside the one that serves, and look at what lies side by side."""

from __future__ import annotations

import contextlib
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from contracts.settings import Settings
    from ingest.rebuild import RebuildSummary

__all__ = ["command"]

_MISSING_SHOWN = 20


@click.group("index", short_help="색인 다시 만들기 (rebuild the index while it serves).")
def command() -> None:
    """색인을 다룹니다 (the index)."""


@command.command("rebuild")
@click.option("--embedder", help="임베더 (engine); 기본값은 seoga.toml (default: the settings).")
@click.option(
    "--model", help="모델 폴더 또는 허브 이름 (model folder, or name on the hub) of the embedder."
)
@click.option("--analyzer", help="mecab | kiwi | bigram; 기본값은 search.tokenizer.")
@click.option("--anew", is_flag=True, help="중단된 작업을 잇지 않음 (do not resume).")
@click.option("--json", "as_json", is_flag=True, help="요약을 JSON 으로 (summary as JSON).")
def rebuild(
    embedder: str | None, model: str | None, analyzer: str | None, *, anew: bool, as_json: bool
) -> None:
    """보관된 파싱 결과로 색인을 새로 만들어 바꿉니다. 검색과 수집은 계속됩니다.

    Makes the index anew from stored parses: no source is read, nothing is parsed. Searches and ingests go on with the
    index that serves, until the new one has caught up and takes its place. Another embedder or analyzer than in
    seoga.toml holds for everything that opens the index, until seoga.toml is changed. Killed or stopped, it goes on
    where it was when it is called again.
    """
    from app.wiring import open_rebuild
    from contracts.settings import load_settings

    configured = load_settings()
    told = _told(configured, embedder, model, analyzer)
    with (
        _progress(quiet=as_json) as progress,
        open_rebuild(configured, told, progress) as work,
    ):
        summary = work.run(anew=anew)
    _report(summary, as_json=as_json, differs=told != configured)


@command.command("list")
@click.option("--json", "as_json", is_flag=True, help="JSON 으로 출력.")
def list_builds(*, as_json: bool) -> None:
    """나란히 놓인 색인들 (the indexes side by side)."""
    from app.wiring import open_catalog
    from contracts.settings import load_settings
    from ingest.rebuild import under_way
    from search.backends.registry import make_builds

    settings = load_settings()
    with (
        open_catalog(settings) as catalog,
        contextlib.closing(make_builds(settings.index, settings.home)) as builds,
    ):
        serving, left = builds.serving(), under_way(catalog)
        states = {left.build: "building"} if left is not None else {}
        states |= {serving.name: "serving"} if serving is not None else {}
        found = [
            {**asdict(build), "state": states.get(build.name, "retired")} for build in builds.all()
        ]
    if as_json:
        import json

        click.echo(json.dumps(found, ensure_ascii=False, indent=2))
        return
    said = {"serving": "사용 중", "building": "만드는 중", "retired": "지울 것"}
    for build in found:
        state = str(build["state"])
        made_with = build["fingerprint"] or "읽을 수 없음 (unreadable)"
        click.echo(f"{build['name']}  {said[state]} ({state})  {made_with}")
    if not found:
        click.echo("색인이 없습니다 (no index yet)")


@command.command("cancel")
def cancel_rebuild() -> None:
    """중단된 다시 만들기를 버립니다 (give up an interrupted rebuild); 사용 중인 색인은 그대로."""
    from app.wiring import open_catalog
    from contracts.settings import load_settings
    from ingest.rebuild import cancel
    from search.backends.registry import make_builds

    settings = load_settings()
    with (
        open_catalog(settings) as catalog,
        contextlib.closing(make_builds(settings.index, settings.home)) as builds,
    ):
        there_was_one = cancel(catalog, builds)
    said = "버렸습니다 (given up)" if there_was_one else "중단된 것이 없습니다 (nothing to give up)"
    click.echo(said)


def _told(
    configured: Settings, embedder: str | None, model: str | None, analyzer: str | None
) -> Settings:
    """The settings, with what the command line says."""
    from pydantic import ValidationError

    from contracts.errors import ConfigError
    from contracts.settings import EmbedderSettings, SearchSettings

    chosen = configured.embedder.model_dump()
    if embedder is not None:
        chosen["engine"] = embedder
    if model is not None:
        in_folder = chosen["engine"] in {"auto", "onnx"}
        chosen["model_folder" if in_folder else "model"] = model
    ranking = configured.search.model_dump()
    if analyzer is not None:
        ranking["tokenizer"] = analyzer
    try:
        update = {
            "embedder": EmbedderSettings.model_validate(chosen),
            "search": SearchSettings.model_validate(ranking),
        }
    except ValidationError as problem:
        raise ConfigError(problem.errors(include_url=False)[0]["msg"]) from problem
    return configured.model_copy(update=update)


@contextlib.contextmanager
def _progress(*, quiet: bool) -> Iterator[Callable[[int, int], None]]:
    from app.progress import progress

    with progress("색인 다시 만들기 (rebuild)", quiet=quiet) as update:
        yield lambda done, total: update("", done, total)


def _object(summary: RebuildSummary) -> dict[str, Any]:
    return {
        "build": summary.build,
        "before": summary.before,
        "fingerprint": summary.fingerprint,
        "resumed": summary.resumed,
        "counts": dict(summary.counts),
        "missing": sorted(summary.missing),
        "seconds": {stage: round(spent, 2) for stage, spent in summary.seconds.items()},
    }


def _report(summary: RebuildSummary, *, as_json: bool, differs: bool) -> None:
    if as_json:
        import json

        click.echo(json.dumps(_object(summary), ensure_ascii=False))
        return
    counts = summary.counts
    click.echo(
        f"{summary.before or '-'} → {summary.build}: 문서 (documents) {counts['documents']}, "
        f"패시지 (passages) {counts['chunks']}, 새 벡터 (embedded) {counts['embedded']}, "
        f"그동안 바뀐 것 (changed meanwhile) {counts['changed']}"
    )
    click.echo(f"{summary.fingerprint}")
    if summary.missing:
        shown = ", ".join(sorted(summary.missing)[:_MISSING_SHOWN])
        click.echo(
            f"주의 (alert): 보관된 파싱이 없어 빠진 문서 {len(summary.missing)}건, 다음 수집이 다시 읽습니다 "
            f"(no stored parse, read again by the next ingest): {shown}"
        )
    if differs:
        click.echo(
            "seoga.toml 에도 적어 두십시오 (now say so in seoga.toml, too): [embedder], search.tokenizer"
        )
