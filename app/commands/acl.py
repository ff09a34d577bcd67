"""``seoga acl``: synchronise, explain, ledger, pending, scopes."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from app.access_commands import canary, readers, report
from app.directories import directory, refresh_all, whois
from app.people import PeopleNow

if TYPE_CHECKING:
    from collections.abc import Mapping

    from acl_sync.access import Decision
    from catalog.catalog import Catalog
    from catalog.records import DocumentRecord
    from contracts.access import Principal

__all__ = ["command", "find_document"]

_HIDDEN = {
    "protected": "암호나 DRM 이 걸려 있습니다",
    "pending_deletion": "사라졌고, 삭제 확정을 기다립니다",
    "scope_change": "옮겨졌고, 색인을 기다립니다",
    "unread": "옮겨졌거나 바뀌었고, 아직 읽지 못했습니다",
}
"""Why a document is under the overlay."""


@click.group("acl", short_help="권한: 동기화, 설명, 원장 (permissions: sync, explain, ledger).")
def command() -> None:
    """권한을 동기화하고 설명합니다 (synchronise and explain permissions)."""


command.add_command(directory)
command.add_command(whois)
command.add_command(readers)
command.add_command(report)
command.add_command(canary)


@command.command("sync")
@click.argument("sources", nargs=-1)
@click.option(
    "--full",
    is_flag=True,
    help="바뀐 표시가 없는 목록도 모두 다시 읽기 (read every list, also those that seem unchanged).",
)
def sync(sources: tuple[str, ...], *, full: bool) -> None:
    """원본의 권한을 지금 따라갑니다. 문서를 읽지 않습니다 (follow the source's permissions now)."""
    from app.telemetry import telemetry
    from app.wiring import open_kit, source_run, source_settings
    from contracts.errors import SeogaError
    from contracts.settings import load_settings

    settings = load_settings()
    failed = False
    with telemetry(settings.telemetry, "acl"), open_kit(settings) as kit:
        if not sources:
            failed = not refresh_all(settings, kit.catalog)
        names = sources or tuple(record.name for record in kit.catalog.sources.list())
        for name in names:
            try:
                run = source_run(kit, source_settings(kit.catalog, name))
                summary = run.permissions(read_all=full)
            except (
                SeogaError
            ) as problem:  # the other sources' permissions are followed all the same
                click.echo(f"seoga: {problem}", err=True)
                failed = True
                continue
            scan = summary.scan
            click.echo(
                f"{name}: 목록 읽음 {scan['lists_read']} (lists read), 범위 변경 {scan['scopes_changed']} "
                f"(scopes changed), {summary.seconds.get('scan', 0):.2f}초 (s)"
            )
            if summary.alert:
                click.echo(f"   주의 (alert): {summary.alert}")
    if failed:
        sys.exit(2)


@command.command("explain")
@click.argument("document", metavar="DOC")
@click.option("--as", "reader", required=True, metavar="USER")
def explain(document: str, reader: str) -> None:
    """DOC(문서 id 또는 경로)을 USER 가 읽을 수 있는지와 그 이유 (may USER read DOC, and why)."""
    from acl_sync.access import explain as decide
    from app.wiring import open_catalog, open_directory
    from contracts.settings import load_settings

    settings = load_settings()
    with open_catalog(settings) as catalog:
        found = find_document(catalog, document)
        principals = open_directory(settings, catalog).reader(reader).principals
        scopes = {scope.scope_id: scope for scope in catalog.scopes.all()}
        decisions = decide(found.scope_id, scopes, principals)
        reasons = catalog.overlay.reasons(found.document_id)
        deciding = [decision.entry.principal for decision in decisions if decision.entry]
        sids = [principal for principal in deciding if principal.startswith("sid:")]
        names = PeopleNow(settings, catalog).who(sids).names if sids else {}
    known = found.scope_id in scopes
    allowed = known and bool(decisions) and all(d.allowed for d in decisions) and not reasons
    click.echo(
        f"{found.path}: {'읽을 수 있음 (may read)' if allowed else '읽을 수 없음 (may not read)'}"
    )
    for decision in decisions:
        click.echo(f"   {_line(decision, names)}")
    if not known:
        click.echo("   접근 목록을 모릅니다 (no known access list): 아무도 (nobody)")
    for reason in reasons:
        click.echo(f"   지금은 숨겨져 있습니다 (hidden now): {_why_hidden(reason)}")


@command.command("scopes")
@click.option("--source", help="이 소스만 (only this source).")
def scopes(source: str | None) -> None:
    """문서의 권한을 정하는 범위들 (the scopes that decide)."""
    from app.wiring import open_catalog
    from contracts.settings import load_settings

    with open_catalog(load_settings()) as catalog:
        for scope in catalog.scopes.all(source):
            count = catalog.scopes.documents_in([scope.scope_id])
            state = "" if scope.readable else "  읽지 못함 (unreadable)"
            click.echo(f"{scope.scope_id}  {count}건{state}")
            for gate in scope.gates:
                entries = ", ".join(f"{e.effect.value} {e.principal}" for e in gate.entries)
                click.echo(f"   {gate.name}: {entries or '아무도 (nobody)'}")


@command.command("pending")
def pending() -> None:
    """읽지 못한 목록, 대상이 없는 목록, 모르는 이름, 숨겨 둔 문서 (what waits for a person)."""
    from app.access_report import named_in
    from app.wiring import open_catalog
    from contracts.settings import load_settings
    from ingest.passes import unmatched_of

    settings = load_settings()
    with open_catalog(settings) as catalog:
        people = PeopleNow(settings, catalog)
        waiting = 0
        for source in catalog.sources.list():
            for place in unmatched_of(catalog, source.name):
                waiting += 1
                click.echo(f"대상이 없는 목록 (list of what is not there): {source.name}: {place}")
            for principal in sorted(people.who(named_in(catalog.scopes.all(source.name))).orphans):
                waiting += 1
                click.echo(f"모르는 이름 (no directory knows): {source.name}: {principal}")
        unreadable = [scope for scope in catalog.scopes.all() if not scope.readable]
        hidden = sorted(catalog.overlay.all())
        documents = catalog.documents.get_many(hidden)
        for scope in unreadable:
            count = catalog.scopes.documents_in([scope.scope_id])
            click.echo(f"읽지 못한 목록 (unreadable list): {scope.scope_id}  {count}건")
        for document_id in hidden:
            reasons = ", ".join(_why_hidden(r) for r in catalog.overlay.reasons(document_id))
            document = documents.get(document_id)
            place = f"{document.source}/{_shown(document.path)}" if document else document_id
            click.echo(f"숨김 (hidden): {place} — {reasons}")
        if not unreadable and not hidden and not waiting:
            click.echo("없습니다 (nothing pending)")


@command.command("ledger")
@click.option("--source", help="이 소스만 (only this source).")
@click.option("--limit", type=click.IntRange(1, 100_000), default=100, show_default=True)
def ledger(source: str | None, limit: int) -> None:
    """누가 무엇을 언제 얻고 잃었는지 (who gained and lost what, and when)."""
    from app.wiring import open_catalog
    from contracts.settings import load_settings

    with open_catalog(load_settings()) as catalog:
        for row in catalog.ledger.list(source=source, limit=limit):
            place = row.document_id or row.scope_id
            click.echo(
                f"{row.at_seen}  {row.change:7} {row.principal}  {place}  {row.detail}".rstrip()
            )


def find_document(catalog: Catalog, name: str) -> DocumentRecord:
    """A document by its id, or by ``SOURCE/PATH`` or path.

    Raises:
        NotFoundError: there is none.
    """
    from contracts.errors import NotFoundError

    found = catalog.documents.get(name)
    if found is not None:
        return found
    for source in catalog.sources.list():
        path = name.removeprefix(f"{source.name}/")
        item = catalog.items.by_path(source.name, path.partition("!/")[0])
        for document in catalog.documents.by_item(item.item_id) if item else ():
            if document.path == path:
                return document
    raise NotFoundError(f"{name}: 그런 문서가 없습니다 (no such document)")


def _why_hidden(reason: str) -> str:
    return f"{_HIDDEN[reason]} ({reason})" if reason in _HIDDEN else reason


def _shown(path: str) -> str:
    return path.encode("utf-8", "backslashreplace").decode()


def _line(decision: Decision, names: Mapping[Principal, str]) -> str:
    gate = decision.gate.name if decision.gate else "목록 (list)"
    verdict = "허용 (allow)" if decision.allowed else "거부 (deny)"
    if decision.gate is None:
        why = "읽지 못한 목록 (the list could not be read)"
    elif decision.entry is None:
        why = "해당 항목 없음 (no entry names the reader)"
    else:
        entry = decision.entry
        origin = ", 상속 (inherited)" if entry.inherited else ""
        name = f" ({names[entry.principal]})" if entry.principal in names else ""
        why = f"{entry.effect.value} {entry.principal}{name}{origin}"
    return f"{decision.scope.key} · {gate}: {verdict} — {why}"
