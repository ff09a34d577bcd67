"""``seoga audit``: who asked what; checked, exported, anchored."""

from __future__ import annotations

import json
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path

import click

__all__ = ["command"]

_DAY = click.DateTime(["%Y-%m-%d", "%Y-%m-%dT%H:%M:%S"])


@click.group("audit", short_help="감사 기록: 보기, 검증, 내보내기 (tail, verify, export, anchor).")
def command() -> None:
    """누가 무엇을 물었고 무엇을 받았는지의 기록 (who asked what, and what was returned)."""


@command.command("tail")
@click.option("--reader", help="이 사람의 것만 (of this reader).")
@click.option("--limit", type=click.IntRange(1, 10_000), default=20, show_default=True)
@click.option("--json", "as_json", is_flag=True, help="JSON 으로 출력.")
def tail(*, reader: str | None, limit: int, as_json: bool) -> None:
    """최근 질의 (the latest queries, the latest first)."""
    from app.wiring import open_catalog
    from contracts.settings import load_settings

    with open_catalog(load_settings()) as catalog:
        found = catalog.queries.tail(limit, reader=reader)
    if as_json:
        _say(json.dumps([asdict(record) for record in found], ensure_ascii=False, indent=2))
        return
    if not found:
        click.echo("질의가 없습니다 (no queries)")
    for record in found:
        _say(f"{record.seq}  {record.at}  {record.reader}  [{record.channel}]  {record.query}")
        click.echo(f"   문서 (documents) {len(record.document_ids)}, {record.took_ms:.0f} ms")


@command.command("verify")
@click.option(
    "--anchors",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="`audit anchor` 가 적은 파일: 끝이 잘렸는지도 (its end, too).",
)
@click.pass_context
def verify_log(context: click.Context, *, anchors: Path | None) -> None:
    """사슬을 검증합니다. 고친 줄이나 빠진 줄이 있으면 종료 코드 1 (verify the chain; status 1 where it breaks)."""
    from app.audit_log import verify
    from app.wiring import open_catalog
    from contracts.settings import load_settings

    with open_catalog(load_settings()) as catalog:
        found = verify(catalog, anchors)
    click.echo(f"기록 (rows): {found.rows}, 마지막 번호 (head): {found.head}")
    if found.broken is not None:
        click.echo(f"번호 {found.broken}: 적힌 뒤에 바뀌었습니다 (changed since it was written)")
    if found.cut is not None:
        click.echo(
            f"번호 {found.cut}: 밖에 적어 둔 것과 다르거나 없습니다 (not the row that was anchored)"
        )
    if not found.fine:
        context.exit(1)
    click.echo("이상 없음 (intact)")


@command.command("export")
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@click.option("--since", type=_DAY, help="이 시각부터, UTC (from).")
@click.option("--until", type=_DAY, help="이 시각 전까지, UTC (before).")
@click.option("--reader", help="이 사람의 것만 (of this reader).")
def export(
    *, file: Path, since: datetime | None, until: datetime | None, reader: str | None
) -> None:
    """FILE 에 JSON 줄로 내보냅니다 (as JSON lines)."""
    from app.audit_log import lines
    from app.wiring import open_catalog
    from catalog.times import utc_text
    from contracts.settings import load_settings

    def text(moment: datetime | None) -> str:
        return utc_text(moment.replace(tzinfo=UTC)) if moment else ""

    count = 0
    with open_catalog(load_settings()) as catalog, file.open("w", encoding="utf-8") as out:
        for line in lines(catalog, since=text(since), until=text(until), reader=reader):
            out.write(f"{line}\n")
            count += 1
    click.echo(f"{file}: {count}건 (rows)")


@command.command("anchor")
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
def anchor_log(file: Path) -> None:
    """마지막 줄의 번호와 지문을 밖의 FILE 에 덧붙입니다 (append the head to a file outside)."""
    from app.audit_log import anchor
    from app.wiring import open_catalog
    from contracts.settings import load_settings

    with open_catalog(load_settings()) as catalog:
        seq = anchor(catalog, file)
    click.echo(f"{file}: {seq}")


def _say(text: str) -> None:
    click.echo(text.encode("utf-8", "replace").decode())
