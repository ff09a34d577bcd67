"""Log in, log out, language and theme."""

from __future__ import annotations

import hmac
from typing import TYPE_CHECKING

from contracts.errors import SeogaError, UnknownReaderError
from dashboard.roles import roles_of
from dashboard.visit import Page, Person, Redirect, Visit
from dashboard.words import LANGUAGES
from search.api.callers import ForbiddenReaderError, UnauthorisedError

if TYPE_CHECKING:
    from catalog.sessions import SessionRecord
    from dashboard.desk import Desk

__all__ = [
    "COOKIE",
    "LANGUAGE",
    "THEME",
    "login",
    "login_form",
    "logout",
    "preferences",
    "vouched",
]

COOKIE = "__Host-seoga-ops"
LANGUAGE = "seoga-lang"
THEME = "seoga-theme"
_THEMES = ("auto", "light", "dark")


def login_form(visit: Visit) -> Page:
    """Asks for a token, and for the person where the token is a service's."""
    return _form(visit, "", 200)


def login(visit: Visit) -> Page | Redirect:
    """Exchange a token of the API for a session; refused alike whatever is wrong with it."""
    desk = visit.desk
    try:
        caller = desk.callers.caller(visit.field("token"))
        if not caller.own and caller.name not in desk.settings.dashboard.keys:
            return _form(visit, "error.login", 403)
        reader = caller.reader(visit.field("reader") or None)
        roles = roles_of(desk.settings.dashboard, desk.reader(reader).principals)
    except (UnauthorisedError, ForbiddenReaderError, UnknownReaderError):
        return _form(visit, "error.login", 403)
    if not roles:
        return _form(visit, "error.no_role", 403)
    minutes = desk.settings.dashboard.session_minutes
    secret, session = desk.catalog.sessions.begin(
        reader, caller.name, minutes, lambda salt: desk.callers.mark(caller.name, reader, salt)
    )
    visit.person = Person(session, roles)
    try:
        visit.audit("login", roles=sorted(roles), caller=caller.name)
    except SeogaError:
        desk.catalog.sessions.end(secret)
        raise
    return Redirect(_inside(visit.field("next")), cookies={COOKIE: secret})


def vouched(desk: Desk, session: SessionRecord, secret: str) -> bool:
    """Whether the key that a session began with is still the same, and still opens the dashboard for its reader.

    Args:
        desk: Whose callers count.
        session: The session.
        secret: Its secret.
    """
    oidc = desk.settings.api.oidc
    own = oidc is not None and session.caller == oidc.issuer
    if not own and session.caller not in desk.settings.dashboard.keys:
        return False
    now = desk.callers.mark(session.caller, session.reader, secret)
    return bool(now) and hmac.compare_digest(now, session.mark)


def logout(visit: Visit) -> Redirect:
    """End the session."""
    visit.audit("logout")
    visit.desk.catalog.sessions.end_digest(visit.who.session.digest)
    return Redirect("/login", cookies={COOKIE: ""})


def preferences(visit: Visit) -> Redirect:
    """Set language or theme."""
    cookies = {}
    if visit.field("lang") in LANGUAGES:
        cookies[LANGUAGE] = visit.field("lang")
    if visit.field("theme") in _THEMES:
        cookies[THEME] = visit.field("theme")
    return Redirect(_inside(visit.field("next")), cookies=cookies)


def _form(visit: Visit, problem: str, status: int) -> Page:
    wanted = visit.query.get("next", "") or visit.field("next")
    values = {"next": _inside(wanted), "problem": problem, "reader": visit.field("reader")}
    return Page("login.html", values, status)


def _inside(path: str) -> str:
    """A path below ``/ops``, whatever a link says."""
    fine = path.startswith("/") and not path.startswith("//") and "\\" not in path
    return path if fine and path.isprintable() else "/"
