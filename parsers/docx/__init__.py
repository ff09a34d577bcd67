"""Documents (.docx, .docm, .dotx): headings, numbered lists, tables, notes, headers and footers."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import structs

from contracts.documents import Block, BlockKind, Layer, ParsedDocument
from contracts.errors import ParseFailure
from contracts.failures import FailureClass
from contracts.parsing import ParserContext, ParserInput
from parsers.common.collector import collector_paused
from parsers.common.office_quality import Findings, block_text, page_quality, refuse_unread
from parsers.common.opc import Element, Package, attribute, local_name
from parsers.common.story_blocks import margin_block
from parsers.common.text_headings import with_headings
from parsers.docx.remarks import Remarks
from parsers.docx.story import Shared, Story
from parsers.docx.styles import Numbering, Styles, W

__all__ = ["DocxParser"]


class DocxParser:
    """Reads Office Open XML documents. Macros are noted and never run."""

    def parse(self, source: ParserInput, context: ParserContext) -> ParsedDocument:
        """Parse one document.

        Raises:
            ParseFailure: ``truncated``, ``corrupt``, ``encrypted`` or ``archive_bomb``.
        """
        with collector_paused(), Package(source.path, context.limits) as package:
            part = package.main_part("word/document.xml")
            root = package.xml(part)
            body = root.find(f"{W}body") if root is not None else None
            if root is None or body is None:
                raise ParseFailure(FailureClass.CORRUPT, "no readable document part")
            shared = _shared(package, part, context)
            blocks = list(Story(shared, part).blocks(body))
            if not any(block.kind is BlockKind.HEADING for block in blocks):
                blocks = with_headings(blocks)
            blocks += _unreferenced(shared, part)
            heads, feet = _margins(shared, part, body)
            blocks = [*heads, *blocks, *feet]
            properties = package.properties()
            warnings = list(dict.fromkeys(package.warnings))
        refuse_unread(blocks, shared.children, warnings)
        findings = Findings(partial=list(warnings))
        if "macros" in properties:
            warnings.append("the document holds macros; they are not run")
        return ParsedDocument(
            format="docx",
            title=properties.get("title", "") or _first_heading(blocks),
            properties=properties,
            blocks=tuple(blocks),
            children=tuple(shared.children),
            quality=findings.quality([page_quality(1, blocks)]),
            warnings=tuple(warnings),
        )


def _shared(package: Package, part: str, context: ParserContext) -> Shared:
    def first(kind: str) -> str:
        return next(iter(package.related(part, kind)), "")

    return Shared(
        package=package,
        context=context,
        styles=Styles(package, first("styles")),
        numbering=Numbering(package.xml(first("numbering"))),
        remarks=Remarks(package, part, _settings(package, first("settings"))),
    )


def _settings(package: Package, part: str) -> Element | None:
    """Root of the settings where they say anything about the numbers of notes, which is all that is asked of them."""
    data = package.read(part) or b""
    return package.parsed(data, part) if b"numFmt" in data.replace(b"\0", b"") else None


def _first_heading(blocks: list[Block]) -> str:
    found = (b.text for b in blocks if b.kind is BlockKind.HEADING and b.layer is Layer.BODY)
    return next(found, "")


def _unreferenced(shared: Shared, part: str) -> Iterator[Block]:
    """Comments on the whole document; notes without a reference are not shown and stay hidden."""
    story = Story(shared, part)
    for kind, reference in shared.remarks.left():
        for block in story.remark(kind, reference):
            yield block if kind == "comment" else structs.replace(block, layer=Layer.HIDDEN)


def _margins(shared: Shared, part: str, body: Element) -> tuple[list[Block], list[Block]]:
    """Headers and footers of all sections, each different text once."""
    links = shared.package.relationships(part)
    found: dict[BlockKind, list[Block]] = {BlockKind.HEADER: [], BlockKind.FOOTER: []}
    seen: set[str] = set()
    for reference in body.iter(f"{W}headerReference", f"{W}footerReference"):
        kind = BlockKind(local_name(reference).removesuffix("Reference"))
        link = links.get(attribute(reference, "id"))
        if link is None or link.external or link.target in seen:
            continue
        seen.add(link.target)
        root = shared.package.xml(link.target)
        if root is None:
            continue
        blocks = [margin_block(block, kind) for block in Story(shared, link.target).blocks(root)]
        text = "\n".join(map(block_text, blocks))
        if text.strip() and text not in seen:
            seen.add(text)
            found[kind] += blocks
    return found[BlockKind.HEADER], found[BlockKind.FOOTER]
