"""The client."""

from __future__ import annotations

import json
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Self, TypedDict, TypeVar, Unpack

import httpx
import msgspec
import tenacity

from seoga_client.errors import NotReachable, SeogaClientError, problem_of
from seoga_client.objects import Answer, Document, SearchResult, Sentence

if TYPE_CHECKING:
    import ssl
    from collections.abc import Iterator, Mapping, Sequence
    from datetime import date

    from seoga_client.objects import Citation, Hit

__all__ = ["Narrowing", "Seoga"]

T = TypeVar("T")

_OK = 300
_AGAIN = frozenset({429, 502, 503, 504})
_LONGEST_WAIT = 30.0


class Narrowing(TypedDict, total=False):
    """What a search or question may be narrowed by; see docs/filter-semantics.md."""

    include_obsolete: bool
    as_of: date
    types: Sequence[str]
    filters: Mapping[str, str | Sequence[str]]
    restrict_groups: Sequence[str]


class Seoga:
    """The search API at one address. Safe for use by several threads; close it, or use it as a context.

    Args:
        url: ``https://seoga.plant.example``.
        token: Of a service, or of a person.
        reader: As whom to ask where a call names nobody; None: the token says it.
        timeout: Seconds for one try.
        attempts: Tries of one request: of those that the service could not answer (429, 502 to 504) and that did not
            reach it. What it says to wait is waited, at most 30 seconds.
        verify: Certificates to trust, as of :class:`httpx.Client`.
    """

    def __init__(
        self,
        url: str,
        token: str,
        *,
        reader: str | None = None,
        timeout: float = 60.0,
        attempts: int = 4,
        verify: ssl.SSLContext | bool = True,
    ) -> None:
        head = {"Authorization": f"Bearer {token}"}
        self._http = httpx.Client(base_url=url, headers=head, timeout=timeout, verify=verify)
        self._reader = reader
        self._attempts = attempts

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Release connections."""
        self._http.close()

    def search(
        self,
        query: str,
        *,
        reader: str | None = None,
        top: int = 10,
        facets: Sequence[str] = (),
        cursor: str | None = None,
        **narrowing: Unpack[Narrowing],
    ) -> SearchResult:
        """Passages that the reader may read, best first.

        Args:
            query: 1 to 2,000 characters.
            reader: As whom; see the class.
            top: Hits, 1 to 100.
            facets: Count the documents found by ``type``, ``department``, ``source``, ``year``.
            cursor: ``next_cursor`` of the page before, all else as it was.
            narrowing: See :class:`Narrowing`.

        Raises:
            SeogaClientError: see :mod:`seoga_client.errors`; so of every call.
        """
        body = {"query": query, "top": top, "facets": list(facets), "cursor": cursor}
        body |= self._asked(reader, narrowing)
        return self._told("POST", "/v1/search", SearchResult, json=body)

    def search_all(self, query: str, *, most: int = 200, **asked: Unpack[_Search]) -> Iterator[Hit]:
        """Hits of all pages, at most so many; pages are asked for as they are needed."""
        cursor = None
        seen = 0
        while seen < most:
            page = self.search(query, top=min(50, most), cursor=cursor, **asked)
            yield from page.hits[: most - seen]
            seen += len(page.hits)
            cursor = page.next_cursor
            if cursor is None:
                return

    def answer(
        self,
        question: str,
        *,
        reader: str | None = None,
        sentences: int = 3,
        **narrowing: Unpack[Narrowing],
    ) -> Answer:
        """Sentences of documents that the reader may read, each with its citations; or a refusal."""
        body = {"question": question, "sentences": sentences, **self._asked(reader, narrowing)}
        return self._told("POST", "/v1/answer", Answer, json=body)

    def stream(
        self,
        question: str,
        *,
        reader: str | None = None,
        sentences: int = 3,
        **narrowing: Unpack[Narrowing],
    ) -> Iterator[Sentence | Answer]:
        """The same, each sentence as it is ready; the last value is the whole answer. Tried once."""
        body = {"question": question, "sentences": sentences, "stream": True}
        body |= self._asked(reader, narrowing)
        with _translated(), self._http.stream("POST", "/v1/answer", json=body) as answer:
            if answer.status_code >= _OK:
                answer.read()
                raise _problem(answer)
            name = ""
            for line in answer.iter_lines():
                field, _, value = line.partition(": ")
                if field == "event":
                    name = value
                elif field == "data" and name == "error":
                    code = json.loads(value).get("code", "")
                    raise problem_of(500)("the answer broke off", code=code)
                elif field == "data":
                    yield msgspec.json.decode(value, type=Answer if name == "done" else Sentence)

    def document(
        self, document_id: str, *, reader: str | None = None, start: int = 1, limit: int = 20
    ) -> Document:
        """A document's passages in order; ``next`` is where to go on."""
        asked = {**self._as(reader), "start": start, "limit": limit}
        return self._told("GET", f"/v1/documents/{_part(document_id)}", Document, params=asked)

    def neighbours(
        self, hit: Hit, *, reader: str | None = None, before: int = 1, after: int = 1
    ) -> Document:
        """A passage with those before and after it."""
        address = f"/v1/documents/{_part(hit.document_id)}/passages/{_part(hit.chunk_id)}"
        asked = {**self._as(reader), "before": before, "after": after}
        return self._told("GET", address, Document, params=asked)

    def link(self, citation: Citation, *, reader: str | None = None) -> str:
        """An address of the citation that its reader's browser can open for some minutes; hand it to nobody else."""
        body = {"citation": citation.id, **self._as(reader)}
        url = self._told("POST", "/v1/links", dict[str, Any], json=body)["url"]
        return str(self._http.base_url.join(url))

    def feedback(
        self,
        kind: str,
        *,
        citation: Citation | None = None,
        query: str = "",
        note: str = "",
        reader: str | None = None,
    ) -> int:
        """Say something of a passage (``click``, ``up``, ``down``, ``wrong_revision``, ``should_not_see``) or, by its query, of an answer.

        Returns:
            The number that it was kept under.
        """
        body = {"kind": kind, "query": query, "note": note, **self._as(reader)}
        body |= {"citation": citation.id} if citation is not None else {}
        return int(self._told("POST", "/v1/feedback", dict[str, int], json=body)["id"])

    def _as(self, reader: str | None) -> dict[str, str]:
        named = reader or self._reader
        return {"reader": named} if named is not None else {}

    def _asked(self, reader: str | None, narrowing: Narrowing) -> dict[str, Any]:
        values: dict[str, Any] = dict(narrowing)
        if "as_of" in values:
            values["as_of"] = values["as_of"].isoformat()
        for name in ("types", "restrict_groups"):
            if name in values:
                values[name] = list(values[name])
        return {**values, **self._as(reader)}

    def _told(self, method: str, address: str, kind: type[T], **request: Any) -> T:
        again = tenacity.Retrying(
            stop=tenacity.stop_after_attempt(self._attempts),
            wait=_wait,
            retry=tenacity.retry_if_exception(_worth_another_try),
            reraise=True,
        )
        content = again(self._once, method, address, request)
        return msgspec.json.decode(content, type=kind)

    def _once(self, method: str, address: str, request: dict[str, Any]) -> bytes:
        with _translated():
            answer = self._http.request(method, address, **request)
        if answer.status_code >= _OK:
            raise _problem(answer)
        return answer.content


class _Search(Narrowing, total=False):
    reader: str | None
    facets: Sequence[str]


@contextmanager
def _translated() -> Iterator[None]:
    try:
        yield
    except httpx.HTTPError as problem:
        raise NotReachable(str(problem) or type(problem).__name__) from problem


def _problem(answer: httpx.Response) -> SeogaClientError:
    try:
        said = answer.json()["error"]
    except (ValueError, LookupError, TypeError):  # something between us and the service answered
        said = {}
    wait = answer.headers.get("Retry-After", "")
    return problem_of(answer.status_code)(
        str(said.get("message") or f"status {answer.status_code}"),
        status=answer.status_code,
        code=str(said.get("code", "")),
        advice=str(said.get("advice", "")),
        request_id=answer.headers.get("X-Request-ID", ""),
        retry_after=float(wait) if wait.isdigit() else 0.0,
    )


def _worth_another_try(problem: BaseException) -> bool:
    """Of requests that did not reach the service, and of those that it could not answer now.

    One that broke off after it was sent may have been answered: asking again does no harm where nothing is kept, and
    of what is kept twice (feedback) a person sees two lines.
    """
    if isinstance(problem, NotReachable):
        return True
    return isinstance(problem, SeogaClientError) and problem.status in _AGAIN


_backoff = tenacity.wait_random_exponential(multiplier=0.5, max=10)


def _wait(state: tenacity.RetryCallState) -> float:
    problem = state.outcome.exception() if state.outcome is not None else None
    asked = problem.retry_after if isinstance(problem, SeogaClientError) else 0.0
    return min(asked, _LONGEST_WAIT) if asked else _backoff(state)


def _part(value: str) -> str:
    from urllib.parse import quote

    return quote(value, safe="")
