"""Canaries: a document of our own in a source, whose right is taken away and given back, to measure how soon it shows.

Opt-in (``canary``, ``canary_reader``), and the only thing that is ever written to a source. Measured is the whole way: from
the change of the file's mode until a search as the reader no longer, or again, finds the document's random word.
"""

from __future__ import annotations

import secrets
import statistics
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import structlog

from catalog.text import from_json, to_json
from catalog.times import parse_utc, utc_now
from contracts.errors import SeogaError
from contracts.search import SearchRequest
from contracts.settings import SourceSettings
from search.requests import filter_of

if TYPE_CHECKING:
    import threading
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from catalog.catalog import Catalog
    from contracts.search import SearchFilter
    from search.ranking import Ranked
    from search.service import Access, Searcher

__all__ = ["Canary", "CanaryKeeper", "canary_of", "keep_canaries", "quantile"]

FILE = "seoga-canary.txt"
_OPEN, _CLOSED = 0o644, 0o600
_KEPT = 100
_TICK_SECONDS = 5.0
_P95 = 19

_log = structlog.get_logger()


@dataclass(frozen=True, slots=True, kw_only=True)
class Canary:
    """Where the measuring of one source stands.

    Attributes:
        state: ``waiting`` (written, not found yet), ``open``, ``closed`` (taken away, perhaps still found) or
            ``returning`` (given back, not found again yet).
        token: The word that is searched for.
        since: When this state began, UTC text.
        revoked: Seconds from taking away until no search found it, the latest last; at most a hundred.
        returned: The same, from giving back until it was found.
        problem: What is wrong, or "".
    """

    state: str = ""
    token: str = ""
    since: str = ""
    revoked: tuple[float, ...] = ()
    returned: tuple[float, ...] = ()
    problem: str = ""

    def waits(self, now: str | None = None) -> float:
        """Seconds that a search has shown for too long what was taken away, so far; 0.0: nothing is awaited."""
        if self.state != "closed":
            return 0.0
        return (parse_utc(now or utc_now()) - parse_utc(self.since)).total_seconds()


def canary_of(catalog: Catalog, source: str) -> Canary:
    """As it was last noted."""
    return from_json(catalog.meta.get(_key(source), "{}"), Canary)


def quantile(seconds: Iterable[float]) -> float:
    """The 95th percentile (of few values the largest); 0.0 of none."""
    found = sorted(seconds)
    if len(found) <= _P95:
        return found[-1] if found else 0.0
    return statistics.quantiles(found, n=20, method="inclusive")[-1]


@dataclass(slots=True)
class CanaryKeeper:
    """Takes the canary of one source a step further.

    Attributes:
        catalog: Remembers where it stands.
        source: Its settings.
        finds: Whether a search as the reader finds a word.
        clock: Now, as UTC text.
    """

    catalog: Catalog
    source: SourceSettings
    finds: Callable[[str], bool]
    clock: Callable[[], str] = field(default=utc_now)

    def step(self) -> Canary:
        """Look, and do what comes next."""
        known = canary_of(self.catalog, self.source.name)
        try:
            found = replace(self._next(known), problem="")
        except (OSError, SeogaError) as problem:
            found = replace(known, problem=str(problem))
        if found != known:
            self.catalog.meta.set(_key(self.source.name), to_json(found))
            if found.problem and found.problem != known.problem:
                _log.warning("canary_fails", source=self.source.name, reason=found.problem)
        return found

    def _next(self, known: Canary) -> Canary:
        path, now = self._path(), self.clock()
        if not known.token or not path.exists():
            return self._write(path, replace(known, token=secrets.token_hex(8)), now)
        spent = (parse_utc(now) - parse_utc(known.since)).total_seconds()
        if known.state == "open":
            return self._closed(path, known, now) if self._due(known, now) else known
        shown = self.finds(known.token)
        if known.state == "closed" and not shown:
            path.chmod(_OPEN)
            revoked = (*known.revoked, spent)[-_KEPT:]
            return replace(known, state="returning", since=now, revoked=revoked)
        if known.state == "returning" and shown:
            returned = (*known.returned, spent)[-_KEPT:]
            return replace(known, state="open", since=now, returned=returned)
        if known.state == "waiting" and shown:
            return replace(known, state="open", since=now)
        return known

    def _path(self) -> Path:
        return self.source.folder / self.source.canary / FILE

    def _write(self, path: Path, canary: Canary, now: str) -> Canary:
        path.parent.mkdir(mode=0o755, parents=True, exist_ok=True)
        path.parent.chmod(0o755)
        text = f"서가가 권한을 시험하는 문서입니다 (a document that Seoga tries permissions on): {canary.token}\n"
        path.write_text(text, encoding="utf-8")
        path.chmod(_OPEN)
        return replace(canary, state="waiting", since=now)

    def _due(self, known: Canary, now: str) -> bool:
        from ingest.schedules import latest_slot

        moment = parse_utc(now)
        slot = latest_slot(self.source.canary_schedule, moment, parse_utc(known.since))
        return slot is not None

    def _closed(self, path: Path, known: Canary, now: str) -> Canary:
        path.chmod(_CLOSED)
        return replace(known, state="closed", since=now)


def keep_canaries(
    catalog: Catalog, searcher: Searcher, access: Access, stop: threading.Event | None = None
) -> list[Canary]:
    """Take every configured canary a step further, and again every few seconds until told to stop.

    Searches here are not audited: they are of no person, and of documents of our own.
    """

    def finder(reader: str) -> Callable[[str], bool]:
        def finds(token: str) -> bool:
            request = SearchRequest(query=token, reader=reader)
            where = filter_of(request, access.filter_for(reader), datetime.now(UTC).date())
            return _found(searcher, token, where)

        return finds

    while True:
        steps = []
        try:
            for record in catalog.sources.list():
                source = SourceSettings.model_validate(dict(record.config))
                if source.canary:
                    steps.append(CanaryKeeper(catalog, source, finder(source.canary_reader)).step())
        except SeogaError as problem:
            if stop is None:
                raise
            _log.warning("canaries_wait", reason=str(problem))  # for the catalog, which comes back
        if stop is None or stop.wait(_TICK_SECONDS):
            return steps


def _found(searcher: Searcher, token: str, where: SearchFilter) -> bool:
    ranked: list[Ranked] = searcher.rank(token, where) if where.scopes else []
    return any(token in one.stored.chunk.text for one in ranked)


def _key(source: str) -> str:
    return f"canary.{source}"
