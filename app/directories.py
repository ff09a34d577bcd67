"""Directories that keep a snapshot: brought up to date, and shown to operators."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import click

from contracts.errors import (
    DirectoryDownError,
    LeaseLostError,
    SeogaError,
    UnknownReaderError,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from acl_sync.directory import KeepsSnapshot
    from catalog.catalog import Catalog
    from contracts.settings import Settings

__all__ = ["directory", "refresh_all", "refresh_snapshot", "states", "whois"]


@dataclass(frozen=True, slots=True, kw_only=True)
class DirectoryState:
    """A directory as operators see it.

    Attributes:
        realm: Its realm.
        kind: ``ad`` or ``openldap``.
        urls: Its servers.
        answers: Whether one of them answers now.
        problem: Why none does, or "".
        serves: ``server``, ``snapshot`` (within its grace time), or ``nobody``.
        snapshot_at: UTC, ISO 8601: when a server last confirmed the snapshot, or "".
        snapshot_age_seconds: Since then; None without a snapshot.
        whole_at: UTC, ISO 8601: when all of it was last read, or "".
        snapshot_problem: Why the last try to bring it up to date failed, or "".
        people: People in it.
        groups: Groups in it.
        foreign: Accounts of other domains in its groups.
    """

    realm: str
    kind: str
    urls: tuple[str, ...]
    answers: bool
    problem: str
    serves: str
    snapshot_at: str = ""
    snapshot_age_seconds: float | None = None
    whole_at: str = ""
    snapshot_problem: str = ""
    people: int = 0
    groups: int = 0
    foreign: int = 0


def _directories(settings: Settings, catalog: Catalog) -> Iterator[KeepsSnapshot]:
    from acl_sync.directory import KeepsSnapshot
    from acl_sync.registry import DirectoryOptions, make_directories

    options = DirectoryOptions(settings=settings.directory, catalog=catalog)
    for found in make_directories(options):
        if isinstance(found, KeepsSnapshot):
            yield found


def refresh_snapshot(settings: Settings, catalog: Catalog, realm: str) -> None:
    """Bring one directory's snapshot up to date; one that is not configured any more is left alone.

    Raises:
        DirectoryDownError: no server answers; the snapshot stays as it is, and says so.
        LeaseLostError: another process does the same at this moment.
    """
    import structlog

    for found in _directories(settings, catalog):
        if found.realm == realm:
            done = found.refresh()
            structlog.get_logger().info("directory_snapshot", realm=realm, **asdict(done))


def refresh_all(settings: Settings, catalog: Catalog, *, whole: bool = False) -> bool:
    """Bring every snapshot up to date and print what was done; whether all could be."""
    good = True
    for found in _directories(settings, catalog):
        try:
            done = found.refresh(whole=whole)
        except (DirectoryDownError, LeaseLostError) as problem:
            click.echo(f"seoga: {found.realm}: {problem}", err=True)
            good = False
            continue
        how = "전체 (whole)" if done.whole else "바뀐 것 (changes)"
        click.echo(
            f"{found.realm}: 디렉터리 스냅샷 (directory snapshot): {how}, 항목 {done.entries} (entries), "
            f"없어짐 {done.gone} (gone)"
        )
    return good


def states(settings: Settings, catalog: Catalog) -> Iterator[DirectoryState]:
    """Every directory that keeps a snapshot, asked now."""
    from catalog.people import FOREIGN, GROUP, PERSON
    from catalog.times import parse_utc

    for found in _directories(settings, catalog):
        problem = ""
        try:
            found.check()
        except DirectoryDownError as silent:
            problem = str(silent)
        known = catalog.people.snapshot(found.realm)
        counts: dict[str, int] = {}
        age = None
        if known is not None and known.generation:
            counts = catalog.people.counts(known)
            age = (datetime.now(UTC) - parse_utc(known.refreshed_at)).total_seconds()
        stands_in = age is not None and age < found.settings.grace_seconds
        yield DirectoryState(
            realm=found.realm,
            kind=found.settings.kind,
            urls=found.settings.urls,
            answers=not problem,
            problem=problem,
            serves="server" if not problem else "snapshot" if stands_in else "nobody",
            snapshot_at=known.refreshed_at if known else "",
            snapshot_age_seconds=None if age is None else round(age, 1),
            whole_at=known.full_at if known else "",
            snapshot_problem=known.problem if known else "",
            people=counts.get(PERSON, 0),
            groups=counts.get(GROUP, 0),
            foreign=counts.get(FOREIGN, 0),
        )


_SERVES = {
    "server": "서버가 대답함 (the server answers)",
    "snapshot": "스냅샷으로 대답함 (the snapshot stands in)",
    "nobody": "아무도 알 수 없음 (nobody is known)",
}


@click.command("directory")
@click.option("--json", "as_json", is_flag=True, help="JSON 으로 출력.")
def directory(*, as_json: bool) -> None:
    """디렉터리 서버와 스냅샷의 상태 (directory servers and their snapshots)."""
    from app.wiring import open_catalog
    from contracts.settings import load_settings

    settings = load_settings()
    with open_catalog(settings) as catalog:
        found = list(states(settings, catalog))
    if as_json:
        import json

        click.echo(json.dumps([asdict(state) for state in found], ensure_ascii=False, indent=2))
        return
    if not found:
        click.echo("설정된 디렉터리 서버가 없습니다 (no directory server is configured)")
    for state in found:
        click.echo(f"{state.realm} ({state.kind}): {_SERVES[state.serves]}")
        if state.problem:
            click.echo(f"   {state.problem}")
        if state.snapshot_age_seconds is None:
            click.echo("   스냅샷 없음 (no snapshot): seoga acl sync")
        else:
            click.echo(
                f"   스냅샷 (snapshot): {state.snapshot_age_seconds:.0f}초 전 (s ago), 사람 {state.people} (people), "
                f"그룹 {state.groups} (groups), 다른 도메인의 계정 {state.foreign} (foreign accounts)"
            )
        if state.snapshot_problem and state.snapshot_problem != state.problem:
            click.echo(f"   지난 갱신 (last refresh): {state.snapshot_problem}")


@click.command("whois")
@click.argument("name")
@click.option("--group", "is_group", is_flag=True, help="NAME 은 그룹 (NAME is a group).")
@click.option("--json", "as_json", is_flag=True, help="JSON 으로 출력.")
def whois(*, name: str, is_group: bool, as_json: bool) -> None:
    """NAME 을 접근 목록이 무엇으로 가리키는지 (what access lists may name NAME by)."""
    from app.wiring import open_catalog, open_directory
    from contracts.settings import load_settings

    settings = load_settings()
    with open_catalog(settings) as catalog:
        people = open_directory(settings, catalog)
        try:
            found = people.group(name) if is_group else people.reader(name)
        except UnknownReaderError:
            for realm, reason in () if is_group else people.reasons(name).items():
                click.echo(f"   {realm}: {reason}", err=True)
            raise
        try:
            names = people.names(found.principals)
        except SeogaError:  # only for reading: what was found is shown all the same
            names = {}
    if as_json:
        import json

        shown = {
            "name": found.name,
            "realm": found.realm,
            "account": sorted(found.account),
            "principals": [
                {"principal": p, "name": names.get(p, "")} for p in sorted(found.principals)
            ],
        }
        click.echo(json.dumps(shown, ensure_ascii=False, indent=2))
        return
    click.echo(f"{found.name} ({found.realm})")
    for principal in sorted(found.principals):
        own = "  본인 (the account itself)" if principal in found.account else ""
        shown_name = f"  {names[principal]}" if principal in names else ""
        click.echo(f"   {principal}{shown_name}{own}")
