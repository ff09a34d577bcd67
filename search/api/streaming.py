"""Answers as server-sent events (HTML Living Standard, 9.2): each sentence as it is ready, the whole at the end.

``event: sentence`` has a text with its citations, ``event: done`` the answer as it would have come in one piece. What fails after
the first byte is ``event: error``, with a code and no more.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import structlog
from fastapi.responses import StreamingResponse

from contracts.errors import SeogaError
from search.api.objects import answer_object, sentence_object

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from contracts.answers import Answer
    from search.answers.service import AnswerStream

__all__ = ["EVENT", "MEDIA_TYPE", "streamed"]

MEDIA_TYPE = "text/event-stream"
EVENT = {
    "type": "object",
    "description": "One event; `data` is JSON: a sentence, the whole answer, or a code.",
    "properties": {
        "event": {"type": "string", "enum": ["sentence", "done", "error"]},
        "data": {"type": "string"},
    },
    "required": ["event", "data"],
}
"""The schema of one event."""

_log = structlog.get_logger()


def streamed(stream: AnswerStream, ended: Callable[[Answer], None]) -> StreamingResponse:
    """The answer as a stream; ``ended`` is told the whole."""
    return StreamingResponse(
        _events(stream, ended), media_type=MEDIA_TYPE, headers={"Cache-Control": "no-store"}
    )


def _events(stream: AnswerStream, ended: Callable[[Answer], None]) -> Iterator[str]:
    try:
        for sentence in stream:
            yield _event("sentence", sentence_object(sentence))
        ended(stream.answer)
        yield _event("done", answer_object(stream.answer))
    except SeogaError as problem:
        _log.error("answer_broke_off", code=problem.code, reason=str(problem))
        yield _event("error", {"code": problem.code})


def _event(name: str, value: dict[str, Any]) -> str:
    """JSON has no line breaks of its own, so one line holds it."""
    return f"event: {name}\ndata: {json.dumps(value, ensure_ascii=False)}\n\n"
