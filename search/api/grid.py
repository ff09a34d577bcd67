"""When answers leave.

Looking up a word takes longer where documents hold it, those that the reader may not see included. So an answer, an error
too, leaves at a multiple of some milliseconds after it was asked for, and what is shorter than that tells nothing.
"""

from __future__ import annotations

import asyncio
import math
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

__all__ = ["AnswerGrid"]


class AnswerGrid:
    """Holds answers about documents back until their time has come.

    Args:
        app: Answers.
        grid_ms: Milliseconds between two moments at which answers leave; 0: they leave at once.
    """

    def __init__(self, app: ASGIApp, grid_ms: float) -> None:
        self._app = app
        self._seconds = grid_ms / 1000

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on."""
        if scope["type"] != "http" or not self._seconds or not _tells(scope):
            await self._app(scope, receive, send)
            return
        begun = time.monotonic()
        waited = False

        async def later(message: Message) -> None:
            nonlocal waited
            if not waited:
                waited = True
                steps = math.ceil((time.monotonic() - begun) / self._seconds)
                await asyncio.sleep(begun + steps * self._seconds - time.monotonic())
            await send(message)

        await self._app(scope, receive, later)


def _tells(scope: Scope) -> bool:
    """Whether a request is about documents: searches and questions are posted, a document or citation is fetched."""
    path: str = scope["path"]
    return scope["method"] == "POST" or path.startswith(("/v1/documents/", "/open/"))
