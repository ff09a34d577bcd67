"""Web pages (.html, .htm, and tables that business systems export under other names)."""

from __future__ import annotations

from contracts.documents import BlockKind, Layer, ParsedDocument
from contracts.errors import ParseFailure
from contracts.failures import FailureClass
from contracts.parsing import ParserContext, ParserInput
from parsers.common.charset import decode_text, without_surrogates
from parsers.common.charset_evidence import charset_by_text, is_johab
from parsers.common.markup import declared_charset, read_markup
from parsers.common.office_quality import Findings, page_quality

__all__ = ["HtmlParser"]


class HtmlParser:
    """Reads HTML without running anything and without fetching anything."""

    def parse(self, source: ParserInput, context: ParserContext) -> ParsedDocument:  # noqa: ARG002
        """Parse one page.

        Raises:
            ParseFailure: ``empty`` for a file without any content.
        """
        data = source.path.read_bytes()
        if not data.strip(b"\0 \t\r\n"):
            raise ParseFailure(FailureClass.EMPTY, "no characters but white space")
        declared = declared_charset(data)
        if is_johab(data) or not declared:
            declared = charset_by_text(data)
        decoded = decode_text(data, declared)
        page = read_markup(without_surrogates(decoded.text))
        findings = Findings()
        if not decoded.sound:
            findings.partial.append(f"some bytes do not fit {decoded.charset}")
        if page.flattened:
            findings.partial.append("elements nested too deeply: read as lines of text")
        heading = (
            b.text for b in page.blocks if b.kind is BlockKind.HEADING and b.layer is Layer.BODY
        )
        return ParsedDocument(
            format="html",
            title=page.title or next(heading, ""),
            properties={**page.properties, "charset": decoded.charset},
            blocks=page.blocks,
            quality=findings.quality([page_quality(1, page.blocks)]),
            warnings=tuple(findings.partial),
        )
