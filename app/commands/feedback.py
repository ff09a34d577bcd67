"""``seoga feedback``: what readers said of what they were shown; reports that wait are settled here."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from contracts.feedback import FeedbackKind

if TYPE_CHECKING:
    from catalog.catalog import Catalog
    from contracts.feedback import Feedback

__all__ = ["command"]

_KINDS = [kind.value for kind in FeedbackKind]


@click.group("feedback", short_help="사용자의 의견과 신고 (what readers said: list, settle).")
def command() -> None:
    """결과에 대한 의견: 클릭, 도움됨·안됨, 개정이 틀림, 보이면 안 됨 (clicks, thumbs, wrong revision, should not see)."""


@command.command("list")
@click.option(
    "--kind", "kinds", multiple=True, type=click.Choice(_KINDS), help="이 종류만; 여러 번 가능."
)
@click.option("--waiting", is_flag=True, help="아직 처리하지 않은 신고만 (reports to settle).")
@click.option("--limit", type=click.IntRange(1, 10_000), default=50, show_default=True)
@click.option("--json", "as_json", is_flag=True, help="JSON 으로 출력.")
def list_feedback(*, kinds: tuple[str, ...], waiting: bool, limit: int, as_json: bool) -> None:
    """최근 의견, 새것부터 (the latest first)."""
    from app.wiring import open_catalog
    from contracts.settings import load_settings

    with open_catalog(load_settings()) as catalog:
        wanted = [FeedbackKind(kind) for kind in kinds]
        found = catalog.feedback.list(kinds=wanted, waiting=waiting, limit=limit)
        paths = _paths(catalog, found)
    if as_json:
        told = [asdict(one) | {"path": paths.get(one.document_id, "")} for one in found]
        _say(json.dumps(told, ensure_ascii=False, indent=2))
        return
    if not found:
        click.echo("의견이 없습니다 (nothing was said)")
    for one in found:
        place = paths.get(one.document_id, one.document_id)
        settled = f"  → {one.verdict} ({one.settled_by})" if one.settled_by else ""
        _say(f"{one.seq}  {one.at}  {one.kind.value}  {one.reader}  {place}{settled}")
        if one.query or one.note:
            _say(f"   {one.query}{' — ' if one.query and one.note else ''}{one.note}")


@command.command("settle")
@click.argument("number", type=click.IntRange(1))
@click.option("--verdict", required=True, help="무엇을 확인했나 (what was found).")
@click.option("--by", required=True, metavar="USER", help="누가 (who).")
def settle(*, number: int, verdict: str, by: str) -> None:
    """신고 NUMBER 를 처리한 것으로 적습니다; 경보가 그칩니다 (a report is settled, and its alert ends)."""
    from app.wiring import open_catalog
    from contracts.settings import load_settings

    with open_catalog(load_settings()) as catalog:
        catalog.feedback.settle(number, by, verdict)
    click.echo(f"{number}: 처리됨 (settled)")


def _paths(catalog: Catalog, found: tuple[Feedback, ...]) -> dict[str, str]:
    records = catalog.documents.get_many(one.document_id for one in found if one.document_id)
    return {document_id: record.path for document_id, record in records.items()}


def _say(text: str) -> None:
    click.echo(text.encode("utf-8", "replace").decode())
