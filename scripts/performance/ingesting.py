"""What a whole ingest costs: processor time by stage, documents, chunks and bytes; and two processes beside one."""

from __future__ import annotations

import argparse
import cProfile
import json
import os
import pstats
import resource
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from performance.machine import cpu_seconds, spent

__all__ = ["formats", "growth", "text_documents", "write_texts"]

_SCRIPTS = Path(__file__).resolve().parent.parent
_PARAGRAPHS = 12
GROUPS = {
    "office": ("*.docx", "*.pptx", "*.xlsx", "*.xls"),
    "pdf": ("*.pdf",),
    "hwp": ("*.hwp", "*.hwpx"),
    "mail": ("*.eml", "*.msg"),
}
"""Kinds of documents that a plan knows, with the corpus files that stand for them; texts and scans are chosen apart."""

MOST_FILES = 12


def write_texts(folder: Path, korquad: Path, documents: int, first: int = 0) -> None:
    """Text documents of twelve paragraphs of KorQuAD each; a number in the title keeps every chunk its own."""
    from evaluation.korquad import read_korquad

    paragraphs, _ = read_korquad(korquad)
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(first, first + documents):
        picked = [
            paragraphs[(number * _PARAGRAPHS + at) % len(paragraphs)] for at in range(_PARAGRAPHS)
        ]
        body = "\n\n".join(f"{number}.{at} {one.text}" for at, one in enumerate(picked))
        (folder / f"{number:06}.txt").write_text(f"문서 {number}\n\n{body}\n", encoding="utf-8")


def text_documents(work: Path, korquad: Path, documents: int, profile: Path) -> dict[str, Any]:
    """Share of the processor time by stage, and two processes at once beside one (seconds by the clock)."""
    shutil.rmtree(work, ignore_errors=True)
    for name, first in (("warm", 0), ("one", 0), ("left", documents), ("right", 2 * documents)):
        write_texts(work / name, korquad, 1 if name == "warm" else documents, first)
    ingest_folder(work / "warm", work / "home-warm", profile=profile)  # converts the model
    for name in ("one", "left", "right", "profiled"):
        shutil.copytree(work / "home-warm" / "models", work / f"home-{name}" / "models")
    found = ingest_folder(work / "one", work / "home-one")
    with ThreadPoolExecutor() as pool:
        both = list(
            pool.map(lambda n: ingest_folder(work / n, work / f"home-{n}"), ("left", "right"))
        )
    ingest_folder(work / "one", work / "home-profiled", profile=profile)
    together = max(one["wall"] for one in both)
    two = sum(one["chunks"] for one in both) / together / (found["chunks"] / found["wall"])
    return {**found, "two_processes": two, "limit_share": 0.85, "limit_two": 1.8}


def formats(work: Path, corpus: Path) -> dict[str, Any]:
    """Costs of each kind of document: files of the corpus, hash vectors, so that reading and storing stand alone."""
    found = {}
    for name in GROUPS:
        _fresh(work / name, work / f"home-{name}")
        for path in _chosen(corpus, name, 0):
            shutil.copy2(path, work / name / f"{path.parent.name}-{path.name}")
        found[name] = ingest_folder(work / name, work / f"home-{name}", engine="hash", ocr=False)
    found["scan"] = _scans(work, corpus)
    empty = work / "start"
    _fresh(empty, work / "home-start")
    (empty / "a.txt").write_text("한 줄\n", encoding="utf-8")
    found["start"] = ingest_folder(empty, work / "home-start", engine="hash")
    return found


def held_out(work: Path, corpus: Path, korquad: Path, texts: int) -> dict[str, Any]:
    """A whole ingest, embedding with it, of files that no unit cost was taken from."""
    folder, home = work / "mixed", work / "home"
    models = work / "models"
    if not models.exists():
        _fresh(work / "warm", home)
        write_texts(work / "warm", korquad, 1, 9000)
        ingest_folder(work / "warm", home)
        shutil.copytree(home / "models", models)
    _fresh(folder, home)
    shutil.copytree(models, home / "models")
    documents = {"text": texts}
    write_texts(folder, korquad, texts, 5000)
    for name in GROUPS:
        files = _chosen(corpus, name, 1)
        documents[name] = len(files)
        for path in files:
            shutil.copy2(path, folder / f"{path.parent.name}-{path.name}")
    return {"by_kind": documents, **ingest_folder(folder, home, ocr=False)}


def _fresh(*folders: Path) -> None:
    for folder in folders:
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)


def _chosen(corpus: Path, group: str, offset: int) -> list[Path]:
    """Some files of a kind, spread over all; another offset chooses others."""
    files = sorted(
        path
        for pattern in GROUPS[group]
        for path in corpus.rglob(pattern)
        if "bad" not in path.parts
    )
    step = max(2, len(files) // MOST_FILES)
    return files[offset::step][:MOST_FILES]


def _scans(work: Path, corpus: Path) -> dict[str, Any]:
    folder, home = work / "scan", work / "home-scan"
    _fresh(folder, home)
    for path in sorted((corpus / "scan").iterdir())[:3]:
        shutil.copy2(path, folder / path.name)
    return ingest_folder(folder, home, engine="hash")


def growth(work: Path, sizes: Sequence[int]) -> list[dict[str, Any]]:
    """Rate, bytes and search over more and more generated documents, in one installation; hash vectors, no OCR."""
    from many_documents import make

    shutil.rmtree(work, ignore_errors=True)
    found = []
    for size in sizes:
        drive = work / f"drive-{size}"
        make(drive, size)
        shutil.rmtree(work / "home", ignore_errors=True)
        found.append(ingest_folder(drive, work / "home", engine="hash", ask="설비 점검 기록"))
    return found


def _start(root: Path, home: Path, *more: str) -> subprocess.Popen[str]:
    environ = {**os.environ, "SEOGA_HOME": str(home), "OMP_NUM_THREADS": "1"}
    command = [sys.executable, "-m", "performance.ingesting", str(root), *more]
    return subprocess.Popen(command, env=environ, cwd=_SCRIPTS, stdout=subprocess.PIPE, text=True)


def ingest_folder(
    root: Path,
    home: Path,
    *,
    engine: str = "auto",
    ocr: bool = True,
    ask: str = "",
    profile: Path | None = None,
) -> dict[str, Any]:
    """Ingest a folder in a process of its own, and say what it cost."""
    more = ["--engine", engine, *(() if ocr else ("--no-ocr",)), "--ask", ask]
    with _start(root, home, *more, *(("--profile", str(profile)) if profile else ())) as process:
        out, _ = process.communicate()
    if process.returncode:
        raise SystemExit(f"the ingest of {root} failed")
    found: dict[str, Any] = json.loads(out.splitlines()[-1])
    return found


class _Timed:
    """Stands for one of the kit's tools, and notes the processor time of some of its methods on the thread that calls them."""

    def __init__(self, tool: Any, *methods: str) -> None:
        self._tool = tool
        self._inside = threading.local()
        self.seconds = 0.0
        self.things = 0
        for method in methods:
            setattr(self, method, partial(self._call, method))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._tool, name)

    def _call(self, method: str, things: Sequence[Any]) -> Any:
        began = time.thread_time()
        result = getattr(self._tool, method)(things)
        self.seconds += time.thread_time() - began
        self.things += len(things)
        return result

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """A transaction of the catalog; one within another is part of it."""
        outer = not getattr(self._inside, "yes", False)
        self._inside.yes = True
        began = time.thread_time()
        try:
            with self._tool.transaction():
                yield
        finally:
            if outer:
                self._inside.yes = False
                self.seconds += time.thread_time() - began


def _bytes_of(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


@contextmanager
def _profiled(profile: Path | None) -> Iterator[None]:
    if profile is None:
        yield
        return
    with cProfile.Profile() as taken:
        yield
    with profile.open("w", encoding="utf-8") as out:
        stats = pstats.Stats(taken, stream=out).strip_dirs().sort_stats("tottime")
        stats.print_stats(40)


def _main() -> None:
    from app.sources import add_source
    from app.wiring import open_catalog, open_kit_on, open_searcher, source_run
    from contracts.search import SearchRequest
    from contracts.settings import SourceSettings, load_settings

    parser = argparse.ArgumentParser()
    parser.add_argument("root", type=Path)
    parser.add_argument("--engine", default="auto")
    parser.add_argument("--no-ocr", action="store_true")
    parser.add_argument("--ask", default="")
    parser.add_argument("--profile", type=Path)
    given = parser.parse_args()
    settings = load_settings()
    embedder = settings.embedder.model_copy(update={"engine": given.engine, "threads": 1})
    ocr = settings.ocr.model_copy(update={"enabled": not given.no_ocr})
    settings = settings.model_copy(update={"embedder": embedder, "ocr": ocr})
    source = SourceSettings(name="drive", root=given.root)
    work: dict[str, Any] = {}

    with open_catalog(settings) as catalog, open_kit_on(settings, catalog) as kit:
        counted = _Timed(kit.embedder, "embed_passages")
        index, rows = _Timed(kit.index, "publish"), _Timed(kit.catalog)
        timed = replace(kit, embedder=counted, index=index, catalog=rows)
        add_source(catalog, source, origin="path")
        started = cpu_seconds(resource.RUSAGE_SELF)

        def run() -> None:
            with kit.pool, _profiled(given.profile):
                summary = source_run(timed, source).content()
            work.update(summary.work)

        taken = spent(run)
    total = taken["cpu"] + taken["children"]
    chunks, documents = work.get("chunks", 0), work.get("indexed", 0)
    home = settings.home
    found = {
        "files": work.get("items", 0),
        "documents": documents,
        "chunks": chunks,
        "wall": taken["wall"],
        "cpu": total,
        "cpu_start": started,
        "cpu_reading": taken["children"],
        "cpu_embedding": counted.seconds,
        "cpu_rest": taken["cpu"] - counted.seconds,
        "share_embedding": counted.seconds / total,
        "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        "peak_mb_readers": resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024,
        "cpu_publishing": index.seconds,
        "cpu_catalog": rows.seconds - index.seconds,
        "embedded": counted.things,
        "bytes_index": _bytes_of(home / "index"),
        "bytes_blobs": _bytes_of(home / "blobs"),
        "bytes_catalog": sum(path.stat().st_size for path in home.glob("catalog.db*")),
    }
    if given.ask:
        with open_searcher(settings, "cli") as searcher:
            times = []
            for _ in range(20):
                began = time.monotonic()
                searcher.search(SearchRequest(query=given.ask, reader="lee"))
                times.append((time.monotonic() - began) * 1000)
        found["search_ms"] = sorted(times)[len(times) // 2]
    print(json.dumps(found))


if __name__ == "__main__":
    _main()
