"""Every answer names its request (``X-Request-ID``), and so does every line that is logged meanwhile.

A caller's own id is kept where it is a plain one; else a new one is made.
"""

from __future__ import annotations

import re
import secrets
from typing import TYPE_CHECKING

import structlog

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

__all__ = ["HEADER", "RequestIds"]

HEADER = "X-Request-ID"
_PLAIN = re.compile(rb"[A-Za-z0-9._-]{1,64}")


class RequestIds:
    """Names requests.

    Args:
        app: Answers.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        name = HEADER.lower().encode()
        given = next((value for key, value in scope["headers"] if key == name), b"")
        own = given if _PLAIN.fullmatch(given) else secrets.token_hex(8).encode()

        async def named(message: Message) -> None:
            if message["type"] == "http.response.start":
                message = {**message, "headers": [*message["headers"], (name, own)]}
            await send(message)

        with structlog.contextvars.bound_contextvars(request_id=own.decode()):
            await self._app(scope, receive, named)
