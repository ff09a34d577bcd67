"""Settings of traces."""

from __future__ import annotations

from pydantic import Field

from contracts.settings_group import Group

__all__ = ["TelemetrySettings"]


class TelemetrySettings(Group):
    """OpenTelemetry traces; off without an address. Needs the extra `otel`."""

    endpoint: str = Field(
        default="",
        pattern=r"^(|https?://.+)$",
        description="Collector that takes OTLP over HTTP, up to `/v1/traces`: `http://collector:4318`.",
    )
    service: str = Field(default="seoga", min_length=1, description="Name of this installation.")
    share: float = Field(default=1.0, ge=0, le=1, description="Share of traces that are sent.")
    timeout_seconds: float = Field(default=10.0, gt=0, description="One request to the collector.")
