"""``seoga search``: passages that a reader may read, each with its citation."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

import click

from contracts.versions import DOCUMENT_TYPES

if TYPE_CHECKING:
    from contracts.search import SearchResponse

__all__ = ["command"]

_TYPES = ", ".join(DOCUMENT_TYPES)
_FIELDS = "department, source, path, code, format, language, security_level, revision"


@click.command("search", short_help="사용자 권한으로 검색 (search as a user).")
@click.argument("query")
@click.option(
    "--as", "reader", required=True, metavar="USER", help="누구의 권한으로 (whose rights)."
)
@click.option("--include-obsolete", is_flag=True, help="폐기·초안 포함 (obsolete and drafts too).")
@click.option(
    "--as-of",
    type=click.DateTime(["%Y-%m-%d"]),
    metavar="DATE",
    help="그날의 기준으로, YYYY-MM-DD (the view of that day).",
)
@click.option(
    "--type", "types", multiple=True, help=f"문서 종류 (document type): {_TYPES}; 여러 번 가능."
)
@click.option(
    "--filter",
    "filters",
    multiple=True,
    metavar="K=V",
    help=f"{_FIELDS}; 여러 번 가능 (several times).",
)
@click.option(
    "--group", "groups", multiple=True, help="이 그룹이 볼 수 있는 것만 (narrow to a group)."
)
@click.option("--top", type=click.IntRange(1, 100), default=10, show_default=True)
@click.option("--json", "as_json", is_flag=True, help="JSON 으로 출력.")
@click.option("--explain", is_flag=True, help="점수와 시간도 (scores and timings, for operators).")
def command(  # noqa: PLR0913  one argument an option
    *,
    query: str,
    reader: str,
    include_obsolete: bool,
    as_of: datetime | None,
    types: tuple[str, ...],
    filters: tuple[str, ...],
    groups: tuple[str, ...],
    top: int,
    as_json: bool,
    explain: bool,
) -> None:
    """QUERY 를 USER 의 권한으로 검색합니다. 현행과 상태 미확인 문서가 나오며, 모든 결과에 출처가 있습니다.

    Searches as USER: current documents, and those of unknown status, unless asked otherwise; each passage with its
    citation.
    """
    from app.telemetry import telemetry
    from app.wiring import open_searcher
    from contracts.search import SearchRequest
    from contracts.settings import load_settings

    request = SearchRequest(
        query=query,
        reader=reader,
        top=top,
        include_obsolete=include_obsolete,
        as_of=as_of.date() if as_of else None,
        types=types,
        filters=tuple(_pair(text) for text in filters),
        restrict_groups=groups,
    )
    settings = load_settings()
    with telemetry(settings.telemetry, "search"), open_searcher(settings, "cli") as searcher:
        response = searcher.search(request)
    _print(response, as_json=as_json, explain=explain)


def _pair(text: str) -> tuple[str, str]:
    key, equals, value = text.partition("=")
    if not equals or not key:
        raise click.BadParameter(f"{text!r}: 키=값 이어야 합니다 (must be key=value)")
    return key, value


def _print(response: SearchResponse, *, as_json: bool, explain: bool) -> None:
    from search.api.objects import response_object

    found = response_object(response, operator=explain)
    if as_json:
        import json

        text = json.dumps(found, ensure_ascii=False, indent=2)
        click.echo(text.encode("utf-8", "replace").decode())
        return
    if not response.hits:
        click.echo("읽을 수 있는 문서에서 찾지 못했습니다 (nothing found in what you may read)")
    for line in _understood(response):
        click.echo(line)
    for hit in response.hits:
        click.echo(f"{hit.rank}. {hit.citation.label}")
        click.echo(f"   {hit.path}".encode("utf-8", "replace").decode())
        for line in _excerpt(hit.text):
            click.echo(f"   │ {line}")
        if explain:
            parts = ", ".join(f"{name} {value:.3f}" for name, value in hit.score.items())
            click.echo(f"   점수 (score): {parts}")
    if explain:
        click.echo(", ".join(f"{stage} {ms:.1f} ms" for stage, ms in response.took_ms.items()))


_EFFECTS = {
    "filter": "이것만 (only)",
    "boost": "앞으로 (moved up)",
    "rewrite": "고쳐 읽음 (read as)",
    "synonym": "같은 말 (also)",
    "hint": "더 보려면 (see also)",
}


def _understood(response: SearchResponse) -> list[str]:
    lines = [
        f"   {_EFFECTS[reading.effect]}: {reading.text} → {reading.value}"
        for reading in response.understood
        if reading.effect != "synonym"
    ]
    if response.suggestion:
        lines.append(f"   혹시 (did you mean): {response.suggestion}")
    return lines


def _excerpt(text: str, lines: int = 6, width: int = 160) -> list[str]:
    kept = [line.strip() for line in text.splitlines() if line.strip()]
    shown = [line if len(line) <= width else f"{line[:width]}…" for line in kept[:lines]]
    return [*shown, f"… 외 {len(kept) - lines}줄"] if len(kept) > lines else shown
