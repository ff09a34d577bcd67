"""The unit costs of ``costs.json``: what the harness measured, with the machine and the command of each figure."""

from __future__ import annotations

from pathlib import Path

import msgspec

from contracts.errors import ConfigError

__all__ = [
    "COSTS",
    "FORMATS",
    "Check",
    "Costs",
    "FormatCost",
    "Machine",
    "SearchPoint",
    "read_costs",
]

COSTS = Path(__file__).with_name("costs.json")
"""Comes with the package; ``make bench`` writes it anew."""

FORMATS = ("text", "office", "pdf", "hwp", "mail", "scan")
"""Kinds of documents that a mix may name."""


class Machine(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Where it was measured; ``load``: the load average then, which says how quiet it was."""

    processor: str
    cores: int
    memory_gb: int
    system: str
    python: str
    load: float
    day: str


class FormatCost(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One document of a kind, on average.

    Attributes:
        reading_seconds: Processor time of reading it, recognition with it.
        storing_seconds: Processor time of everything else but embedding: cutting, analysing, catalog, index.
        chunks: How many it makes.
        blob_bytes: Of its stored parse.
        documents: How many were measured.
    """

    reading_seconds: float
    storing_seconds: float
    chunks: float
    blob_bytes: float
    documents: int


class SearchPoint(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One size of an OpenSearch index: one node, one shard.

    Attributes:
        chunks: In the index.
        chunks_per_second: Published on the way to this size.
        bytes: Of the index.
        p50_ms: A search of both legs by a reader of 1,000 scopes.
        p95_ms: The same.
    """

    chunks: int
    chunks_per_second: float
    bytes: float
    p50_ms: float
    p95_ms: float


class Check(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A whole ingest that no unit cost was taken from: what a plan says of it is compared with it.

    Attributes:
        documents: By kind.
        chunks: That they made.
        cpu_seconds: Of all stages, without the start of the processes.
    """

    documents: dict[str, int]
    chunks: int
    cpu_seconds: float


class Costs(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """All unit costs.

    Attributes:
        machine: Where they were measured.
        formats: By kind of document.
        embedding_seconds: Processor time of one passage.
        embedded_index_bytes: Of one chunk in the embedded index.
        catalog_bytes: Of one document.
        catalog_seconds: How long one document holds the catalog's writer, by the clock: one at a time for all workers.
        listing_seconds: Processor time of one unchanged file of a scan.
        list_seconds: Processor time of one file whose access list is read and whose row is written.
        opensearch: By size, small first.
        check: Measured apart.
        sources: Which command measured what.
    """

    machine: Machine
    formats: dict[str, FormatCost]
    embedding_seconds: float
    embedded_index_bytes: float
    catalog_bytes: float
    catalog_seconds: float
    listing_seconds: float
    list_seconds: float
    opensearch: tuple[SearchPoint, ...]
    check: Check
    sources: dict[str, str]


def read_costs(path: Path = COSTS) -> Costs:
    """Read a file of unit costs.

    Raises:
        ConfigError: it cannot be read, or is no such file.
    """
    try:
        found = msgspec.json.decode(path.read_bytes(), type=Costs)
    except (OSError, msgspec.DecodeError) as problem:
        raise ConfigError(
            f"{path}: {problem}", advice="make bench 가 만듭니다 (makes it)"
        ) from problem
    if missing := [name for name in FORMATS if name not in found.formats]:
        raise ConfigError(f"{path}: {', '.join(missing)} 비용이 없습니다 (no costs)")
    if not found.opensearch:
        raise ConfigError(f"{path}: opensearch 의 크기가 없습니다 (no sizes of opensearch)")
    return found
