"""``seoga source``: list, add, scan, confirm deletions."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from app.controls import Controls
    from catalog.catalog import Catalog
    from catalog.records import SourceRecord
    from contracts.settings import Settings
    from ingest.runs import RunSummary

__all__ = ["command"]


@click.group("source", short_help="수집 대상 관리 (list, add, scan, confirm-deletions).")
def command() -> None:
    """수집 대상(소스)을 관리합니다 (manage sources)."""


@command.command("list")
@click.option("--json", "as_json", is_flag=True)
def list_sources(*, as_json: bool) -> None:
    """등록된 소스와 상태 (sources and their state)."""
    from app.wiring import open_catalog
    from contracts.settings import load_settings

    with open_catalog(load_settings()) as catalog:
        found = [_object(catalog, record) for record in catalog.sources.list()]
    if as_json:
        import json

        click.echo(json.dumps(found, ensure_ascii=False, indent=2))
        return
    if not found:
        click.echo("소스가 없습니다. seoga source add NAME PATH (no sources yet)")
    for source in found:
        click.echo(f"{source['name']}  {source['root']}  {source['items']}건 (items)")
        last = source["last_content_run"] or "없음 (never)"
        click.echo(f"   최근 수집 (last content run): {last}")
        if source["alert"]:
            click.echo(f"   주의 (alert): {source['alert']}")


@command.command("add")
@click.argument("name")
@click.argument("place", metavar="ROOT|URL")
@click.option(
    "--user", default="", help="URL 소스를 읽는 계정 (account that reads it): name@DOMAIN."
)
@click.option(
    "--password-file",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="그 암호가 든 파일 (file with its password).",
)
@click.option(
    "--ca-file",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="서버 인증서를 서명한 인증서 (certificate that signed the server's).",
)
@click.option("--encrypt/--no-encrypt", default=True, help="SMB 암호화 (encrypt SMB).")
@click.option(
    "--share-entry",
    multiple=True,
    help="SMB 공유 권한을 읽을 수 없을 때의 목록 (share list): `allow sid:S-1-5-11`.",
)
@click.option("--owner", default="", help="책임지는 사람이나 팀 (who answers for it).")
@click.option("--include", multiple=True, help="gitignore 식 패턴 (patterns); 여러 번 가능.")
@click.option("--exclude", multiple=True, help="제외할 패턴 (patterns to leave out).")
@click.option(
    "--marker", default="", help="루트에 있어야 하는 파일 (file that must lie at the root)."
)
@click.option("--authority", multiple=True, help="개정 이력이 이어지는 폴더 (authority folder).")
@click.option(
    "--acl",
    type=click.Choice(["auto", "posix", "yaml", "smb", "imap"]),
    default="auto",
    show_default=True,
)
@click.option("--acl-file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--content-schedule", default="", help="`every 1h` 또는 cron; 비우면 수동.")
@click.option("--permission-schedule", default="every 5m", show_default=True)
@click.option(
    "--full-permission-schedule",
    default="every 7d",
    show_default=True,
    help="모든 목록을 다시 읽는 때 (when every list is read).",
)
@click.option(
    "--probe/--no-probe",
    default=True,
    help="임시 폴더를 만들어 시험 (try in a scratch folder there).",
)
def add(  # noqa: PLR0913  one argument an option
    *,
    name: str,
    place: str,
    user: str,
    password_file: Path | None,
    ca_file: Path | None,
    encrypt: bool,
    share_entry: tuple[str, ...],
    owner: str,
    include: tuple[str, ...],
    exclude: tuple[str, ...],
    marker: str,
    authority: tuple[str, ...],
    acl: str,
    acl_file: Path | None,
    content_schedule: str,
    permission_schedule: str,
    full_permission_schedule: str,
    probe: bool,
) -> None:
    """NAME 이라는 소스로 ROOT 폴더나 URL 을 등록합니다 (add a folder, share or mailbox as a source).

    URL: smb://HOST[:PORT]/SHARE[/FOLDER], imaps://HOST[:PORT]
    """
    from pydantic import ValidationError

    from app.controls import decide
    from app.sources import add_source
    from app.wiring import open_catalog, permission_reader
    from contracts.settings import SourceSettings, load_settings
    from ingest.schedules import check_schedule
    from ingest.sources.registry import make_source

    for schedule in (content_schedule, permission_schedule, full_permission_schedule):
        check_schedule(schedule)
    try:
        settings = SourceSettings.model_validate(
            {
                "name": name,
                **_place(place),
                "user": user,
                "password_file": password_file.resolve() if password_file else None,
                "ca_file": ca_file.resolve() if ca_file else None,
                "encrypt": encrypt,
                "owner": owner,
                "include": include,
                "exclude": exclude,
                "marker": marker,
                "authority": authority,
                "content_schedule": content_schedule,
                "permission_schedule": permission_schedule,
                "full_permission_schedule": full_permission_schedule,
                "acl": {
                    "kind": acl,
                    "file": acl_file.resolve() if acl_file else None,
                    "share": share_entry,
                },
            }
        )
    except ValidationError as problem:
        first = problem.errors(include_url=False)[0]
        raise click.UsageError(f"{first['loc'][0]}: {first['msg']}") from problem
    source = make_source(settings)
    source.check()
    with open_catalog(load_settings()) as catalog, catalog.transaction():
        add_source(catalog, settings, origin="command")
        controls = decide(catalog, settings, anew=True)
        permission_reader(settings, controls)
    found = source.probe(write=probe)
    click.echo(f"{name}: 등록했습니다 (added). seoga ingest {name}")
    click.echo(f"   {_controls(controls)}")
    for label, value in (
        ("변경 시각 (change time)", found.change_time),
        ("생성 시각 (birth time)", found.birth_time),
        ("접근 목록 (access lists)", found.access_lists),
        ("대소문자 구분 (case-sensitive)", found.case_sensitive),
    ):
        click.echo(f"   {label}: {'예 (yes)' if value else '아니오 (no)'}")
    for note in found.notes:
        click.echo(f"   {note}")


@command.command("scan")
@click.argument("name")
def scan(name: str) -> None:
    """권한, 이동, 삭제만 따라갑니다. 문서를 읽지 않습니다 (follow permissions, moves, deletions)."""
    from app.wiring import open_kit, source_run, source_settings
    from contracts.settings import load_settings

    settings = load_settings()
    try:
        if settings.queue.backend == "in_process":
            with open_kit(settings) as kit:
                summary = source_run(kit, source_settings(kit.catalog, name)).permissions()
        else:
            summary = _hand_over(settings, name)
    except KeyboardInterrupt:
        click.echo(
            f"{name}: 멈췄습니다. 빼앗은 권한은 그대로 빼앗겨 있고, 다음 실행이 이어 갑니다 "
            f"(stopped; what was taken away stays so, the next run goes on): seoga source scan {name}",
            err=True,
        )
        sys.exit(130)
    click.echo(", ".join(f"{key} {count}" for key, count in sorted(summary.scan.items())))
    if summary.alert:
        click.echo(f"주의 (alert): {summary.alert}")


def _hand_over(settings: Settings, name: str) -> RunSummary:
    """Let the workers follow permissions, and wait for it."""
    from app.handover import Handover
    from app.wiring import open_catalog, source_settings
    from app.work import check_queue, open_ringer
    from contracts.tasks import TaskKind

    check_queue(settings)
    with open_catalog(settings) as catalog, open_ringer(settings, catalog) as ringer:
        source_settings(catalog, name)
        over = Handover(catalog, ringer, TaskKind.ACL, lambda line: click.echo(line, err=True))
        over.ask([name])
        over.wait(lambda _left: None)
        return over.summary(name)


@command.command("accept")
@click.argument("name")
def accept(name: str) -> None:
    """루트의 acl.yaml, directory.yaml 을 지금 있는 대로 따르기로 합니다 (follow what lies at the root now)."""
    from app.controls import decide
    from app.wiring import open_catalog, permission_reader, source_settings
    from contracts.settings import load_settings
    from ingest.sources.registry import make_source

    with open_catalog(load_settings()) as catalog, catalog.transaction():
        settings = source_settings(catalog, name)
        settings = settings.resolved()
        make_source(settings).check()
        controls = decide(catalog, settings, anew=True)
        permission_reader(settings, controls)
    click.echo(f"{name}: {_controls(controls)}")
    click.echo(f"   seoga acl sync {name}")


@command.command("confirm-deletions")
@click.argument("name")
def confirm_deletions(name: str) -> None:
    """숨겨 둔 대량 삭제를 확정합니다 (purge what a guarded scan has hidden)."""
    from app.wiring import open_kit, source_settings
    from contracts.settings import load_settings
    from ingest.removal import confirm_hidden

    with open_kit(load_settings()) as kit:
        source_settings(kit.catalog, name)
        count = confirm_hidden(kit.catalog, kit.index, kit.blobs, name)
    click.echo(f"{name}: {count}건을 지웠습니다 (purged)")


@command.command("remove")
@click.argument("name")
@click.option("--yes", is_flag=True, help="묻지 않고 (without asking).")
def remove(name: str, *, yes: bool) -> None:
    """NAME 과 그 문서, 범위, 색인, 파싱 결과를 지웁니다. 원본은 그대로, 원장과 감사 기록은 남습니다 (forget a source)."""
    from app.controls import forget
    from app.wiring import open_kit, source_settings
    from contracts.errors import ConfigError
    from contracts.settings import load_settings
    from ingest.removal import remove_source

    settings = load_settings()
    if any(source.name == name for source in settings.sources):
        raise ConfigError(
            f"{name}: seoga.toml 에 있습니다 (is configured there)",
            advice="먼저 [[sources]] 에서 지우세요 (take it out of [[sources]] first)",
        )
    with open_kit(settings) as kit:
        place = source_settings(kit.catalog, name).place
        count = kit.catalog.items.count(name)
        if not yes:
            click.confirm(
                f"{name} ({place}): 파일 {count}개에서 만든 것을 모두 지웁니까? (purge everything made from it?)",
                abort=True,
            )
        removed = remove_source(kit.catalog, kit.index, kit.blobs, name)
        forget(kit.catalog, name)
    click.echo(f"{name}: 문서 {removed}건을 지웠습니다 (documents purged)")


def _place(text: str) -> dict[str, object]:
    """Kind and place of a source, as its settings have them."""
    scheme, found, _ = text.partition("://")
    if found:
        return {"kind": scheme.removesuffix("s") if scheme == "imaps" else scheme, "url": text}
    root = Path(text)
    if not root.is_dir():
        raise click.UsageError(f"{text}: 그런 폴더가 없습니다 (no such folder)")
    return {"root": root.resolve()}


def _controls(controls: Controls) -> str:
    lists = {"yaml": "acl.yaml", "posix": "파일 시스템 (file system)"}.get(controls.lists)
    people = ", 사람 (people): directory.yaml" if controls.people else ""
    return f"권한 (permissions): {lists or controls.lists}{people}"


def _object(catalog: Catalog, record: SourceRecord) -> dict[str, object]:
    return {
        "name": record.name,
        "kind": record.kind,
        "root": record.config.get("url") or str(record.config.get("root", "")),
        "origin": record.origin,
        "paused": record.paused,
        "items": catalog.items.count(record.name, "present"),
        "hidden": catalog.items.count(record.name, "hidden"),
        "last_content_run": record.last_content_run,
        "last_permission_run": record.last_permission_run,
        "alert": record.alert,
    }
