"""``seoga restore``: bring a backup back into an empty home."""

from __future__ import annotations

from pathlib import Path

import click

__all__ = ["command"]


@click.command("restore", short_help="백업에서 되살리기 (bring a backup back).")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--check", is_flag=True, help="되살리지 않고 확인만 (only check it).")
def command(file: Path, *, check: bool) -> None:
    """FILE 을 빈 SEOGA_HOME(또는 빈 데이터베이스)에 되살립니다. 권한을 다시 따라갈 때까지 아무도 읽지 못합니다.

    Nobody may read anything until permissions have been followed: what was revoked since does not come back.
    """
    from app.backup import restore, verify
    from app.wiring import open_catalog
    from contracts.settings import load_settings

    if check:
        manifest = verify(file)
        click.echo(f"{manifest.at}: 이상 없음 (sound), {sum(manifest.rows.values()):,}행 (rows)")
        return
    with open_catalog(load_settings()) as catalog:
        manifest = restore(catalog, file)
    click.echo(f"{manifest.at}: {sum(manifest.rows.values()):,}행을 되살렸습니다 (rows restored)")
    click.echo("다음 (next): seoga acl sync --full && seoga ingest SOURCE")
