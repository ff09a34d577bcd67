"""What an index looks like in OpenSearch: its names, its mapping, its settings.

::

    seoga                        alias of the index that serves (``index.name``); searches of other clients go here
    seoga-000001                 the first index; later ones have a token behind the number, so that no name comes twice
    seoga-000001.own             alias of one index for writing: a write to an alias that is gone makes nothing anew

An index holds three kinds of records: chunks, one *head* a document, and one *scope* a number.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from contracts.chunks import FIELDS

if TYPE_CHECKING:
    from contracts.settings import IndexSettings

__all__ = ["SCHEMA", "Names", "index_body", "template"]

SCHEMA = 1
"""Raised whenever records are laid out otherwise: an index must then be made anew."""

_BM25 = (
    "double k = 1.2 * (0.25 + 0.75 * doc.length * field.docCount / field.sumTotalTermFreq); "
    "return query.boost * 2.2 * doc.freq / (doc.freq + k);"
)
"""BM25 (k1 1.2, b 0.75) but for the inverse document frequency, which comes with the query's boost: Lucene counts
chunks that were deleted but not merged away, and each shard its own; the boost is made of exact counts."""

_EVER = "0001-01-01"
"""The day of what has always been in force."""


@dataclass(frozen=True, slots=True)
class Names:
    """Names of an installation's indexes.

    Attributes:
        alias: ``index.name``.
    """

    alias: str

    @property
    def first(self) -> str:
        """The first index."""
        return f"{self.alias}-000001"

    def later(self, number: int, token: str) -> str:
        """An index beside others."""
        return f"{self.alias}-{number:06d}-{token}"

    def number(self, index: str) -> int | None:
        """The number of one of our indexes, or None."""
        found = re.fullmatch(rf"{re.escape(self.alias)}-(\d{{6,}})(?:-[0-9a-f]+)?", index)
        return int(found[1]) if found else None

    @staticmethod
    def own(index: str) -> str:
        """The alias that one index is written through."""
        return f"{index}.own"


def template(settings: IndexSettings) -> dict[str, Any]:
    """The index template of an installation, for ``PUT _index_template``."""
    return {
        "index_patterns": [f"{settings.name}-*"],
        "priority": 500,
        "version": SCHEMA,
        "_meta": {"description": "Seoga: passages with their access scopes"},
        "template": {"settings": _settings(settings), "mappings": _mapping()},
    }


def index_body(
    settings: IndexSettings, index: str, dimension: int, meta: dict[str, Any], *, serve: bool
) -> dict[str, Any]:
    """What the template cannot know of a new index: its vectors, its names and what it was made with."""
    aliases: dict[str, Any] = {Names.own(index): {}}
    if serve:
        aliases[settings.name] = {}
    vector = {
        "type": "knn_vector",
        "dimension": dimension,
        # of unit vectors, the inner product is the cosine; it takes a vector of zeros too
        "method": {
            "name": "hnsw",
            "engine": "lucene",
            "space_type": "innerproduct",
            "parameters": {"m": 16, "ef_construction": 100},
        },
    }
    return {
        "aliases": aliases,
        "mappings": {"_meta": {"seoga": meta}, "properties": {"vector": vector}},
    }


def _settings(settings: IndexSettings) -> dict[str, Any]:
    return {
        "index.knn": True,
        "index.number_of_shards": settings.shards,
        "index.number_of_replicas": settings.replicas,
        # what a bulk request wrote becomes visible by the refresh at its end, not by a clock
        "index.refresh_interval": -1,
        # a late write of an overtaken publisher must meet the tombstone of its chunk
        "index.gc_deletes": "10m",
        "index.merge.policy.deletes_pct_allowed": 15,
        "index.mapping.total_fields.limit": 100,
        "index.similarity.seoga.type": "scripted",
        "index.similarity.seoga.script.source": _BM25,
    }


def _mapping() -> dict[str, Any]:
    keyword = {"type": "keyword"}
    name = {"type": "keyword", "ignore_above": 8000}
    stored = {"type": "keyword", "index": False, "doc_values": False}
    shown = {"type": "keyword", "index": False}
    day = {"type": "date", "format": "strict_date", "null_value": _EVER}
    terms = {
        "type": "text",
        "analyzer": "whitespace",
        "similarity": "seoga",
        "index_options": "freqs",
    }
    chunk = {f"terms_{field}": terms for field in FIELDS} | {
        "key": shown,
        "ordinal": {"type": "integer"},
        "layer": keyword,
        "text": {"type": "text", "analyzer": "cjk"},
        "text_key": keyword,
    }
    row = {
        "row_number": {"type": "long", "index": False, "doc_values": False},
        "document_id": name,
        "version_id": name,
        "scope": {"type": "integer"},
        "access_scope": name,
        "groups": shown | {"ignore_above": 8000},
        "ancestors": name,
        "status": keyword,
        "effective_from": day,
        "successors": {
            "type": "nested",
            "dynamic": "strict",
            "properties": {
                "document": keyword,
                "scope": {"type": "integer"},
                "effective_from": day,
            },
        },
        "title": {"type": "text", "analyzer": "cjk"},
        "path": name,
        "path_keys": keyword,
    } | dict.fromkeys(
        (
            "document_type",
            "department",
            "source",
            "format",
            "language",
            "security_level",
            "revision",
            "codes",
        ),
        name,
    )
    head = {
        "head": keyword,
        "generation": shown,
        "pending": {"type": "boolean"},
        "live": {"type": "boolean"},
        "chunks": {"type": "integer"},
    }
    scope = {"scope_number": {"type": "integer"}}
    common = {"document": keyword, "record": stored}
    return {
        "dynamic": "strict",
        "_routing": {"required": True},
        "properties": common | chunk | row | head | scope,
    }
