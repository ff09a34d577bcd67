"""Settings of the dashboard: who may open it, and as what."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, StringConstraints

from contracts.settings_group import Group

__all__ = ["DashboardSettings"]

_Principal = Annotated[str, StringConstraints(pattern=r"^(user|group|uid|uuid|sid|oidc):\S+$")]


class DashboardSettings(Group):
    """The dashboard below `/ops`; whoever has none of the roles gets in nowhere."""

    enabled: bool = True
    operators: tuple[_Principal, ...] = Field(
        default=(), description="Sources, failures, retries, deletions: `group:it@plant`."
    )
    reviewers: tuple[_Principal, ...] = Field(
        default=(), description="Samples of documents that they may read, and conflicts."
    )
    security: tuple[_Principal, ...] = Field(
        default=(), description="Ledger, explanations, reports, and what was done here."
    )
    keys: tuple[str, ...] = Field(
        default=("",),
        description="Services of `api.clients` whose token opens the dashboard for the readers that they act for; empty name: `SEOGA_API_TOKEN`.",
    )
    session_minutes: int = Field(default=480, ge=5, le=1440, description="Until one logs in anew.")
    figures_seconds: float = Field(
        default=30.0, ge=1, le=3600, description="Age from which figures are worked out anew."
    )
