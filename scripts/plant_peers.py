"""Peers on the same plant: other readers' text with plain BM25, and another engine's hybrid search with the same embedder.

usage: plant_peers.py FOLDER [--cache FOLDER] [--tools kordoc,tika]

FOLDER is what ``seoga eval plant --out FOLDER`` left. Each reader and engine is installed in an environment of its own below the cache folder.
Texts are cut into windows of 200 words that overlap by 50. Peers know neither rights nor revisions: their hits are filtered by the true rights after
ranking (what they would have shown without that is counted as leaks), and nothing hides earlier revisions. A container counts as one document for
all, since peers index it whole. Only answerable questions are compared.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

from bench_parse import KNOWS, install, quietly, start  # noqa: E402

from contracts.settings import Settings  # noqa: E402
from evaluation.chunk_sizes import windows  # noqa: E402
from evaluation.plant.measures import hit, interval, ndcg, paired, recall, reciprocal_rank  # noqa: E402
from evaluation.plant.people import Rights  # noqa: E402
from evaluation.plant.world import World  # noqa: E402
from search.embedding.registry import make_embedder  # noqa: E402

ENGINES = {"bm25s": "bm25s==0.3.16", "lancedb": "lancedb==0.40.0"}
SYSTEMS = (("kordoc", "bm25s"), ("tika", "bm25s"), ("tika", "lancedb"))
SIZE, OVERLAP = 200, 50
FIGURES = ("hit_at_1", "hit_at_3", "hit_at_10", "recall_at_10", "mrr", "ndcg_at_10")

Question = dict[str, object]


def texts_of(name: str, cache: Path, share: Path) -> dict[str, str]:
    """The text of each file by its path, as a reader has it; files that it does not read are left out."""
    install(name, cache)
    found = {}
    with tempfile.TemporaryDirectory() as scratch:
        out = Path(scratch) / name
        reader = start(name, cache, out)
        try:
            for path in sorted(p for p in share.rglob("*") if p.is_file() and p.suffix != ".yaml"):
                kind = path.suffix[1:]
                if kind not in KNOWS.get(name, {kind}):
                    continue
                reader.read(kind, path)
                text = _shown(out, path)
                if text:
                    found[path.relative_to(share).as_posix()] = text
        finally:
            reader.end()
    return found


def _shown(out: Path, path: Path) -> str:
    from hashlib import sha256

    file = out / sha256(str(path).encode()).hexdigest()
    return file.read_text(encoding="utf-8") if file.exists() else ""


def cut(texts: dict[str, str]) -> list[dict[str, str]]:
    """Windows, each with the name of its file before it."""
    chunks = []
    for path, text in texts.items():
        words = text.split()
        title = path.rpartition("/")[2]
        chunks += [
            {"doc": path, "text": f"{title}\n{' '.join(words[a:b])}"}
            for a, b in windows(len(words), SIZE, OVERLAP)
        ]
    return chunks


def ranked(
    engine: str, cache: Path, chunks: list[dict[str, str]], queries: list[str], embedder
) -> tuple[list[list[str]], float]:
    """Files by query, best first, and CPU seconds of the engine."""
    folder = cache / f"py-{engine}"
    if not (folder / ".installed").exists():
        quietly([sys.executable, "-m", "venv", folder])
        quietly([folder / "bin/python", "-m", "pip", "install", "-q", ENGINES[engine]])
        (folder / ".installed").touch()
    with tempfile.TemporaryDirectory() as scratch:
        work = Path(scratch)
        (work / "chunks.json").write_text(json.dumps(chunks), encoding="utf-8")
        (work / "queries.json").write_text(json.dumps(queries), encoding="utf-8")
        if engine == "lancedb":
            np.save(work / "passages.npy", embedder.embed_passages([c["text"] for c in chunks]))
            np.save(work / "queries.npy", np.stack([embedder.embed_query(q) for q in queries]))
        command = [folder / "bin/python", HERE / "plant_peer_engine.py", engine, work]
        subprocess.run([str(part) for part in command], check=True)
        found = json.loads((work / "ranks.json").read_text(encoding="utf-8"))
    ranks = [list(dict.fromkeys(chunks[n]["doc"] for n in numbers)) for numbers in found["ranks"]]
    return ranks, found["seconds"]


def figures(question: Question, paths: list[str]) -> dict[str, float]:
    """Of one question, a container being one document."""
    docs = [{d.partition("!/")[0] for d in hop} for hop in question["hops"]]
    right = {d.partition("!/")[0] for d in question["docs"]}

    def rank(wanted: set[str]) -> int | None:
        return next((n for n, path in enumerate(paths[:10], start=1) if path in wanted), None)

    ranks = [rank(wanted) for wanted in docs]
    gains = [sum(r == n for r in ranks) for n in range(1, 11)]
    last = [rank(right)]
    values = (
        hit(last, 1),
        hit(last, 3),
        hit(last, 10),
        recall(ranks, 10),
        reciprocal_rank(last),
        ndcg(gains, 10, [1.0] * len(ranks)),
    )
    return dict(zip(FIGURES, values, strict=True))


def table(rows: dict[str, dict[str, dict[str, float]]], questions: list[Question]) -> None:
    """By type, then the differences to the first system."""
    types = list(dict.fromkeys(str(q["type"]) for q in questions))
    for name in ("hit_at_1", "hit_at_10", "ndcg_at_10"):
        print(f"\n### {name}\n\n| type | n | {' | '.join(rows)} |\n|---|---|{'---|' * len(rows)}")
        for kind in ("all", *types):
            part = [str(q["id"]) for q in questions if kind in {"all", q["type"]}]
            cells = []
            for found in rows.values():
                figure = interval([found[q][name] for q in part])
                cells.append(f"{figure['value']:.3f} ({figure['low']:.2f}–{figure['high']:.2f})")
            print(f"| {kind} | {len(part)} | {' | '.join(cells)} |")
    first, *others = rows
    print(
        f"\n### {first} less the other, paired\n\n| other | figure | difference | 95 % | p |\n|---|---|---|---|---|"
    )
    for other in others:
        for name in FIGURES:
            mine, theirs = ({q: f[name] for q, f in rows[s].items()} for s in (first, other))
            gap = paired(mine, theirs)
            print(
                f"| {other} | {name} | {gap['difference']:+.3f} | {gap['low']:+.3f} to {gap['high']:+.3f} | {gap['p']:.4f} |"
            )


def main() -> int:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    caches = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache"))
    parser.add_argument("--cache", type=Path, default=caches / "seoga-peers")
    given = parser.parse_args()
    share = given.folder.resolve() / "share"
    made = json.loads((given.folder / "figures.json").read_text(encoding="utf-8"))
    rights = Rights(World(made["seed"], made["documents"]).people)
    lines = (given.folder / "questions.jsonl").read_text(encoding="utf-8").splitlines()
    questions = [q for q in map(json.loads, lines) if q["answerable"]]
    asked = {
        r["id"]: r
        for r in map(
            json.loads, (given.folder / "asked.jsonl").read_text(encoding="utf-8").splitlines()
        )
    }
    ours = {
        q["id"]: figures(
            q, list(dict.fromkeys(p.partition("!/")[0] for p in asked[q["id"]]["hits"]))
        )
        for q in questions
    }
    rows = {"seoga": ours}
    embedder = make_embedder(
        Settings.model_validate({"home": given.cache / "embedder"}).embedder,
        given.cache / "embedder",
    )
    queries = [str(q["question"]) for q in questions]
    read: dict[str, dict[str, str]] = {}
    for name, engine in SYSTEMS:
        try:
            if name not in read:
                began = time.monotonic()
                read[name] = texts_of(name, given.cache, share)
                print(
                    f"{name}: text of {len(read[name])} files, {time.monotonic() - began:.0f} s",
                    flush=True,
                )
            chunks = cut(read[name])
            ranks, seconds = ranked(engine, given.cache, chunks, queries, embedder)
        except (OSError, subprocess.SubprocessError, ValueError) as problem:
            print(f"{name} + {engine} is left out: {problem}", flush=True)
            continue
        readers = [str(q["reader"]) for q in questions]
        seen = [
            [p for p in paths if rights.may_read(who, p)]
            for who, paths in zip(readers, ranks, strict=True)
        ]
        leaks = sum(
            not rights.may_read(who, p)
            for who, paths in zip(readers, ranks, strict=True)
            for p in paths[:10]
        )
        stale = sum(
            bool(paths) and paths[0] in q["stale_docs"]
            for q, paths in zip(questions, seen, strict=True)
        )
        rows[f"{name} + {engine}"] = {
            q["id"]: figures(q, paths) for q, paths in zip(questions, seen, strict=True)
        }
        print(
            f"{name} + {engine}: {len(chunks)} chunks, {seconds:.1f} CPU s; without a filter {leaks} documents shown that the reader may not read; an earlier revision first: {stale}",
            flush=True,
        )
    table(rows, questions)
    return 0 if len(rows) > 1 else 1


if __name__ == "__main__":
    sys.exit(main())
