"""``seoga review``: conflicts of metadata and versions for people to settle."""

from __future__ import annotations

import click

__all__ = ["command"]


@click.group("review", short_help="메타데이터 충돌 확인 (conflicts of metadata to settle).")
def command() -> None:
    """증거가 서로 어긋나는 값을 확인합니다 (values whose evidence disagrees)."""


@command.command("list")
@click.option("--limit", type=click.IntRange(1, 100_000), default=100, show_default=True)
def list_conflicts(limit: int) -> None:
    """열려 있는 충돌 (open conflicts)."""
    from app.wiring import open_catalog
    from contracts.settings import load_settings

    with open_catalog(load_settings()) as catalog:
        records = catalog.reviews.list(limit=limit)
        documents = catalog.documents.get_many(record.document_id for record in records)
    if not records:
        click.echo("확인할 충돌이 없습니다 (nothing to settle)")
    for record in records:
        document = documents.get(record.document_id)
        values = ", ".join(dict.fromkeys(e.value for e in record.evidence)) or "-"
        click.echo(
            f"{record.document_id}  {record.field}: {values}  {document.path if document else ''}"
        )


@command.command("show")
@click.argument("document_id")
def show(document_id: str) -> None:
    """한 문서의 충돌과 증거 (conflicts of a document, with their evidence)."""
    from app.wiring import open_catalog
    from contracts.settings import load_settings

    with open_catalog(load_settings()) as catalog:
        records = catalog.reviews.of_document(document_id)
    for record in records:
        click.echo(f"{record.field} [{record.state}] {record.verdict}")
        for reading in record.evidence:
            click.echo(
                f"   {reading.value}  ← {reading.source.value}: {reading.raw!r} ({reading.where})"
            )
    if not records:
        click.echo("이 문서에는 충돌이 없습니다 (no conflicts)")


@command.command("mark", short_help="충돌을 정리합니다 (settle a conflict).")
@click.argument("document_id")
@click.argument("field")
@click.argument("verdict")
@click.option("--by", required=True, help="누가 (who decided).")
def mark(document_id: str, field: str, verdict: str, by: str) -> None:
    """충돌을 어떻게 보았는지 기록하고 목록에서 내립니다. 문서의 값은 바뀌지 않습니다: 원본을 고쳐 다시 수집하세요.

    Notes VERDICT over FIELD (both as `review list` names them) and takes the conflict off the list. The document keeps
    its values: correct the original, and ingest again.
    """
    from app.wiring import open_catalog
    from contracts.settings import load_settings

    with open_catalog(load_settings()) as catalog:
        catalog.reviews.settle(document_id, field, verdict=verdict, by=by)
    click.echo(f"{document_id} {field}: {verdict} ({by})")
