"""Settings of the search API: where it listens, and who may ask."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import Field, SecretStr, model_validator

from contracts.settings_group import Group

__all__ = ["ApiSettings", "ClientSettings", "OidcSettings"]


class ClientSettings(Group):
    """A service with a token of its own."""

    name: str = Field(pattern=r"^[a-z0-9][a-z0-9._-]{0,63}$")
    token_file: Path = Field(description="File with its token, 16 characters or more.")
    readers: tuple[str, ...] = Field(
        default=("*",), description="Readers that it may act for: `kim`, `*@plant`."
    )
    per_minute: int = Field(default=0, ge=0, description="Requests a minute; 0: no limit.")


class OidcSettings(Group):
    """The identity provider of people who call with a token of their own."""

    issuer: str = Field(description="As its tokens name it (`iss`).")
    audience: str = Field(description="What its tokens are for (`aud`).")
    jwks_url: str = Field(
        default="", pattern=r"^(|https://.+|http://(127\.0\.0\.1|localhost)[:/].*)$"
    )
    jwks_file: Path | None = Field(default=None, description="Its key set as a file instead.")
    reader_claim: str = Field(
        default="sub",
        description="Claim that names the reader. `sub`: through `directory.identity_map`, who is not in it is nobody; any other: a name that the directory knows, which the provider must keep from being given to somebody else.",
    )
    algorithms: tuple[
        Literal["RS256", "RS384", "RS512", "PS256", "ES256", "ES384", "EdDSA"], ...
    ] = (
        "RS256",
        "ES256",
    )
    per_minute: int = Field(
        default=0, ge=0, description="Requests a minute and person; 0: no limit."
    )

    @model_validator(mode="after")
    def _one_key_set(self) -> OidcSettings:
        if bool(self.jwks_url) == (self.jwks_file is not None):
            msg = "jwks_url 이나 jwks_file 가운데 하나 (one of jwks_url and jwks_file)"
            raise ValueError(msg)
        return self


class ApiSettings(Group):
    """The search API."""

    host: str = "127.0.0.1"
    port: int = Field(default=8470, ge=1, le=65535)
    certificate: Path | None = Field(
        default=None,
        description="PEM with the server's certificate chain: the API speaks HTTPS; None: HTTP, for this machine or behind a proxy that speaks HTTPS.",
    )
    certificate_key: Path | None = Field(default=None, description="PEM with its private key.")
    token: SecretStr | None = None
    metrics_token: SecretStr | None = Field(
        default=None, description="Opens ``GET /metrics`` and nothing else; for Prometheus."
    )
    audit_days: int = Field(
        default=0, ge=0, description="Days that queries stay in the audit log; 0: for ever."
    )
    audit_anchor: Path | None = Field(
        default=None,
        description="File outside that the head of the audit log is appended to every night.",
    )
    clients: tuple[ClientSettings, ...] = Field(
        default=(), description="Services with tokens and readers of their own."
    )
    oidc: OidcSettings | None = None
    per_minute: int = Field(
        default=0, ge=0, description="Requests a minute with `SEOGA_API_TOKEN`; 0: no limit."
    )
    link_minutes: int = Field(
        default=10,
        ge=0,
        le=1440,
        description="Minutes that an address of a citation opens for which `POST /v1/links` was asked; 0: there are none.",
    )
    answer_grid_ms: float = Field(
        default=25.0,
        ge=0,
        le=1000,
        description="Answers leave at a multiple of so many milliseconds, so that their time does not tell of what may not be seen; 0: at once.",
    )
