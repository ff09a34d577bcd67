"""Text files: plain text, Markdown and delimited tables, in whatever charset they were saved."""

from __future__ import annotations

from contracts.documents import Block, BlockKind, ParsedDocument
from contracts.errors import ParseFailure
from contracts.failures import FailureClass
from contracts.parsing import ParserContext, ParserInput
from parsers.common.charset import decode_text, without_surrogates
from parsers.common.charset_evidence import charset_by_text
from parsers.common.ledger import LedgerBook
from parsers.common.office_quality import Findings, page_quality
from parsers.text.delimited import delimited_blocks
from parsers.text.markdown import markdown_blocks
from parsers.text.plain import plain_blocks

__all__ = ["TextParser"]

_NAMES = {"author": "author", "작성자": "author", "date": "created", "작성일": "created"}


class TextParser:
    """Reads ``txt``, ``md`` and ``csv``; the sniffed format says which."""

    def parse(self, source: ParserInput, context: ParserContext) -> ParsedDocument:
        """Parse one text file.

        Raises:
            ParseFailure: ``empty`` for a file of white space.
        """
        data = source.path.read_bytes()
        if not data.strip(b"\0 \t\r\n"):
            raise ParseFailure(FailureClass.EMPTY, "no characters but white space")
        decoded = decode_text(data, charset_by_text(data))
        text = without_surrogates(decoded.text).lstrip("\ufeff").replace("\r\n", "\n")
        findings = Findings()
        if not decoded.sound:
            findings.partial.append(f"some bytes do not fit {decoded.charset}")
        properties = {"charset": decoded.charset}
        with LedgerBook(context) as ledgers:
            title, blocks = self._blocks(
                source.format, text, findings, properties, context.limits.max_cells, ledgers
            )
            database = ledgers.close()
        if not blocks:
            raise ParseFailure(FailureClass.EMPTY, "no characters but white space")
        return ParsedDocument(
            format=source.format,
            title=title,
            properties=properties,
            blocks=tuple(blocks),
            quality=findings.quality([page_quality(1, blocks)]),
            warnings=(*findings.partial, *findings.minor),
            database=database,
        )

    def _blocks(
        self,
        format_name: str,
        text: str,
        findings: Findings,
        properties: dict[str, str],
        max_cells: int,
        ledgers: LedgerBook,
    ) -> tuple[str, list[Block]]:
        """Title and blocks by format."""
        if format_name == "csv":
            found = delimited_blocks(text, max_cells, ledgers)
            findings.minor += found.minor
            return "", found.blocks
        if format_name == "md":
            fields, blocks = markdown_blocks(text)
            for name, value in fields.items():
                properties.setdefault(_NAMES.get(name, name), value)
            title = fields.get("title") or fields.get("제목") or _first_heading(blocks)
            return title, blocks
        blocks = plain_blocks(text.replace("\0", ""))
        return "", blocks


def _first_heading(blocks: list[Block]) -> str:
    return next((block.text for block in blocks if block.kind is BlockKind.HEADING), "")
