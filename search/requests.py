"""Requests as they must be, and the filter that they mean. Pure."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from contracts.errors import QueryError
from contracts.search import FACETS, SearchFilter
from contracts.versions import DOCUMENT_TYPES

if TYPE_CHECKING:
    from datetime import date

    from contracts.search import SearchRequest
    from search.service import AccessView

__all__ = ["FILTERS", "checked", "filter_of"]

FILTERS = (
    "department",
    "source",
    "format",
    "code",
    "language",
    "path",
    "security_level",
    "revision",
)
"""Filter keys that a request may use."""

_LONGEST_QUERY = 2000
_MOST_HITS = 100


def checked(request: SearchRequest) -> SearchRequest:
    """The request with clean text.

    Raises:
        QueryError: with what to correct.
    """
    query, reader = _clean(request.query).strip(), _clean(request.reader).strip()
    if not 1 <= len(query) <= _LONGEST_QUERY:
        raise QueryError(
            f"질의는 1~{_LONGEST_QUERY}자입니다 (a query has 1 to {_LONGEST_QUERY} characters, not {len(query)})"
        )
    if not reader:
        raise QueryError(
            "사용자 이름이 없습니다 (no reader)",
            advice="누구로 검색하는지 지정하세요 (name a reader)",
        )
    if not 1 <= request.top <= _MOST_HITS:
        raise QueryError(
            f"top은 1~{_MOST_HITS}입니다 (top is 1 to {_MOST_HITS}, not {request.top})"
        )
    if request.start < 0:
        raise QueryError(f"start는 0 이상입니다 (start is 0 or more, not {request.start})")
    if not request.layers:
        raise QueryError("검색할 층이 없습니다 (no layers to search)")
    filters = tuple((name, _clean(value).strip()) for name, value in request.filters)
    for name, value in filters:
        if name not in FILTERS:
            raise QueryError(
                f"없는 필터입니다 (there is no filter {_clean(name)!r})",
                advice=f"쓸 수 있는 필터 (use one of): {', '.join(FILTERS)}",
            )
        if not value:
            raise QueryError(f"필터 {name}의 값이 비었습니다 (the filter {name} has no value)")
    types = tuple(_clean(name) for name in request.types)
    _check_known("문서 종류", "document type", types, DOCUMENT_TYPES)
    _check_known("집계", "facet", request.facets, FACETS)
    return replace(request, query=query, reader=reader, filters=filters, types=types)


def _check_known(korean: str, english: str, given: tuple[str, ...], known: tuple[str, ...]) -> None:
    for name in given:
        if name not in known:
            raise QueryError(
                f"없는 {korean}입니다 (there is no {english} {_clean(name)!r})",
                advice=f"쓸 수 있는 값 (use one of): {', '.join(known)}",
            )


def _clean(text: str) -> str:
    """Without NUL and lone surrogates, which neither databases nor JSON carry."""
    return text.replace("\0", " ").encode("utf-8", "replace").decode("utf-8")


def filter_of(request: SearchRequest, view: AccessView, today: date) -> SearchFilter:
    """The filter of both legs: what the reader may see now, and what the request asks for."""
    as_of = request.as_of or today
    return SearchFilter(
        scopes=view.scopes,
        hidden_documents=view.hidden_documents,
        include_obsolete=request.include_obsolete,
        as_of=as_of,
        looks_back=as_of < today,
        types=frozenset(request.types),
        fields=request.filters,
        layers=frozenset(request.layers),
    )
