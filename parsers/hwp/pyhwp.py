"""pyhwp behind the parser port: the alternative reader, kept for comparison (docs/decisions/0003-hwp-reader.md)."""

from __future__ import annotations

import zlib
from contextlib import closing
from typing import TYPE_CHECKING

from contracts.documents import Block, BlockKind, ParsedDocument, Quality
from contracts.errors import ParseFailure
from contracts.failures import FailureClass

if TYPE_CHECKING:
    from contracts.parsing import ParserContext, ParserInput

__all__ = ["PyhwpParser"]

# It checks little; damaged files surface as whatever its readers trip over.
_PROBLEMS = (ValueError, AttributeError, TypeError, AssertionError, EOFError, zlib.error)


class PyhwpParser:
    """Reads HWP 5 through ``hwp5``: paragraphs in record order, the text of tables cell by cell, no structure."""

    def parse(self, source: ParserInput, context: ParserContext) -> ParsedDocument:  # noqa: ARG002
        """Parse one file.

        Raises:
            ParseFailure: ``encrypted``, or ``corrupt`` for whatever else pyhwp does not open.
        """
        from hwp5.dataio import ParseError
        from hwp5.errors import InvalidHwp5FileError
        from hwp5.xmlmodel import Hwp5File

        try:
            with closing(Hwp5File(str(source.path))) as file:
                if file.header.flags.password:
                    raise ParseFailure(FailureClass.ENCRYPTED, "file header: password")
                body = file.viewtext if file.header.flags.distributable else file.bodytext
                texts = [
                    _text(model["content"]["chunks"])
                    for name in body.section_indexes()
                    for model in body.section(name).models()
                    if model["tagname"] == "HWPTAG_PARA_TEXT"
                ]
        except (InvalidHwp5FileError, ParseError, OSError, LookupError, *_PROBLEMS) as problem:
            raise ParseFailure(FailureClass.CORRUPT, "pyhwp cannot read the file") from problem
        blocks = tuple(Block(kind=BlockKind.PARAGRAPH, text=text) for text in texts if text)
        quality = Quality(grade="B", reasons=("text without structure",))
        return ParsedDocument(format="hwp", blocks=blocks, quality=quality)


def _text(chunks: list[tuple[object, object]]) -> str:
    return "".join(chunk for _, chunk in chunks if isinstance(chunk, str)).strip()
