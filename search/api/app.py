"""The HTTP API: ``POST /v1/search``, ``POST /v1/answer``, ``GET /v1/documents/{id}``, ``GET /v1/health``, ``GET /v1/source`` and ``GET /metrics``.

A service authenticates with a bearer token and names the reader that it acts for; a person authenticates with a token of the identity
provider (:mod:`search.api.callers`). The answer holds what that reader may read. Errors are ``{"error": {"code", "message", "advice"}}``.
"""

from __future__ import annotations

import hmac
from datetime import date
from typing import TYPE_CHECKING, Annotated, Any

import structlog
from fastapi import Depends, FastAPI, Path, Query, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer
from pydantic import BaseModel, ConfigDict, Field
from starlette.exceptions import HTTPException

from contracts.errors import (
    ConfigError,
    NotFoundError,
    QueryError,
    SeogaError,
    TransientError,
    UnknownReaderError,
)
from contracts.search import SearchRequest
from search.answers.service import Answerer
from search.api.callers import (
    Caller,
    Callers,
    ForbiddenReaderError,
    TooManyError,
    UnauthorisedError,
    check_secrets,
)
from search.api.limits import BodyLimit
from search.api.objects import answer_object, document_object, response_object
from search.api.source import source_archive

if TYPE_CHECKING:
    from collections.abc import Callable

    from search.api.metrics import MetricsPage
    from search.service import Searcher

__all__ = ["AnswerBody", "SearchBody", "calling", "create_app"]

_STATUS = (
    (QueryError, 400),
    (UnknownReaderError, 403),
    (ForbiddenReaderError, 403),
    (NotFoundError, 404),
    (TransientError, 503),
    (ConfigError, 500),
)
_FAULT = 500
_NOT_FOUND = 404
_NOT_NOW = "지금은 답할 수 없습니다 (cannot be answered now)"
_bearer = HTTPBearer(auto_error=False)
_log = structlog.get_logger()


_Values = Annotated[list[str], Field(max_length=50)]


class _Asked(BaseModel):
    reader: str | None = Field(default=None, min_length=1, max_length=256)
    include_obsolete: bool = False
    as_of: date | None = None
    types: list[str] = Field(default_factory=list, max_length=50)
    filters: dict[str, str | _Values] = Field(default_factory=dict, max_length=20)
    restrict_groups: list[str] = Field(default_factory=list, max_length=50)

    def asked(self, caller: Caller, query: str, top: int) -> SearchRequest:
        """The request of the search core."""
        pairs = tuple(
            (key, value)
            for key, values in self.filters.items()
            for value in ([values] if isinstance(values, str) else values)
        )
        return SearchRequest(
            query=query,
            reader=caller.reader(self.reader),
            top=top,
            include_obsolete=self.include_obsolete,
            as_of=self.as_of,
            types=tuple(self.types),
            filters=pairs,
            restrict_groups=tuple(self.restrict_groups),
            via=caller.name,
        )


class SearchBody(_Asked):
    """What to search, and as whom."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={
            "examples": [{"query": "P-2041 체결 토크", "reader": "kim", "top": 5}],
        },
    )

    query: str = Field(min_length=1, max_length=2000)
    top: int = Field(default=10, ge=1, le=100)

    def request(self, caller: Caller) -> SearchRequest:
        """The request of the search core."""
        return self.asked(caller, self.query, self.top)


class AnswerBody(_Asked):
    """What to answer, and as whom."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={
            "examples": [{"question": "세척액 온도 기준은 몇 도인가?", "reader": "lee"}],
        },
    )

    question: str = Field(min_length=1, max_length=2000)
    sentences: int = Field(default=3, ge=1, le=10)

    def request(self, caller: Caller) -> SearchRequest:
        """The request of the search core."""
        return self.asked(caller, self.question, 10)


def calling(
    request: Request,
    credentials: Annotated[HTTPAuthorizationCredentials | None, Depends(_bearer)],
) -> Caller:
    """Who calls, by the bearer token."""
    callers: Callers = request.app.state.callers
    return callers.caller(credentials.credentials if credentials else "")


_Calling = Annotated[Caller, Depends(calling)]


def create_app(
    searcher: Searcher,
    callers: Callers,
    health: Callable[[], dict[str, Any]],
    metrics: MetricsPage | None = None,
    answerer: Answerer | None = None,
) -> FastAPI:
    """The application.

    Args:
        searcher: Finds passages.
        callers: Who may ask, and as whom.
        health: What ``GET /v1/health`` tells.
        metrics: Counts searches, and is ``GET /metrics`` for those who hold one of its tokens; None: no such page.
        answerer: Answers questions; None: with sentences of documents.

    Raises:
        ConfigError: a token is empty or easily guessed.
    """
    check_secrets(metrics.tokens if metrics is not None else ())
    app = FastAPI(
        title="Seoga 서가",
        summary="Permitted and cited passages (권한과 출처가 있는 검색)",
        license_info={"name": "AGPL-3.0-or-later", "identifier": "AGPL-3.0-or-later"},
        # the pages that would show it load their scripts from elsewhere, which a plant's network does not reach
        docs_url=None,
        redoc_url=None,
    )

    app.state.callers = callers
    _add_search(app, searcher, answerer or Answerer(searcher), metrics)

    @app.get("/v1/health", tags=["operations"])
    def tell_health() -> dict[str, Any]:
        """Whether the service answers; holds no counts that tell of documents."""
        return health()

    @app.get("/v1/source", tags=["licence"])
    def give_source() -> Response:
        """The source of this very service, changes included, as section 13 of its licence asks."""
        headers = {"Content-Disposition": 'attachment; filename="seoga-source.zip"'}
        return Response(source_archive(), media_type="application/zip", headers=headers)

    if metrics is not None:
        _add_metrics(app, metrics)
    _handle_errors(app, metrics)
    refusal = _error(413, "query", "요청이 너무 큽니다 (the request is too large)", "/openapi.json")
    app.add_middleware(BodyLimit, refusal=refusal)
    return app


def _add_search(
    app: FastAPI, searcher: Searcher, answering: Answerer, metrics: MetricsPage | None
) -> None:
    @app.post("/v1/search", tags=["search"])
    def search(body: SearchBody, caller: _Calling) -> dict[str, Any]:
        """Passages that the reader may read, best first, each with its citation."""
        found = searcher.search(body.request(caller))
        if metrics is not None:
            metrics.answered(found.took_ms)
        return response_object(found)

    @app.post("/v1/answer", tags=["search"])
    def answer(body: AnswerBody, caller: _Calling) -> dict[str, Any]:
        """Sentences of documents that the reader may read, each with its citations; or a refusal."""
        found = answering.answer(body.request(caller), body.sentences)
        if metrics is not None:
            metrics.answered(found.took_ms)
        return answer_object(found)

    @app.get("/v1/documents/{document_id}", tags=["search"])
    def document(
        document_id: Annotated[str, Path(max_length=256)],
        caller: _Calling,
        reader: Annotated[str | None, Query(min_length=1, max_length=256)] = None,
        start: Annotated[int, Query(ge=1)] = 1,
        limit: Annotated[int, Query(ge=1, le=100)] = 20,
    ) -> dict[str, Any]:
        """A document's passages in order, as far as the reader may read it; ``next`` is where to go on."""
        return document_object(
            searcher.open(document_id, caller.reader(reader), start, limit, via=caller.name)
        )


def _holder_of(tokens: tuple[str, ...]) -> Callable[..., None]:
    """A dependency that lets holders of one of these bearer tokens pass."""

    def check(
        credentials: Annotated[HTTPAuthorizationCredentials | None, Depends(_bearer)],
    ) -> None:
        given = (credentials.credentials if credentials else "").encode()
        # every token is compared, so that the time does not tell which one was nearly right
        fits = [hmac.compare_digest(given, token.encode()) for token in tokens]
        if not any(fits):
            raise UnauthorisedError("토큰이 없거나 틀립니다 (missing or wrong token)")

    return check


def _add_metrics(app: FastAPI, metrics: MetricsPage) -> None:
    @app.get("/metrics", dependencies=[Depends(_holder_of(metrics.tokens))], tags=["operations"])
    def tell_metrics() -> Response:
        """Numbers of the installation in Prometheus' text format."""
        return Response(metrics.text(), media_type=metrics.content_type)


def _handle_errors(app: FastAPI, metrics: MetricsPage | None) -> None:
    @app.exception_handler(SeogaError)
    def known(_request: Request, problem: SeogaError) -> JSONResponse:
        if metrics is not None:
            metrics.failed(problem.code)
        status = next((code for kind, code in _STATUS if isinstance(problem, kind)), _FAULT)
        if status >= _FAULT:  # what is wrong here, and where things lie, is for operators
            _log.error("request_failed", code=problem.code, reason=str(problem))
            return _error(status, problem.code, _NOT_NOW, "")
        return _error(status, problem.code, problem.message, problem.advice)

    @app.exception_handler(Exception)
    def unknown(_request: Request, problem: Exception) -> JSONResponse:
        if metrics is not None:
            metrics.failed("internal")
        _log.error("request_failed", code="internal", reason=type(problem).__name__)
        return _error(_FAULT, "internal", _NOT_NOW, "")

    @app.exception_handler(UnauthorisedError)
    def unauthorised(_request: Request, problem: UnauthorisedError) -> JSONResponse:
        answer = _error(401, problem.code, problem.message, problem.advice)
        answer.headers["WWW-Authenticate"] = "Bearer"
        return answer

    @app.exception_handler(TooManyError)
    def too_many(_request: Request, problem: TooManyError) -> JSONResponse:
        answer = _error(429, problem.code, problem.message, problem.advice)
        answer.headers["Retry-After"] = str(problem.after)
        return answer

    @app.exception_handler(RequestValidationError)
    def malformed(_request: Request, problem: RequestValidationError) -> JSONResponse:
        first = problem.errors()[0]
        place = ".".join(str(part) for part in first["loc"] if part != "body") or "body"
        return _error(422, "query", f"{place}: {first['msg']}", "/openapi.json")

    @app.exception_handler(HTTPException)
    def refused(_request: Request, problem: HTTPException) -> JSONResponse:
        code = "not_found" if problem.status_code == _NOT_FOUND else "query"
        return _error(problem.status_code, code, str(problem.detail), "/openapi.json")


def _error(status: int, code: str, message: str, advice: str) -> JSONResponse:
    told = {"code": code, "message": message, "advice": advice}
    # a request may hold lone surrogates, which no answer can
    clean = {key: text.encode("utf-8", "replace").decode() for key, text in told.items()}
    return JSONResponse({"error": clean}, status_code=status)
