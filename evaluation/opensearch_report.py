"""Tables and a plot of ``bench_opensearch``."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

__all__ = ["write_report"]

_MARKS = ("<!-- measured -->", "<!-- /measured -->")
_SERIES = (
    ("raw", "without filters", "#555555"),
    ("reader_10", "10 scopes", "#1b7837"),
    ("reader_1000", "1,000 scopes", "#2166ac"),
    ("reader_50000", "50,000 scopes", "#b2182b"),
)

Measured = dict[str, Any]


def write_report(results: list[Measured], report: Path | None) -> None:
    """Print the tables; with a report, put them between its marks, and the plot beside it."""
    tables = "\n\n".join(
        f"{title}\n\n{make(results)}"
        for title, make in (
            ("**Ingest** (publishing only; making the documents not counted)", _ingest),
            ("**Search**, both legs, milliseconds p50 / p95", _search),
            ("**The same scopes in several forms**, lexical leg, milliseconds p50", _forms),
            ("**Vector leg**: all allowed chunks compared, and Lucene's filtered graph", _recall),
            ("**Fusion** with 1,000 scopes: ours, and the server's pipelines", _hybrid),
        )
    )
    print(tables)  # noqa: T201  a bench prints
    if report is None:
        return
    before, _, rest = report.read_text("utf-8").partition(_MARKS[0])
    after = rest.partition(_MARKS[1])[2]
    report.write_text(f"{before}{_MARKS[0]}\n{tables}\n{_MARKS[1]}{after}", "utf-8")
    report.with_suffix(".svg").write_text(plot(results), "utf-8")


def _table(heads: Iterable[str], rows: Iterable[Iterable[object]]) -> str:
    lines = [list(map(str, heads))]
    lines += [["---"] * len(lines[0]), *(list(map(str, row)) for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _ingest(results: list[Measured]) -> str:
    return _table(
        ("chunks", "chunks a second", "GB in the index", "segments"),
        (
            (
                f"{r['chunks']:,}",
                f"{r['ingest_rate']:.0f}",
                f"{r['bytes'] / 1e9:.2f}",
                r["segments"],
            )
            for r in results
        ),
    )


def _search(results: list[Measured]) -> str:
    def cell(measured: Measured, name: str) -> str:
        ratio = measured[name]["p50"] / measured["raw"]["p50"]
        times = f"{measured[name]['p50']:.1f} / {measured[name]['p95']:.1f}"
        return times if name == "raw" else f"{times} ({ratio:.2f}×)"

    rows = [[f"{r['chunks']:,}", *(cell(r, name) for name, _, _ in _SERIES)] for r in results]
    legs = _table(("chunks", *(title for _, title, _ in _SERIES)), rows)
    parts = _table(
        ("chunks", "", "lexical leg", "vector leg", "with fusion", "counting terms"),
        (
            (
                f"{r['chunks']:,}",
                title,
                f"{r[name]['lexical_p50']:.1f} / {r[name]['lexical_p95']:.1f}",
                f"{r[name]['vector_p50']:.1f} / {r[name]['vector_p95']:.1f}",
                f"{r[name]['rank_p50']:.1f} / {r[name]['rank_p95']:.1f}" if name != "raw" else "",
                f"{r['counting_p50']:.1f}" if name == "raw" else "",
            )
            for r in results
            for name, title, _ in _SERIES
        ),
    )
    return f"{legs}\n\n{parts}"


def _forms(results: list[Measured]) -> str:
    names = list(results[0]["forms"]["10"])
    return _table(
        ("chunks", "scopes", *names),
        (
            (f"{r['chunks']:,}", f"{int(scopes):,}", *(times.get(name, "") for name in names))
            for r in results
            for scopes, times in r["forms"].items()
        ),
    )


def _recall(results: list[Measured]) -> str:
    return _table(
        (
            "chunks",
            "scopes",
            "allowed",
            "exact, ms",
            "graph, ms",
            "recall@1",
            "recall@10",
            "recall@200",
        ),
        (
            (
                f"{r['chunks']:,}",
                f"{int(scopes):,}",
                f"{found['allowed']:,}",
                found["exact_p50"],
                found["graph_p50"],
                found["recall_1"],
                found["recall_10"],
                found["recall_200"],
            )
            for r in results
            for scopes, found in r["recall"].items()
        ),
    )


def _hybrid(results: list[Measured]) -> str:
    return _table(
        ("chunks", "fusion", "ms p50", "the same among the first 10"),
        (
            (f"{r['chunks']:,}", name, found["p50"], found["overlap_10"])
            for r in results
            for name, found in r["hybrid"].items()
        ),
    )


# -- the plot --------------------------------------------------------------------------------------

_WIDTH, _HEIGHT = 720, 420
_LEFT, _RIGHT, _TOP, _BOTTOM = 64, 160, 24, 48


def plot(results: list[Measured]) -> str:
    """Search times by size, both axes logarithmic: solid p50, dashed p95."""
    values = [r[name][p] for r in results for name, _, _ in _SERIES for p in ("p50", "p95")]
    low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
    first, last = math.log10(results[0]["chunks"]), math.log10(results[-1]["chunks"])

    def x(chunks: float) -> float:
        share = (math.log10(chunks) - first) / ((last - first) or 1)
        return _LEFT + share * (_WIDTH - _LEFT - _RIGHT)

    def y(ms: float) -> float:
        return _TOP + (high - math.log10(ms)) / (high - low) * (_HEIGHT - _TOP - _BOTTOM)

    style = 'font-family="sans-serif" font-size="12"'
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" {style}>',
        f'<rect width="{_WIDTH}" height="{_HEIGHT}" fill="white"/>',
        *_axes(results, (low, high), x, y),
    ]
    for place, (name, title, colour) in enumerate(_SERIES):
        for share, dash in (("p50", ""), ("p95", ' stroke-dasharray="5 4"')):
            points = " ".join(f"{x(r['chunks']):.1f},{y(r[name][share]):.1f}" for r in results)
            parts.append(
                f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"{dash}/>'
            )
        height = _TOP + 20 + 20 * place
        parts.append(
            f'<text x="{_WIDTH - _RIGHT + 16}" y="{height}" fill="{colour}">{title}</text>'
        )
    legend = f'<text x="{_WIDTH - _RIGHT + 16}" y="{_TOP + 110}">solid p50, dashed p95</text>'
    return "\n".join([*parts, legend, "</svg>", ""])


def _axes(
    results: list[Measured],
    decades: tuple[int, int],
    x: Callable[[float], float],
    y: Callable[[float], float],
) -> list[str]:
    parts = []
    right, bottom = _WIDTH - _RIGHT, _HEIGHT - _BOTTOM
    for decade in range(decades[0], decades[1] + 1):
        height = y(10**decade)
        parts.append(
            f'<line x1="{_LEFT}" y1="{height:.1f}" x2="{right}" y2="{height:.1f}" stroke="#dddddd"/>'
        )
        parts.append(
            f'<text x="{_LEFT - 8}" y="{height + 4:.1f}" text-anchor="end">{10**decade:g} ms</text>'
        )
    for r in results:
        place = x(r["chunks"])
        parts.append(
            f'<text x="{place:.1f}" y="{bottom + 20}" text-anchor="middle">{r["chunks"]:,}</text>'
        )
    middle = (_LEFT + right) / 2
    parts.append(f'<text x="{middle}" y="{_HEIGHT - 6}" text-anchor="middle">chunks</text>')
    return parts
