"""``seoga review``: conflicts of metadata for people to settle, and pages for people to compare with their originals."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from contracts.settings import Settings

__all__ = ["command"]


_PAGE = "page"


@click.group(
    "review", short_help="메타데이터 충돌과 읽기 품질 확인 (conflicts to settle, pages to compare)."
)
def command() -> None:
    """증거가 서로 어긋나는 값을 정리하고, 읽은 쪽을 원본과 비교합니다.

    Values whose evidence disagrees; and samples of pages to compare with their originals: `list --samples`,
    `show VERSION:PAGE --out FILE.html`, `mark VERSION:PAGE page good|minor|bad --by NAME`, `report`.
    """


@command.command("list")
@click.option("--limit", type=click.IntRange(1, 100_000), default=100, show_default=True)
@click.option("--samples", is_flag=True, help="비교할 쪽을 뽑음 (pages to compare, stratified).")
@click.option("--seed", type=int, default=1, show_default=True, help="표본의 시드 (which sample).")
def list_conflicts(limit: int, samples: bool, seed: int) -> None:  # noqa: FBT001  click hands it over
    """열려 있는 충돌, 또는 --samples 로 비교할 쪽.

    Open conflicts; or with --samples pages to compare with their originals, drawn by format, grade and department,
    important documents first.
    """
    from app.wiring import open_catalog
    from contracts.settings import load_settings

    if samples:
        _list_samples(load_settings(), limit, seed)
        return
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
@click.option(
    "--out", type=click.Path(dir_okay=False, path_type=Path), help="HTML 파일 (for a page)."
)
def show(document_id: str, out: Path | None) -> None:
    """한 문서의 충돌과 증거, 또는 한 쪽의 원본 그림과 읽은 블록 (VERSION:PAGE --out FILE.html).

    Conflicts of a document with their evidence; for VERSION:PAGE its picture beside the blocks that were read, as HTML.
    HWP and HWPX, which cannot be drawn here, stand beside the preview that the file itself holds.
    """
    from app.wiring import open_catalog
    from contracts.settings import load_settings

    if ":" in document_id:
        _show_page(load_settings(), document_id, out)
        return
    with open_catalog(load_settings()) as catalog:
        records = catalog.reviews.of_document(document_id)
    for record in records:
        who = f" ({record.by}, {record.at})" if record.state == "settled" else ""
        click.echo(f"{record.field} [{record.state}] {record.verdict}{who}")
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
    """VERDICT 가 문서의 FIELD 값이 되고 목록에서 내려갑니다. 원본의 근거가 바뀌면 다시 오릅니다.

    VERDICT becomes the document's FIELD (both as `review list` names them), in the catalog, its chain and the index,
    and takes the conflict off the list, until the original's own evidence changes. For a page (VERSION:PAGE, FIELD
    `page`) VERDICT is good, minor or bad.
    """
    from contracts.settings import load_settings

    if field == _PAGE:
        _mark_page(load_settings(), document_id, verdict, by)
        return
    value = _settle(load_settings(), document_id, field, verdict, by)
    click.echo(f"{document_id} {field}: {value} ({by})")


@command.command("report")
def report() -> None:
    """바르게 읽은 쪽의 비율과 검토자 사이의 일치도 (share of right pages, and how reviewers agree)."""
    from app.wiring import open_catalog
    from contracts.settings import load_settings
    from dashboard.samples import agreements, right_pages

    with open_catalog(load_settings()) as catalog:
        verdicts = catalog.reviews.page_verdicts()
    found = right_pages(verdicts)
    if not found.pages:
        click.echo("아직 판정한 쪽이 없습니다 (no verdicts yet)")
        return
    click.echo(
        f"바른 쪽 (right pages): {found.right}/{found.pages} = {found.share:.3f}, "
        f"95 % {found.low:.3f} – {found.high:.3f} (Wilson)"
    )
    for one in agreements(verdicts):
        kappa = "-" if one.kappa is None else f"{one.kappa:.3f}"
        click.echo(
            f"{one.first} / {one.second}: {one.pages} pages, agreed {one.agreed:.3f}, kappa {kappa}"
        )


def _settle(settings: Settings, document_id: str, field: str, said: str, by: str) -> str:
    from app.wiring import open_kit
    from catalog.records import QueryRecord
    from catalog.times import utc_now
    from ingest.drain import drain
    from ingest.settling import settle_conflict

    with open_kit(settings) as kit:
        with kit.catalog.transaction():
            value = settle_conflict(kit.catalog, document_id, field, said, by)
            kit.catalog.queries.append(
                QueryRecord(
                    at=utc_now(),
                    reader=by,
                    query="settle",
                    filters={"field": field, "verdict": value},
                    document_ids=(document_id,),
                    channel="cli",
                )
            )
        drain(kit.catalog, kit.index, kit.blobs)
    return value


def _list_samples(settings: Settings, count: int, seed: int) -> None:
    from app.wiring import open_catalog
    from dashboard.samples import drawn

    with open_catalog(settings) as catalog:
        samples = drawn(catalog, count, seed)
        seen = {(v.version_id, v.page): v.verdict for v in catalog.reviews.page_verdicts()}
    for sample in samples:
        kind, grade, department = sample.stratum
        verdict = seen.get((sample.version_id, sample.page), "-")
        click.echo(
            f"{sample.key}  {kind} {grade} {department or '-'}  {verdict}  {sample.document.path}"
        )
    if not samples:
        click.echo("표본으로 뽑을 문서가 없습니다 (no documents to draw from)")


def _split(key: str) -> tuple[str, int]:
    version, _, page = key.rpartition(":")
    if not version or not page.isdecimal():
        raise click.UsageError(
            f"{key!r}: VERSION:PAGE, `seoga review list --samples` 참고 (see there)"
        )
    return version, int(page)


def _show_page(settings: Settings, key: str, out: Path | None) -> None:
    from app.sample_original import original_file
    from app.sample_page import page_html, page_picture, rendered_picture
    from app.sample_preview import own_preview
    from app.wiring import open_blobs, open_catalog
    from contracts.errors import NotFoundError
    from ingest.reading import stored_document

    if out is None:
        raise click.UsageError("--out FILE.html")
    version_id, page = _split(key)
    with open_catalog(settings) as catalog:
        version = catalog.versions.get(version_id)
        record = catalog.documents.get(version.document_id) if version else None
        if version is None or record is None:
            raise NotFoundError(f"no version {version_id}")
        parsed = stored_document(open_blobs(settings), version.parse_key)
        if parsed is None:
            raise NotFoundError(
                f"what was read of {record.path} is not stored any more: ingest again"
            )
        picture, preview = None, None
        with original_file(settings, catalog, record, version) as path:
            if path is not None:
                picture = page_picture(path, version.format, page) or rendered_picture(
                    path, version.format, page, settings.parse.office
                )
                preview = own_preview(path, version.format, settings.parse)
    shown = page_html(parsed, page, record.path, picture, preview)
    out.write_text(shown, encoding="utf-8")
    click.echo(str(out))


def _mark_page(settings: Settings, key: str, verdict: str, by: str) -> None:
    from app.wiring import open_catalog
    from catalog.records import PageVerdict
    from contracts.errors import NotFoundError
    from dashboard.samples import VERDICTS

    version_id, page = _split(key)
    if verdict not in VERDICTS:
        raise click.UsageError(f"{verdict!r}: {' | '.join(VERDICTS)}")
    with open_catalog(settings) as catalog:
        if catalog.versions.get(version_id) is None:
            raise NotFoundError(f"no version {version_id}")
        catalog.reviews.mark_page(
            PageVerdict(version_id=version_id, page=page, by=by, verdict=verdict)
        )
    click.echo(f"{key}: {verdict} ({by})")
