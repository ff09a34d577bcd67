"""The dashboard as an application that is mounted below ``/ops``: sessions, roles, tokens of forms, headers, errors."""

from __future__ import annotations

import hmac
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, quote, urlsplit

import structlog
from fastapi import FastAPI, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response, StreamingResponse
from starlette.concurrency import run_in_threadpool
from starlette.staticfiles import StaticFiles

from contracts.errors import (
    DirectoryDownError,
    NotFoundError,
    QueryError,
    SeogaError,
    TransientError,
    UnknownReaderError,
)
from dashboard.figures import Figures
from dashboard.pages import HANDLERS
from dashboard.pages.account import COOKIE, LANGUAGE, THEME, vouched
from dashboard.pages.overview import figures_of
from dashboard.render import STATIC, html_of
from dashboard.roles import ANYBODY, RULES, roles_of
from dashboard.visit import ROOT, File, Page, Person, Redirect, Visit
from dashboard.words import Words
from search.api.callers import ForbiddenReaderError, UnauthorisedError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from dashboard.desk import Desk
    from dashboard.roles import Rule
    from dashboard.visit import Handler

__all__ = ["POLICY", "create_dashboard"]

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}
_STATUS = (
    (UnauthorisedError, 401),
    (ForbiddenReaderError, 403),
    (UnknownReaderError, 403),
    (NotFoundError, 404),
    (QueryError, 400),
    (TransientError, 503),
)
_LONG = 365 * 24 * 3600
_log = structlog.get_logger()


class _Refused(Exception):
    """The request does not come from one of our forms, or the person has none of the roles."""

    def __init__(self, word: str) -> None:
        super().__init__(word)
        self.word = word


def create_dashboard(desk: Desk) -> FastAPI:
    """The application.

    Args:
        desk: What the pages work with.

    Raises:
        ValueError: a page has no rule, or a rule no page.
    """
    if HANDLERS.keys() != {rule.name for rule in RULES}:
        msg = f"rules and pages differ: {HANDLERS.keys() ^ {rule.name for rule in RULES}}"
        raise ValueError(msg)
    app = FastAPI(openapi_url=None, docs_url=None, redoc_url=None)
    figures = Figures(lambda: figures_of(desk), desk.settings.dashboard.figures_seconds)
    app.mount("/static", StaticFiles(directory=STATIC), name="static")
    for rule in RULES:
        endpoint = _endpoint(desk, figures, rule, HANDLERS[rule.name])
        app.add_api_route(rule.path, endpoint, methods=[rule.method], response_model=None)
    app.middleware("http")(_guarded)
    return app


async def _guarded(request: Request, go_on: Callable[[Request], Awaitable[Response]]) -> Response:
    """The headers of every answer."""
    answer = await go_on(request)
    for name, value in _HEADERS.items():
        answer.headers[name] = value
    answer.headers.setdefault("Content-Security-Policy", POLICY)
    if request.url.path.startswith(f"{ROOT}/static/"):
        answer.headers["Cache-Control"] = f"public, max-age={_LONG}, immutable"
    else:
        answer.headers["Cache-Control"] = "no-store"
    return answer


def _endpoint(
    desk: Desk, figures: Figures, rule: Rule, handler: Handler
) -> Callable[[Request], Awaitable[Response]]:
    async def endpoint(request: Request) -> Response:
        body = await request.body() if rule.method == "POST" else b""
        return await run_in_threadpool(_served, request, body, desk, figures, rule, handler)

    return endpoint


def _served(
    request: Request, body: bytes, desk: Desk, figures: Figures, rule: Rule, handler: Handler
) -> Response:
    visit = Visit(
        desk=desk,
        figures=figures,
        words=Words(request.cookies.get(LANGUAGE, "")),
        theme=request.cookies.get(THEME, "auto"),
        path={name: str(value) for name, value in request.path_params.items()},
        query=dict(request.query_params),
        form=parse_qs(body.decode("utf-8", "replace"), keep_blank_values=True),
        here=_here(request),
    )
    try:
        visit.person = _person(desk, request.cookies.get(COOKIE, ""))
        if rule.method == "POST":
            _check_origin(request)
        if rule.roles != ANYBODY:
            if visit.person is None:
                return _to_login(request)
            _check(visit, rule)
        return _answer(visit, handler(visit), htmx="hx-request" in request.headers)
    except _Refused as problem:
        return _problem(visit, 403, visit.words(problem.word))
    except SeogaError as problem:
        status = next((code for kind, code in _STATUS if isinstance(problem, kind)), 500)
        if status >= 500:  # noqa: PLR2004  faults of ours, or of a server of ours
            _log.error("ops_failed", page=rule.name, code=problem.code, reason=str(problem))
        return _problem(visit, status, str(problem))


def _person(desk: Desk, secret: str) -> Person | None:
    """Who holds a session, as the directories know them now: whoever left has no roles from that moment.

    A session ends with the key that it began with.
    """
    session = desk.catalog.sessions.get(secret) if secret else None
    if session is None:
        return None
    if not vouched(desk, session, secret):
        desk.catalog.sessions.end(secret)
        return None
    try:
        principals = desk.reader(session.reader).principals
    except UnknownReaderError:
        return None
    except DirectoryDownError:
        raise
    return Person(session, roles_of(desk.settings.dashboard, principals))


def _check_origin(request: Request) -> None:
    """A form of another site is refused, at the login too."""
    site = request.headers.get("sec-fetch-site", "same-origin")
    origin = request.headers.get("origin")
    host = request.headers.get("host", "")
    if site not in {"same-origin", "none"} or (origin and urlsplit(origin).netloc != host):
        raise _Refused("error.origin")


def _check(visit: Visit, rule: Rule) -> None:
    if not visit.who.roles & rule.roles:
        raise _Refused("error.role")
    given = visit.field("csrf").encode()
    if rule.method == "POST" and not hmac.compare_digest(given, visit.who.session.csrf.encode()):
        raise _Refused("error.csrf")


def _to_login(request: Request) -> Response:
    if request.method != "GET":
        return RedirectResponse(f"{ROOT}/login", status_code=303)
    return RedirectResponse(f"{ROOT}/login?next={quote(_here(request), safe='')}", status_code=303)


def _here(request: Request) -> str:
    """The page that is asked for, below ``/ops``."""
    if request.method != "GET":
        return "/"
    path = request.url.path.removeprefix(ROOT) or "/"
    return f"{path}?{request.url.query}" if request.url.query else path


def _answer(visit: Visit, found: Page | Redirect | File, *, htmx: bool) -> Response:
    if isinstance(found, Redirect):
        answer: Response = RedirectResponse(found.url, status_code=303)
        for name, value in found.cookies.items():
            _set_cookie(answer, name, value, visit.desk.settings.dashboard.session_minutes)
        return answer
    if isinstance(found, File):
        headers = (
            {"Content-Disposition": f'attachment; filename="{found.name}"'} if found.name else {}
        )
        if found.policy:
            headers["Content-Security-Policy"] = found.policy
        if isinstance(found.content, bytes):
            return Response(found.content, media_type=found.media_type, headers=headers)
        return StreamingResponse(found.content, media_type=found.media_type, headers=headers)
    if found.part and not htmx:
        found = Page(found.template, found.values, found.status)
    return HTMLResponse(html_of(visit, found), status_code=found.status)


def _set_cookie(answer: Response, name: str, value: str, minutes: int) -> None:
    options: dict[str, Any] = {"path": "/", "secure": True, "httponly": True, "samesite": "strict"}
    if not value:
        answer.delete_cookie(name, **options)
        return
    seconds = minutes * 60 if name == COOKIE else _LONG
    answer.set_cookie(name, value, max_age=seconds, **options)


def _problem(visit: Visit, status: int, message: str) -> Response:
    page = Page("problem.html", {"status": status, "message": message}, status)
    return HTMLResponse(html_of(visit, page), status_code=status)
