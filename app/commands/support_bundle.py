"""``seoga support-bundle``: what helps to find a fault, without any document text."""

from __future__ import annotations

from pathlib import Path

import click

__all__ = ["command"]


@click.command("support-bundle", short_help="문서의 글 없이 진단 자료 묶기 (diagnostics, no text).")
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
def command(file: Path) -> None:
    """FILE(zip)에 버전, 설정, 수치, 실행, 일을 모읍니다. 문서의 글, 이름, 경로와 비밀은 들어가지 않습니다.

    Versions, settings, numbers, runs and tasks; no text, name or path of documents, and no secret.
    """
    from app.support import write_bundle
    from app.wiring import open_catalog
    from contracts.settings import load_settings

    settings = load_settings()
    with open_catalog(settings) as catalog:
        for name in write_bundle(settings, catalog, file):
            click.echo(name)
    click.echo(f"{file}: {file.stat().st_size:,} bytes")
