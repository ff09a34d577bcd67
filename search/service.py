"""A query to passages: access, both legs, one ranking, citations, audit."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date, datetime
from functools import partial
from typing import TYPE_CHECKING, Protocol

from contracts.errors import IndexUnavailableError
from contracts.search import SearchResponse
from contracts.tracing import span
from search.analysis import GRAM
from search.clock import Clock
from search.dictionary import Dictionary
from search.evidence import EvidenceReader
from search.facets import counted
from search.hits import hit_of, readable
from search.legs import both_legs
from search.opening import OpenedDocument, Opener, OpeningRequest
from search.ranking import Ranked, read_best, spread, to_read
from search.requests import checked, filter_of
from search.reranking import Reranker, reranked
from search.suggestions import suggestion
from search.tools import CurrentTools, QueryAnalysis, SearchTools
from search.understanding import Understood, understand, with_operators

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from contextlib import AbstractContextManager

    from contracts.ports import Embedder, IndexBackend
    from contracts.search import Hit, SearchFilter, SearchRequest
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
        dictionary: Synonyms of now.
        reranker: Judges the best passages; None: nobody does.
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
        dictionary: Callable[[], Dictionary] = Dictionary,
        reranker: Reranker | None = None,
    ) -> None:
        self._reranker = reranker
        self._dictionary = dictionary
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
        with span("search", top=request.top) as seen:
            found = self._find(request)
            seen.set("hits", len(found.response.hits))
        return found

    def _find(self, request: SearchRequest) -> Findings:
        searched, operators = with_operators(request)
        clock = Clock()
        hits: tuple[Hit, ...] = ()
        epoch = -1
        try:
            with clock.stage("access"):
                view = self._access.filter_for(request.reader, request.restrict_groups)
            epoch = view.epoch
            where = filter_of(searched, view, self._today())
            found = self._found(searched, where, clock)
            hits = found.hits
        finally:
            documents = tuple(dict.fromkeys(hit.document_id for hit in hits))
            self._audit.record(request, documents, clock.total(), epoch)
        response = SearchResponse(
            query=request.query,
            reader=request.reader,
            hits=hits,
            more=found.more,
            facets=found.facets,
            took_ms=clock.stages | {"total": clock.total()},
            understood=operators + found.asked.readings,
            suggestion=suggestion(found.asked.text, found.read, found.reader),
        )
        return Findings(response, tuple(found.read), found.question, found.reader)

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

    def check(self, reader: str) -> None:
        """Make sure that a directory knows a reader.

        Raises:
            UnknownReaderError: none does.
        """
        self._access.filter_for(reader)

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
        timed = stage or Clock().stage
        tools = self._tools.now
        asked = self._understood(tools, query, where, timed)
        ranked = both_legs(tools, asked, where, self._settings, timed)
        return self._read(tools, asked, ranked, where, timed)

    def question(self, text: str) -> Question:
        """A question in terms, as passages are read for it."""
        expansions = self._dictionary().expansions(text)
        return self._readers.of(self._tools.now.analyzer).question(text, expansions)

    def _found(self, request: SearchRequest, where: SearchFilter, clock: Clock) -> _Found:
        """Hits of the index that serves: one that was replaced meanwhile may hold permissions of before."""
        while True:
            with self._tools.use() as tools:
                try:
                    found = self._found_in(tools, request, where, clock.stage)
                except IndexUnavailableError:
                    if not tools.index.replaced():
                        raise
                else:
                    if not tools.index.replaced():
                        return found
            with clock.stage("renew"):
                self._tools.renew(tools)

    def _found_in(
        self,
        tools: SearchTools,
        request: SearchRequest,
        where: SearchFilter,
        stage: Callable[[str], AbstractContextManager[None]],
    ) -> _Found:
        """The best that are still there and still readable; what was deleted meanwhile is made up for."""
        reader = self._readers.of(tools.analyzer)
        # nothing is looked up for whom nothing is there, so no time tells of it
        asked = Understood(text=request.query)
        ranked: list[Fused] = []
        if where.scopes:
            asked = self._understood(tools, request.query, where, stage)
            ranked = both_legs(tools, asked, where, self._settings, stage)
        read = self._read(tools, asked, ranked, where, stage)
        best = spread(read)
        with stage("fetch"):
            known = {fused.key for fused in to_read(ranked)}
            rest = [fused for fused in ranked if fused.key not in known]
            last = request.start + request.top
            for start in range(0, len(rest), request.top):
                if len(best) > last and not request.facets:
                    break
                part = {fused.key: fused for fused in rest[start : start + request.top]}
                # the row may have been updated between the legs and now
                stored = (s for s in tools.index.fetch(list(part)) if readable(s, where))
                best += [Ranked(found, part[found.key]) for found in stored]
        shown = enumerate(best[request.start : last], start=request.start + 1)
        return _Found(
            read,
            tuple(hit_of(number, ranked, where) for number, ranked in shown),
            len(best) > last,
            counted((one.stored.row for one in best), request.facets),
            asked,
            reader.question(asked.text, asked.expansions),
            reader,
        )

    def _understood(
        self,
        tools: SearchTools,
        query: str,
        where: SearchFilter,
        stage: Callable[[str], AbstractContextManager[None]],
    ) -> Understood:
        def found(word: str) -> bool:
            terms = {t: 1.0 for t in tools.analyzer.query(word) if not t.startswith(GRAM)}
            return bool(terms) and bool(tools.index.lexical(terms, where, 1))

        with stage("understand"):
            return understand(query, self._dictionary(), found)

    def _read(
        self,
        tools: SearchTools,
        asked: Understood,
        ranked: Sequence[Fused],
        where: SearchFilter,
        stage: Callable[[str], AbstractContextManager[None]],
    ) -> list[Ranked]:
        with stage("read"):
            reader = self._readers.of(tools.analyzer)
            question = reader.question(asked.text, asked.expansions)
            fits = partial(readable, where=where)
            read = read_best(tools.index, reader, question, ranked, fits, asked)
        if self._reranker is None:
            return read
        with stage("rerank"):
            return reranked(asked.text, read, self._reranker, self._settings.reranker_weight)


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
    asked: Understood
    question: Question
    reader: EvidenceReader


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
