"""``seoga backup``: the catalog of this moment as one file."""

from __future__ import annotations

from pathlib import Path

import click

__all__ = ["command"]


@click.command("backup", short_help="카탈로그를 파일 하나로 (the catalog as one file).")
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path))
@click.option(
    "--verify/--no-verify",
    default=True,
    help="쓴 뒤에 임시 카탈로그로 되살려 비교 (restore it into a scratch catalog and compare).",
)
def command(folder: Path, *, verify: bool) -> None:
    """FOLDER 에 백업을 씁니다: 카탈로그(문서, 원장, 감사 기록, 검토, 사전)와 seoga.toml. 서비스를 멈추지 않아도 됩니다.

    Writes documents, ledger, audit log, reviews and dictionaries of one moment; the service need not stop. Index and
    parses are made again after a restore. Secrets are not in it; whoever holds it learns what is in your documents.
    """
    from app.backup import verify as check
    from app.backup import write_backup
    from app.noted import BACKUP, note
    from app.wiring import open_catalog
    from contracts.settings import load_settings

    settings = load_settings()
    with open_catalog(settings) as catalog:
        file = write_backup(settings, catalog, folder)
        click.echo(f"{file}: {file.stat().st_size:,} bytes")
        if verify:
            rows = sum(check(file).rows.values())
            click.echo(f"되살려 확인했습니다 (checked by restoring): {rows:,}행 (rows)")
        note(catalog, BACKUP, {"file": str(file.resolve()), "verified": verify})
