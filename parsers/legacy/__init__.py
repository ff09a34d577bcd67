"""Older and foreign office formats: through LibreOffice where it is installed, by readers of our own otherwise.

LibreOffice turns them into the formats that we read anyway. What it made is compared with what our own reader finds in the
same file; where it has lost text, our own reading counts.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import cast

from contracts.documents import BlockKind, ParsedDocument
from contracts.parsing import ParserContext, ParserInput
from parsers.legacy.conversion import MACROS, converted_document, finished, words_of

__all__ = ["LegacyParser"]

_TARGETS = {"doc": "docx", "rtf": "docx", "ppt": "pptx"}
_OWN = {
    "doc": "parsers.legacy.doc:read_doc",
    "ppt": "parsers.legacy.ppt:read_ppt",
    "rtf": "parsers.legacy.rtf:read_rtf",
}
_LOST_SHARE = 0.03
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
        target = _TARGETS[source.format]
        # Numbered notes are footnotes; those of slides are the speaker's.
        notes = (block for block in own.blocks if block.kind is BlockKind.NOTE)
        comments = target == "docx" and not all(note.label for note in notes)
        converted = converted_document(source, target, context, comments=comments)
        if converted is not None and not _lost(own, converted):
            return finished(converted, own)
        why = _LESS[source.format]
        if converted is not None:
            why = "LibreOffice has lost text of it: read without"
        quality = own.quality
        if quality.grade == "A":
            quality = replace(quality, grade="B", reasons=(why,))
        macros = (MACROS,) if "macros" in own.properties else ()
        return replace(own, quality=quality, warnings=(*own.warnings, why, *macros))


def _reader(format_name: str) -> _Read:
    module, _, name = _OWN[format_name].partition(":")
    return cast("_Read", getattr(import_module(module), name))


def _lost(own: ParsedDocument, converted: ParsedDocument) -> bool:
    """Whether more than a few words that our own reader finds are missing from what LibreOffice made."""
    found, there = words_of(own), words_of(converted)
    missing = found - there
    return missing.total() > max(2, found.total() * _LOST_SHARE)
