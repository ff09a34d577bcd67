"""How long the dashboard's pages take over a large catalog: ``python scripts/bench_dashboard.py [--documents 1000000] [--rounds 20]``.

The rows are made here (documents with outcomes, versions, grades, queries, ledger, conflicts, hidden items), and beside them one scan of the example
drive's writers is ingested, so that there is a page to review with its blocks and its picture. Pages are asked for through the application as it is
served, one after another, as somebody who holds every role; with ``--home`` the rows stay, and another run asks again of those. Printed are the
median and the 95th percentile of each page.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import random
import re
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import sqlalchemy as sa

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
TOKEN = "a-token-of-the-bench"  # noqa: S105  of an installation that lasts for the bench
LIMIT_MS = 500.0
_BATCH = 10_000
_FORMATS = ("pdf", "docx", "xlsx", "hwp", "hwpx", "pptx", "eml", "txt")
_DEPARTMENTS = ("품질보증팀", "생산기술팀", "영업팀", "설계팀", "구매팀", "")
_CLASSES = ("encrypted", "corrupt", "timeout", "unsupported", "empty", "truncated")
_FAILED, _EMPTY = 0.05, 0.08
_SOURCES = ("plant", "sales", "archive")
PAGES = (
    "/", "/documents", "/documents?source=sales", "/documents?kind=rejected", "/documents?format=hwp",
    "/documents?department=영업팀", "/documents?failure=timeout", "/documents?source=archive&format=eml&kind=failed",
    "/failures", "/failures?failure=corrupt&department=설계팀", "/review", "/review/worst?grade=D", "/conflicts",
    "/permissions", "/permissions?source=plant", "/permissions/actions", "/analytics", "/analytics/searches",
    "/analytics/searches?which=empty", "/analytics/searches?which=slow", "/sources", "/sources/plant/deletions",
    "/analytics/feedback", "/synonyms", "/permissions/report", "/documents/{document}", "/conflicts/{document}/status",
    "/permissions/explain?document={document}&reader=olga", "/review/draws/{draw}", "/review/pages/{scan}/1",
    "/review/pages/{scan}/1/picture", "/review/pages/{scan}/1/again", "/analytics/golden", "/charts/golden", "/charts/outcomes", "/charts/searches", "/charts/right", "/login",
)  # fmt: skip
"""``{document}``: one with a conflict; ``{scan}``: the version of the scan; ``{draw}``: one of fifty pages."""
_SCAN = "scans"
_PATIENCE = 300.0
_RUNS = 730


def fill(catalog: Any, there: int, count: int) -> None:
    """Write the rows that are not there yet."""
    from catalog import tables as t

    chance = random.Random(7 + there)
    scopes = [f"{source}:폴더{n}" for source in _SOURCES for n in range(400)]
    database = catalog._database  # noqa: SLF001  rows by the million
    if not there:
        _fill_small(database, scopes, count)
    with (
        database.read() as connection
    ):  # the one connection of this thread; a crash costs the bench, nothing else
        connection.connection.dbapi_connection.execute("PRAGMA cache_size = -400000")
    for start in range(there, count, _BATCH):
        rows = [_rows(chance, n, scopes) for n in range(start, min(count, start + _BATCH))]
        with database.transaction() as connection:
            for table in (
                t.items,
                t.documents,
                t.versions,
                t.quality,
                t.outcomes,
                t.queries,
                t.ledger,
            ):
                connection.execute(sa.insert(table), [row[table.name] for row in rows])
            found = [row["conflicts"] for row in rows if row["conflicts"]]
            connection.execute(sa.insert(t.conflicts), found)


def _fill_small(database: Any, scopes: list[str], count: int) -> None:
    """Sources, scopes and counters."""
    from catalog import tables as t
    from catalog.text import digest

    with database.transaction() as connection:
        for source in _SOURCES:
            config = json.dumps({"name": source, "root": f"/srv/{source}"})
            row = {
                "name": source,
                "kind": "filesystem",
                "config": config,
                "origin": "path",
                "paused": False,
            }
            row |= {"last_content_run": "", "last_permission_run": "", "alert": ""}
            connection.execute(sa.insert(t.sources), [row])
        gates = '[{"entries":[{"effect":"allow","inherited":false,"label":"","principal":"user:anna@plant"}],"name":"read"}]'
        shut = gates.replace("anna", "olga")
        connection.execute(
            sa.insert(t.scopes),
            [
                {
                    "scope_digest": digest(s), "scope_id": s, "source": s.partition(":")[0], "key": s.partition(":")[2],
                    "parent_id": None, "gates": gates if n % 5 else shut, "readable": True, "groups": "[]", "epoch": 1, "tag": "",
                }
                for n, s in enumerate(scopes)
            ],
        )  # fmt: skip
        numbers = {"access_epoch": 1, "queries": count, "outcomes": count, "ledger": count}
        rows = [{"name": name, "value": value} for name, value in numbers.items()]
        connection.execute(sa.insert(t.counters), rows)


def _rows(chance: random.Random, n: int, scopes: list[str]) -> dict[str, dict[str, Any]]:
    scope = chance.choice(scopes)
    source = scope.partition(":")[0]
    key, path = f"{chance.getrandbits(128):032x}", f"{scope.partition(':')[2]}/문서_{n:07}.pdf"
    failed = chance.random() < _FAILED
    form, department = chance.choice(_FORMATS), chance.choice(_DEPARTMENTS)
    hidden = source == "plant" and n % 90 == 0
    at = f"2026-{1 + n % 11:02}-{1 + n % 28:02}T{n % 24:02}:00:00.{n % 1_000_000:06}Z"
    kind = chance.choice(("rejected", "failed")) if failed else "indexed"
    return {
        "items": {
            "item_id": n + 1, "source": source, "object_id": key, "path": path, "locator": f"file:///{path}", "size": n,
            "modified_ns": n, "changed_ns": n, "access_tag": "", "content_sha256": key, "document_id": key, "scope_id": scope,
            "state": "hidden" if hidden else "present", "processed": "f", "content_checked_ns": 1, "seen_run": "",
        },
        "documents": {
            "document_id": key, "source": source, "item_id": n + 1, "parent_id": "", "member_path": "", "path": path, "ordinal": 0,
            "version_id": f"v{key}", "state": "live", "stale": False, "scope_id": scope, "created_at": at, "restricted": False,
        },
        "versions": {
            "version_id": f"v{key}", "document_id": key, "content_sha256": key, "format": form, "parse_key": key,
            "config_fingerprint": "f", "authority": source, "family_digest": key, "metadata": '{"title":"문서"}', "title": "문서",
            "document_number": "", "family": "", "revision": "", "status": "current", "effective_date": None,
            "document_type": "report", "department": department, "security_level": "", "language": "ko", "chunks": 3, "created_at": at,
        },
        "quality": {
            "version_id": f"v{key}", "grade": chance.choice("AAAABCD"), "confidence": chance.random(), "reasons": "[]", "pages": "[]",
            "recognised": n % 3,
        },
        "outcomes": {
            "seq": n + 1, "subject": key, "document_id": key, "source": source, "path": path, "member_path": "", "kind": kind,
            "failure": chance.choice(_CLASSES) if failed else "", "reason": "", "warnings": "[]", "run_id": "r", "at": at,
            "seconds": 0.1, "peak_mb": 1.0, "format": form, "size": n, "department": department,
        },
        "queries": {
            "seq": n + 1, "at": at, "reader": f"user{n % 500}", "query": f"질의 {n % 3000}", "filters": '{"access_epoch":1,"top":10}',
            "document_ids": "[]" if chance.random() < _EMPTY else f'["{key}"]', "took_ms": chance.expovariate(1 / 60),
            "channel": "ops" if n % 400 == 0 else "api", "digest": key,
        },
        "ledger": {
            "seq": n + 1, "at_seen": at, "effective_at": at, "source": source, "scope_id": scope, "document_id": "",
            "principal": f"user:user{n % 500}@plant", "change": "gained", "detail": "",
        },
        "conflicts": {
            "document_id": key, "field": "status", "evidence": "[]", "state": "open", "verdict": "", "by": "", "at": at,
        } if n % 50 == 0 else {},
    }  # fmt: skip


def add_scan(settings: Any, catalog: Any, folder: Path) -> str:
    """Ingest a scan through the pipeline, unless it is there; the id of its version."""
    sys.path.insert(0, str(ROOT / "examples"))
    from share_pages import scan

    from app.sources import add_source
    from app.wiring import open_kit_on, source_run
    from contracts.settings import SourceSettings

    drive = folder / _SCAN
    if not drive.exists():
        drive.mkdir()
        blocks = [
            ("h1", "작업표준 WS-MC-014 실린더 헤드 세척"),
            ("p", "시행일: 2026-03-02, 상태: 현행"),
        ]
        blocks += [("p", f"{n}. 세척액 온도를 재고 점검표에 적는다.") for n in range(1, 21)]
        blocks += [
            ("table", [["항목", "기준"], ["세척액 온도", "60 ± 3 ℃"], ["세척 시간", "240초"]])
        ]
        (drive / "작업표준.pdf").write_bytes(scan(blocks, stamp="현행"))
        (drive / "acl.yaml").write_text(
            'realm: plant\nfolders: {"": [{allow: "user:anna"}]}\n', "utf-8"
        )
    source = SourceSettings(name=_SCAN, root=drive)
    with open_kit_on(
        settings, catalog
    ) as kit:  # the index is left as it is: the rows stand in none
        if catalog.sources.get(_SCAN) is None:
            add_source(catalog, source, origin="path")
        source_run(kit, source).content()
    item = catalog.items.by_path(_SCAN, "작업표준.pdf")
    return str(catalog.documents.get(item.document_id).version_id)


def add_runs(catalog: Any) -> None:
    """Figures of a golden set, a run a day for two years, unless some are there."""
    from catalog.evaluations import Evaluation

    if catalog.evaluations.newest(limit=1):
        return
    for day in range(_RUNS):
        figures = {"hit_at_1": 0.7 + day / 10_000, "hit_at_3": 0.9, "mrr": 0.8}
        run = Evaluation(
            kind="golden", name="golden.jsonl", digest="", questions=200, figures=figures
        )
        catalog.evaluations.add(run)


def measured(client: Any, path: str, rounds: int) -> tuple[list[float], list[float]]:
    """Milliseconds of each request on the clock and of the processor, sorted; the second page of a list is asked for as often as the first."""
    took, cpu, more = [], [], path
    for turn in range(rounds):
        asked = more if turn % 2 else path
        begun, spent = time.perf_counter(), time.process_time()
        answer = client.get(f"/ops{asked}")
        took.append(1000 * (time.perf_counter() - begun))
        cpu.append(1000 * (time.process_time() - spent))
        if answer.status_code != 200:  # noqa: PLR2004
            sys.exit(f"{asked}: {answer.status_code} {answer.text[:300]}")
        link = re.search(r'class="button" href="(\?[^"]*after=[^"]+)"', answer.text)
        if link:
            more = path.partition("?")[0] + link[1].replace("&amp;", "&")
    return sorted(took), sorted(cpu)


def main() -> int:
    """Fill, ask, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--documents", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--home", help="keep the rows here, and ask again of those that are there")
    chosen = parser.parse_args()
    from fastapi.testclient import TestClient

    from app import drawn
    from app.commands.serve import callers_of
    from app.ops import mount_dashboard
    from app.wiring import open_search_parts
    from contracts.settings import Settings
    from search.api.app import create_app

    drawn._SECONDS = 0.0  # noqa: SLF001  every request draws its page anew
    everybody = ["user:anna@plant"]
    with contextlib.ExitStack() as stack:
        made = stack.enter_context(tempfile.TemporaryDirectory(prefix="seoga-bench-"))
        folder = chosen.home or made
        Path(folder).mkdir(parents=True, exist_ok=True)
        people = Path(folder) / "people.yaml"
        people.write_text(
            "realm: plant\nusers: {anna: {groups: []}, olga: {groups: []}}\n", "utf-8"
        )
        roles = {"operators": everybody, "reviewers": everybody, "security": everybody}
        settings = Settings.model_validate(
            {
                "home": Path(folder) / "home", "embedder": {"engine": "hash"}, "api": {"token": TOKEN},
                "dashboard": roles, "directory": {"files": [people]},
            }
        )  # fmt: skip
        with open_search_parts(settings, "api") as parts:
            begun = time.perf_counter()
            there = parts.catalog.documents.count()
            if 0 < there < chosen.documents:
                sys.exit(
                    f"{folder} has {there:,} documents and their searches: name another folder"
                )
            fill(parts.catalog, there, chosen.documents)
            print(
                f"{chosen.documents:,} documents written in {time.perf_counter() - begun:.0f} s",
                flush=True,
            )
            app = create_app(parts.searcher, callers_of(settings), dict)
            mount_dashboard(app, settings, parts, callers_of(settings))
            client = TestClient(app, base_url="https://bench.example")
            client.post("/ops/login", data={"token": TOKEN, "reader": "anna"})
            begun = time.perf_counter()
            while 'class="tiles"' not in client.get("/ops/").text:
                time.sleep(0.2)
            print(f"figures counted in {time.perf_counter() - begun:.1f} s", flush=True)
            add_runs(parts.catalog)
            known = {
                "document": parts.catalog.reviews.list(limit=1)[0].document_id,
                "scan": add_scan(settings, parts.catalog, Path(folder)),
                "draw": _draw(client, parts.catalog),
            }
            return _report(client, chosen.rounds, known)


def _draw(client: Any, catalog: Any) -> str:
    """Draw fifty pages, as a person does, and wait until they are there; the number of the draw."""
    token = re.search(r'name="csrf" value="([^"]+)"', client.get("/ops/review").text)
    before = [one.draw for one in catalog.draws.latest(1)]
    begun = time.perf_counter()
    form = {"csrf": token[1] if token else "", "count": "50", "seed": "1"}
    client.post("/ops/review/draw", data=form, follow_redirects=False)
    while (latest := [one.draw for one in catalog.draws.latest(1)]) == before:
        if time.perf_counter() - begun > _PATIENCE:
            sys.exit("nothing was drawn")
        time.sleep(0.05)
    print(f"a draw of 50 pages took {time.perf_counter() - begun:.1f} s", flush=True)
    return str(latest[0])


def _rule_of(page: str) -> str:
    """The path of the rule that a page belongs to."""
    from dashboard.roles import RULES

    path = page.partition("?")[0]
    same = [
        rule.path
        for rule in RULES
        if re.fullmatch(re.sub(r"\\{\w+\\}", "[^/]+", re.escape(rule.path)), path)
    ]
    return min(same, key=lambda one: one.count("{"))  # a name before any value


def _report(client: Any, rounds: int, known: dict[str, str]) -> int:
    from dashboard.roles import RULES

    slow = 0
    missing = sorted(
        {rule.path for rule in RULES if rule.method == "GET"} - {_rule_of(page) for page in PAGES}
    )
    if missing:
        sys.exit(f"pages that nothing measures: {missing}")
    print(f"{'page':60} {'median':>8} {'p95':>8} {'CPU p95':>8}  (ms)")
    for page in PAGES:
        path = page.format(**known)
        took, cpu = measured(client, path, rounds)
        place = max(0, -(-len(took) * 95 // 100) - 1)
        slow += took[place] > LIMIT_MS
        late = "  SLOW" if took[place] > LIMIT_MS else ""
        figures = f"{took[len(took) // 2]:8.1f} {took[place]:8.1f} {cpu[place]:8.1f}"
        print(f"{page:60} {figures}{late}", flush=True)
    return 1 if slow else 0


if __name__ == "__main__":
    sys.exit(main())
