"""How fast the catalog takes and gives items: ``python scripts/bench_catalog.py [--items N] [--url URL]``.

Prints one line a step: what, how many, seconds of wall and of CPU time, how many a CPU second, and the peak
memory of the process so far.
"""

from __future__ import annotations

import argparse
import resource
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from catalog.catalog import Catalog
from catalog.records import ItemRecord, QueryRecord
from catalog.statements import batches
from contracts.access import AccessEntry, AccessScope, Effect, Gate

SOURCE = "bench"


def items(count: int) -> Iterator[ItemRecord]:
    """Items with paths and addresses of usual length, 100 a folder."""
    for number in range(count):
        path = f"생산기술팀/{number // 100:05}/작업표준서 WS-{number:07}_rev3.hwp"
        yield ItemRecord(
            source=SOURCE,
            object_id=f"{number}:1700000000",
            path=path,
            locator=f"file:///srv/share/{path}",
            size=50_000,
            modified_ns=1_700_000_000_000_000_000 + number,
            scope_id=f"{SOURCE}:생산기술팀/{number // 100:05}",
        )


def scopes(count: int, principal: str) -> list[AccessScope]:
    """A scope a folder."""
    gate = Gate("read", (AccessEntry(Effect.ALLOW, principal),))
    return [
        AccessScope(
            scope_id=f"{SOURCE}:{number:05}", source=SOURCE, key=f"{number:05}", gates=(gate,)
        )
        for number in range(count)
    ]


def step(name: str, count: int, work: Callable[[], object]) -> None:
    """Run and print."""
    start, used = time.perf_counter(), time.process_time()
    work()
    seconds, used = time.perf_counter() - start, time.process_time() - used
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    print(
        f"{name:<40} {count:>9,} {seconds:8.2f} s {used:8.2f} s CPU {count / used:>10,.0f}/s  {peak:>5} MiB"
    )


def drain(iterator: Iterator[object]) -> int:
    """Length of an iterator."""
    return sum(1 for _ in iterator)


def store(catalog: Catalog, count: int) -> None:
    """Items in batches of 5,000, each a transaction."""
    for batch in batches(items(count), 5_000):
        catalog.items.upsert_many(batch)


def bench(catalog: Catalog, count: int) -> None:
    """All steps."""
    queries = 500
    step("items, new", count, lambda: store(catalog, count))
    step("items, listed again", count, lambda: store(catalog, count))
    step("stream", count, lambda: drain(catalog.items.stream(SOURCE)))
    step("unprocessed", count, lambda: drain(catalog.items.unprocessed(SOURCE, "c")))
    step("mark_seen", count, lambda: catalog.items.mark_seen(range(1, count + 1), "run"))
    step("count", count, lambda: catalog.items.count(SOURCE, "present"))
    folders = max(1, count // 100)
    step("scopes, new", folders, lambda: catalog.scopes.sync(SOURCE, scopes(folders, "group:a@x")))
    step("scopes, same", folders, lambda: catalog.scopes.sync(SOURCE, scopes(folders, "group:a@x")))
    step(
        "scopes, all changed", folders, lambda: catalog.scopes.sync(SOURCE, scopes(folders, "u@x"))
    )
    audit = [QueryRecord(at=f"{number}", reader="kim", query="프레스") for number in range(queries)]
    step("audit, one transaction each", queries, lambda: [*map(catalog.queries.append, audit)])
    step("audit, verified", queries, catalog.queries.verify_chain)


def main() -> None:
    """Read the options, run in a temporary home."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--items", type=int, default=100_000)
    parser.add_argument("--url", default="", help="catalog.url; empty: SQLite")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as home, Catalog.open(options.url, Path(home)) as catalog:
        bench(catalog, options.items)


if __name__ == "__main__":
    main()
