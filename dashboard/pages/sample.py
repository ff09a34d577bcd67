"""One page for review: as it looks, beside the blocks that were read of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlencode

from catalog.records import PageVerdict
from contracts.errors import NotFoundError
from dashboard.samples import VERDICTS
from dashboard.visit import File, Page, Redirect, Visit, whole
from ingest.reading import stored_document
from parsers.grid_text import value_lines

if TYPE_CHECKING:
    from catalog.records import DocumentRecord, VersionRecord
    from contracts.documents import Block, Box, ParsedDocument, Table
    from dashboard.desk import PagePicture

__all__ = ["asked", "blocks_of", "parsed_of", "picture", "sample", "shown_block", "verdict"]

_HEAT = (0.95, 0.85, 0.7, 0.5)
_LINES = 400
_BLOCKS = 1500
_NOTE = 2000


@dataclass(frozen=True, slots=True)
class _Marked:
    """A box on the picture: its number, where it is, and how doubtful (0 to 4)."""

    number: int
    box: Box
    heat: int


def sample(visit: Visit) -> Page:
    """The page; what others said of it shows after one's own verdict."""
    document, version, page = asked(visit)
    parsed = parsed_of(visit, version)
    visit.audit("sample", [document.document_id], version=version.version_id, page=page)
    numbered = blocks_of(parsed, page)
    found = visit.desk.picture(version.version_id, page)
    verdicts = [
        one
        for one in visit.desk.catalog.reviews.verdicts_over({version.version_id})
        if one.page == page
    ]
    own = next((one for one in verdicts if one.by == visit.who.name), None)
    values = {
        "document": document,
        "version": version,
        "page": page,
        "quality": _quality(visit, version, page),
        "blocks": [shown_block(number, block) for number, block in numbered],
        "picture": found,
        "boxes": _boxes(numbered, found),
        "words": _words(numbered, found),
        "own": own,
        "others": [one for one in verdicts if one.by != visit.who.name] if own else [],
        "verdicts": VERDICTS,
        "draw": visit.number("draw"),
        "left_out": max(0, len(parsed.blocks) - _BLOCKS) if page == 0 else 0,
        "address": f"/review/pages/{quote(version.version_id, safe='')}/{page}",
    }
    return Page("sample.html", values)


def picture(visit: Visit) -> File:
    """The picture of the page."""
    _document, version, page = asked(visit)
    found = visit.desk.picture(version.version_id, page)
    if found is None:
        raise NotFoundError(visit.words("error.no_picture"))
    return File(found.png, "image/png")


def verdict(visit: Visit) -> Redirect:
    """Store what the person found, and go on to the next page of the draw that has no verdict of theirs."""
    document, version, page = asked(visit)
    said = visit.field("verdict")
    draw = visit.field("draw")
    here = f"/review/pages/{quote(version.version_id, safe='')}/{page}"
    if said not in VERDICTS:
        return Redirect(f"{here}?{urlencode({'draw': draw})}", "no_verdict")
    marked = sorted({whole(one) for one in visit.form.get("block", ())} - {0})
    visit.audit(
        "verdict", [document.document_id], version=version.version_id, page=page, verdict=said
    )
    visit.desk.catalog.reviews.mark_page(
        PageVerdict(
            version_id=version.version_id,
            page=page,
            by=visit.who.name,
            verdict=said,
            note=visit.field("note")[:_NOTE],
            blocks=",".join(map(str, marked)),
        )
    )
    return Redirect(_next(visit, draw) or here, "verdict")


def _next(visit: Visit, draw: str) -> str:
    """The next page of a draw that the person may read and has not judged; the draw itself where none is left."""
    if not whole(draw):
        return ""
    catalog, me, after = visit.desk.catalog, visit.who.name, 0
    while pages := catalog.draws.pages(whole(draw), after=after):
        after = pages[-1].place
        said = catalog.reviews.verdicts_over({one.version_id for one in pages})
        done = {(v.version_id, v.page) for v in said if v.by == me}
        for one in pages:
            if (one.version_id, one.page) not in done and visit.sight.text(one.document_id):
                return f"/review/pages/{quote(one.version_id, safe='')}/{one.page}?draw={draw}"
    return f"/review/draws/{draw}"


def asked(visit: Visit) -> tuple[DocumentRecord, VersionRecord, int]:
    """The document, version and page of the address.

    Raises:
        NotFoundError: there is none, or the person may not read it; nothing tells which.
    """
    catalog, page = visit.desk.catalog, visit.path["page"]
    version = catalog.versions.get(visit.path["version_id"])
    document = catalog.documents.get(version.document_id) if version else None
    if version is None or document is None or not visit.sight.text(document.document_id):
        raise NotFoundError(visit.words("error.no_document"))
    return document, version, whole(page)


def parsed_of(visit: Visit, version: VersionRecord) -> ParsedDocument:
    """What is stored of a version.

    Raises:
        NotFoundError: nothing is, any more.
    """
    found = stored_document(visit.desk.blobs, version.parse_key)
    if found is None:
        raise NotFoundError(visit.words("error.no_parse"))
    return found


def _quality(visit: Visit, version: VersionRecord, page: int) -> Any:
    quality = visit.desk.catalog.quality.get(version.version_id)
    pages = [one for one in quality.pages if one.page == page] if quality else []
    return {"grade": quality.grade if quality else "", "page": pages[0] if pages else None}


def _page(block: Block) -> int:
    position = block.position
    return position.page or position.slide or position.message or 0


def blocks_of(parsed: ParsedDocument, page: int) -> list[tuple[int, Block]]:
    """The blocks of a page with their numbers from 1; all of a document without pages, up to a limit."""
    paged = any(_page(block) for block in parsed.blocks)
    found = [block for block in parsed.blocks if not paged or page in {0, _page(block)}]
    return list(enumerate(found[:_BLOCKS], 1))


def shown_block(number: int, block: Block) -> dict[str, Any]:
    """A block as the templates show it."""
    lines = list(value_lines(block.table))[:_LINES] if block.table is not None else []
    return {
        "number": number,
        "block": block,
        "heat": _heat(block.confidence),
        "grid": _grid(block.table) if block.table is not None else None,
        "lines": lines,
        "place": block.position.cells or "",
        "sheet": block.position.sheet or "",
    }


def _grid(table: Table) -> dict[str, Any]:
    """The cells of each row, and which of them are headers."""
    rows: list[list[dict[str, Any]]] = [[] for _ in range(min(table.rows, _LINES))]
    for cell in table.cells:
        if cell.row < len(rows):
            head = cell.row < table.header_rows or cell.column < table.header_columns
            inner = [_grid(one) for one in cell.tables]
            rows[cell.row].append({"cell": cell, "head": head, "inner": inner})
    return {"caption": table.caption, "rows": rows, "more": max(0, table.rows - _LINES)}


def _heat(confidence: float) -> int:
    """0 (sound) to 4 (doubtful)."""
    return sum(confidence < limit for limit in _HEAT)


def _placed(found: PagePicture | None) -> bool:
    return found is not None and found.width > 0


def _boxes(numbered: list[tuple[int, Block]], found: PagePicture | None) -> list[_Marked]:
    if not _placed(found):
        return []
    return [
        _Marked(number, block.position.box, _heat(block.confidence))
        for number, block in numbered
        if block.position.box is not None
    ]


def _words(numbered: list[tuple[int, Block]], found: PagePicture | None) -> list[_Marked]:
    """Doubtful words that were recognised."""
    if not _placed(found):
        return []
    words = [(number, word) for number, block in numbered for word in block.words]
    return [_Marked(n, w.box, _heat(w.confidence)) for n, w in words if _heat(w.confidence)]
