"""Hooks of schemathesis: half of what it sends is about readers, documents and passages that there are.

A random reader is nobody, and a random id no document: without this only refusals would be tried. Which half is
decided by the generated value itself, so that a failing case is found again. ``SEOGA_SCHEMA_KNOWN`` is JSON:
``readers``, and ``passages`` as pairs of document and passage.
"""

from __future__ import annotations

import json
import os
import zlib
from typing import Any

import schemathesis

KNOWN: dict[str, Any] = json.loads(os.environ["SEOGA_SCHEMA_KNOWN"])

_FITS = 64
"""Characters of an id that no path of the API finds too long."""


def _lot(value: Any, most: int) -> int:
    return zlib.crc32(repr(value).encode("utf-8", "replace")) % most


def _fits(value: Any) -> bool:
    """Whether a value is none that was made wrong on purpose: empty, blank, odd or long."""
    return isinstance(value, str) and 0 < len(value.strip()) <= _FITS and value.isprintable()


def _may_be_named(reader: Any) -> bool:
    return reader is None or _fits(reader)


@schemathesis.hook
def map_body(_context: Any, body: Any) -> Any:
    """Known readers and citations in bodies; what is wrong on purpose stays so."""
    named = isinstance(body, dict) and _may_be_named(body.get("reader"))
    if named and _lot(body, 2):
        body = {**body, "reader": KNOWN["readers"][_lot(body, len(KNOWN["readers"]))]}
    if isinstance(body, dict) and _fits(body.get("citation")) and _lot(body["citation"], 2):
        body = {**body, "citation": "-".join(KNOWN["passages"][_lot(body, len(KNOWN["passages"]))])}
    return body


@schemathesis.hook
def map_query(_context: Any, query: Any) -> Any:
    """Known readers in addresses."""
    named = isinstance(query, dict) and _may_be_named(query.get("reader"))
    if named and _lot(query, 2):
        query = {**query, "reader": KNOWN["readers"][_lot(query, len(KNOWN["readers"]))]}
    return query


@schemathesis.hook
def map_path_parameters(_context: Any, values: Any) -> Any:
    """Known documents and passages in paths; what is wrong on purpose stays so."""
    if isinstance(values, dict) and all(map(_fits, values.values())) and _lot(values, 2):
        document, passage = KNOWN["passages"][_lot(values, len(KNOWN["passages"]))]
        known = {"document_id": document, "chunk_id": passage, "citation": f"{document}-{passage}"}
        values = {name: known.get(name, value) for name, value in values.items()}
    return values
