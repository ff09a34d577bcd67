"""``seoga acl readers`` and ``seoga acl report``: who may read a document, and what the lists of a source look like."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from app.people import PeopleNow

if TYPE_CHECKING:
    from collections.abc import Iterable

    from acl_sync.who import Who
    from app.access_report import Finding, SourceReport
    from catalog.catalog import Catalog
    from contracts.access import AccessScope, Principal

__all__ = ["canary", "readers", "report"]

_TITLES = {
    "open_to_everyone": "누구나 읽음 (open to everyone)",
    "nobody": "아무도 읽지 못함 (read by nobody)",
    "orphans": "아무 디렉터리도 모르는 이름 (principals that no directory knows)",
    "broken_inheritance": "폴더와 다른 목록 (lists unlike their folder's)",
    "unreadable": "읽지 못한 목록 (unreadable lists)",
}
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


@click.command("readers")
@click.argument("document", metavar="DOC")
def readers(document: str) -> None:
    """DOC(문서 id 또는 경로)을 읽을 수 있는 사람과 그룹 (who may read DOC)."""
    from acl_sync.access import explain
    from acl_sync.who import is_everyone
    from app.access_report import named_in
    from app.commands.acl import find_document
    from app.wiring import open_catalog
    from contracts.settings import load_settings

    settings = load_settings()
    with open_catalog(settings) as catalog:
        found = find_document(catalog, document)
        scopes = {scope.scope_id: scope for scope in catalog.scopes.all()}
        way = [d.scope for d in explain(found.scope_id, scopes, frozenset())]
        named = named_in(way)
        who = PeopleNow(settings, catalog).who(named)
        hidden = catalog.overlay.reasons(found.document_id)
    everyone = frozenset(filter(is_everyone, named))
    passing = {p for p in named if _passes(found.scope_id, scopes, everyone | {p})}
    all_pass = bool(way) and _passes(found.scope_id, scopes, everyone)
    click.echo(_clean(f"{found.path}: {_verdict(passing, all_pass=all_pass)}"))
    for principal in sorted(passing - everyone) if not all_pass else ():
        click.echo(f"   읽음 (reads): {_named(principal, who)}")
    for principal in sorted(_denied(way) - everyone - passing) if passing else ():
        click.echo(f"   제외 (but not): {_named(principal, who)}")
    for reason in hidden:
        click.echo(f"   지금은 아무도 (nobody for now): {reason}")


def _passes(
    scope_id: str, scopes: dict[str, AccessScope], principals: frozenset[Principal]
) -> bool:
    from acl_sync.access import explain

    decisions = explain(scope_id, scopes, principals)
    return bool(decisions) and all(decision.allowed for decision in decisions)


def _denied(scopes: Iterable[AccessScope]) -> frozenset[Principal]:
    from contracts.access import Effect

    gates = [gate for scope in scopes for gate in scope.gates]
    return frozenset(e.principal for g in gates for e in g.entries if e.effect is Effect.DENY)


def _verdict(passing: set[Principal], *, all_pass: bool) -> str:
    if all_pass:
        return "누구나 (everyone)"
    return "다음 사람과 그룹 (these people and groups)" if passing else "아무도 (nobody)"


def _named(principal: Principal, who: Who) -> str:
    name = who.names.get(principal, "")
    if principal in who.orphans:
        name = "아무 디렉터리도 모름 (unknown to every directory)"
    return f"{principal}  {name}".rstrip()


@click.command("canary")
def canary() -> None:
    """권한 회수를 재는 문서를 한 걸음 나아가게 합니다 (take each canary a step further)."""
    from app.canary import keep_canaries
    from app.wiring import open_access, open_search_parts
    from contracts.settings import load_settings

    settings = load_settings()
    with open_search_parts(settings, "cli") as parts:
        access = open_access(settings, parts.catalog)
        steps = keep_canaries(parts.catalog, parts.searcher, access)
    if not steps:
        click.echo("canary 를 둔 소스가 없습니다 (no source has one)")
    for step in steps:
        times = f"{len(step.revoked)}번 (times)"
        click.echo(
            f"{step.state} {step.since}, {times}{f', {step.problem}' if step.problem else ''}"
        )


@click.command("report")
@click.option("--source", help="이 소스만 (only this source).")
@click.option("--rows", type=click.IntRange(0, 100_000), default=10, show_default=True)
@click.option("--json", "as_json", is_flag=True)
@click.option(
    "--csv",
    "csv_file",
    type=click.Path(dir_okay=False, path_type=Path),
    help="모든 행을 이 파일에 (every row into this file).",
)
def report(*, source: str | None, rows: int, as_json: bool, csv_file: Path | None) -> None:
    """소스마다 권한의 첫인상: 누구나 읽는 문서, 고아 SID, 아무도 못 읽는 문서 (a first look at the lists)."""
    from app.wiring import open_catalog, source_settings
    from contracts.settings import load_settings

    settings = load_settings()
    with open_catalog(settings) as catalog:
        if source is not None:
            source_settings(catalog, source)
        names = [source] if source else [record.name for record in catalog.sources.list()]
        people = PeopleNow(settings, catalog)
        reports = [_report(catalog, people, name) for name in names]
    if csv_file is not None:
        _write(csv_file, reports)
    if as_json:
        import json

        text = json.dumps([_object(found, rows) for found in reports], ensure_ascii=False, indent=2)
        click.echo(_clean(text))
        return
    for found in reports:
        _print(found, rows)


def _report(catalog: Catalog, people: PeopleNow, source: str) -> SourceReport:
    from app.access_report import named_in, report_on

    return report_on(catalog, source, people.who(named_in(catalog.scopes.all(source))))


def _print(found: SourceReport, rows: int) -> None:
    click.echo(f"{found.source}: 문서 {found.documents}건 (documents)")
    if not found.asked:
        click.echo("   디렉터리가 답하지 않아 고아를 셀 수 없습니다 (a directory does not answer)")
    for kind, title in _TITLES.items():
        findings = found.findings[kind]
        click.echo(
            f"   {title}: 목록 {len(findings)} (lists), 문서 {found.totals[kind]} (documents)"
        )
        for row in findings[:rows]:
            click.echo(_clean(f"      {row.place}  {row.documents}건  {row.detail}".rstrip()))


def _object(found: SourceReport, rows: int) -> dict[str, Any]:
    return {
        "source": found.source,
        "documents": found.documents,
        "directories_answered": found.asked,
        "findings": {
            kind: {
                "lists": len(findings),
                "documents": found.totals[kind],
                "first": [_row(row) for row in findings[:rows]],
            }
            for kind, findings in found.findings.items()
        },
    }


def _row(row: Finding) -> dict[str, Any]:
    return {"place": row.place, "documents": row.documents, "detail": row.detail}


def _write(path: Path, reports: Iterable[SourceReport]) -> None:
    """Every row; with a byte order mark, which spreadsheets need to see Hangul, and without formulas."""
    import csv

    with path.open("w", encoding="utf-8-sig", errors="backslashreplace", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(("source", "finding", "place", "documents", "detail"))
        for found in reports:
            for kind, findings in found.findings.items():
                for row in findings:
                    place, detail = _harmless(row.place), _harmless(row.detail)
                    writer.writerow((found.source, kind, place, row.documents, detail))


def _harmless(cell: str) -> str:
    """Not a formula, whoever named the file."""
    return f"'{cell}" if cell.startswith(_FORMULA) else cell


def _clean(text: str) -> str:
    return text.encode("utf-8", "backslashreplace").decode()
