"""Older and foreign office formats: through LibreOffice where it is installed, by readers of our own otherwise.

LibreOffice turns them into the formats that we read anyway. What it made is compared with what our own reader finds in the
same file; where it has lost text, our own reading counts.
"""

from __future__ import annotations

import re
import tempfile
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import cast

from contracts.documents import Layer, Origin, ParsedDocument
from contracts.errors import ParseFailure
from contracts.parsing import ParserContext, ParserInput
from parsers.common.office_quality import block_text
from parsers.legacy.converter import converter_for
from parsers.registry import parser_for

__all__ = ["LegacyParser"]

_TARGETS = {"doc": "docx", "rtf": "docx", "ppt": "pptx"}
_OWN = {
    "doc": "parsers.legacy.doc:read_doc",
    "ppt": "parsers.legacy.ppt:read_ppt",
    "rtf": "parsers.legacy.rtf:read_rtf",
}
_MOST_SECONDS = 60.0
_SHARE_OF_LIMIT = 0.5
_LOST_SHARE = 0.03
_OF_THE_FILE = frozenset({"application", "title", "author", "last_author", "created", "modified", "subject", "keywords", "comments", "company", "category", "macros", "revision"})  # fmt: skip
"""Properties that only the file itself tells; LibreOffice writes its own."""
_FILLER = re.compile(r"<(?:footer|header|number|date/time|#)>")
"""What LibreOffice writes into empty fields of slides."""
_MACROS = "the file holds macros; they are not run"
_LESS = {
    "doc": "read without LibreOffice: numbers of lists are not shown",
    "rtf": "read without LibreOffice: numbers of lists are not shown",
    "ppt": "read without LibreOffice: charts are not shown",
}

_Read = Callable[[Path], ParsedDocument]


class LegacyParser:
    """Reads ``doc``, ``ppt`` and ``rtf``. Macros are noted and never run."""

    def parse(self, source: ParserInput, context: ParserContext) -> ParsedDocument:
        """Parse one file.

        Raises:
            ParseFailure: ``truncated`` or ``corrupt``.
        """
        own = _reader(source.format)(source.path)
        # What our reader does not know as such a file is not for LibreOffice either: it opens anything as text.
        converted = _converted(source, context)
        if converted is not None and not _lost(own, converted):
            return _finished(converted, own)
        why = _LESS[source.format]
        if converted is not None:
            why = "LibreOffice has lost text of it: read without"
        quality = own.quality
        if quality.grade == "A":
            quality = replace(quality, grade="B", reasons=(why,))
        macros = (_MACROS,) if "macros" in own.properties else ()
        return replace(own, quality=quality, warnings=(*own.warnings, why, *macros))


def _reader(format_name: str) -> _Read:
    module, _, name = _OWN[format_name].partition(":")
    return cast("_Read", getattr(import_module(module), name))


def _converted(source: ParserInput, context: ParserContext) -> ParsedDocument | None:
    """What LibreOffice makes of the file, or None where there is none or it fails."""
    limits = context.limits
    converter = converter_for(limits.office)
    if converter is None:
        return None
    target = _TARGETS[source.format]
    seconds = min(_MOST_SECONDS, limits.timeout_seconds * _SHARE_OF_LIMIT)
    with tempfile.TemporaryDirectory(prefix="seoga-convert-") as folder:
        named = Path(folder) / f"source.{source.format}"
        named.symlink_to(source.path.resolve())
        made = Path(folder) / f"made.{target}"
        if not converter.convert(named, made, target, seconds):
            return None
        parser = parser_for(target, limits.alternatives).load()
        try:
            return parser.parse(ParserInput(path=made, name=made.name, format=target), context)
        except ParseFailure:
            return None


def _lost(own: ParsedDocument, converted: ParsedDocument) -> bool:
    """Whether more than a few words that our own reader finds are missing from what LibreOffice made."""
    found, there = _words(own), _words(converted)
    missing = found - there
    return missing.total() > max(2, found.total() * _LOST_SHARE)


def _words(document: ParsedDocument) -> Counter[str]:
    words: Counter[str] = Counter()
    for block in document.blocks:
        if block.layer is not Layer.FURNITURE:
            words.update(set(block_text(block).split()))
    return Counter(words.keys())


def _finished(converted: ParsedDocument, own: ParsedDocument) -> ParsedDocument:
    """The converted document under its real format, with the properties of the file itself."""
    properties = {k: v for k, v in converted.properties.items() if k not in _OF_THE_FILE}
    properties |= own.properties
    properties["converter"] = "LibreOffice"
    warnings = tuple(w for w in converted.warnings if "macros" not in w)
    known = _words(own)
    blocks = [
        replace(block, origin=Origin.CONVERTED)
        for block in converted.blocks
        if not (_FILLER.fullmatch(block.text) and block.text not in known)
    ]
    return replace(
        converted,
        format=own.format,
        title=properties.get("title", "") or converted.title,
        properties=properties,
        blocks=tuple(blocks),
        warnings=(*warnings, _MACROS) if "macros" in properties else warnings,
    )
