"""OpenDocument texts, spreadsheets and presentations (.odt, .ods, .odp), read from their XML."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from contracts.documents import Block, BlockKind, Layer, PageQuality, ParsedDocument
from contracts.errors import ParseFailure
from contracts.failures import FailureClass
from contracts.parsing import ParserContext, ParserInput
from parsers.common.collector import collector_paused
from parsers.common.ledger import LedgerBook
from parsers.common.office_quality import Findings, page_quality, refuse_unread
from parsers.common.opc import Element, Package, inner_text, local_name
from parsers.common.text_headings import with_headings
from parsers.odf.charts import Objects, objects_of
from parsers.odf.flow import Flow
from parsers.odf.names import DRAW, OFFICE, STYLE, TABLE
from parsers.odf.sheets import SheetReader
from parsers.odf.slides import slide_blocks
from parsers.odf.styles import Styles

__all__ = ["OdfParser"]

_META = {
    "title": "title", "subject": "subject", "initial-creator": "author", "creator": "last_author", "creation-date": "created",
    "date": "modified", "description": "comments", "keyword": "keywords",
}  # fmt: skip
_MARGINS = {"header": BlockKind.HEADER, "footer": BlockKind.FOOTER}

Made = tuple[list[Block], list[PageQuality]]


class OdfParser:
    """Reads OpenDocument files. Macros are noted and never run."""

    def parse(self, source: ParserInput, context: ParserContext) -> ParsedDocument:
        """Parse one file.

        Raises:
            ParseFailure: ``truncated``, ``corrupt`` or ``archive_bomb``.
        """
        with (
            collector_paused(),
            Package(source.path, context.limits) as package,
            LedgerBook(context) as ledgers,
        ):
            content = package.xml("content.xml")
            body = content.find(f"{OFFICE}body") if content is not None else None
            if body is None or not len(body):
                raise ParseFailure(FailureClass.CORRUPT, "no readable content")
            more = package.xml("styles.xml")
            properties = _properties(package)
            styles = Styles(more, content)
            blocks, pages = _READERS.get(local_name(body[0]), _text)(
                _Source(body[0], styles, more, objects_of(package), context, ledgers)
            )
            database = ledgers.close()
            warnings = list(dict.fromkeys(package.warnings))
        refuse_unread(blocks, (), warnings)
        findings = Findings(partial=list(warnings))
        if "macros" in properties:
            warnings.append("the file holds macros; they are not run")
        return ParsedDocument(
            format=source.format,
            title=properties.get("title", "") or _first_heading(blocks),
            properties=properties,
            blocks=tuple(blocks),
            quality=findings.quality(pages),
            warnings=tuple(warnings),
            database=database,
        )


@dataclass(frozen=True, slots=True)
class _Source:
    """A document's body and what its content refers to."""

    body: Element
    styles: Styles
    more: Element | None
    objects: Objects
    context: ParserContext
    ledgers: LedgerBook


def _text(source: _Source) -> Made:
    flow, more = Flow(source.styles, source.objects), source.more
    blocks = list(flow.blocks(source.body))
    if not any(block.kind is BlockKind.HEADING for block in blocks):
        blocks = with_headings(blocks)
    seen: set[str] = set()
    margins: dict[str, list[Block]] = {"header": [], "footer": []}
    for page in more.iter(f"{STYLE}master-page") if more is not None else ():
        for part in page:
            kind = _MARGINS.get(local_name(part).split("-")[0])
            text = flow.text(part) if kind is not None else ""
            if kind is not None and text and text not in seen:
                seen.add(text)
                margins[str(kind)].append(Block(kind=kind, text=text, layer=Layer.FURNITURE))
    blocks = [*margins["header"], *blocks, *margins["footer"]]
    return blocks, [page_quality(1, blocks)]


def _spreadsheet(source: _Source) -> Made:
    most = source.context.limits.max_cells
    reader = SheetReader(source.styles, most, source.ledgers, source.objects)
    blocks: list[Block] = []
    pages = []
    for number, table in enumerate(source.body.iterfind(f"{TABLE}table"), start=1):
        made = reader.blocks(table)
        blocks += made
        pages.append(page_quality(number, made))
    return blocks, pages


def _presentation(source: _Source) -> Made:
    blocks: list[Block] = []
    pages = []
    for number, page in enumerate(source.body.iterfind(f"{DRAW}page"), start=1):
        made = slide_blocks(page, number, source.styles, source.objects)
        blocks += made
        pages.append(page_quality(number, made))
    return blocks, pages


_READERS: dict[str, Callable[[_Source], Made]] = {
    "text": _text,
    "spreadsheet": _spreadsheet,
    "presentation": _presentation,
    "drawing": _presentation,
}


def _properties(package: Package) -> dict[str, str]:
    found: dict[str, str] = {}
    root = package.xml("meta.xml")
    for element in root.iter() if root is not None else ():
        name = _META.get(local_name(element))
        value = " ".join(inner_text(element).split())
        if name and value:
            found.setdefault(name, value)
    if any(
        name.startswith(("basic/", "scripts/")) and not name.endswith("/")
        for name in package.names()
    ):
        found["macros"] = "yes"
    return found


def _first_heading(blocks: list[Block]) -> str:
    return next(
        (b.text for b in blocks if b.kind is BlockKind.HEADING and b.layer is Layer.BODY), ""
    )
