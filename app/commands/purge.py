"""``seoga purge``: documents, leftovers and old backups, for good."""

from __future__ import annotations

from pathlib import Path

import click

__all__ = ["command"]


@click.command("purge", short_help="완전히 지우기 (remove for good).")
@click.argument("documents", nargs=-1, metavar="[DOC...]")
@click.option("--yes", is_flag=True, help="묻지 않고 (without asking).")
@click.option("--unused", is_flag=True, help="아무도 쓰지 않는 파싱 결과와 남은 것 (leftovers).")
@click.option(
    "--backups",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="이 폴더의 오래된 백업 (old backups in this folder).",
)
@click.option("--older-than", type=click.IntRange(1), default=90, show_default=True, metavar="DAYS")
@click.option("--sessions", is_flag=True, help="운영 화면의 모든 로그인 (log everybody out).")
def command(
    *,
    documents: tuple[str, ...],
    yes: bool,
    unused: bool,
    sessions: bool,
    backups: Path | None,
    older_than: int,
) -> None:
    """DOC(문서 id 또는 경로)과 그것에서 만든 모든 것을 지웁니다. 원장과 감사 기록은 남습니다.

    Removes documents with everything that was made from them, and the space that they took. A file that is still at
    its source comes back with the next scan: exclude it there first.
    """
    if not (documents or unused or backups or sessions):
        raise click.UsageError("DOC, --unused, --sessions 또는 (or) --backups")
    if sessions:
        _log_out()
    if documents or unused:
        _purge(documents, yes=yes)
    if backups is not None:
        from app.backup import old_backups

        for file in old_backups(backups, older_than):
            file.unlink()
            click.echo(f"{file}: 지웠습니다 (removed)")


def _log_out() -> None:
    from app.wiring import open_catalog
    from contracts.settings import load_settings

    with open_catalog(load_settings()) as catalog:
        click.echo(f"로그인 {catalog.sessions.end_all()}개를 끝냈습니다 (sessions ended)")


def _purge(names: tuple[str, ...], *, yes: bool) -> None:
    from app.commands.acl import find_document
    from app.purging import purge_documents, sweep_unused
    from app.wiring import open_kit
    from contracts.settings import load_settings

    with open_kit(load_settings()) as kit:
        if not names:
            click.echo(f"{sweep_unused(kit)}개를 지웠습니다 (blobs removed)")
            return
        found = [find_document(kit.catalog, name) for name in names]
        for document in found:
            click.echo(
                f"{document.document_id}  {document.source}/{document.path}".encode(
                    "utf-8", "backslashreplace"
                ).decode()
            )
        if not yes:
            click.confirm("완전히 지웁니까? (remove them for good?)", abort=True)
        click.echo(f"문서 {purge_documents(kit, found)}건을 지웠습니다 (documents purged)")
