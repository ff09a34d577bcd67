"""Who calls, and as whom: services with a token that act for named readers, and people with a token of their own identity provider.

A service holds a secret (a key) and may act for the readers that its settings name. A person's token is a JSON Web Token (RFC 7519) that the
identity provider signed (RFC 7515); its reader is a claim, and no other may be named. What is wrong with a token is not told to who shows it.
"""

from __future__ import annotations

import fnmatch
import hmac
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import structlog

from contracts.errors import ConfigError, PermanentError, TransientError
from search.api.rates import Rates

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from contracts.settings import OidcSettings

__all__ = [
    "Caller",
    "Callers",
    "ForbiddenReaderError",
    "Key",
    "TooManyError",
    "UnauthorisedError",
    "check_secrets",
]

_SHORTEST = 16
_LEEWAY = 30
_log = structlog.get_logger()


class UnauthorisedError(PermanentError):
    """No token, or one that nobody vouches for."""

    code = "unauthorised"


class ForbiddenReaderError(PermanentError):
    """The caller may not act for that reader."""

    code = "reader"


class TooManyError(TransientError):
    """The caller asks more often than it may; ``after`` is the wait in seconds."""

    code = "too_many"

    def __init__(self, after: int) -> None:
        super().__init__(
            "요청이 너무 잦습니다 (too many requests)",
            advice=f"{after}초 뒤에 다시 (wait {after} s)",
        )
        self.after = after


@dataclass(frozen=True, slots=True)
class Key:
    """A service.

    Attributes:
        name: For the audit log.
        secret: Its token.
        readers: Patterns of the readers that it may act for (``*``, ``*@plant``).
        per_minute: Requests a minute; 0: no limit.
    """

    name: str
    secret: str
    readers: tuple[str, ...] = ("*",)
    per_minute: int = 0


@dataclass(frozen=True, slots=True)
class Caller:
    """Who calls.

    Attributes:
        name: For the audit log.
        readers: Patterns of the readers that it may act for.
        own: The reader that a person's token names; "" for a service.
        per_minute: Requests a minute; 0: no limit.
    """

    name: str
    readers: tuple[str, ...]
    own: str = ""
    per_minute: int = 0

    def reader(self, named: str | None) -> str:
        """As whom a request is answered.

        Args:
            named: The reader that it names, or None.

        Raises:
            ForbiddenReaderError: it names none, or one that the caller may not act for.
        """
        if self.own:
            if named not in {None, self.own}:
                raise ForbiddenReaderError("토큰의 사용자와 다릅니다 (not the reader of the token)")
            return self.own
        if not named:
            raise ForbiddenReaderError("사용자 이름이 없습니다 (no reader)", advice="reader")
        if not any(fnmatch.fnmatchcase(named, pattern) for pattern in self.readers):
            raise ForbiddenReaderError(
                "이 서비스는 그 사용자로 물을 수 없습니다 (this service may not act for that reader)"
            )
        return named


class Callers:
    """Tells callers by their bearer tokens, and counts their requests. Safe for use by several threads.

    Args:
        keys: Services.
        oidc: The identity provider of people; None: there is none.
        rates: Counts requests; None: in this process alone.

    Raises:
        ConfigError: a key is short, or two are the same.
    """

    def __init__(
        self, keys: Sequence[Key], oidc: OidcSettings | None = None, rates: Rates | None = None
    ) -> None:
        check_secrets(key.secret for key in keys)
        if len({key.secret for key in keys}) < len(keys) or len({k.name for k in keys}) < len(keys):
            raise ConfigError(
                "두 서비스의 이름이나 토큰이 같습니다 (two services share a name or token)"
            )
        self._keys = tuple(keys)
        self._people = _People(oidc) if oidc is not None else None
        self._rates = rates or Rates()

    def caller(self, token: str) -> Caller:
        """Who holds a token, counted as one request.

        Raises:
            UnauthorisedError: nobody.
            TooManyError: too often.
        """
        found: Caller | None = None
        # every key is compared, so that the time does not tell which one was nearly right
        for key in self._keys:
            if hmac.compare_digest(token.encode(), key.secret.encode()):
                found = Caller(key.name, key.readers, per_minute=key.per_minute)
        if found is None and self._people is not None:
            found = self._people.caller(token)
        if found is None:
            raise UnauthorisedError("토큰이 없거나 틀립니다 (missing or wrong token)")
        if found.per_minute:
            wait = self._rates.count((found.name, found.own), found.per_minute)
            if wait:
                raise TooManyError(wait)
        return found

    def mark(self, name: str, reader: str, salt: str) -> str:
        """What a session is known by for as long as that is good by which it began: HMAC-SHA256 (RFC 2104), hex.

        Args:
            name: Of the caller.
            reader: As whom it acts.
            salt: A secret of the session; without it the mark tells nothing of the key.

        Returns:
            "" where there is no such caller, or it may not act for the reader.
        """
        wanted = [key for key in self._keys if key.name == name]
        if wanted:
            may = any(fnmatch.fnmatchcase(reader, pattern) for pattern in wanted[0].readers)
            told = f"key\0{wanted[0].secret}" if may else ""
        else:
            told = self._people.mark(name) if self._people is not None else ""
        return hmac.digest(salt.encode(), told.encode(), "sha256").hex() if told else ""


def check_secrets(secrets: Iterable[str]) -> None:
    """Make sure that no token is empty or easily guessed.

    Raises:
        ConfigError: one has fewer than 16 characters.
    """
    if any(len(secret.strip()) < _SHORTEST for secret in secrets):
        raise ConfigError(
            f"API 토큰은 {_SHORTEST}자 이상입니다 (an API token has at least {_SHORTEST} characters)",
            advice="openssl rand -hex 32",
        )


class _People:
    """Checks tokens of an identity provider: signature, issuer, audience, times."""

    def __init__(self, settings: OidcSettings) -> None:
        self._settings = settings
        self._key_of = _key_source(settings)

    def mark(self, name: str) -> str:
        """What a person's session hangs on: the provider, and whom its tokens are for; "" of another name."""
        settings = self._settings
        told = (settings.issuer, settings.audience, settings.reader_claim)
        return f"oidc\0{told!r}" if name == settings.issuer else ""

    def caller(self, token: str) -> Caller | None:
        import jwt

        settings = self._settings
        try:
            claims: dict[str, Any] = jwt.decode(
                token,
                self._key_of(token),
                algorithms=list(settings.algorithms),
                audience=settings.audience,
                issuer=settings.issuer,
                leeway=_LEEWAY,
                options={"require": ["exp", "iss", "aud"]},
            )
        except jwt.PyJWTError as problem:
            _log.info("token_refused", reason=type(problem).__name__)
            return None
        name = claims.get(settings.reader_claim)
        if not isinstance(name, str) or not name.strip():
            _log.info("token_refused", reason="no reader claim")
            return None
        # the subject never changes hands, a name may: the identity map knows who that is
        own = f"oidc:{settings.issuer}|{name}" if settings.reader_claim == "sub" else name.strip()
        return Caller(settings.issuer, (), own=own, per_minute=settings.per_minute)


def _key_source(settings: OidcSettings) -> Callable[[str], Any]:
    """The provider's key for a token, from its key set (RFC 7517): a file, or fetched and kept for five minutes."""
    import jwt

    if settings.jwks_file is not None:
        try:
            keys = jwt.PyJWKSet.from_json(settings.jwks_file.read_text(encoding="utf-8"))
        except (OSError, ValueError, jwt.PyJWTError) as problem:
            raise ConfigError(
                f"{settings.jwks_file}: 키 집합을 읽을 수 없습니다 (no JSON Web Key Set): {problem}"
            ) from problem

        def from_file(token: str) -> Any:
            wanted = jwt.get_unverified_header(token).get("kid")
            found = [key for key in keys.keys if wanted is None or key.key_id == wanted]
            if len(found) != 1:
                raise jwt.InvalidKeyError("no such key")
            return found[0].key

        return from_file
    client = jwt.PyJWKClient(settings.jwks_url, lifespan=300, timeout=10)
    return lambda token: client.get_signing_key_from_jwt(token).key
