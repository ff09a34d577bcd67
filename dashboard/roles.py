"""Who may open which page and do what: the one table of it, tested row by row.

A page or action without a row cannot be served, and a row without a page is an error when the service starts.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from contracts.access import Principal
    from contracts.settings_dashboard import DashboardSettings

__all__ = ["ANYBODY", "RULES", "Role", "Rule", "roles_of"]


class Role(StrEnum):
    """What a person is in the dashboard; one may be several."""

    OPERATOR = "operator"
    REVIEWER = "reviewer"
    SECURITY = "security"


_O, _R, _S = Role.OPERATOR, Role.REVIEWER, Role.SECURITY
_ALL = frozenset(Role)
ANYBODY: frozenset[Role] = frozenset()
"""No role is asked for: before one has logged in."""


@dataclass(frozen=True, slots=True)
class Rule:
    """One page or action.

    Attributes:
        name: Of the function that serves it.
        method: ``GET`` reads, ``POST`` changes something (and carries the session's token).
        path: Below ``/ops``.
        roles: Any of them suffices; ``ANYBODY``: no login.
        nav: Word of its entry in the navigation, or "".
    """

    name: str
    method: str
    path: str
    roles: frozenset[Role]
    nav: str = ""


RULES = (
    Rule("login_form", "GET", "/login", ANYBODY),
    Rule("login", "POST", "/login", ANYBODY),
    Rule("preferences", "POST", "/preferences", ANYBODY),
    Rule("logout", "POST", "/logout", _ALL),
    Rule("overview", "GET", "/", _ALL, "nav.overview"),
    Rule("chart", "GET", "/charts/{name}", _ALL),
    Rule("documents", "GET", "/documents", _ALL, "nav.documents"),
    Rule("document", "GET", "/documents/{document_id}", _ALL),
    Rule("failures", "GET", "/failures", frozenset({_O}), "nav.failures"),
    Rule("retry", "POST", "/failures/retry", frozenset({_O})),
    Rule("review", "GET", "/review", frozenset({_O, _R}), "nav.review"),
    Rule("draw", "POST", "/review/draw", frozenset({_R})),
    Rule("draw_pages", "GET", "/review/draws/{draw}", frozenset({_R})),
    Rule("worst", "GET", "/review/worst", frozenset({_O, _R})),
    Rule("sample", "GET", "/review/pages/{version_id}/{page}", frozenset({_R})),
    Rule("picture", "GET", "/review/pages/{version_id}/{page}/picture", frozenset({_R})),
    Rule("verdict", "POST", "/review/pages/{version_id}/{page}", frozenset({_R})),
    Rule("again", "GET", "/review/pages/{version_id}/{page}/again", frozenset({_O, _R})),
    Rule("read_again", "POST", "/review/pages/{version_id}/{page}/again", frozenset({_O, _R})),
    Rule("conflicts", "GET", "/conflicts", frozenset({_O, _R}), "nav.conflicts"),
    Rule("conflict", "GET", "/conflicts/{document_id}/{field}", frozenset({_O, _R})),
    Rule("settle", "POST", "/conflicts/{document_id}/{field}", frozenset({_O, _R})),
    Rule("permissions", "GET", "/permissions", frozenset({_S}), "nav.permissions"),
    Rule("explain", "GET", "/permissions/explain", frozenset({_S})),
    Rule("report", "GET", "/permissions/report", frozenset({_S})),
    Rule("actions", "GET", "/permissions/actions", frozenset({_S})),
    Rule("analytics", "GET", "/analytics", frozenset({_O, _S}), "nav.analytics"),
    Rule("searches", "GET", "/analytics/searches", frozenset({_O, _S})),
    Rule("feedback", "GET", "/analytics/feedback", frozenset({_O, _S})),
    Rule("golden", "GET", "/analytics/golden", frozenset({_O, _S})),
    Rule("synonyms", "GET", "/synonyms", frozenset({_O}), "nav.synonyms"),
    Rule("change_synonyms", "POST", "/synonyms", frozenset({_O})),
    Rule("sources", "GET", "/sources", frozenset({_O}), "nav.sources"),
    Rule("pause", "POST", "/sources/{name}/pause", frozenset({_O})),
    Rule("run", "POST", "/sources/{name}/run", frozenset({_O})),
    Rule("deletions", "GET", "/sources/{name}/deletions", frozenset({_O})),
    Rule("confirm", "POST", "/sources/{name}/deletions", frozenset({_O})),
)


def roles_of(settings: DashboardSettings, principals: frozenset[Principal]) -> frozenset[Role]:
    """The roles of somebody whom directories know by these principals now."""
    named = (
        (Role.OPERATOR, settings.operators),
        (Role.REVIEWER, settings.reviewers),
        (Role.SECURITY, settings.security),
    )
    return frozenset(role for role, whom in named if principals.intersection(whom))
