"""Errors as answers: ``{"error": {"code", "message", "advice"}}``, and how they are described in the OpenAPI document."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import structlog
from fastapi import Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from contracts.errors import (
    ConfigError,
    NotFoundError,
    QueryError,
    SeogaError,
    TransientError,
    UnknownReaderError,
)
from search.api.callers import ForbiddenReaderError, TooManyError, UnauthorisedError
from search.api.cursors import CursorError
from search.api.replies import ErrorReply

if TYPE_CHECKING:
    from fastapi import FastAPI

    from search.api.metrics import MetricsPage

__all__ = ["described", "error", "handle_errors"]

_STATUS = (
    (QueryError, 400),
    (UnknownReaderError, 403),
    (ForbiddenReaderError, 403),
    (NotFoundError, 404),
    (CursorError, 409),
    (TransientError, 503),
    (ConfigError, 500),
)
_FAULT = 500
_NOT_FOUND = 404
_NOT_NOW = "지금은 답할 수 없습니다 (cannot be answered now)"
_DESCRIBED = {
    400: ("`query`: the request does not make sense.", "query", "질의는 1~2000자입니다"),
    401: ("`unauthorised`: no token, or one that nobody vouches for.", "unauthorised", "토큰이 없거나 틀립니다"),
    403: ("`reader`: not for this caller; `unknown_reader`: nobody of that name.", "unknown_reader", "모르는 사용자입니다"),
    404: ("`not_found`: there is none, or the reader may not read it; nothing tells which.", "not_found", "읽을 수 있는 문서 가운데 없습니다"),
    409: ("`cursor`: of another search.", "cursor", "이 검색의 cursor 가 아닙니다"),
    413: ("`query`: the body is too large.", "query", "요청이 너무 큽니다"),
    422: ("`query`: a value is missing, unknown or of another kind.", "query", "top: Input should be less than or equal to 100"),
    429: ("`too_many`: wait as many seconds as `Retry-After` says.", "too_many", "요청이 너무 잦습니다"),
    500: ("A fault of the service; its log has the request id.", "internal", _NOT_NOW),
    503: ("Try again later: what the service needs does not answer.", "index_unavailable", _NOT_NOW),
}  # fmt: skip
_log = structlog.get_logger()


def described(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """The ``responses`` of a route that may end so; 500 is among them always."""
    found: dict[int | str, dict[str, Any]] = {}
    for status in (*statuses, _FAULT):
        about, code, message = _DESCRIBED[status]
        example = {"error": {"code": code, "message": message, "advice": ""}}
        found[status] = {
            "model": ErrorReply,
            "description": about,
            "content": {"application/json": {"example": example}},
        }
        if status == 429:  # noqa: PLR2004  as above
            wait = {"description": "Seconds to wait.", "schema": {"type": "integer", "minimum": 1}}
            found[status]["headers"] = {"Retry-After": wait}
    return found


def error(status: int, code: str, message: str, advice: str) -> JSONResponse:
    """An error as an answer."""
    told = {"code": code, "message": message, "advice": advice}
    # a request may hold lone surrogates, which no answer can
    clean = {key: text.encode("utf-8", "replace").decode() for key, text in told.items()}
    return JSONResponse({"error": clean}, status_code=status)


def handle_errors(app: FastAPI, metrics: MetricsPage | None) -> None:
    """Answer every error in this form.

    Args:
        app: The application.
        metrics: Counts what was not answered.
    """

    @app.exception_handler(SeogaError)
    def known(_request: Request, problem: SeogaError) -> JSONResponse:
        if metrics is not None:
            metrics.failed(problem.code)
        status = next((code for kind, code in _STATUS if isinstance(problem, kind)), _FAULT)
        if status >= _FAULT:  # what is wrong here, and where things lie, is for operators
            _log.error("request_failed", code=problem.code, reason=str(problem))
            return error(status, problem.code, _NOT_NOW, "")
        return error(status, problem.code, problem.message, problem.advice)

    @app.exception_handler(Exception)
    def unknown(_request: Request, problem: Exception) -> JSONResponse:
        if metrics is not None:
            metrics.failed("internal")
        _log.error("request_failed", code="internal", reason=type(problem).__name__)
        return error(_FAULT, "internal", _NOT_NOW, "")

    @app.exception_handler(UnauthorisedError)
    def unauthorised(_request: Request, problem: UnauthorisedError) -> JSONResponse:
        answer = error(401, problem.code, problem.message, problem.advice)
        answer.headers["WWW-Authenticate"] = "Bearer"
        return answer

    @app.exception_handler(TooManyError)
    def too_many(_request: Request, problem: TooManyError) -> JSONResponse:
        answer = error(429, problem.code, problem.message, problem.advice)
        answer.headers["Retry-After"] = str(problem.after)
        return answer

    @app.exception_handler(RequestValidationError)
    def malformed(_request: Request, problem: RequestValidationError) -> JSONResponse:
        first = problem.errors()[0]
        place = ".".join(str(part) for part in first["loc"] if part != "body") or "body"
        return error(422, "query", f"{place}: {first['msg']}", "/openapi.json")

    @app.exception_handler(HTTPException)
    def refused(_request: Request, problem: HTTPException) -> JSONResponse:
        code = "not_found" if problem.status_code == _NOT_FOUND else "query"
        answer = error(problem.status_code, code, str(problem.detail), "/openapi.json")
        answer.headers.update(problem.headers or {})
        return answer
