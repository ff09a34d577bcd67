"""A query to passages: access, both legs, one ranking, citations, audit."""

from __future__ import annotations

import time
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from datetime import date, datetime
from typing import TYPE_CHECKING, Protocol

from contracts.errors import IndexUnavailableError
from contracts.search import SearchResponse
from search.evidence import EvidenceReader
from search.facets import counted
from search.fusion import fuse
from search.hits import hit_of, readable
from search.opening import OpenedDocument, Opener, OpeningRequest
from search.ranking import READ, Ranked, read_best, spread
from search.requests import checked, filter_of
from search.tools import CurrentTools, QueryAnalysis, SearchTools

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from contracts.ports import Embedder, IndexBackend
    from contracts.search import Candidate, Hit, SearchFilter, SearchRequest
    from contracts.settings import SearchSettings
    from search.evidence import Question
    from search.fusion import Fused

__all__ = ["Access", "AccessView", "Audit", "Findings", "QueryAnalysis", "Searcher"]


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
        self._readers = _Readers()
        self._access = access
        self._audit = audit
        self._settings = settings
        self._today = today
        self.opener = Opener(self._tools, access, audit, today)

    def search(self, request: SearchRequest) -> SearchResponse:
        """The best passages that the reader may read; see :meth:`find`."""
        return self.find(request).response

    def find(self, request: SearchRequest) -> Findings:
        """The best passages that the reader may read, with how they were read.

        Every well-formed query is audited, a refused one too.

        Raises:
            QueryError: the request is not well-formed; nothing is audited.
            UnknownReaderError: nobody of that name.
            DirectoryDownError: the directory does not answer.
            IndexUnavailableError: the index does not answer.
        """
        request = checked(request)
        clock = _Clock()
        hits: tuple[Hit, ...] = ()
        epoch = -1
        try:
            with clock.stage("access"):
                view = self._access.filter_for(request.reader, request.restrict_groups)
            epoch = view.epoch
            where = filter_of(request, view, request.as_of or self._today())
            found, reader = self._found(request, where, clock)
            hits = found.hits
        finally:
            documents = tuple(dict.fromkeys(hit.document_id for hit in hits))
            self._audit.record(request, documents, clock.total(), epoch)
        took = clock.stages | {"total": clock.total()}
        response = SearchResponse(
            query=request.query,
            reader=request.reader,
            hits=hits,
            more=found.more,
            facets=found.facets,
            took_ms=took,
        )
        return Findings(response, tuple(found.read), reader.question(request.query), reader)

    @property
    def index(self) -> IndexBackend:
        """The index that serves now."""
        return self._tools.now.index

    def open(
        self, document_id: str, reader: str, start: int = 1, most: int = 20, via: str = ""
    ) -> OpenedDocument:
        """Some of a document's passages; see :meth:`search.opening.Opener.open`."""
        asked = OpeningRequest(document_id=document_id, reader=reader, start=start, most=most)
        return self.opener.open(replace(asked, via=via))

    @property
    def tools(self) -> SearchTools:
        """Index, embedder and analyzer of now."""
        return self._tools.now

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
    ) -> list[Ranked]:
        """The best candidates of both legs within a filter, read and ordered; the caller has checked access.

        Args:
            query: Query text.
            where: Filter of both legs.
            stage: Times a stage by name.
        """
        timed = stage or _Clock().stage
        ranked = self._rank(self._tools.now, query, where, timed)
        return self._read(self._tools.now, query, ranked, where, timed)

    def question(self, text: str) -> Question:
        """A question in terms, as passages are read for it."""
        return self._readers.of(self._tools.now.analyzer).question(text)

    def _found(
        self, request: SearchRequest, where: SearchFilter, clock: _Clock
    ) -> tuple[_Found, EvidenceReader]:
        """Hits of the index that serves: one that was replaced meanwhile may hold permissions of before."""
        while True:
            with self._tools.use() as tools:
                try:
                    # nothing is looked up for whom nothing is there, so no time tells of it
                    ranked = (
                        self._rank(tools, request.query, where, clock.stage) if where.scopes else []
                    )
                    found = self._hits(tools, request, ranked, where, clock.stage)
                except IndexUnavailableError:
                    if not tools.index.replaced():
                        raise
                else:
                    if not tools.index.replaced():
                        return found, self._readers.of(tools.analyzer)
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

    def _read(
        self,
        tools: SearchTools,
        query: str,
        ranked: Sequence[Fused],
        where: SearchFilter,
        stage: Callable[[str], AbstractContextManager[None]],
    ) -> list[Ranked]:
        with stage("read"):
            reader = self._readers.of(tools.analyzer)
            question = reader.question(query)
            return read_best(tools.index, reader, question, ranked, lambda s: readable(s, where))

    def _hits(
        self,
        tools: SearchTools,
        request: SearchRequest,
        ranked: Sequence[Fused],
        where: SearchFilter,
        stage: Callable[[str], AbstractContextManager[None]],
    ) -> _Found:
        """The best that are still there and still readable; what was deleted meanwhile is made up for."""
        read = self._read(tools, request.query, ranked, where, stage)
        best = spread(read)
        last = request.start + request.top
        with stage("fetch"):
            rest = ranked[READ:]
            for start in range(0, len(rest), request.top):
                if len(best) > last and not request.facets:
                    break
                part = {fused.key: fused for fused in rest[start : start + request.top]}
                # the row may have been updated between the legs and now
                found = (s for s in tools.index.fetch(list(part)) if readable(s, where))
                best += [Ranked(stored, part[stored.key]) for stored in found]
        shown = enumerate(best[request.start : last], start=request.start + 1)
        return _Found(
            read,
            tuple(hit_of(number, ranked, where) for number, ranked in shown),
            len(best) > last,
            counted((one.stored.row for one in best), request.facets),
        )


@dataclass(frozen=True, slots=True)
class Findings:
    """What a search found, and how it was read.

    Attributes:
        response: As the caller gets it.
        by_score: The passages that were read, best first, copies and all.
        question: The question in terms.
        reader: Has read them.
    """

    response: SearchResponse
    by_score: tuple[Ranked, ...]
    question: Question
    reader: EvidenceReader


@dataclass(frozen=True, slots=True)
class _Found:
    read: list[Ranked]
    hits: tuple[Hit, ...]
    more: bool
    facets: dict[str, tuple[tuple[str, int], ...]]


class _Readers:
    """Readers of passages, one an analyzer: what one analyzer made is nothing to another."""

    def __init__(self) -> None:
        self._now: tuple[QueryAnalysis, EvidenceReader] | None = None

    def of(self, analyzer: QueryAnalysis) -> EvidenceReader:
        """The reader of an analyzer, with what it has read before."""
        now = self._now
        if now is None or now[0] is not analyzer:
            now = self._now = analyzer, EvidenceReader(analyzer)
        return now[1]


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
