"""What Seoga costs, side by side in one run, and what of it is lost to others: ``docs/reports/performance.md``.

usage: bench.py [--reduced] [--only ITEM …] [--again] [--work FOLDER] [--report FILE] [--costs FILE]

Items, in their order; each leaves its result in the work folder (``var/bench``), and a run that was broken off goes on
after the last one (``--again`` measures anew what is named; reduced results are no full ones):

embedding   both engines (``evaluation.bench_embedding``)
ingest      text documents: processor time by stage, a profile, two processes beside one
formats     what a document of each kind costs
mixed       a whole ingest of other files, which plans are compared with
parsing     readers side by side (``bench_parse.py``; installs peers below ~/.cache/seoga-peers)
rescan      an unchanged tree beside ``find -printf``
search      the embedded index beside LanceDB and tantivy (installed below ~/.cache/seoga-peers)
stages      a search's stages beside the bare queries (``evaluation.bench_search``)
opensearch  the other index at the same sizes (``evaluation.bench_opensearch``)
ocr         errors of recognition beside bare Tesseract's (``evaluation.bench_ocr``)
recognition pages a second beside bare Tesseract, on all cores
memory      peaks: the worst files of the corpus, a mailbox file, bench_workbook, bench_deck, bench_long
start       help, first search, API
growth      more and more documents
dashboard   its pages over a large catalog (``bench_dashboard.py``)

Exit status 1 where an item could not be measured; figures that miss their aim are told, not hidden.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from performance import called, ingesting, memory, recognising, rescanning, searching, starting
from performance.costs import write_costs
from performance.machine import described
from performance.report import write_report

ROOT = Path(__file__).resolve().parent.parent
PYTHON = sys.executable


@dataclass(frozen=True, slots=True)
class Sizes:
    """How much of each item."""

    documents: int
    files: int
    rounds: int
    growth: tuple[int, ...]
    chunks: tuple[int, ...]
    rows: int
    slides: int
    pages: int
    scans: int
    catalog: int
    queries: int
    messages: int
    parse_rounds: int
    quick: tuple[str, ...]


FULL = Sizes(
    documents=200,
    files=1_000_000,
    rounds=3,
    growth=(10_000, 100_000, 1_000_000),
    chunks=(10_000, 100_000, 1_000_000),
    rows=1_000_000,
    slides=500,
    pages=2000,
    scans=24,
    catalog=1_000_000,
    queries=40,
    messages=10_000,
    parse_rounds=3,
    quick=(),
)
REDUCED = Sizes(
    documents=20,
    files=100_000,
    rounds=2,
    growth=(1_000, 4_000),
    chunks=(10_000,),
    rows=50_000,
    slides=50,
    pages=200,
    scans=4,
    catalog=20_000,
    queries=10,
    messages=1_000,
    parse_rounds=1,
    quick=("--quick",),
)


def items(given: argparse.Namespace, sizes: Sizes) -> dict[str, Callable[[Path], Any]]:
    """Name → what measures it, given a folder of its own."""

    def bench(*words: str | Path) -> dict[str, Any]:
        return called.call([PYTHON, *words])

    def opensearch(_work: Path) -> Any:
        server = [ROOT / "scripts/opensearch_server.py", "--heap", "2g", "exec", "--", PYTHON]
        module = ["-m", "evaluation.bench_opensearch", "--url", "{url}"]
        return bench(*server, *module, "--chunks", str(sizes.chunks[-1]))

    def stages(_work: Path) -> Any:
        built = given.work / "search"  # the indexes of that item, where they are there
        module = ["-m", "evaluation.bench_search", "--data", given.korquad]
        return {
            str(n): bench(*module, "--chunks", str(n), "--work", built / str(n) / "home")
            for n in sizes.chunks
        }

    def peaks(work: Path) -> Any:
        return {
            "worst": memory.worst_files(work, given.corpus),
            "mailbox": memory.mailbox(work / "mailbox", sizes.messages),
            "workbook": bench("-m", "evaluation.bench_workbook", "--rows", str(sizes.rows)),
            "deck": bench("-m", "evaluation.bench_deck", "--slides", str(sizes.slides)),
            "pages": bench(
                "scripts/bench_long.py", "--pages", str(sizes.pages), "--scanned", str(sizes.scans)
            ),
        }

    quick = ["--korquad", given.korquad, *sizes.quick]
    parse = ["--corpus", given.corpus, "--facts-tool", given.facts_tool]
    return {
        "embedding": lambda _: bench("-m", "evaluation.bench_embedding", *quick, "--only", "speed"),
        "ingest": lambda work: ingesting.text_documents(
            work,
            given.korquad,
            sizes.documents,
            given.report.with_name("performance-ingest-profile.txt"),
        ),
        "formats": lambda work: ingesting.formats(work, given.corpus),
        "mixed": lambda work: ingesting.held_out(
            work, given.corpus, given.korquad, sizes.documents // 2
        ),
        "parsing": lambda _: bench(
            "scripts/bench_parse.py", *parse, "--rounds", str(sizes.parse_rounds)
        ),
        "rescan": lambda work: rescanning.run(work, sizes.files, sizes.rounds),
        "search": lambda work: searching.run(work, given.korquad, sizes.chunks, sizes.queries),
        "stages": stages,
        "opensearch": opensearch,
        "ocr": lambda _: bench("-m", "evaluation.bench_ocr", "--pages", str(sizes.scans)),
        "recognition": lambda work: recognising.run(work, sizes.scans),
        "memory": peaks,
        "start": lambda work: starting.run(work, 2 * sizes.rounds - 1),
        "growth": lambda work: ingesting.growth(work, sizes.growth),
        "dashboard": lambda _: bench(
            "scripts/bench_dashboard.py", "--documents", str(sizes.catalog)
        ),
    }


def main() -> int:
    """Measure what is asked for and not there yet, then write the report and the unit costs."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    shared = ROOT.parent / "shared"
    parser.add_argument("--reduced", action="store_true", help="small sizes")
    parser.add_argument("--only", nargs="+", default=[], metavar="ITEM")
    parser.add_argument("--again", action="store_true", help="measure anew what is there")
    parser.add_argument("--work", type=Path, default=ROOT / "var/bench")
    parser.add_argument("--report", type=Path, default=ROOT / "docs/reports/performance.md")
    parser.add_argument("--costs", type=Path, default=ROOT / "app/planning/costs.json")
    parser.add_argument("--corpus", type=Path, default=shared / "corpus")
    parser.add_argument("--facts-tool", type=Path, default=shared / "tools/score_facts.py")
    parser.add_argument("--korquad", type=Path, default=shared / "korquad/KorQuAD_v1.0_dev.json")
    given = parser.parse_args()
    found = items(given, REDUCED if given.reduced else FULL)
    if unknown := set(given.only) - set(found):
        parser.error(f"no such item: {', '.join(sorted(unknown))}; there are {', '.join(found)}")
    given.work.mkdir(parents=True, exist_ok=True)
    failed = [
        name
        for name, measure in found.items()
        if (not given.only or name in given.only) and not _measured(name, measure, given)
    ]
    results = _kept(given.work, list(found))
    if told := write_costs(results, given.costs):
        print(told)
    write_report(results, given.report)
    print(f"{given.report}: {', '.join(results)}")
    if failed:
        print(f"not measured: {', '.join(failed)}")
    return 1 if failed else 0


def _measured(name: str, measure: Callable[[Path], Any], given: argparse.Namespace) -> bool:
    """Whether an item's result is there, measured now or before."""
    file = given.work / f"{name}.json"
    if file.exists() and not given.again:
        kept = json.loads(file.read_text(encoding="utf-8"))
        if kept["reduced"] == given.reduced:
            print(f"{name}: kept from an earlier run")
            return True
    print(f"{name} …", flush=True)
    began, machine = time.monotonic(), described()
    folder = given.work / name
    folder.mkdir(exist_ok=True)
    try:
        found = measure(folder)
    except (SystemExit, OSError, ValueError) as problem:
        print(f"{name}: {problem}")
        return False
    seconds = time.monotonic() - began
    result = {"machine": machine, "reduced": given.reduced, "seconds": seconds, "found": found}
    file.write_text(json.dumps(result, indent=1, ensure_ascii=False), encoding="utf-8")
    print(f"{name}: {seconds:.0f} s")
    return True


def _kept(work: Path, names: list[str]) -> dict[str, dict[str, Any]]:
    files = [(name, work / f"{name}.json") for name in names]
    return {n: json.loads(f.read_text(encoding="utf-8")) for n, f in files if f.exists()}


if __name__ == "__main__":
    sys.exit(main())
