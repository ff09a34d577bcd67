"""``make bench-opensearch``: ingest rate and search times in OpenSearch, from ten thousand to a million chunks.

Each search with an access filter stands beside the raw hybrid query (both legs without access and version filter) of the
same run, one after the other for every question. Prints tables in Markdown; with ``--report`` they go between the two
marks of the report, and the plot beside it. Exit status 1 where a filter of up to 1,000 scopes makes the legs of a
search more than 1.3 times as slow at the largest size.
"""

from __future__ import annotations

import argparse
import itertools
import json
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, TextIO

from contracts.chunks import IndexedDocument
from contracts.settings import IndexSettings, SearchSettings
from evaluation.opensearch_corpus import CHUNKS_A_DOCUMENT, documents, queries
from evaluation.opensearch_measures import READERS, measure
from evaluation.opensearch_report import write_report
from search.backends.opensearch.index import OpenSearchIndex

__all__ = ["main"]

SIZES = (10_000, 100_000, 1_000_000)
MOST_RATIO, UPTO = 1.3, 1000
_DIMENSION = 384
_NAME = "seoga_bench"


def main() -> int:
    """Grow the index from size to size, and measure at each."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--url", required=True, help="an OpenSearch server that may be filled")
    parser.add_argument("--chunks", type=int, default=SIZES[-1])
    parser.add_argument("--questions", type=int, default=60)
    parser.add_argument("--batch", type=int, default=1000, help="documents published at once")
    parser.add_argument("--shards", type=int, default=1)
    parser.add_argument("--report", type=Path)
    options = parser.parse_args()
    sizes = sorted({size for size in SIZES if size < options.chunks} | {options.chunks})
    settings = IndexSettings(
        backend="opensearch",
        url=options.url,
        name=_NAME,
        shards=options.shards,
        timeout_seconds=600,
    )
    ranking = SearchSettings()
    weights = {
        name: getattr(ranking, f"{name}_weight") for name in ("title", "heading", "codes", "body")
    }
    index = OpenSearchIndex(settings, None, _DIMENSION, "bench", weights)
    asked = queries(options.questions, sizes[0] // CHUNKS_A_DOCUMENT)
    results: list[dict[str, Any]] = []
    stored = index.stats()["documents"]  # an interrupted run goes on
    for size in sizes:
        target = size // CHUNKS_A_DOCUMENT
        if target < stored:
            continue
        ingest = fill(index, stored, target, options.batch)
        stored = target
        measured = {"chunks": target * CHUNKS_A_DOCUMENT, **ingest, **measure(index, asked, target)}
        _say(json.dumps(measured))
        results.append(measured)
    index.close()
    write_report(results, options.report)
    return 0 if all(ratio <= MOST_RATIO for ratio in ratios(results[-1])) else 1


def ratios(measured: dict[str, Any]) -> list[float]:
    """Filtered by raw, of the readers that the promise is about."""
    raw = measured["raw"]["p50"]
    return [measured[f"reader_{n}"]["p50"] / raw for n in READERS if n <= UPTO]


def fill(index: OpenSearchIndex, first: int, last: int, batch: int) -> dict[str, float]:
    """Publish the documents up to a number; the next ones are made meanwhile."""
    spent, made = 0.0, 0
    stream = documents(first, last)
    with ThreadPoolExecutor(1) as pool:
        coming = pool.submit(_next, stream, batch)
        while waiting := coming.result():
            coming = pool.submit(_next, stream, batch)
            started = time.perf_counter()
            index.publish(waiting)
            spent += time.perf_counter() - started
            made += len(waiting)
            rate = made * CHUNKS_A_DOCUMENT / spent
            _say(f"  {first + made} documents, {rate:.0f} chunks/s", sys.stderr)
    stats = index.stats()
    return {
        "ingest_seconds": spent,
        "ingest_rate": made * CHUNKS_A_DOCUMENT / spent if spent else 0.0,
        "bytes": stats["bytes"],
        "segments": index.segments(),
    }


def _next(stream: Iterator[IndexedDocument], count: int) -> list[IndexedDocument]:
    return list(itertools.islice(stream, count))


def _say(text: str, to: TextIO = sys.stdout) -> None:
    print(text, file=to, flush=True)


if __name__ == "__main__":
    sys.exit(main())
