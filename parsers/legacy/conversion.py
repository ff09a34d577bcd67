"""A file of another office format as the document that LibreOffice makes of it."""

from __future__ import annotations

import re
import tempfile
from collections import Counter
from dataclasses import replace
from pathlib import Path

from msgspec import structs

from contracts.documents import Layer, Origin, ParsedDocument
from contracts.errors import ParseFailure
from contracts.parsing import ParserContext, ParserInput
from parsers.common.office_quality import block_text
from parsers.legacy.converter import converter_for
from parsers.registry import parser_for

__all__ = ["MACROS", "converted_document", "finished", "words_of"]

_MOST_SECONDS = 60.0
_SHARE_OF_LIMIT = 0.5
_ENDINGS = {"hwp3": "hwp"}
"""Endings by which LibreOffice knows a format, where they are not its name here."""
_OF_THE_FILE = frozenset({"application", "title", "author", "last_author", "created", "modified", "subject", "keywords", "comments", "company", "category", "macros", "revision"})  # fmt: skip
"""Properties that only the file itself tells; LibreOffice writes its own."""
_FILLER = re.compile(r"<(?:footer|header|number|date/time|#)>")
"""What LibreOffice writes into empty fields of slides."""
MACROS = "the file holds macros; they are not run"


def converted_document(
    source: ParserInput, target: str, context: ParserContext, *, comments: bool = False
) -> ParsedDocument | None:
    """What LibreOffice makes of the file, or None where there is none or it fails.

    Args:
        source: The file.
        target: Format that LibreOffice shall write: ``docx`` or ``pptx``.
        context: Limits, and where children go.
        comments: It is a text document that is known to hold comments.
    """
    limits = context.limits
    converter = converter_for(limits.office)
    if converter is None:
        return None
    seconds = min(_MOST_SECONDS, limits.timeout_seconds * _SHARE_OF_LIMIT)
    with tempfile.TemporaryDirectory(prefix="seoga-convert-") as folder:
        named = Path(folder) / f"source.{_ENDINGS.get(source.format, source.format)}"
        named.symlink_to(source.path.resolve())
        made = Path(folder) / f"made.{target}"
        if not converter.convert(named, made, target, seconds, comments=comments):
            return None
        parser = parser_for(target, limits.alternatives).load()
        try:
            return parser.parse(ParserInput(path=made, name=made.name, format=target), context)
        except ParseFailure:
            return None


def finished(converted: ParsedDocument, own: ParsedDocument) -> ParsedDocument:
    """The converted document under its real format, with the properties of the file itself.

    Args:
        converted: What LibreOffice made.
        own: What our own reader found: format, properties and, where it reads them, blocks.
    """
    properties = {k: v for k, v in converted.properties.items() if k not in _OF_THE_FILE}
    properties |= own.properties
    properties["converter"] = "LibreOffice"
    warnings = tuple(w for w in converted.warnings if "macros" not in w)
    known = words_of(own)
    blocks = [
        structs.replace(block, origin=Origin.CONVERTED)
        for block in converted.blocks
        if not (_FILLER.fullmatch(block.text) and block.text not in known)
    ]
    return replace(
        converted,
        format=own.format,
        title=properties.get("title", "") or converted.title,
        properties=properties,
        blocks=tuple(blocks),
        warnings=(*warnings, MACROS) if "macros" in properties else warnings,
    )


def words_of(document: ParsedDocument) -> Counter[str]:
    """The different words of a document, repeated headers and footers left out."""
    words: Counter[str] = Counter()
    for block in document.blocks:
        if block.layer is not Layer.FURNITURE:
            words.update(set(block_text(block).split()))
    return Counter(words.keys())
