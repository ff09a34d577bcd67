"""The embedded index beside LanceDB and tantivy: the same passages, terms, vectors and filters, by selectivity and length of question."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import closing
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np

from contracts.search import SearchRequest
from contracts.settings import EmbedderSettings, IndexSettings, SearchSettings
from evaluation import bench_search
from search.analysis import Analyzer
from search.backends.registry import make_index
from search.dictionary import glossary
from search.embedding.registry import make_embedder
from search.service import Searcher

__all__ = ["run"]

PEERS = {"lancedb": ("lancedb==0.40.0",), "tantivy": ("tantivy==0.27.0", "numpy")}
"""Each in an environment of its own; Seoga depends on neither."""

_CACHE = Path.home() / ".cache/seoga-peers"
_HERE = Path(__file__).resolve().parent
_PERCENTILES = (50, 95, 99)
_STAGES = ("lexical", "vector", "languages", "fuse")


def run(work: Path, korquad: Path, sizes: Sequence[int], queries: int) -> list[dict[str, Any]]:
    """One result a size: for each system milliseconds p50, p95 and p99 by share and length.

    Seoga's time is both legs, fusion and the look at the other language, as the peers' is: what it does besides (who may read,
    understanding the question, the audit) they do not have; ``whole`` has it.
    """
    return [_size(work / str(size), korquad, size, queries) for size in sizes]


def _size(work: Path, korquad: Path, size: int, queries: int) -> dict[str, Any]:
    home = work / "home"
    home.mkdir(parents=True, exist_ok=True)
    embedder = make_embedder(EmbedderSettings(engine="hash"), home)
    analyzer = Analyzer()
    passages = bench_search._Passages(korquad, analyzer, embedder.dimension)  # noqa: SLF001  the same data
    index = make_index(IndexSettings(), home, embedder.dimension, embedder.fingerprint)
    with closing(index):
        began = time.perf_counter()
        bench_search._build(index, passages, size)  # noqa: SLF001
        built = time.perf_counter() - began
        asked = _asked(passages.questions, queries)
        access = bench_search._Access()  # noqa: SLF001
        searcher = Searcher(
            index, embedder, analyzer, access, bench_search._NoAudit(), SearchSettings(),  # noqa: SLF001
            today=lambda: date(2026, 11, 30), dictionary=glossary,
        )  # fmt: skip
        documents = index.stats()["documents"]
        legs, whole = [], []
        for one in [asked[0], *asked]:
            scopes = range(0, documents, one["step"])
            access.view = bench_search._View(frozenset(f"s{n}" for n in scopes))  # noqa: SLF001
            took = searcher.search(SearchRequest(query=one["text"], reader="r")).took_ms
            legs.append(sum(took.get(stage, 0.0) for stage in _STAGES))
            whole.append(took["total"] - took["embed"])
        _hand_over(work, passages, documents, asked, searcher)
    found = {
        "seoga": {"build_seconds": built, **_by_kind(asked, legs[1:])},
        "seoga, whole": _by_kind(asked, whole[1:]),
    }
    for name, wanted in PEERS.items():
        answer = _peer(name, wanted, work)
        found[name] = {"build_seconds": answer["build_seconds"], **_by_kind(asked, answer["ms"])}
    return {"chunks": size, "systems": found}


def _asked(questions: Sequence[str], count: int) -> list[dict[str, Any]]:
    found = []
    for share in bench_search.SHARES:
        for name, (least, most) in bench_search.LENGTHS.items():
            fitting = [text for text in questions if least <= len(text.split()) <= most]
            step = round(1 / share)
            kind = f"{share:.0%}, {name}"
            found += [{"text": t, "step": step, "kind": kind} for t in fitting[:count]]
    return found


def _hand_over(
    work: Path, passages: Any, documents: int, asked: list[dict[str, Any]], searcher: Searcher
) -> None:
    tools = searcher.tools
    rows, scopes = [], []
    with (work / "texts.txt").open("w", encoding="utf-8") as out:
        for number in range(documents):
            for chunk in passages.document(number).chunks:
                out.write(" ".join(chunk.terms["body"]) + "\n")
                rows.append(np.frombuffer(chunk.vector, "<f4"))
                scopes.append(number)
    np.save(work / "vectors.npy", np.stack(rows))
    np.save(work / "scopes.npy", np.array(scopes, np.uint32))
    np.save(work / "queries.npy", np.stack([tools.embedder.embed_query(q["text"]) for q in asked]))
    queries = [{"terms": list(tools.analyzer.query(q["text"])), "step": q["step"]} for q in asked]
    (work / "queries.json").write_text(json.dumps(queries), encoding="utf-8")


def _peer(name: str, wanted: Sequence[str], work: Path) -> dict[str, Any]:
    folder = _CACHE / f"py-search-{name}"
    python = folder / "bin/python"
    if not (folder / ".installed").exists():
        install = [python, "-m", "pip", "install", "-q", *wanted]
        for command in ([sys.executable, "-m", "venv", folder], install):
            subprocess.run(command, check=True, capture_output=True)
        (folder / ".installed").touch()
    ask = [python, _HERE / "search_peer.py", name, work]
    done = subprocess.run(ask, check=True, capture_output=True, text=True)
    answer: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return answer


def _by_kind(asked: list[dict[str, Any]], times: Sequence[float]) -> dict[str, Any]:
    kinds = dict.fromkeys(one["kind"] for one in asked)
    return {
        "ms": {
            kind: [
                float(
                    np.percentile(
                        [t for t, q in zip(times, asked, strict=True) if q["kind"] == kind], p
                    )
                )
                for p in _PERCENTILES
            ]
            for kind in kinds
        }
    }
