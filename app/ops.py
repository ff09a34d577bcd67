"""The dashboard's desk: what its pages show and change, put together from the parts of this installation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dashboard.desk import Desk, Found, PagePicture

if TYPE_CHECKING:
    from fastapi import FastAPI

    from app.access_report import SourceReport
    from app.wiring import SearchParts
    from contracts.ports import BlobStore
    from contracts.settings import Settings
    from search.api.callers import Callers

__all__ = ["mount_dashboard", "open_desk"]


def mount_dashboard(app: FastAPI, settings: Settings, parts: SearchParts, callers: Callers) -> None:
    """Serve the dashboard below ``/ops``, unless it is switched off."""
    if not settings.dashboard.enabled:
        return
    from starlette.responses import RedirectResponse

    from dashboard.visit import ROOT
    from dashboard.web import create_dashboard

    app.add_route(ROOT, lambda _request: RedirectResponse(f"{ROOT}/"))  # as a person types it
    app.mount(ROOT, create_dashboard(open_desk(settings, parts, callers)))


def open_desk(settings: Settings, parts: SearchParts, callers: Callers) -> Desk:
    """The desk over an open catalog and a searcher."""
    from app.commands.status import status_object
    from app.drawn import Drawn
    from app.metrics import index_numbers
    from app.people import PeopleNow
    from app.rereading import Rereader, choices_for
    from app.wiring import open_blobs

    catalog = parts.catalog
    blobs = open_blobs(settings)
    people = PeopleNow(settings, catalog)

    def report(source: str) -> SourceReport:
        from app.access_report import named_in, report_on

        return report_on(catalog, source, people.who(named_in(catalog.scopes.all(source))))

    return Desk(
        settings=settings,
        catalog=catalog,
        callers=callers,
        reader=people.reader,
        view=parts.access.filter_for,
        who=people.who,
        status=lambda: status_object(settings, catalog, index_numbers(parts.searcher.stats)),
        report=report,
        picture=Drawn(lambda version_id, page: _picture(settings, parts, version_id, page)).picture,
        choices=lambda format_name: choices_for(format_name, settings),
        reread=Rereader(settings, catalog).read,
        blobs=blobs,
        search=lambda *asked: _search(settings, *asked),
        settle=lambda *decision: _settle(parts, blobs, *decision),
        confirm_deletions=lambda source: _confirm(settings, source),
    )


def _picture(
    settings: Settings, parts: SearchParts, version_id: str, page: int
) -> PagePicture | None:
    """A page of the original as it looks; None where it cannot be drawn, or the original is not there any more."""
    from app.sample_original import original_file
    from app.sample_page import page_picture, rendered_picture
    from app.sample_preview import own_preview

    version = parts.catalog.versions.get(version_id)
    document = parts.catalog.documents.get(version.document_id) if version else None
    if version is None or document is None:
        return None
    with original_file(settings, parts.catalog, document, version) as path:
        if path is None:
            return None
        wanted = max(page, 1)
        drawn = page_picture(path, version.format, wanted)
        if drawn is None:
            drawn = rendered_picture(path, version.format, wanted, settings.parse.office)
        if drawn is not None:
            return PagePicture(drawn[0], *drawn[1])
        preview = own_preview(path, version.format, settings.parse)
        return PagePicture(preview.picture, 0.0, 0.0) if preview and preview.picture else None


def _search(settings: Settings, synonyms: str, query: str, reader: str, top: int) -> list[Found]:
    from app.synonyms import dictionary_of
    from app.wiring import open_search_parts
    from contracts.search import SearchRequest

    words = dictionary_of(synonyms, with_glossary=settings.search.glossary)
    with open_search_parts(settings, "preview", dictionary=lambda: words) as parts:
        found = parts.searcher.search(SearchRequest(query=query, reader=reader, top=top))
    return [Found(hit.chunk_id, hit.title, hit.path) for hit in found.hits]


def _settle(
    parts: SearchParts, blobs: BlobStore, document_id: str, field: str, said: str, by: str
) -> str:
    from ingest.drain import drain
    from ingest.settling import settle_conflict

    value = settle_conflict(parts.catalog, document_id, field, said, by)
    drain(parts.catalog, parts.index, blobs)
    return value


def _confirm(settings: Settings, source: str) -> int:
    from app.wiring import open_kit
    from ingest.removal import confirm_hidden

    with open_kit(settings) as kit:
        return confirm_hidden(kit.catalog, kit.index, kit.blobs, source)
