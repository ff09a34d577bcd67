"""Runs the plant benchmark through the real pipeline, the real embedder, real searches and answers."""

from __future__ import annotations

import os
import resource
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from contracts.documents import Layer
from contracts.settings import Settings

if TYPE_CHECKING:
    from catalog.catalog import Catalog
    from contracts.ports import BlobStore
    from evaluation.plant.asking import Asked, System
    from evaluation.plant.build import Plant
    from search.service import Searcher

__all__ = ["Stages", "bench_settings", "ingest_plant", "open_system", "run_plant"]

_KEPT = ("embedder", "search", "answer", "chunk", "parse", "ocr")
"""Groups of settings that a bench takes over: what decides how well things are found."""

_SOURCE = "plant"


class Stages:
    """Seconds of the clock and of the processor (this process and its ended children) that each stage of a run took."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self._last = self._now()

    def end(self, name: str) -> float:
        """Note a stage that ends now; its seconds of the clock."""
        now = self._now()
        clock, cpu = (after - before for after, before in zip(now, self._last, strict=True))
        self.seconds |= {f"{name}_seconds": round(clock, 1), f"{name}_cpu_seconds": round(cpu, 1)}
        self._last = now
        return clock

    @staticmethod
    def _now() -> tuple[float, float]:
        used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
        return time.perf_counter(), sum(u.ru_utime + u.ru_stime for u in used)


def bench_settings(configured: Settings, home: Path) -> Settings:
    """Settings of a bench in a home of its own, with those of this installation that decide how well things are found."""
    fresh = Settings.model_validate({"home": home})
    return fresh.model_copy(update={name: getattr(configured, name) for name in _KEPT})


def run_plant(
    configured: Settings,
    plant: Plant,
    home: Path,
    tell: Callable[[str], None] = lambda _line: None,
    stages: Stages | None = None,
    outcomes: dict[str, int] | None = None,
) -> tuple[dict[str, Any], list[Asked]]:
    """Ingest the drive, ask everything.

    Args:
        configured: Of this installation.
        plant: As it was built.
        home: An empty folder for catalog and index.
        tell: Told what is done.
        stages: Those that have ended before.
        outcomes: Of the ingest, where ``home`` holds what was taken in before: then only asked.

    Returns:
        ``documents``, ``questions``, ``outcomes`` (files by how they ended), ``figures``, ``embedder``, ``tokenizer`` and ``times`` (by stage; ``cpu_ms_a_question`` of searches, answers and their
        judging; ``load``, the processes that waited for the machine's ``cores`` at the end); and every question with its judgement.
    """
    from evaluation.plant.asking import ask_all
    from evaluation.plant.figures import figures_by_type, times

    settings = bench_settings(configured, home)
    stages = stages or Stages()
    if outcomes is None:
        outcomes = ingest_plant(settings, plant.share)
        tell(f"수집 (ingested): {outcomes}, {stages.end('ingest'):.0f}초")

    def progress(count: int) -> None:
        if count % 100 == 0:
            tell(f"질문 (asked): {count}")

    with open_system(settings) as (system, searcher):
        asked = ask_all(plant.questions, system, plant.rights, progress)
        tools = searcher.tools
        made_with = {"embedder": tools.embedder.name, "tokenizer": settings.search.tokenizer}
        chunks = searcher.stats().get("chunks", 0)
    tell(f"답 (answered): {len(asked)}, {stages.end('ask'):.0f}초")
    peak = max(
        resource.getrusage(who).ru_maxrss
        for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    )
    found: dict[str, Any] = {
        "documents": plant.documents,
        "questions": len(plant.questions),
        "facts": plant.facts,
        "chunks": chunks,
        "outcomes": outcomes,
        **made_with,
        "figures": figures_by_type(asked),
        "times": {
            **stages.seconds,
            "cpu_ms_a_question": round(
                1000 * stages.seconds["ask_cpu_seconds"] / max(1, len(asked)), 1
            ),
            "load": round(os.getloadavg()[0], 1),
            "cores": len(os.sched_getaffinity(0)),
            "peak_mb": peak // 1024,
            **times(asked),
        },
    }
    return found, asked


def ingest_plant(settings: Settings, share: Path) -> dict[str, int]:
    """Read and index the drive; files by how they ended."""
    from app.report import summary_object
    from app.sources import source_of_path
    from app.wiring import open_kit, source_run

    with open_kit(settings) as kit:
        source = source_of_path(kit.catalog, share, _SOURCE)
        summary = source_run(kit, source).content()
        found = summary_object(kit.catalog, summary, dry_run=False)
    return dict(sorted(found["outcomes"].items()))


@contextmanager
def open_system(settings: Settings) -> Iterator[tuple[System, Searcher]]:
    """The product, to be asked and looked into."""
    from app.wiring import answerer_of, open_blobs, open_search_parts
    from evaluation.plant.asking import System

    with open_search_parts(settings, "eval") as parts:
        answerer = answerer_of(settings, parts.searcher)
        inside = _Inside(parts.searcher, parts.catalog, open_blobs(settings))
        yield (
            System(parts.searcher.search, answerer.answer, inside.chunks, inside.parsed),
            parts.searcher,
        )


class _Inside:
    """What catalog and index hold of a document, by its path."""

    def __init__(self, searcher: Searcher, catalog: Catalog, blobs: BlobStore) -> None:
        self._searcher, self._catalog, self._blobs = searcher, catalog, blobs

    def chunks(self, path: str) -> list[str]:
        found = self._searcher.index.document(_document_id(path))
        if found is None:
            return []
        return [s.chunk.text for s in found[1] if s.chunk.layer in {Layer.BODY, Layer.NOTES}]

    def parsed(self, path: str) -> str:
        from ingest.reading import stored_document
        from parsers.markdown import document_lines

        document = self._catalog.documents.get(_document_id(path))
        if document is None:
            return ""
        versions = self._catalog.versions.get_many([document.version_id])
        parsed = next((stored_document(self._blobs, v.parse_key) for v in versions.values()), None)
        return "" if parsed is None else "\n".join(document_lines(parsed))


def _document_id(path: str) -> str:
    from ingest.ids import child_id, document_id

    first, *members = path.split("!/")
    found = document_id(_SOURCE, first)
    for member in members:
        found = child_id(found, member)
    return found
