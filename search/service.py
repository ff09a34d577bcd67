"""A query to passages: access, both legs, one ranking, citations, audit."""

from __future__ import annotations

import time
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from datetime import date, datetime
from typing import TYPE_CHECKING, Protocol

from contracts.errors import IndexUnavailableError, QueryError
from contracts.search import Hit, SearchFilter, SearchResponse
from search.citations import citation, status_for
from search.fusion import fuse
from search.tools import CurrentTools, QueryAnalysis, SearchTools

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from contracts.ports import Embedder, IndexBackend
    from contracts.search import Candidate, SearchRequest, StoredChunk
    from contracts.settings import SearchSettings
    from search.fusion import Fused

__all__ = ["FILTERS", "Access", "AccessView", "Audit", "QueryAnalysis", "Searcher"]

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


class AccessView(Protocol):
    """What one reader may see now."""

    @property
    def scopes(self) -> frozenset[str]:
        """Scopes that the reader passes."""
        ...

    @property
    def hidden_documents(self) -> frozenset[str]:
        """Documents that nobody sees for now."""
        ...

    @property
    def epoch(self) -> int:
        """Access epoch that this holds for."""
        ...


class Access(Protocol):
    """Who may see what, now."""

    def filter_for(self, reader: str, restrict_groups: tuple[str, ...] = ()) -> AccessView:
        """What a reader may see, narrowed to what each of the groups could read.

        Raises:
            UnknownReaderError: nobody of that name.
            DirectoryDownError: the directory does not answer and its grace time is over.
        """
        ...


class Audit(Protocol):
    """Keeps every query; one that cannot be kept is not answered."""

    def record(
        self, request: SearchRequest, document_ids: tuple[str, ...], took_ms: float, epoch: int
    ) -> None:
        """Keep who asked what, and which documents were returned.

        Args:
            request: As asked.
            document_ids: Documents of the hits, best first, each once; empty where the query failed.
            took_ms: Milliseconds until the answer was ready.
            epoch: Access epoch of the answer, −1 where the reader was refused.
        """
        ...


class Searcher:
    """Answers queries for readers. Safe for use by several threads.

    Args:
        index: Where passages are.
        embedder: The one that the index was made with.
        analyzer: The one that the index was made with.
        access: Who may see what.
        audit: Keeps every query.
        settings: Ranking.
        today: The day where a request names none.
        renew: Opens the tools of the index that serves, where it was rebuilt; None: searches end there.
    """

    def __init__(  # noqa: PLR0913  the parts of a search, each once
        self,
        index: IndexBackend,
        embedder: Embedder,
        analyzer: QueryAnalysis,
        access: Access,
        audit: Audit,
        settings: SearchSettings,
        *,
        today: Callable[[], date] = lambda: datetime.now().astimezone().date(),
        renew: Callable[[], SearchTools] | None = None,
    ) -> None:
        self._tools = CurrentTools(SearchTools(index, embedder, analyzer), renew)
        self._access = access
        self._audit = audit
        self._settings = settings
        self._today = today

    def search(self, request: SearchRequest) -> SearchResponse:
        """The best passages that the reader may read.

        Every well-formed query is audited, a refused one too.

        Raises:
            QueryError: the request is not well-formed; nothing is audited.
            UnknownReaderError: nobody of that name.
            DirectoryDownError: the directory does not answer.
            IndexUnavailableError: the index does not answer.
        """
        request = _checked(request)
        clock = _Clock()
        hits: tuple[Hit, ...] = ()
        epoch = -1
        try:
            with clock.stage("access"):
                view = self._access.filter_for(request.reader, request.restrict_groups)
            epoch = view.epoch
            where = _filter(request, view, request.as_of or self._today())
            hits = self._found(request, where, clock)
        finally:
            documents = tuple(dict.fromkeys(hit.document_id for hit in hits))
            self._audit.record(request, documents, clock.total(), epoch)
        took = clock.stages | {"total": clock.total()}
        return SearchResponse(query=request.query, reader=request.reader, hits=hits, took_ms=took)

    @property
    def index(self) -> IndexBackend:
        """The index that serves now."""
        return self._tools.now.index

    def stats(self) -> dict[str, int]:
        """Figures of the index that serves now, as ``IndexBackend.stats`` gives them.

        Raises:
            IndexUnavailableError: it does not answer.
        """
        while True:
            with self._tools.use() as tools:
                if not tools.index.replaced():
                    return tools.index.stats()
            self._tools.renew(tools)

    def close(self) -> None:
        """Close the index."""
        self._tools.close()

    def rank(
        self,
        query: str,
        where: SearchFilter,
        stage: Callable[[str], AbstractContextManager[None]] | None = None,
    ) -> list[Fused]:
        """Candidates of both legs within a filter, best first; the caller has checked access.

        Args:
            query: Query text.
            where: Filter of both legs.
            stage: Times a stage by name.
        """
        return self._rank(self._tools.now, query, where, stage or _Clock().stage)

    def _found(self, request: SearchRequest, where: SearchFilter, clock: _Clock) -> tuple[Hit, ...]:
        """Hits of the index that serves: one that was replaced meanwhile may hold permissions of before."""
        while True:
            with self._tools.use() as tools:
                try:
                    ranked = self._rank(tools, request.query, where, clock.stage)
                    with clock.stage("fetch"):
                        hits = self._hits(tools.index, ranked, where, request.top)
                except IndexUnavailableError:
                    if not tools.index.replaced():
                        raise
                else:
                    if not tools.index.replaced():
                        return hits
            with clock.stage("renew"):
                self._tools.renew(tools)

    def _rank(
        self,
        tools: SearchTools,
        query: str,
        where: SearchFilter,
        stage: Callable[[str], AbstractContextManager[None]],
    ) -> list[Fused]:
        weight, limit = self._settings.vector_weight, self._settings.candidates
        lexical: list[Candidate] = []
        cosines: dict[int | str, float] = {}
        if weight < 1:
            with stage("analyse"):
                terms = tools.analyzer.query(query)
            with stage("lexical"):
                lexical = tools.index.lexical(terms, where, limit)
        if weight > 0:
            with stage("embed"):
                vector = tools.embedder.embed_query(query)
            with stage("vector"):
                nearest = tools.index.nearest(vector, where, limit)
                cosines = {candidate.key: candidate.score for candidate in nearest}
                others = [c.key for c in lexical if c.key not in cosines]
                cosines |= tools.index.similarities(vector, others)
        with stage("fuse"):
            return fuse(lexical, cosines, weight)

    def _hits(
        self, index: IndexBackend, ranked: Sequence[Fused], where: SearchFilter, top: int
    ) -> tuple[Hit, ...]:
        """The best that are still there and still readable; what was deleted meanwhile is made up for."""
        hits: list[Hit] = []
        scores = {fused.key: fused for fused in ranked}
        for start in range(0, len(ranked), top):
            keys = [fused.key for fused in ranked[start : start + top]]
            for stored in index.fetch(keys):
                # the row may have been updated between the legs and now
                if _readable(stored, where) and len(hits) < top:
                    hits.append(_hit(len(hits) + 1, stored, scores[stored.key], where))
            if len(hits) == top:
                break
        return tuple(hits)


class _Clock:
    """Milliseconds by stage."""

    def __init__(self) -> None:
        self._start = time.perf_counter()
        self.stages: dict[str, float] = {}

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Add the time of the block to a stage."""
        start = time.perf_counter()
        try:
            yield
        finally:
            spent = (time.perf_counter() - start) * 1000
            self.stages[name] = self.stages.get(name, 0.0) + spent

    def total(self) -> float:
        """Since the beginning."""
        return (time.perf_counter() - self._start) * 1000


def _checked(request: SearchRequest) -> SearchRequest:
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
    return replace(request, query=query, reader=reader, filters=filters, types=types)


def _clean(text: str) -> str:
    """Without NUL and lone surrogates, which neither databases nor JSON carry."""
    return text.replace("\0", " ").encode("utf-8", "replace").decode("utf-8")


def _shown(name: str) -> str:
    """A name as people may see it; undecodable bytes become U+FFFD."""
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def _filter(request: SearchRequest, view: AccessView, as_of: date) -> SearchFilter:
    return SearchFilter(
        scopes=view.scopes,
        hidden_documents=view.hidden_documents,
        include_obsolete=request.include_obsolete,
        as_of=as_of,
        types=frozenset(request.types),
        fields=request.filters,
        layers=frozenset(request.layers),
    )


def _readable(stored: StoredChunk, where: SearchFilter) -> bool:
    row = stored.row
    return row.scope_id in where.scopes and row.document_id not in where.hidden_documents


def _hit(rank: int, stored: StoredChunk, fused: Fused, where: SearchFilter) -> Hit:
    chunk, row = stored.chunk, stored.row
    status = status_for(row, where.scopes, where.hidden_documents, where.as_of)
    return Hit(
        rank=rank,
        document_id=row.document_id,
        chunk_id=chunk.chunk_id,
        title=_shown(row.title),
        path=_shown(row.path),
        source_link=_shown(row.source_link),
        type=row.document_type,
        status=status,
        revision=row.revision,
        layer=chunk.layer.value,
        text=chunk.text,
        citation=citation(chunk, row, status, where.as_of),
        context=_shown(chunk.title_prefix),
        stale=row.stale,
        score=_score(fused),
    )


def _score(fused: Fused) -> dict[str, float]:
    parts = {"total": fused.score, "lexical": fused.lexical, "vector": fused.vector}
    parts["bm25"] = fused.bm25
    if fused.cosine is not None:
        parts["cosine"] = fused.cosine
    return parts
