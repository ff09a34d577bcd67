"""A filter as a query: the rules of docs/filter-semantics.md."""

from __future__ import annotations

import base64
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from contracts.documents import Layer
from contracts.errors import QueryError
from search.backends.opensearch.heads import document_key
from search.backends.opensearch.roaring import roaring
from search.backends.opensearch.rows import FIELDS, path_key
from search.backends.values import folded, path_bytes

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from contracts.search import SearchFilter

__all__ = ["filter_clauses", "scope_clause", "scope_forms"]

_MOST_TERMS = 50_000
"""Values of one ``terms`` clause; the server's limit is 65,536."""

_LISTED_SCOPES = 64
"""Scopes up to which they are listed; figures in docs/reports/opensearch.md."""

Query = dict[str, Any]


def filter_clauses(where: SearchFilter, scopes: Sequence[int]) -> list[Query]:
    """Clauses that all hold for a chunk that passes.

    Args:
        where: The filter.
        scopes: Numbers of its scopes, in order; at least one.

    Raises:
        QueryError: a filter field that there is not.
    """
    clauses = [scope_clause("scope", scopes)]
    hidden = [document_key(name) for name in where.hidden_documents]
    if hidden:
        clauses.append(_none_of("document", hidden))
    if not where.include_obsolete:
        clauses += _default_view(where, scopes, hidden)
    if where.types:
        clauses.append({"terms": {"document_type": _texts(where.types)}})
    if len(where.layers) < len(Layer):
        clauses.append({"terms": {"layer": sorted(layer.value for layer in where.layers)}})
    fields: dict[str, list[str]] = {}
    for name, value in where.fields:
        fields.setdefault(name, []).append(value)
    clauses += [clause for name, wanted in fields.items() for clause in _field(name, wanted)]
    return clauses


def scope_clause(field: str, numbers: Sequence[int]) -> Query:
    """One of these scopes: a short list, or a bitmap, which has a few kilobytes for 50,000 of them."""
    if len(numbers) <= _LISTED_SCOPES:
        return {"terms": {field: list(numbers)}}
    return {"terms": {field: [_bitmap(tuple(numbers))], "value_type": "bitmap"}}


@lru_cache(maxsize=64)
def _bitmap(numbers: tuple[int, ...]) -> str:
    return base64.b64encode(roaring(numbers)).decode()


def scope_forms(numbers: Sequence[int], names: Iterable[str]) -> dict[str, Query]:
    """The same scopes in every form that was measured (docs/reports/opensearch.md)."""
    return {
        "list of names": {"terms": {"access_scope": sorted(names)}},
        "list of numbers": {"terms": {"scope": list(numbers)}},
        "bitmap": {"terms": {"scope": [_bitmap(tuple(numbers))], "value_type": "bitmap"}},
    }


def _default_view(where: SearchFilter, scopes: Sequence[int], hidden: list[str]) -> list[Query]:
    day = where.as_of.isoformat()

    def successor(**days: str) -> Query:
        """A readable one that is in force from these days on."""
        clauses: list[Query] = [
            scope_clause("successors.scope", scopes),
            {"range": {"successors.effective_from": days}},
        ]
        if hidden:
            clauses.append(_none_of("successors.document", hidden))
        return {"nested": {"path": "successors", "query": {"bool": {"filter": clauses}}}}

    standing: Query = {"terms": {"status": ["current", "unknown"]}}
    if where.looks_back:
        retired = {"bool": {"filter": [{"term": {"status": "obsolete"}}, successor(gt=day)]}}
        standing = {"bool": {"should": [standing, retired], "minimum_should_match": 1}}
    return [
        standing,
        {"range": {"effective_from": {"lte": day}}},
        {"bool": {"must_not": [successor(lte=day)]}},
    ]


def _none_of(field: str, values: list[str]) -> Query:
    parts = range(0, len(values), _MOST_TERMS)
    return {
        "bool": {"must_not": [{"terms": {field: values[at : at + _MOST_TERMS]}} for at in parts]}
    }


def _field(name: str, wanted: list[str]) -> list[Query]:
    """Any of the values of one filter field."""
    if name in FIELDS:
        return [{"terms": {name: _texts(folded(value) for value in wanted)}}]
    if name == "code":
        return [{"terms": {"codes": _texts(folded(value) for value in wanted)}}]
    if name == "path":
        paths = [path_bytes(value).strip(b"/") for value in wanted]
        return [{"terms": {"path_keys": [path_key(path) for path in paths]}}] if all(paths) else []
    raise QueryError(
        f"there is no filter {name!r}",
        advice=f"use one of {', '.join(sorted({*FIELDS, 'code', 'path'}))}",
    )


def _texts(values: Iterable[str] | Collection[str]) -> list[str]:
    return sorted({value.encode("utf-8", "replace").decode() for value in values})
