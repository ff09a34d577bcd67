"""Refuses bodies that no honest request has, before anything parses them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

__all__ = ["LARGEST_BODY", "BodyLimit"]

LARGEST_BODY = 256 * 1024
"""Bytes; the largest honest search is a query of 2,000 characters with some filters."""


class BodyLimit:
    """Reads the body to its end, at most ``limit`` bytes of it, and answers ``refusal`` to a larger one.

    Args:
        app: Handles requests within the limit.
        refusal: Answers the others.
        limit: Bytes.
    """

    def __init__(self, app: ASGIApp, refusal: ASGIApp, limit: int = LARGEST_BODY) -> None:
        self._app = app
        self._refusal = refusal
        self._limit = limit

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        held: list[Message] = []
        size, more = 0, True
        while more and size <= self._limit:
            message = await receive()
            held.append(message)
            size += len(message.get("body", b""))
            more = message["type"] == "http.request" and message.get("more_body", False)
        if size > self._limit:
            await self._refusal(scope, receive, send)
            return

        async def replay() -> Message:
            return held.pop(0) if held else await receive()

        await self._app(scope, replay, send)
