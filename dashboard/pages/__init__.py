"""The pages: every rule of :mod:`dashboard.roles` names one function here."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dashboard.pages import (
    account,
    again,
    analytics,
    charts,
    conflicts,
    documents,
    failures,
    golden,
    overview,
    permissions,
    review,
    sample,
    sources,
    synonyms,
)

if TYPE_CHECKING:
    from dashboard.visit import Handler

__all__ = ["HANDLERS"]

HANDLERS: dict[str, Handler] = {
    "login_form": account.login_form,
    "login": account.login,
    "preferences": account.preferences,
    "logout": account.logout,
    "overview": overview.overview,
    "chart": charts.chart,
    "documents": documents.documents,
    "document": documents.document,
    "failures": failures.failures,
    "retry": failures.retry,
    "review": review.review,
    "draw": review.draw,
    "draw_pages": review.draw_pages,
    "worst": review.worst,
    "sample": sample.sample,
    "picture": sample.picture,
    "verdict": sample.verdict,
    "again": again.again,
    "read_again": again.read_again,
    "conflicts": conflicts.conflicts,
    "conflict": conflicts.conflict,
    "settle": conflicts.settle,
    "permissions": permissions.permissions,
    "explain": permissions.explain,
    "report": permissions.report,
    "actions": permissions.actions,
    "analytics": analytics.analytics,
    "searches": analytics.searches,
    "feedback": analytics.feedback,
    "golden": golden.golden,
    "synonyms": synonyms.synonyms,
    "change_synonyms": synonyms.change_synonyms,
    "sources": sources.sources,
    "pause": sources.pause,
    "run": sources.run,
    "deletions": sources.deletions,
    "confirm": sources.confirm,
}
