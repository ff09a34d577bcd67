"""``docs/reports/performance.md`` and its plots, from the results of the items."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

import pygal
from pygal.style import CleanStyle

__all__ = ["write_report"]

_MARKS = ("<!-- measured -->", "<!-- /measured -->")
Result = dict[str, Any]

# pygal puts a finder for plugins that we have none of before all others, of a kind that Python gave up with 3.12
sys.meta_path[:] = [one for one in sys.meta_path if type(one).__module__ != "pygal"]

_OUTSIDE = re.compile(r"(^|[\s'\"(])/(?:[\w.-]+/)+([\w.-]+)", re.MULTILINE)
"""A path of this machine: its last name is enough."""

_OPTIONS = {
    "style": CleanStyle,
    "js": (),
    "disable_xml_declaration": True,
    "no_prefix": True,
    "legend_at_bottom": True,
    "width": 720,
    "height": 360,
    "explicit_size": True,
}


def write_report(results: dict[str, Result], report: Path) -> None:
    """Put what was measured between the marks of the report, and the plots beside it."""
    makers = {
        "embedding": _called,
        "ingest": _ingest,
        "formats": _formats,
        "mixed": _ingest,
        "parsing": _called,
        "rescan": _rescan,
        "search": _search,
        "stages": _each,
        "opensearch": _called,
        "ocr": _called,
        "recognition": _recognition,
        "memory": _memory,
        "start": _start,
        "growth": _growth,
        "dashboard": _called,
    }
    parts = []
    for name, result in results.items():
        machine = result["machine"]
        parts.append(
            f"## {name}\n\n{machine['processor']}, {machine['cores']} cores, {machine['memory_gb']} GB, "
            f"{machine['system']}, Python {machine['python']}, {machine['day']}; load average at the start "
            f"{machine['load']:g}; {'reduced sizes; ' if result['reduced'] else ''}{result['seconds']:.0f} s\n\n"
            + makers[name](result["found"])
        )
    for name in results.keys() & {"growth", "formats"}:
        plot = _plots()[name](results[name]["found"])
        report.with_name(f"performance-{name}.svg").write_text(plot, encoding="utf-8")
        parts.append(f"![{name}](performance-{name}.svg)")
    known = report.read_text(encoding="utf-8") if report.exists() else ""
    before, _, rest = known.partition(_MARKS[0])
    after = rest.partition(_MARKS[1])[2]
    text = "\n\n".join([_MARKS[0], _lost(results), *parts, _MARKS[1]])
    report.write_text(f"{before}{text}{after}", encoding="utf-8")


def _table(heads: tuple[str, ...], rows: list[tuple[object, ...]]) -> str:
    lines = [heads, ("---",) * len(heads), *rows]
    return "\n".join(f"| {' | '.join(map(str, line))} |" for line in lines)


def _lost(results: dict[str, Result]) -> str:
    """Every aim beside what was reached, those that were missed first."""
    rows = []
    if "ingest" in results:
        found = results["ingest"]["found"]
        rows += [
            _aim(
                "share of an ingest of text in the embedder",
                found["share_embedding"],
                0.85,
                "least",
            ),
            _aim("two processes beside one", found["two_processes"], 1.8, "least"),
        ]
    if "rescan" in results:
        found = results["rescan"]["found"]
        rows.append(
            _aim("rescan, times `find`, processor", found["times_cpu"], found["limit"], "most")
        )
        rows.append(
            _aim("rescan, times `find`, clock", found["times_wall"], found["limit"], "most")
        )
    if "start" in results:
        for name, one in results["start"]["found"].items():
            rows.append(_aim(f"cold start, {name}, seconds", one["seconds"], one["limit"], "most"))
    if "recognition" in results:
        found = results["recognition"]["found"]
        for name, key in (("clock", "share"), ("processor", "share_cpu")):
            rows.append(
                _aim(
                    f"pages a second, share of bare Tesseract, {name}",
                    found[key],
                    found["limit"],
                    "least",
                )
            )
    if "search" in results:
        for size in results["search"]["found"]:
            rows += _against_peers(size)
    for result in results.values():
        rows += [
            (
                f"`{_shortened(one['command'])}`",
                "its own promises",
                f"exit status {one['exit']}",
                "**missed**",
            )
            for one in _calls(result["found"])
            if one["exit"]
        ]
    rows.sort(key=lambda row: row[-1] != "**missed**")
    return "## Aims\n\n" + _table(("", "aim", "reached", ""), rows)


def _against_peers(size: Result) -> list[tuple[object, ...]]:
    """Seoga's p95 beside the best of the peers that have both legs."""
    systems, rows = size["systems"], []
    for kind, (_, ours, _) in systems["seoga"]["ms"].items():
        best = systems["lancedb"]["ms"][kind][1]
        rows.append(
            _aim(f"search p95, {size['chunks']:,}, {kind}, times LanceDB", ours / best, 1.0, "most")
        )
    return rows


def _calls(found: Any) -> list[Result]:
    if not isinstance(found, dict):
        return []
    if "command" in found:
        return [found]
    return [one for one in found.values() if isinstance(one, dict) and "command" in one]


def _aim(name: str, value: float, limit: float, side: str) -> tuple[object, ...]:
    kept = value >= limit if side == "least" else value <= limit
    return name, f"at {side} {limit:g}", f"{value:.2f}", "kept" if kept else "**missed**"


def _called(found: Result) -> str:
    told, command = _shortened("\n".join(found["output"])), _shortened(found["command"])
    return (
        f"`{command}`: exit status {found['exit']}, {found['seconds']:.0f} s, at most {found['peak_mb']:.0f} MB "
        f"in all processes together, {found['largest_process_mb']:.0f} MB in one\n\n```\n{told}\n```"
    )


def _shortened(text: str) -> str:
    return _OUTSIDE.sub(r"\1…/\2", text)


def _each(found: Result) -> str:
    return "\n\n".join(_called(one) for one in found.values())


def _memory(found: Result) -> str:
    heads = ("folder", "format", "MB", "most memory, MB", "CPU s", "exit status")
    rows: list[tuple[object, ...]] = [
        (
            one["kind"],
            one["format"],
            f"{one['mb']:.1f}",
            f"{one['peak_mb']:.0f}",
            f"{one['cpu']:.1f}",
            one["exit"],
        )
        for one in found["worst"]
    ]
    mail = found["mailbox"]
    told = (
        f"A mailbox file of {mail['documents']:,} messages: at most {mail['peak_mb']:.0f} MB in the run, "
        f"{mail['peak_mb_readers']:.0f} MB in its readers, {mail['cpu']:.0f} CPU-seconds."
    )
    calls = {name: one for name, one in found.items() if name not in {"worst", "mailbox"}}
    return (
        f"`seoga parse`, the largest process:\n\n{_table(heads, rows)}\n\n{told}\n\n{_each(calls)}"
    )


def _ingest(found: Result) -> str:
    total, both = found["cpu"], ""
    if "two_processes" in found:
        both = (
            f" Two processes at once: {found['two_processes']:.2f} times one. The profile of one: "
            "[performance-ingest-profile.txt](performance-ingest-profile.txt)."
        )
    names = ("cpu_embedding", "cpu_reading", "cpu_rest", "cpu_publishing", "cpu_catalog")
    rows: list[tuple[object, ...]] = [
        (name.removeprefix("cpu_"), f"{found[name]:.2f}", f"{found[name] / total:.1%}")
        for name in names
    ]
    return (
        f"{found['documents']} documents, {found['chunks']} chunks, {total:.1f} CPU-seconds (the start of the process, "
        f"{found['cpu_start']:.1f} s, not counted; the start of its readers is in `reading`; `publishing` and `catalog` are "
        f"parts of `rest`).{both}\n\n" + _table(("stage", "CPU s", "share"), rows)
    )


def _formats(found: Result) -> str:
    rows: list[tuple[object, ...]] = [
        (
            name,
            one["files"],
            one["documents"],
            one["chunks"],
            f"{one['cpu_reading'] / max(1, one['files']) * 1000:.0f}",
            f"{one['cpu_rest'] / max(1, one['files']) * 1000:.0f}",
        )
        for name, one in found.items()
    ]
    heads = ("kind", "files", "documents", "chunks", "reading, ms a file", "the rest, ms a file")
    return (
        _table(heads, rows) + "\n\n`start`: one line of text, so what starting the processes costs."
    )


def _recognition(found: Result) -> str:
    rows: list[tuple[object, ...]] = [
        ("bare Tesseract", f"{found['bare_wall']:.1f}", f"{found['bare_cpu']:.1f}", "", ""),
        (
            "an ingest",
            f"{found['wall']:.1f}",
            f"{found['cpu']:.1f}",
            f"{found['share']:.0%}",
            f"{found['share_cpu']:.0%}",
        ),
    ]
    told = f"{found['pages']} pages, {found['processes']} processes at once."
    heads = ("", "seconds", "CPU s", "pages a second, clock", "processor")
    return f"{told}\n\n{_table(heads, rows)}"


def _rescan(found: Result) -> str:
    return _table(
        (
            "files",
            "`find`, CPU s",
            "rescan, CPU s",
            "times",
            "by the clock",
            "memory at the start",
            "peak",
        ),
        [
            (
                f"{found['files']:,}",
                f"{found['find_cpu']:.2f}",
                f"{found['rescan_cpu']:.2f}",
                f"{found['times_cpu']:.1f}",
                f"{found['times_wall']:.1f}",
                f"{found['peak_mb_start']:.0f} MB",
                f"{found['peak_mb']:.0f} MB",
            )
        ],
    )


def _search(found: list[Result]) -> str:
    told = (
        "Milliseconds p50 / p95 / p99 by the share of documents that may be read and the length of the question. Both legs and "
        "their fusion (tantivy: words only); LanceDB compares all vectors, as Seoga does, so that nothing is lost; the filter is "
        "the list of scopes. `seoga, whole` is the whole search without embedding the question: who may read, understanding, "
        "the other language."
    )
    parts = [told]
    for size in found:
        systems = size["systems"]
        kinds = list(systems["seoga"]["ms"])
        rows: list[tuple[object, ...]] = [
            (kind, *(" / ".join(f"{ms:.1f}" for ms in one["ms"][kind]) for one in systems.values()))
            for kind in kinds
        ]
        built = ", ".join(
            f"{name} {one['build_seconds']:.0f} s"
            for name, one in systems.items()
            if "build_seconds" in one
        )
        head = f"**{size['chunks']:,} chunks** (built in: {built})"
        parts.append(f"{head}\n\n{_table(('may read, question', *systems), rows)}")
    return "\n\n".join(parts)


def _start(found: Result) -> str:
    rows: list[tuple[object, ...]] = [
        (name, f"{one['seconds']:.2f}", f"{one['cpu']:.2f}" if "cpu" in one else "", one["limit"])
        for name, one in found.items()
    ]
    return _table(("", "seconds", "CPU s", "aim"), rows)


def _growth(found: list[Result]) -> str:
    rows: list[tuple[object, ...]] = [
        (
            f"{one['documents']:,}",
            f"{one['documents'] / one['cpu']:.0f}",
            f"{one['bytes_index'] / one['documents']:.0f}",
            f"{one['bytes_catalog'] / one['documents']:.0f}",
            f"{one['search_ms']:.1f}",
        )
        for one in found
    ]
    heads = (
        "documents",
        "documents a CPU-second",
        "index, bytes each",
        "catalog, bytes each",
        "search p50, ms",
    )
    return _table(heads, rows)


def _plots() -> dict[str, Any]:
    return {"growth": _growth_plot, "formats": _formats_plot}


def _growth_plot(found: list[Result]) -> str:
    chart = pygal.XY(
        **_OPTIONS, title="Cost of one document as the installation grows", logarithmic=True
    )
    chart.x_title = "documents"
    for title, key, unit in (
        ("CPU, ms", "cpu", 1000),
        ("index, kB", "bytes_index", 1e-3),
        ("catalog, kB", "bytes_catalog", 1e-3),
    ):
        chart.add(title, [(one["documents"], one[key] / one["documents"] * unit) for one in found])
    return str(chart.render(is_unicode=True)) + "\n"


def _formats_plot(found: Result) -> str:
    chart = pygal.HorizontalBar(**_OPTIONS, title="CPU ms a file, without embedding")
    for title, key in (("reading", "cpu_reading"), ("the rest", "cpu_rest")):
        chart.add(title, [one[key] / max(1, one["files"]) * 1000 for one in found.values()])
    chart.x_labels = list(found)
    return str(chart.render(is_unicode=True)) + "\n"
