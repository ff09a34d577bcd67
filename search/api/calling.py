"""The bearer token of a request, as dependencies of routes."""

from __future__ import annotations

import hmac
from typing import TYPE_CHECKING, Annotated

from fastapi import Depends, Request
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer

from search.api.callers import Caller, Callers, UnauthorisedError

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["Bearer", "Calling", "calling", "holder_of"]

_bearer = HTTPBearer(auto_error=False)


Bearer = Annotated[HTTPAuthorizationCredentials | None, Depends(_bearer)]


def calling(request: Request, credentials: Bearer) -> Caller:
    """Who calls, by the bearer token."""
    callers: Callers = request.app.state.callers
    return callers.caller(credentials.credentials if credentials else "")


Calling = Annotated[Caller, Depends(calling)]


def holder_of(tokens: tuple[str, ...]) -> Callable[..., None]:
    """A dependency that lets holders of one of these bearer tokens pass."""

    def check(credentials: Bearer) -> None:
        given = (credentials.credentials if credentials else "").encode()
        # every token is compared, so that the time does not tell which one was nearly right
        fits = [hmac.compare_digest(given, token.encode()) for token in tokens]
        if not any(fits):
            raise UnauthorisedError("토큰이 없거나 틀립니다 (missing or wrong token)")

    return check
