"""The checklist before going live (``seoga doctor --adoption``): each line with its state, its evidence and what to do.

Nothing is taken on trust: figures come from the catalog as it is now, from what a command noted when it ran, or from
searches made for this list. A line is ``ok``, ``warn`` (somebody should look and may accept it) or ``missing`` (not before this is done).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any

from app.access_report import named_in, report_on
from app.noted import BACKUP, GATE, GOLDEN, noted
from catalog.times import parse_utc, utc_now

if TYPE_CHECKING:
    from app.access_report import SourceReport
    from app.adoption_leaks import LeakTest
    from app.metrics import Numbers, SourceNumbers
    from app.people import PeopleNow
    from catalog.catalog import Catalog

__all__ = ["Line", "State", "catalog_lines", "leak_line"]

_DAY = 86_400.0
SYNC_INTERVALS, SYNC_SECONDS = 3, 3600.0
"""Permissions are old where more runs than that were missed, and an hour has passed."""

POOR_SHARE = 0.05
"""Documents of grade D, of all: more than one in twenty wants a look."""

REVIEWED_PAGES, RIGHT_LOW = 60, 0.9
"""Pages that people compared, and the low end of the interval of right ones: with 60 of 60 right, Wilson's low end is .94."""

GOLDEN_LINES, GOLDEN_UNANSWERABLE = 50, 10
REFUSED_LOW = 0.8
"""Of the golden set's unanswerable questions at least so many are to be refused."""

NOTE_DAYS, BACKUP_DAYS = 30, 2
REVOKED_SECONDS = 600.0
"""A right that is taken away shows after a permission run (five minutes by default) and what one takes."""


class State(StrEnum):
    """How a line stands."""

    OK = "ok"
    WARN = "warn"
    MISSING = "missing"


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One line of the list.

    Attributes:
        key: Its name for programs.
        title: For people.
        state: How it stands.
        evidence: Figures in words.
        origin: Where they come from: a command that shows them.
        numbers: The figures.
        advice: What to do where it is not ``ok``, or "".
    """

    key: str
    title: str
    state: State
    evidence: str
    origin: str
    numbers: Mapping[str, Any] = field(default_factory=dict)
    advice: str = ""


def catalog_lines(
    catalog: Catalog, numbers: Numbers, people: PeopleNow, now: str | None = None
) -> list[Line]:
    """All lines but that of the search for leaks, in order.

    Args:
        catalog: The installation's.
        numbers: Measured over it.
        people: What the directories know.
        now: UTC text; None: the time.
    """
    moment = now or utc_now()
    reports = _reports(catalog, people)
    return [
        _sources(catalog),
        _lists(reports),
        _everyone(reports),
        _orphans(reports),
        _sync(numbers.sources, moment),
        _grades(numbers),
        _reviewed(catalog),
        _golden(noted(catalog, GOLDEN), moment),
        _gate(noted(catalog, GATE), moment),
        _refusals(noted(catalog, GOLDEN)),
        _backup(noted(catalog, BACKUP), moment),
        _canary(catalog, numbers.sources),
    ]


def leak_line(found: LeakTest | None, problem: str = "") -> Line:
    """The line of the search for leaks; None: it could not be made, ``problem`` says why."""
    title, origin = "권한 누출 시험 (search for leaks)", "seoga doctor --adoption (지금, now)"
    again = "--as 로 사람을, --searches 로 수를 정하세요 (name people, and how many searches)"
    if found is None:
        return Line(
            key="leaks", title=title, state=State.MISSING, evidence=problem, origin=origin, advice=again
        )  # fmt: skip
    said = (
        f"사람 {len(found.people)}명, 검색 {found.searches}번(읽지 못할 문서를 노린 것 {found.aimed}), "
        f"나온 패시지 {found.passages}개를 저장된 목록으로 다시 계산: 누출 {len(found.leaks)}"
        f" ({len(found.people)} people, {found.searches} searches, {found.aimed} of them for what is closed; leaks {len(found.leaks)})"
    )
    numbers = {
        "people": len(found.people), "searches": found.searches, "aimed": found.aimed, "passages": found.passages,
        "leaks": len(found.leaks), "examples": found.leaks[:5],
    }  # fmt: skip
    state, advice = State.OK, ""
    if found.leaks:
        state = State.MISSING
        advice = f"열지 마세요: {found.leaks[0]} — seoga acl explain (do not go live)"
    elif not found.people or not found.passages:
        state, advice = State.MISSING, again
    elif not found.aimed:
        state = State.WARN
        advice = f"이 사람들에게 닫힌 문서가 없습니다 (nothing is closed to them); {again}"
    return Line(
        key="leaks", title=title, state=state, evidence=said, origin=origin, numbers=numbers, advice=advice
    )  # fmt: skip


def _reports(catalog: Catalog, people: PeopleNow) -> list[SourceReport]:
    names = [record.name for record in catalog.sources.list()]
    named = named_in(scope for name in names for scope in catalog.scopes.all(name))
    who = people.who(named)
    return [report_on(catalog, name, who) for name in names]


def _sources(catalog: Catalog) -> Line:
    records = catalog.sources.list()
    unowned = [r.name for r in records if not r.config.get("owner")]
    unread = [r.name for r in records if not r.last_content_run]
    alerts = [r.name for r in records if r.alert]
    owners = ", ".join(
        f"{r.name}({r.config.get('owner') or '책임자 없음, no owner'})" for r in records
    )
    numbers = {"sources": len(records), "unowned": unowned, "unread": unread, "alerts": alerts}
    state, advice = State.OK, ""
    if not records or unread:
        state = State.MISSING
        advice = "seoga source add, seoga ingest: 한 번은 끝까지 (one complete run)"
        if unread:
            advice = f"{', '.join(unread)}: {advice}"
    elif unowned or alerts:
        state = State.WARN
        told = []
        if unowned:
            told.append(f'{", ".join(unowned)}: [[sources]] owner = "이름" (who answers for it)')
        if alerts:
            told.append(f"{', '.join(alerts)}: seoga source list 의 경보 (its alert)")
        advice = " / ".join(told)
    return Line(
        key="sources", title="소스와 책임자 (sources and owners)", state=state,
        evidence=f"소스 {len(records)}개 (sources): {owners or '-'}", origin="seoga source list", numbers=numbers, advice=advice,
    )  # fmt: skip


def _lists(reports: list[SourceReport]) -> Line:
    documents = sum(r.documents for r in reports)
    unreadable = sum(len(r.findings["unreadable"]) for r in reports)
    closed = sum(r.totals["nobody"] for r in reports)
    state, advice = State.OK, ""
    if not documents or unreadable:
        state = State.MISSING
        advice = "seoga acl pending: 수집 계정에 권한 목록을 읽을 권리를 (let the account read the lists)"
    elif closed:
        state = State.WARN
        advice = (
            "seoga acl report: 아무도 읽지 못하는 것이 맞는지 (is it meant that nobody reads them?)"
        )
    return Line(
        key="lists", title="권한 목록 (access lists)", state=state,
        evidence=f"문서 {documents}개, 읽지 못한 목록 {unreadable}개, 아무도 읽지 못하는 문서 {closed}개 (documents, unreadable lists, read by nobody)",
        origin="seoga acl report", numbers={"documents": documents, "unreadable": unreadable, "nobody": closed}, advice=advice,
    )  # fmt: skip


def _everyone(reports: list[SourceReport]) -> Line:
    documents = sum(r.documents for r in reports)
    wide = sum(r.totals["open_to_everyone"] for r in reports)
    places = [f"{r.source}:{row.place}" for r in reports for row in r.findings["open_to_everyone"]]
    return Line(
        key="everyone", title="모두에게 열린 문서 (open to everyone)", state=State.WARN if wide else State.OK,
        evidence=f"{wide}/{documents}" + (f": {', '.join(places[:3])}" if places else ""),
        origin="seoga acl report", numbers={"documents": documents, "open_to_everyone": wide, "places": places[:20]},
        advice="책임자가 맞다고 확인하기 전에는 열지 마세요 (have their owners confirm it)" if wide else "",
    )  # fmt: skip


def _orphans(reports: list[SourceReport]) -> Line:
    names = [row.place for r in reports for row in r.findings["orphans"]]
    silent = [r.source for r in reports if not r.asked]
    state, advice = State.OK, ""
    if silent or not reports:
        state = State.MISSING
        advice = "디렉터리가 답하지 않습니다 (a directory does not answer): [directory], seoga acl directory"
    elif names:
        state, advice = (
            State.WARN,
            "seoga acl report: 지우거나 디렉터리를 더하세요 (clear them, or add their directory)",
        )
    said = f"{len(names)}개" + (f": {', '.join(names[:3])}" if names else "")
    return Line(
        key="orphans", title="아무도 모르는 이름·SID (orphan principals)", state=state,
        evidence=f"{said}, 물어보지 못한 소스 {len(silent)}개 (not asked)", origin="seoga acl report",
        numbers={"orphans": len(names), "names": names[:20], "unasked": silent}, advice=advice,
    )  # fmt: skip


def _sync(sources: tuple[SourceNumbers, ...], now: str) -> Line:
    ages = {
        s.name: _age(s.last_permission_run or s.last_content_run, now)
        for s in sources
        if s.last_permission_run or s.last_content_run
    }
    limits = {s.name: max(SYNC_INTERVALS * s.permission_interval, SYNC_SECONDS) for s in sources}
    never = [s.name for s in sources if s.name not in ages]
    late = [name for name, age in ages.items() if age > limits[name]]
    state, advice = State.OK, ""
    if never or not sources:
        state, advice = State.MISSING, "seoga acl sync"
    elif late:
        state = State.WARN
        advice = f"{', '.join(late)}: seoga serve 가 도는지, permission_schedule (does it run?)"
    oldest = max(ages.values(), default=0.0)
    return Line(
        key="sync", title="권한을 따라간 때 (age of the last sync)", state=state,
        evidence=f"가장 오래된 것 {oldest / 60:.0f}분 전, 한 번도 안 한 소스 {len(never)}개 (oldest, in minutes; never)",
        origin="seoga source list", numbers={"seconds": {n: round(a) for n, a in ages.items()}, "never": never, "late": late},
        advice=advice,
    )  # fmt: skip


def _grades(numbers: Numbers) -> Line:
    total, poor = sum(numbers.quality.values()), numbers.quality.get("D", 0)
    outcomes = numbers.by_outcome()
    failed = outcomes.get("failed", 0)
    state, advice = State.OK, ""
    if not total:
        state, advice = State.MISSING, "seoga ingest"
    elif poor > POOR_SHARE * total or failed:
        state = State.WARN
        advice = "seoga status --failures, seoga review list --samples"
    shown = ", ".join(f"{grade} {count}" for grade, count in sorted(numbers.quality.items()))
    return Line(
        key="grades", title="읽기 등급 (parse grades)", state=state,
        evidence=f"{shown or '-'}; 실패 {failed}개 (failed)", origin="seoga status",
        numbers={"grades": dict(numbers.quality), "outcomes": outcomes}, advice=advice,
    )  # fmt: skip


def _reviewed(catalog: Catalog) -> Line:
    from dashboard.samples import right_pages

    found = right_pages(catalog.reviews.page_verdicts())
    state, advice = State.OK, ""
    if not found.pages:
        state = State.MISSING
    elif found.pages < REVIEWED_PAGES or found.low < RIGHT_LOW:
        state = State.WARN
    if state is not State.OK:
        advice = f"seoga review list --samples --limit {REVIEWED_PAGES}: 원본과 비교 (compare with the originals)"
    return Line(
        key="reviewed", title="사람이 확인한 쪽 (pages that people compared)", state=state,
        evidence=f"{found.pages}쪽 가운데 바른 쪽 {found.right} = {found.share:.3f}, 95 % {found.low:.3f}–{found.high:.3f} (Wilson)",
        origin="seoga review report",
        numbers={"pages": found.pages, "right": found.right, "share": found.share, "low": found.low, "high": found.high},
        advice=advice,
    )  # fmt: skip


def _golden(last: Mapping[str, Any], now: str) -> Line:
    questions = int(last.get("questions", 0))
    none = questions - int(last.get("answerable", 0))
    days = _age(str(last["at"]), now) / _DAY if last else 0.0
    state, advice = State.OK, ""
    if not questions:
        state = State.MISSING
        advice = "seoga eval golden build FILE, 확인한 뒤 (then, once reviewed) seoga eval run FILE"
    elif questions < GOLDEN_LINES or none < GOLDEN_UNANSWERABLE or days > NOTE_DAYS:
        state = State.WARN
        advice = f"{GOLDEN_LINES}줄 이상, 답이 없는 질문 {GOLDEN_UNANSWERABLE}줄 이상, {NOTE_DAYS}일 안에 (so many lines, unanswerable ones, run within so many days)"
    evidence = f"질문 {questions}개, 그중 답 없는 것 {none}개 (questions, unanswerable)"
    if last:
        evidence += f"; {last['at']} {last['file']}: Hit@5 {_share(last.get('hit_at_5'))}"
    return Line(
        key="golden", title="골든셋 (golden set)", state=state, evidence=evidence, origin="seoga eval run FILE",
        numbers=dict(last), advice=advice,
    )  # fmt: skip


def _gate(last: Mapping[str, Any], now: str) -> Line:
    worse = int(last.get("worse", 0))
    days = _age(str(last["at"]), now) / _DAY if last else 0.0
    state, advice = State.OK, ""
    if not last or worse:
        state = State.MISSING
        advice = "seoga eval gate --baseline FILE: 나빠진 것이 없어야 합니다 (nothing may be worse)"
    elif days > NOTE_DAYS:
        state, advice = State.WARN, "seoga eval gate --baseline FILE"
    evidence = (
        f"{last['at']}: 나빠진 수치 {worse}개 (worse), 기준 {last['baseline']}"
        if last
        else "한 적 없음 (never)"
    )
    return Line(
        key="gate", title="품질 관문 (last gate)", state=state, evidence=evidence, origin="seoga eval gate", numbers=dict(last),
        advice=advice,
    )  # fmt: skip


def _refusals(last: Mapping[str, Any]) -> Line:
    none = int(last.get("questions", 0)) - int(last.get("answerable", 0))
    false = last.get("false_answers")
    state, advice = State.OK, ""
    if false is None or not none:
        state = State.MISSING
        advice = "답이 없어야 하는 질문을 골든셋에 넣고 seoga eval run (put unanswerable questions into the golden set)"
    elif 1 - false < REFUSED_LOW:
        state = State.WARN
        advice = "answer.threshold 를 올리세요 (raise it), seoga eval run"
    refused = None if false is None else 1 - false
    return Line(
        key="refusals", title="거절 (refused of the unanswerable)", state=state,
        evidence=f"답이 없는 질문 {none}개 가운데 거절한 비율 {_share(refused)} (share refused)", origin="seoga eval run FILE",
        numbers={"unanswerable": none, "refused": refused}, advice=advice,
    )  # fmt: skip


def _backup(last: Mapping[str, Any], now: str) -> Line:
    days = _age(str(last["at"]), now) / _DAY if last else 0.0
    there = bool(last) and Path(str(last["file"])).exists()
    state, advice = State.OK, ""
    if not last or not there:
        state, advice = State.MISSING, "seoga backup FOLDER (날마다, daily)"
    elif days > BACKUP_DAYS or not last.get("verified"):
        state, advice = State.WARN, "seoga backup FOLDER --verify: 날마다 (daily)"
    evidence = "한 적 없음 (never)"
    if last:
        told = "되살려 확인함 (verified)" if last.get("verified") else "확인 안 함 (not verified)"
        evidence = f"{days:.1f}일 전 (days ago), {last['file']}, {told}"
        evidence += "" if there else ": 파일이 없습니다 (the file is gone)"
    return Line(
        key="backup", title="백업 (backup)", state=state, evidence=evidence, origin="seoga backup",
        numbers={**last, "there": there, "days": round(days, 2)}, advice=advice,
    )  # fmt: skip


def _canary(catalog: Catalog, sources: tuple[SourceNumbers, ...]) -> Line:
    birds = {s.name: s.canary for s in sources if s.canary is not None}
    measured = sum(b.measured for b in birds.values())
    slow = [n for n, b in birds.items() if max(b.revoked, b.waiting) > REVOKED_SECONDS]
    broken = [f"{n}: {b.problem}" for n, b in birds.items() if b.problem]
    folders = [r.name for r in catalog.sources.list() if r.kind == "filesystem"]
    state, advice = State.OK, ""
    if slow or broken:
        state = State.MISSING
        advice = f"{', '.join(slow + broken)}: 권한 회수가 늦습니다 (revocation is late) — docs/operations.md"
    elif not measured:
        state = State.WARN
        advice = (
            "canary, canary_reader: 회수를 재는 소스가 없습니다 (no source measures revocation)"
        )
        if not folders:
            advice = "폴더 소스에서만 잽니다 (folder sources only): 회수를 한 번 손으로 확인 (try once by hand)"
    worst = max((b.revoked for b in birds.values()), default=0.0)
    return Line(
        key="canary", title="회수 시간 (canary)", state=state,
        evidence=f"소스 {len(birds)}개에서 {measured}번, p95 {worst:.0f}초 (times measured, seconds)", origin="seoga status",
        numbers={"sources": len(birds), "measured": measured, "p95_seconds": worst, "slow": slow, "problems": broken},
        advice=advice,
    )  # fmt: skip


def _age(at: str, now: str) -> float:
    return (parse_utc(now) - parse_utc(at)).total_seconds()


def _share(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"
