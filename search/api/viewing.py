"""``GET /open/{citation}``: a citation at its place, as a page; and addresses of it that a browser can open."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Protocol

from fastapi import Path, Query, Request
from fastapi.responses import HTMLResponse, JSONResponse, Response

from search.api.bodies import LinkBody
from search.api.calling import Bearer, Calling, calling
from search.api.failures import described
from search.api.replies import LinkReply
from search.api.tickets import Ticket, Tickets
from search.opening import OpeningRequest

if TYPE_CHECKING:
    from fastapi import FastAPI

    from search.opening import OpenedDocument
    from search.service import Searcher

__all__ = ["PageMaker", "Viewing", "add_viewing"]

_HEADERS = {
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}


class PageMaker(Protocol):
    """Makes the page of a passage."""

    def page(self, opened: OpenedDocument, chunk_id: str) -> str:
        """The page of a passage among those opened around it, as HTML."""
        ...


@dataclass(frozen=True, slots=True)
class Viewing:
    """What showing citations takes.

    Attributes:
        pages: Makes pages.
        policy: Their Content-Security-Policy.
        tickets: Of addresses for browsers; None: there are none.
    """

    pages: PageMaker
    policy: str
    tickets: Tickets | None = None


def add_viewing(app: FastAPI, searcher: Searcher, viewing: Viewing) -> None:
    """The routes."""
    page: dict[int | str, dict[str, Any]] = {200: {"content": {"text/html": {}}}}

    @app.get(
        "/open/{citation}",
        tags=["viewer"],
        response_class=Response,
        responses=described(400, 401, 403, 404, 413, 422, 429, 503) | page,
    )
    def show(
        request: Request,
        citation: Annotated[str, Path(max_length=256)],
        credentials: Bearer,
        reader: Annotated[str | None, Query(min_length=1, max_length=256)] = None,
        ticket: Annotated[str | None, Query(max_length=4000)] = None,
    ) -> HTMLResponse:
        """A citation at its place, its neighbours beside it: by the `citation.open` of a hit.

        With a bearer token, or with the `ticket` of an address that `POST /v1/links` gave. What may be read is checked each time.
        """
        if ticket is not None and viewing.tickets is not None:
            known = viewing.tickets.check(ticket, citation)
            own, via = known.reader, known.via
        else:
            caller = calling(request, credentials)
            own, via = caller.reader(reader), caller.name
        document_id, _, chunk_id = citation.partition("-")
        opened = searcher.opener.open(
            OpeningRequest(document_id=document_id, reader=own, via=via, around=chunk_id)
        )
        shown = viewing.pages.page(opened, chunk_id)
        return HTMLResponse(shown, headers={**_HEADERS, "Content-Security-Policy": viewing.policy})

    tickets = viewing.tickets
    if tickets is None:
        return

    @app.post(
        "/v1/links",
        tags=["viewer"],
        response_model=LinkReply,
        responses=described(400, 401, 403, 404, 413, 422, 429, 503),
    )
    def link(body: LinkBody, caller: Calling) -> JSONResponse:
        """An address of a citation that its reader's browser can open, for some minutes and without a token.

        Whoever has the address is taken for the reader until it runs out: hand it to nobody else.
        """
        own = caller.reader(body.reader)
        document_id, _, chunk_id = body.citation.partition("-")
        asked = OpeningRequest(
            document_id=document_id, reader=own, via=caller.name, around=chunk_id, before=0, after=0
        )
        searcher.opener.open(asked)  # refuses what is not there as what may not be read
        made = tickets.make(Ticket(body.citation, own, caller.name))
        told = {"url": f"/open/{body.citation}?ticket={made}", "seconds": tickets.seconds}
        return JSONResponse(told, headers={"Cache-Control": "no-store"})
