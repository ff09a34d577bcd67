"""``seoga synonyms``: words that mean the same; each version tried on golden questions before it serves."""

from __future__ import annotations

import getpass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from contracts.settings import Settings
    from evaluation.golden import GoldenLine
    from search.dictionary import Dictionary

__all__ = ["command"]

_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)


@click.group("synonyms", short_help="동의어 사전: 보기, 미리 보기, 적용, 되돌리기 (synonyms).")
def command() -> None:
    """같은 뜻의 말. 파일은 `synonyms:` 아래 묶음의 목록입니다 (words that mean the same; a YAML file with a list `synonyms`)."""


@command.command("list")
def list_versions() -> None:
    """판의 목록, 새것부터 (versions, the newest first)."""
    from app.wiring import open_catalog
    from contracts.settings import load_settings

    settings = load_settings()
    with open_catalog(settings) as catalog:
        found = catalog.dictionaries.newest()
    for version in found:
        click.echo(f"{version.version}  {version.at}  {version.author}  {version.note}")
    if not found:
        click.echo(
            "조직의 동의어가 아직 없습니다 (no synonyms of your own yet): seoga synonyms apply FILE"
        )
    if settings.search.glossary:
        from search.dictionary import glossary

        click.echo(f"서가가 가진 짝 (pairs that come with Seoga): {len(glossary().groups)}")


@command.command("show")
@click.argument("version", type=click.IntRange(1), required=False)
def show(*, version: int | None) -> None:
    """한 판의 내용, 없으면 지금 것 (a version, or the one that serves)."""
    from app.wiring import open_catalog
    from contracts.settings import load_settings

    with open_catalog(load_settings()) as catalog:
        found = catalog.dictionaries.get(version or catalog.dictionaries.current())
    if found is None:
        raise click.ClickException("그런 판이 없습니다 (no such version): seoga synonyms list")
    click.echo(found.text)


@command.command("preview")
@click.argument("file", type=_FILE)
@click.argument("golden", type=_FILE)
@click.option("--json", "as_json", is_flag=True, help="JSON 으로 출력.")
def preview(*, file: Path, golden: Path, as_json: bool) -> None:
    """FILE 을 쓰면 GOLDEN 질문의 순위가 어떻게 바뀌는지 (what FILE changes for the questions of GOLDEN)."""
    import json

    from app.synonyms import dictionary_of
    from app.wiring import open_catalog
    from contracts.settings import load_settings
    from evaluation.golden import read_golden

    settings = load_settings()
    wanted = dictionary_of(_read(file), with_glossary=settings.search.glossary)
    with open_catalog(settings) as catalog:
        serves = catalog.dictionaries.get(catalog.dictionaries.current())
    now = dictionary_of(serves.text if serves else "", with_glossary=settings.search.glossary)
    lines = [line for line in read_golden(golden) if line.answerable]
    before, after = (_ranks(settings, dictionary, lines) for dictionary in (now, wanted))
    found = _compared(lines, before, after)
    if as_json:
        click.echo(json.dumps(found, ensure_ascii=False, indent=2))
        return
    for name in ("hit_at_1", "hit_at_3", "mrr"):
        click.echo(f"{name}: {found['before'][name]:.3f} → {found['after'][name]:.3f}")
    for line in found["changed"]:
        click.echo(
            f"  {line['id']}: {line['before'] or '-'} → {line['after'] or '-'}  {line['question']}"
        )
    if not found["changed"]:
        click.echo("바뀐 질문이 없습니다 (no question changed)")


@command.command("apply")
@click.argument("file", type=_FILE)
@click.option("--note", default="", help="왜 (what for).")
def apply(*, file: Path, note: str) -> None:
    """FILE 을 새 판으로; 곧바로 쓰입니다 (FILE becomes the version that serves)."""
    from app.wiring import open_catalog
    from contracts.settings import load_settings
    from search.dictionary import read_dictionary

    text = _read(file)
    groups = len(read_dictionary(text, file.name).groups)
    with open_catalog(load_settings()) as catalog:
        version = catalog.dictionaries.add(text, getpass.getuser(), note)
    click.echo(f"{version}판, 묶음 {groups}개 (version {version}, {groups} groups)")


@command.command("rollback")
@click.argument("version", type=click.IntRange(1))
def rollback(*, version: int) -> None:
    """VERSION 의 내용을 새 판으로 (the content of VERSION serves again)."""
    from app.wiring import open_catalog
    from contracts.settings import load_settings

    with open_catalog(load_settings()) as catalog:
        found = catalog.dictionaries.get(version)
        if found is None:
            raise click.ClickException("그런 판이 없습니다 (no such version): seoga synonyms list")
        number = catalog.dictionaries.add(found.text, getpass.getuser(), f"= {version}")
    click.echo(f"{number}판 (version {number})")


def _read(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as problem:
        raise click.ClickException(f"{file.name}: UTF-8 이 아닙니다 (not UTF-8)") from problem


def _ranks(
    settings: Settings, dictionary: Dictionary, lines: list[GoldenLine]
) -> dict[str, int | None]:
    from app.wiring import open_search_parts
    from evaluation.golden import rank_of

    with open_search_parts(settings, "preview", dictionary=lambda: dictionary) as parts:
        return {line.id: rank_of(line, parts.searcher.search(line.request(10))) for line in lines}


def _compared(
    lines: list[GoldenLine], before: dict[str, int | None], after: dict[str, int | None]
) -> dict[str, Any]:
    def figures(ranks: dict[str, int | None]) -> dict[str, float]:
        found = [rank for rank in ranks.values() if rank]
        asked = max(1, len(ranks))
        return {
            "hit_at_1": sum(rank == 1 for rank in found) / asked,
            "hit_at_3": sum(rank <= 3 for rank in found) / asked,  # noqa: PLR2004
            "mrr": sum(1 / rank for rank in found) / asked,
        }

    changed = [
        {
            "id": line.id,
            "question": line.question,
            "before": before[line.id],
            "after": after[line.id],
        }
        for line in lines
        if before[line.id] != after[line.id]
    ]
    return {"before": figures(before), "after": figures(after), "changed": changed}
