"""``POST /v1/feedback``: what readers say of what they were shown."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from fastapi.responses import JSONResponse

from contracts.feedback import Feedback, FeedbackKind
from search.api.bodies import AnswerFeedbackBody, PassageFeedbackBody
from search.api.calling import Calling
from search.api.failures import described
from search.api.replies import FeedbackReply
from search.opening import OpeningRequest

if TYPE_CHECKING:
    from fastapi import FastAPI

    from search.service import Searcher

__all__ = ["FeedbackKeeper", "add_feedback"]


class FeedbackKeeper(Protocol):
    """Keeps what was said; tells the security officer where it is for them."""

    def keep(self, said: Feedback) -> int:
        """Its number.

        Raises:
            CatalogUnavailableError: it could not be kept.
        """
        ...


def add_feedback(app: FastAPI, searcher: Searcher, keeper: FeedbackKeeper) -> None:
    """The route."""

    @app.post(
        "/v1/feedback",
        tags=["feedback"],
        status_code=201,
        response_model=FeedbackReply,
        responses=described(400, 401, 403, 404, 413, 422, 429, 503),
    )
    def say(body: PassageFeedbackBody | AnswerFeedbackBody, caller: Calling) -> JSONResponse:
        """A remark on a passage (`click`, `up`, `down`, `wrong_revision`, `should_not_see`) or on an answer (`up`, `down`).

        `should_not_see` is told to the security officer at once, and written to the audit log. Of a passage that the reader may
        not read nothing can be said: it is not found.
        """
        reader = caller.reader(body.reader)
        document_id = chunk_id = ""
        if isinstance(body, PassageFeedbackBody):
            document_id, _, chunk_id = body.citation.partition("-")
            asked = OpeningRequest(
                document_id=document_id, reader=reader, via=caller.name, around=chunk_id
            )
            searcher.opener.open(asked)
        else:
            searcher.check(reader)
        said = Feedback(
            kind=FeedbackKind(body.kind),
            reader=reader,
            query=body.query,
            document_id=document_id,
            chunk_id=chunk_id,
            note=body.note,
            via=caller.name,
        )
        return JSONResponse({"id": keeper.keep(said)}, status_code=201)
