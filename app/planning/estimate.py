"""From documents, their mix and their readers to workers, shards, bytes and hours.

Every figure is a unit cost times a count. What was not measured at the size that is asked for is carried on in a straight line
from the largest size that was, and ``extrapolated`` says so.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from app.planning.costs import FORMATS
from app.planning.queues import Station, bottleneck
from contracts.errors import ConfigError

if TYPE_CHECKING:
    from app.planning.costs import Costs, SearchPoint

__all__ = [
    "PERIOD",
    "SHARD_BYTES",
    "SIZES",
    "Estimate",
    "Wish",
    "estimate",
    "mix_of",
    "stations_of",
]

SIZES = (10_000_000, 100_000_000, 1_000_000_000)
"""Chunks of the sizes that every plan shows besides."""

SHARD_BYTES = 30e9
"""Of a shard that is searched: 10 to 30 GB, AWS Well-Architected, Amazon OpenSearch Service Lens, AOSPERF01-BP01."""

VECTOR_BYTES = 4 * 384
"""Of one passage: 32-bit floats of multilingual-e5-small; the file cache of the nodes should hold them."""

SHARD_CHUNKS = 200_000_000
"""Of a shard: "practical maximum" of Elastic's AutoOps insight "Shard near document limit" (Lucene's own is 2,147,483,519)."""

_HUNDRED = 100.0
_HOUR = 3600.0
_BUSY = 0.8
"""Share of its time that a worker works: the rest is waiting for the next document, restarts, and a reserve."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """What is planned for.

    Attributes:
        documents: Files and mails.
        mix: Share of each kind, 0 to 1, together 1.
        users: Who search.
        days: In which the first ingest shall be done.
        searches: Of one user in the busiest hour.
        replicas: Copies of each shard besides the first.
        changes: Share of the documents that is new or changed on a day.
        sources: Shared folders that are scanned side by side.
        gpu_rate: Passages a second of a GPU; 0: there is none, and none was measured.
        chunks_per_document: As an installation counts them; 0: those of the measured files.
    """

    documents: int
    mix: dict[str, float]
    users: int
    days: float = 7.0
    searches: float = 4.0
    replicas: int = 1
    changes: float = 0.01
    sources: int = 4
    gpu_rate: float = 0.0
    chunks_per_document: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """What a size needs; hours are of processor time unless they say ``clock``."""

    documents: int
    chunks: int
    reading_hours: float
    embedding_hours: float
    storing_hours: float
    gpu_hours: float | None
    workers: int
    first_ingest_clock_hours: float
    shards: int
    index_bytes: float
    vector_bytes: float
    catalog_bytes: float
    blob_bytes: float
    search_p50_ms: float
    searches_per_second: float
    search_cores: int
    rescan_clock_hours: float
    permission_lag_minutes: float
    repermission_clock_hours: float
    reembedding_clock_hours: float
    bottleneck: str
    bottleneck_per_day: float
    extrapolated: tuple[str, ...]

    def as_object(self) -> dict[str, Any]:
        """For JSON."""
        return {name: getattr(self, name) for name in self.__slots__}


def mix_of(text: str) -> dict[str, float]:
    """A mix as it is written: ``pdf=40,office=30,text=30``, in percent.

    Raises:
        ConfigError: an unknown kind, no number, or shares that are not 100 together.
    """
    known = f"{', '.join(FORMATS)}; 예 (for example): pdf=40,office=40,text=20"
    found: dict[str, float] = {}
    for part in text.split(","):
        name, equals, share = part.strip().partition("=")
        try:
            value = float(share)
        except ValueError:
            value = math.nan
        if not equals or name not in FORMATS or name in found or not 0 <= value <= _HUNDRED:
            raise ConfigError(
                f"{part.strip()!r}: 종류=퍼센트 여야 합니다 (must be kind=percent, each kind once)",
                advice=known,
            )
        found[name] = value / _HUNDRED
    if not math.isclose(total := sum(found.values()) * _HUNDRED, _HUNDRED, abs_tol=0.01):
        raise ConfigError(
            f"합이 {total:g}%입니다, 100%여야 합니다 (the shares make {total:g} %, not 100)",
            advice=known,
        )
    return found


def estimate(costs: Costs, wish: Wish) -> Estimate:
    """What the wish needs."""
    per = _per_document(costs, wish)
    chunks = max(1, round(wish.documents * per["chunks"]))
    hours = {
        name: wish.documents * per[name] / _HOUR for name in ("reading", "embedding", "storing")
    }
    on_gpu = wish.gpu_rate > 0
    cpu = sum(hours.values()) - (hours["embedding"] if on_gpu else 0.0)
    workers = max(1, math.ceil(cpu / (wish.days * 24 * _BUSY)))
    largest = costs.opensearch[-1]
    index = chunks * largest.bytes / largest.chunks
    shards = max(1, math.ceil(index / SHARD_BYTES), math.ceil(chunks / SHARD_CHUNKS))
    p50 = _at(costs.opensearch, chunks / shards)
    per_second = wish.users * wish.searches / _HOUR
    stations = stations_of(costs, wish, workers)
    slowest = bottleneck(stations)
    rescan = wish.documents * costs.listing_seconds / wish.sources
    gpu = chunks / wish.gpu_rate / _HOUR if on_gpu else None
    return Estimate(
        documents=wish.documents,
        chunks=chunks,
        reading_hours=hours["reading"],
        embedding_hours=hours["embedding"],
        storing_hours=hours["storing"],
        gpu_hours=gpu,
        workers=workers,
        first_ingest_clock_hours=max(wish.documents / slowest.limit / _HOUR, gpu or 0.0),
        shards=shards,
        index_bytes=index * (1 + wish.replicas),
        vector_bytes=chunks * VECTOR_BYTES * (1 + wish.replicas),
        catalog_bytes=wish.documents * costs.catalog_bytes,
        blob_bytes=wish.documents * per["blobs"],
        search_p50_ms=p50,
        searches_per_second=per_second,
        # every shard works at each search, on a core of its own
        search_cores=max(1, math.ceil(per_second * p50 / 1000 * shards / _BUSY)),
        rescan_clock_hours=rescan / _HOUR,
        permission_lag_minutes=(rescan + max(rescan, PERIOD)) / 60,
        repermission_clock_hours=wish.documents * costs.list_seconds / wish.sources / _HOUR,
        reembedding_clock_hours=gpu or hours["embedding"] / (workers * _BUSY),
        bottleneck=slowest.name,
        bottleneck_per_day=slowest.limit * 24 * _HOUR,
        extrapolated=_beyond(costs, wish, chunks / shards),
    )


PERIOD = 300.0
"""Seconds between permission runs, as ``permission_schedule`` has them by default."""


def stations_of(costs: Costs, wish: Wish, workers: int) -> list[Station]:
    """What a document passes: the workers, a GPU where there is one, and the writer.

    The index is published within the catalog's writing transaction, so that a change of permissions meets either all of a
    document or nothing; there is one such transaction at a time, whatever the number of workers.
    """
    per = _per_document(costs, wish)
    embedding = 0.0 if wish.gpu_rate else per["embedding"]
    worker = (per["reading"] + embedding + per["storing"]) / _BUSY
    publishing = per["chunks"] / costs.opensearch[-1].chunks_per_second
    stations = [
        Station("workers", workers, worker),
        Station("writer", 1, costs.catalog_seconds + publishing),
    ]
    if wish.gpu_rate:
        stations.insert(1, Station("gpu", 1, per["chunks"] / wish.gpu_rate))
    return stations


def _shards(costs: Costs, wish: Wish) -> int:
    chunks = wish.documents * _per_document(costs, wish)["chunks"]
    largest = costs.opensearch[-1]
    return max(1, math.ceil(chunks * largest.bytes / largest.chunks / SHARD_BYTES))


def _per_document(costs: Costs, wish: Wish) -> dict[str, float]:
    found = dict.fromkeys(("reading", "storing", "chunks", "blobs"), 0.0)
    for name, share in wish.mix.items():
        cost = costs.formats[name]
        found["reading"] += share * cost.reading_seconds
        found["storing"] += share * cost.storing_seconds
        found["chunks"] += share * cost.chunks
        found["blobs"] += share * cost.blob_bytes
    if (
        wish.chunks_per_document and found["chunks"]
    ):  # longer documents: more of all but opening them
        times = wish.chunks_per_document / found["chunks"]
        for name in ("storing", "chunks", "blobs"):
            found[name] *= times
    found["embedding"] = found["chunks"] * costs.embedding_seconds
    return found


def _at(points: tuple[SearchPoint, ...], chunks: float) -> float:
    """Milliseconds at a size: in a straight line between measured sizes, and on from the last two."""
    if chunks <= points[0].chunks or len(points) == 1:
        return points[0].p50_ms
    pairs = list(pairwise(points))
    low, high = next((pair for pair in pairs if chunks <= pair[1].chunks), pairs[-1])
    slope = max(0.0, (high.p50_ms - low.p50_ms) / (high.chunks - low.chunks))
    return low.p50_ms + slope * (chunks - low.chunks)


def _beyond(costs: Costs, wish: Wish, chunks_of_shard: float) -> tuple[str, ...]:
    found = []
    if chunks_of_shard > costs.opensearch[-1].chunks:
        found.append("search_p50_ms")
    if _shards(costs, wish) > 1:
        found += ["search_cores", "bottleneck_per_day"]
    return tuple(found)
