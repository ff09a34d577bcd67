"""A search engine in an environment of its own, for ``plant_peers.py``.

usage: plant_peer_engine.py bm25s|lancedb FOLDER

FOLDER holds chunks.json (``[{"doc", "text"}]``), queries.json (texts) and, for lancedb, passages.npy and queries.npy. Writes ranks.json: for each
query the numbers of the best chunks. Imports nothing but that engine.
"""

from __future__ import annotations

import json
import re
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

DEPTH = 100


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text.casefold())


def _bm25s(texts: Sequence[str], queries: Sequence[str], _folder: Path) -> list[list[int]]:
    """Words as they stand: plain BM25 (k1 1.5, b 0.75: the library's defaults)."""
    import bm25s

    index = bm25s.BM25()
    index.index([_words(text) for text in texts], show_progress=False)
    depth = min(DEPTH, len(texts))
    found = []
    for query in queries:
        known = [[word for word in _words(query) if word in index.vocab_dict] or [""]]
        if known == [[""]]:
            found.append([])
            continue
        numbers, scores = index.retrieve(known, k=depth, show_progress=False)
        found.append([int(n) for n, s in zip(numbers[0], scores[0], strict=True) if s > 0])
    return found


def _lancedb(texts: Sequence[str], queries: Sequence[str], folder: Path) -> list[list[int]]:
    """Vectors and full text over character 2-grams, joined by reciprocal ranks, as its documentation shows."""
    import lancedb
    import numpy as np
    from lancedb.index import FTS
    from lancedb.rerankers import RRFReranker

    passages, asked = np.load(folder / "passages.npy"), np.load(folder / "queries.npy")
    with tempfile.TemporaryDirectory() as scratch:
        rows = [{"n": n, "text": text, "vector": passages[n]} for n, text in enumerate(texts)]
        table = lancedb.connect(scratch).create_table("plant", rows)
        grams = FTS(
            base_tokenizer="ngram",
            ngram_min_length=2,
            ngram_max_length=2,
            stem=False,
            remove_stop_words=False,
            ascii_folding=False,
        )
        table.create_index("text", config=grams)
        found = []
        for query, vector in zip(queries, asked, strict=True):
            search = table.search(query_type="hybrid").vector(vector).text(query)
            hits = search.rerank(RRFReranker()).limit(DEPTH).to_list()
            found.append([int(hit["n"]) for hit in hits])
        return found


ENGINES = {"bm25s": _bm25s, "lancedb": _lancedb}


def main() -> int:
    """Command line."""
    name, folder = sys.argv[1], Path(sys.argv[2])
    chunks = json.loads((folder / "chunks.json").read_text(encoding="utf-8"))
    queries = json.loads((folder / "queries.json").read_text(encoding="utf-8"))
    start = time.process_time()
    ranks = ENGINES[name]([chunk["text"] for chunk in chunks], queries, folder)
    spent = time.process_time() - start
    (folder / "ranks.json").write_text(
        json.dumps({"ranks": ranks, "seconds": spent}), encoding="utf-8"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
