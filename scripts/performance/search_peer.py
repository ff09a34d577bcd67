"""A search engine in an environment of its own, for ``performance.searching``.

usage: search_peer.py lancedb|tantivy FOLDER

FOLDER holds texts.txt (a passage a line, its terms as Seoga analyses them, with blanks between), scopes.npy and vectors.npy
(a row a passage), queries.json (``[{"terms", "step"}]``; step: every how manieth scope may be read) and queries.npy. Prints
a JSON object: ``build_seconds``, ``ms`` of each query, and ``found``: the numbers of its passages. Imports nothing but that engine.
"""

from __future__ import annotations

import json
import shutil
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

DEPTH, TOP, RRF = 200, 10, 60


def _fused(*legs: list[int]) -> list[int]:
    scores: dict[int, float] = {}
    for leg in legs:
        for rank, number in enumerate(leg):
            scores[number] = scores.get(number, 0.0) + 1 / (RRF + rank)
    return sorted(scores, key=lambda number: -scores[number])[:TOP]


def _scopes(step: int, most: int) -> range:
    return range(0, most + 1, step)


def _lancedb(folder: Path) -> Callable[[dict[str, Any], Any], list[int]]:
    """Vectors compared one by one (no index, so nothing is lost), full text, and a filter on the scope before either."""
    import lancedb
    import numpy as np
    import pyarrow as pa
    from lancedb.index import FTS, BTree

    texts = (folder / "texts.txt").read_text(encoding="utf-8").splitlines()
    vectors, scopes = np.load(folder / "vectors.npy"), np.load(folder / "scopes.npy")
    flat = pa.array(vectors.reshape(-1))
    rows = pa.table(
        {
            "n": pa.array(range(len(texts))),
            "text": texts,
            "scope": scopes,
            "vector": pa.FixedSizeListArray.from_arrays(flat, vectors.shape[1]),
        }
    )
    shutil.rmtree(folder / "lance", ignore_errors=True)
    table = lancedb.connect(folder / "lance").create_table("passages", rows)
    words = FTS(base_tokenizer="whitespace", stem=False, remove_stop_words=False, lower_case=False)
    table.create_index("text", config=words)
    table.create_index("scope", config=BTree())
    most = int(scopes.max())

    def ask(query: dict[str, Any], vector: Any) -> list[int]:
        allowed = ""
        if query["step"] > 1:
            allowed = f"scope IN ({','.join(map(str, _scopes(query['step'], most)))})"
        legs = []
        for search in (
            table.search(" ".join(query["terms"]), query_type="fts", fts_columns="text"),
            table.search(vector, vector_column_name="vector").distance_type("dot"),
        ):
            narrowed = search.where(allowed, prefilter=True) if allowed else search
            found = narrowed.select(["n"]).limit(DEPTH).to_arrow()
            legs.append(found["n"].to_pylist())
        return _fused(*legs)

    return ask


def _tantivy(folder: Path) -> Callable[[dict[str, Any], Any], list[int]]:
    """Words only: it has no vectors."""
    import numpy as np
    import tantivy

    schema = tantivy.SchemaBuilder()
    schema.add_text_field("text", tokenizer_name="whitespace")
    schema.add_unsigned_field("n", stored=True, fast=True)
    schema.add_unsigned_field("scope", indexed=True, fast=True)
    built = schema.build()
    shutil.rmtree(folder / "tantivy", ignore_errors=True)
    (folder / "tantivy").mkdir()
    index = tantivy.Index(built, path=str(folder / "tantivy"))
    writer = index.writer(256_000_000, 1)
    scopes = np.load(folder / "scopes.npy")
    with (folder / "texts.txt").open(encoding="utf-8") as lines:
        for number, line in enumerate(lines):
            row = {"text": line.rstrip("\n"), "n": number, "scope": int(scopes[number])}
            writer.add_document(tantivy.Document.from_dict(row, built))
    writer.commit()
    writer.wait_merging_threads()
    index.reload()
    searcher, most = index.searcher(), int(scopes.max())
    query_type, occur = tantivy.Query, tantivy.Occur

    def ask(query: dict[str, Any], _vector: Any) -> list[int]:
        words = query_type.boolean_query(
            [(occur.Should, query_type.term_query(built, "text", term)) for term in query["terms"]]
        )
        if query["step"] > 1:
            allowed = query_type.term_set_query(built, "scope", list(_scopes(query["step"], most)))
            words = query_type.boolean_query([(occur.Must, words), (occur.Must, allowed)])
        hits = searcher.search(words, DEPTH).hits
        return [searcher.doc(address)["n"][0] for _, address in hits][:TOP]

    return ask


def main(engine: str, folder: Path) -> None:
    """Build, ask, print."""
    import numpy as np

    began = time.perf_counter()
    ask = {"lancedb": _lancedb, "tantivy": _tantivy}[engine](folder)
    build = time.perf_counter() - began
    queries = json.loads((folder / "queries.json").read_text(encoding="utf-8"))
    vectors = np.load(folder / "queries.npy")
    ask(queries[0], vectors[0])
    times, found = [], []
    for query, vector in zip(queries, vectors, strict=True):
        began = time.perf_counter()
        found.append(ask(query, vector))
        times.append((time.perf_counter() - began) * 1000)
    print(json.dumps({"build_seconds": build, "ms": times, "found": found}))


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
