"""Print what index, catalog and blob store hold, as JSON; for comparing two installations of the same sources.

Left out is what the clock, the machine or the way there decides (see ``IGNORED``); everything else must be equal, however the
work was spread over processes and however often it was disturbed.
"""

from __future__ import annotations

import dataclasses
import json
import sys
from collections import Counter
from typing import Any

import sqlalchemy as sa

from app.wiring import open_catalog, open_tools
from catalog import tables
from catalog.catalog import Catalog
from contracts.ports import IndexBackend
from contracts.settings import Settings, load_settings
from contracts.tasks import TaskKind, TaskState

__all__ = ["IGNORED", "State", "difference", "state"]

State = dict[str, list[Any]]
"""Section → rows that can be written as JSON, sorted."""

IGNORED: dict[str, tuple[str, ...]] = {
    "sources": ("config", "last_content_run", "last_permission_run"),
    # numbers of rows depend on the order of listing; change times and inodes on when the files were made
    "items": ("item_id", "object_id", "changed_ns", "access_tag", "content_checked_ns", "seen_run"),
    "documents": ("created_at",),
    "versions": ("created_at",),
    # the epoch counts writes: a change seen in two scans counts two; the tag is when a folder's list changed
    "scopes": ("epoch", "tag"),
    "outbox": ("place", "seq"),
    "outcomes": ("seq", "run_id", "at", "seconds", "peak_mb"),
    "conflicts": ("at",),
    "events": ("at", "seq"),
    "ledger": ("seq", "at_seen", "effective_at"),
}
"""Table → columns that may differ."""

_SKIPPED = {"counters", "meta", "runs", "queries", "principals", "tasks"}
"""Tables that tell how it was done, not what there is (open tasks are a section of their own)."""

_PROBE = "압입 하중 점검 결과와 시정 조치"
_CLOSE = 0.002
"""Two backends may keep a vector in different precision."""


def main() -> int:
    """Print the state of ``SEOGA_HOME``."""
    json.dump(state(load_settings()), sys.stdout, ensure_ascii=True)
    return 0


def state(settings: Settings) -> State:
    """Everything that an installation holds, by section."""
    with open_catalog(settings) as catalog:
        found = _tables(catalog)
        found["tasks"] = _open_tasks(catalog)
        embedder, _, index = open_tools(settings)
        probe = embedder.embed_query(_PROBE)
        try:
            ids = [row.document_id for row in index.inventory()]
            found["index"] = [_indexed(index, document_id) for document_id in ids]
            found["vectors"] = [
                pair for document_id in ids for pair in _vectors(index, document_id, probe)
            ]
            stats = index.stats()
            found["sizes"] = [[name, stats[name]] for name in ("documents", "chunks")]
        finally:
            index.close()
    found["blobs"] = _blobs(settings)
    return {name: _sorted(rows) for name, rows in sorted(found.items())}


def difference(expected: State, found: State, rows: int = 2) -> str:
    """The sections that differ, with a few of their rows; "" for equal states."""
    told = _far(expected.get("vectors", []), found.get("vectors", []))
    for name in sorted((expected.keys() | found.keys()) - {"vectors"}):
        left = Counter(map(_text, expected.get(name, [])))
        right = Counter(map(_text, found.get(name, [])))
        missing, extra = left - right, right - left
        if missing or extra:
            told.append(f"  {name}: {missing.total()} missing, {extra.total()} extra")
            told += [f"    missing {row[:220]}" for row in sorted(missing)[:rows]]
            told += [f"    extra   {row[:220]}" for row in sorted(extra)[:rows]]
    return "\n".join(told)


def _far(expected: list[Any], found: list[Any]) -> list[str]:
    """Passages whose vectors are not the same, or missing."""
    left, right = dict(expected), dict(found)
    wrong = [
        key
        for key in left.keys() | right.keys()
        if left.get(key) is None or right.get(key) is None or abs(left[key] - right[key]) > _CLOSE
    ]
    return [f"  vectors: {len(wrong)} differ, {sorted(wrong)[:2]}"] if wrong else []


def _tables(catalog: Catalog) -> State:
    found: State = {}
    database = catalog._database  # noqa: SLF001  tables as they are, whatever the stores make of them
    with catalog.transaction(), database.read() as connection:
        paths = {
            row.item_id: row.path
            for row in connection.execute(sa.select(tables.items.c.item_id, tables.items.c.path))
        }
        for table in tables.metadata.sorted_tables:
            if table.name in _SKIPPED:
                continue
            ignored = IGNORED.get(table.name, ())
            rows = []
            for row in connection.execute(sa.select(table)).mappings():
                kept = {str(key): value for key, value in row.items() if key not in ignored}
                if "item_id" in kept:
                    kept["item_id"] = paths.get(kept["item_id"], "gone")
                rows.append(kept)
            found[table.name] = rows
    return found


def _open_tasks(catalog: Catalog) -> list[Any]:
    """How many tasks of each kind wait, are worked on, or are parked; what a schedule asks for waits again and again."""
    return [
        [kind.value, state.value, count]
        for (kind, state), count in catalog.tasks.counts().items()
        if state is not TaskState.DONE
        and not (state is TaskState.QUEUED and kind in {TaskKind.SCAN, TaskKind.ACL})
    ]


def _indexed(index: IndexBackend, document_id: str) -> dict[str, Any]:
    """A document's row, and its chunks with the digests of their vectors."""
    found = index.document(document_id)
    if found is None:
        return {"document_id": document_id, "chunks": None}
    row, chunks = found
    fields = dataclasses.asdict(row)
    del fields["access_epoch"]  # see the scopes' epoch
    fields["successors"] = sorted(map(_text, fields["successors"]))
    passages = [dataclasses.asdict(stored.chunk) for stored in chunks]
    return {**fields, "chunks": passages}


def _vectors(index: IndexBackend, document_id: str, probe: Any) -> list[Any]:
    """Each passage's similarity to one fixed vector: another vector, or none, would show."""
    found = index.document(document_id)
    if found is None:
        return []
    chunks = {stored.key: stored.chunk.chunk_id for stored in found[1]}
    near = index.similarities(probe, list(chunks))
    return [[chunk_id, near.get(key)] for key, chunk_id in chunks.items()]


def _blobs(settings: Settings) -> list[Any]:
    """Keys of the stored parses, and of anything that should have been removed."""
    from ingest.blob_registry import make_blobs

    return list(make_blobs(settings.blobs, settings.home).keys())


def _sorted(rows: list[Any]) -> list[Any]:
    return sorted((json.loads(_text(row)) for row in rows), key=_text)


def _text(row: Any) -> str:
    return json.dumps(row, sort_keys=True, ensure_ascii=False, default=str)


if __name__ == "__main__":
    sys.exit(main())
