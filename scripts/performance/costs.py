"""The unit costs of ``seoga plan``, from the results of the items."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

__all__ = ["unit_costs", "write_costs"]

OPENSEARCH = Path(__file__).resolve().parent.parent.parent / "docs/reports/opensearch.md"
"""What ``make bench-opensearch`` measured: its own command, since it takes an hour."""

_NEEDED = ("ingest", "formats", "mixed", "growth", "rescan")


def write_costs(results: dict[str, dict[str, Any]], path: Path) -> str:
    """Write the file; returns what is missing for it, or ""."""
    missing = [name for name in _NEEDED if name not in results]
    if missing:
        return f"no new unit costs: {', '.join(missing)} not measured"
    path.write_text(
        json.dumps(unit_costs(results), indent=1, ensure_ascii=False) + "\n", encoding="utf-8"
    )
    return ""


def unit_costs(results: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """As ``app.planning.costs.Costs`` reads them."""
    text, formats = results["ingest"]["found"], results["formats"]["found"]
    growth, rescan = results["growth"]["found"], results["rescan"]["found"]
    mixed = results["mixed"]["found"]
    start, largest = formats["start"], growth[-1]
    measured = {**{k: v for k, v in formats.items() if k != "start"}, "text": text}
    return {
        "machine": results["ingest"]["machine"],
        "formats": {name: _format(one, start) for name, one in sorted(measured.items())},
        "embedding_seconds": text["cpu_embedding"] / text["embedded"],
        "embedded_index_bytes": text["bytes_index"] / text["chunks"],
        "catalog_bytes": largest["bytes_catalog"] / largest["documents"],
        "catalog_seconds": largest["cpu_catalog"] / largest["documents"],
        "listing_seconds": rescan["cpu_seconds_per_file"],
        "list_seconds": rescan["first_cpu"] / rescan["files"],
        "opensearch": _opensearch(OPENSEARCH.read_text(encoding="utf-8")),
        "check": {
            "documents": mixed["by_kind"],
            "chunks": mixed["chunks"],
            "cpu_seconds": mixed["cpu"] - start["cpu_reading"] - start["cpu_rest"],
        },
        "sources": {
            "formats": "make bench BENCH='--only ingest formats mixed'",
            "embedding_seconds": "make bench BENCH='--only ingest'",
            "catalog": "make bench BENCH='--only growth'",
            "listing_seconds": "make bench BENCH='--only rescan'",
            "opensearch": "make bench-opensearch (docs/reports/opensearch.md)",
        },
    }


def _format(found: dict[str, Any], start: dict[str, Any]) -> dict[str, Any]:
    """Costs of a file, without what the start of the processes costs."""
    files = found["files"]
    return {
        "reading_seconds": max(0.0, found["cpu_reading"] - start["cpu_reading"]) / files,
        "storing_seconds": max(0.0, found["cpu_rest"] - start["cpu_rest"]) / files,
        "chunks": found["chunks"] / files,
        "blob_bytes": found["bytes_blobs"] / files,
        "documents": files,
    }


def _opensearch(report: str) -> list[dict[str, float]]:
    """The rows of the report's tables of ingest, and of searches by a reader of 1,000 scopes."""
    ingest, search = (
        _rows(report, "| chunks | chunks a second"),
        _rows(report, "| chunks | without filters | 10 scopes"),
    )
    points = []
    for (chunks, rate, size, _), found in zip(ingest, search, strict=True):
        p50, p95 = found[3].partition("(")[0].split("/")
        points.append(
            {
                "chunks": int(chunks.replace(",", "")),
                "chunks_per_second": float(rate),
                "bytes": float(size) * 1e9,
                "p50_ms": float(p50),
                "p95_ms": float(p95),
            }
        )
    return points


def _rows(report: str, head: str) -> list[list[str]]:
    lines = report[report.index(head) :].splitlines()[2:]
    rows = []
    for line in lines:
        if not line.startswith("|"):
            break
        rows.append([cell.strip() for cell in line.strip("|").split("|")])
    return rows
