"""``seoga plan``: what an installation of a given size needs, from measured unit costs."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from app.planning.costs import Costs
    from app.planning.estimate import Estimate, Wish
    from app.planning.queues import Passage

__all__ = ["command"]

_LOADS = (0.5, 0.8, 0.95)
"""Shares of the most that can pass, at which queues are simulated."""


@click.command("plan", short_help="몇 건, 몇 명이면 무엇이 드는가 (what a size needs).")
@click.option(
    "--documents", type=click.IntRange(1, 10**11), required=True, help="문서 수 (files and mails)."
)
@click.option(
    "--formats",
    default="office=35,pdf=25,hwp=15,mail=15,text=5,scan=5",
    show_default=True,
    metavar="MIX",
    help="종류별 퍼센트, 합 100: text, office, pdf, hwp, mail, scan (percent of each kind).",
)
@click.option(
    "--users", type=click.IntRange(1, 10**8), required=True, help="검색하는 사람 수 (who search)."
)
@click.option(
    "--days", type=click.FloatRange(0.01, 3650), default=7.0, show_default=True,
    help="첫 수집을 끝낼 날수 (days for the first ingest).",
)  # fmt: skip
@click.option(
    "--searches", type=click.FloatRange(0, 10_000), default=4.0, show_default=True,
    help="가장 바쁜 한 시간에 한 사람이 하는 검색 (of one user in the busiest hour).",
)  # fmt: skip
@click.option(
    "--replicas", type=click.IntRange(0, 8), default=1, show_default=True,
    help="샤드마다의 복제 (copies of each shard).",
)  # fmt: skip
@click.option(
    "--sources", type=click.IntRange(1, 10_000), default=4, show_default=True,
    help="나란히 훑는 소스 수 (sources scanned side by side).",
)  # fmt: skip
@click.option(
    "--changes", type=click.FloatRange(0, 100), default=1.0, show_default=True,
    help="하루에 바뀌는 문서의 퍼센트 (percent of documents that change a day).",
)  # fmt: skip
@click.option(
    "--gpu-rate", type=click.FloatRange(0), default=0.0,
    help="GPU가 1초에 임베딩하는 패시지: 직접 잰 값 (passages a second of your GPU, as you measured it).",
)  # fmt: skip
@click.option(
    "--chunks-per-document", type=click.FloatRange(0, 100_000), default=0.0,
    help="문서마다의 패시지, 일부를 수집해 센 값 (as counted after ingesting some; 0: of the measured files).",
)  # fmt: skip
@click.option(
    "--costs", "file", type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="다른 단위 비용 파일 (another file of unit costs, as `make bench` writes it).",
)  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="JSON 으로 출력.")
def command(  # noqa: PLR0913  one argument an option
    *,
    documents: int,
    formats: str,
    users: int,
    days: float,
    searches: float,
    replicas: int,
    sources: int,
    changes: float,
    gpu_rate: float,
    chunks_per_document: float,
    file: Path | None,
    as_json: bool,
) -> None:
    """문서 수, 종류, 사용자 수로 작업자, 샤드, 바이트, 시간을 셈합니다. 단위 비용은 `make bench`가 잰 것입니다.

    Computes workers, shards, bytes and hours from the unit costs that `make bench` measured on the machine that is named in
    the output, besides for 10 million, 100 million and 1 billion chunks of the same mix; a simulation of the queues says what
    is full first. Figures beyond what was measured are marked *.
    """
    from app.planning.costs import COSTS, read_costs
    from app.planning.estimate import SIZES, Wish, estimate, mix_of

    costs = read_costs(file or COSTS)
    wish = Wish(
        documents=documents,
        mix=mix_of(formats),
        users=users,
        days=days,
        searches=searches,
        replicas=replicas,
        sources=sources,
        changes=changes / 100,
        gpu_rate=gpu_rate,
        chunks_per_document=chunks_per_document,
    )
    asked = estimate(costs, wish)
    of_one = asked.chunks / documents
    sizes = [estimate(costs, replace(wish, documents=max(1, round(n / of_one)))) for n in SIZES]
    queues = _queues(costs, wish, asked)
    if as_json:
        import json

        import msgspec

        found = {
            "asked": asked.as_object(),
            "sizes": [size.as_object() for size in sizes],
            "queues": queues,
            "machine": msgspec.to_builtins(costs.machine),
            "sources": costs.sources,
        }
        click.echo(json.dumps(found, ensure_ascii=False, indent=2))
        return
    _print(asked, sizes)
    _print_queues(queues)
    machine = costs.machine
    click.echo(
        f"\n* 잰 크기를 넘어 곧게 이은 값 (carried on beyond what was measured). 단위 비용 (unit costs): {machine.processor}, "
        f"{machine.cores} cores, {machine.day}, load {machine.load:g}; docs/scale.md"
    )


def _queues(costs: Costs, wish: Wish, asked: Estimate) -> dict[str, Any]:
    """What queues do at shares of the most that can pass; and with the changes of a day."""
    from app.planning.estimate import PERIOD, stations_of
    from app.planning.queues import bottleneck, permission_lags, simulate

    stations = stations_of(costs, wish, asked.workers)
    most = bottleneck(stations).limit
    shown: list[tuple[str, Passage]] = [
        (f"{share:.0%}", simulate(stations, share * most)) for share in _LOADS
    ]
    daily = wish.documents * wish.changes / 86_400
    run = asked.rescan_clock_hours * 3600
    following = {
        share: permission_lags(run, PERIOD, passage.waits["writer"]) for share, passage in shown
    }
    found: dict[str, Any] = {
        "stations": {s.name: {"servers": s.servers, "seconds": s.seconds, "per_day": s.limit * 86_400} for s in stations},
        "daily_share": daily / most,
        "permission_run_seconds": run,
        "loads": {
            share: {
                "utilisation": passage.utilisation,
                "waits": passage.waits,
                "p95_seconds": passage.p95,
                "right_taken_p95_seconds": following[share].taken,
                "right_given_p95_seconds": following[share].given,
            }
            for share, passage in shown
        },
    }  # fmt: skip
    return found


_ROWS = (
    ("문서 (documents)", "documents", "{:,.0f}"),
    ("패시지 (chunks)", "chunks", "{:,.0f}"),
    ("읽기, CPU 시간 (reading, CPU h)", "reading_hours", "{:,.1f}"),
    ("임베딩, CPU 시간 (embedding, CPU h)", "embedding_hours", "{:,.1f}"),
    ("저장, CPU 시간 (storing, CPU h)", "storing_hours", "{:,.1f}"),
    ("GPU 시간 (GPU h)", "gpu_hours", "{:,.1f}"),
    ("작업자 코어 (worker cores)", "workers", "{:,}"),
    ("첫 수집, 시간 (first ingest, h)", "first_ingest_clock_hours", "{:,.1f}"),
    ("샤드 (shards)", "shards", "{:,}"),
    ("색인, 복제 포함 GB (index with replicas)", "index_bytes", "GB"),
    ("그 가운데 벡터 GB (vectors of it: file cache)", "vector_bytes", "GB"),
    ("카탈로그 GB (catalog)", "catalog_bytes", "GB"),
    ("파싱 결과 GB (parsed documents)", "blob_bytes", "GB"),
    ("검색 p50 ms (search)", "search_p50_ms", "{:,.0f}"),
    ("가장 바쁠 때 초당 검색 (searches a second)", "searches_per_second", "{:,.2f}"),
    ("검색 코어 (search cores)", "search_cores", "{:,}"),
    ("다시 훑기, 분 (full rescan, min)", "rescan_clock_hours", "MIN"),
    ("권한이 늦는 최대 분 (permission lag, min)", "permission_lag_minutes", "{:,.1f}"),
    ("모든 목록 다시 읽기, 분 (re-permission, min)", "repermission_clock_hours", "MIN"),
    ("다시 임베딩, 시간 (re-embedding, h)", "reembedding_clock_hours", "{:,.1f}"),
    ("먼저 차는 곳 (first bottleneck)", "bottleneck", "{}"),
    ("그곳의 하루 문서 (documents a day there)", "bottleneck_per_day", "{:,.0f}"),
)


def _print(asked: Estimate, sizes: list[Estimate]) -> None:
    from rich.console import Console
    from rich.table import Table

    table = Table(show_edge=False)
    heads = ("", "물은 크기 (asked)", *(f"{size.chunks / 1e6:,.0f} M chunks" for size in sizes))
    for place, head in enumerate(heads):
        table.add_column(head, justify="right" if place else "left", overflow="fold")
    for title, name, form in _ROWS:
        table.add_row(title, *(_cell(size, name, form) for size in (asked, *sizes)))
    Console(width=None if Console().is_terminal else 140).print(table)


def _cell(size: Estimate, name: str, form: str) -> str:
    value = getattr(size, name)
    if value is None:
        return "-"
    mark = "*" if name in size.extrapolated else ""
    scaled = {"GB": 1e-9, "MIN": 60.0}.get(form)
    return (form.format(value) if scaled is None else f"{value * scaled:,.1f}") + mark


def _print_queues(queues: dict[str, Any]) -> None:
    click.echo("\n줄 서기 (queues, simulated with the service times above)")
    for share, found in queues["loads"].items():
        busy = ", ".join(f"{name} {part:.0%}" for name, part in found["utilisation"].items())
        click.echo(
            f"  {share}: {busy}; p95 {found['p95_seconds']:,.1f} s; 권한 (rights) p95: "
            f"거둠 (taken) {found['right_taken_p95_seconds']:,.0f} s, "
            f"줌 (given) {found['right_given_p95_seconds']:,.0f} s"
        )
    daily = queues["daily_share"]
    click.echo(
        f"  하루 변경분은 그 능력의 {daily:.2%} (the changes of a day take this share of it)"
    )
    if daily >= 1:
        click.echo(
            "  변경을 따라가지 못합니다 (changes come faster than they can be taken): docs/scale.md"
        )
