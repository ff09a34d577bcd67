"""Older and foreign office formats.

``doc`` and ``ppt`` are read by readers of our own. ``rtf`` goes through LibreOffice where it is installed: it turns it into
a format that we read anyway. What it made is compared with what our own reader finds in the same file; where it has lost
text, our own reading counts. So are files of Word 6 and 95, and all of ``doc`` and ``ppt`` for whoever chooses it.
"""

from __future__ import annotations

from dataclasses import replace

from contracts.documents import BlockKind, ParsedDocument
from contracts.parsing import ParserContext, ParserInput
from parsers.legacy.conversion import MACROS, converted_document, finished, words_of
from parsers.legacy.summary import SIMPLE

__all__ = ["BinaryParser", "LegacyParser"]

_TARGETS = {"doc": "docx", "rtf": "docx", "ppt": "pptx"}
_LOST_SHARE = 0.03
_LESS = {"rtf": "read without LibreOffice: numbers of lists are not shown"}
_LOST = "LibreOffice has lost text of it: read without"


class BinaryParser:
    """Reads ``doc`` and ``ppt``. Macros are noted and never run."""

    def parse(self, source: ParserInput, context: ParserContext) -> ParsedDocument:
        """Parse one file.

        Raises:
            ParseFailure: ``truncated``, ``corrupt`` or ``archive_bomb``.
        """
        own = _own(source, context)
        if SIMPLE in own.warnings:
            converted = _converted(source, own, context)
            if converted is not None and not _lost(own, converted):
                return finished(converted, own)
        return _with_macros(own)


class LegacyParser:
    """Reads ``doc``, ``ppt`` and ``rtf`` through LibreOffice. Macros are noted and never run."""

    def parse(self, source: ParserInput, context: ParserContext) -> ParsedDocument:
        """Parse one file.

        Raises:
            ParseFailure: ``truncated``, ``corrupt`` or ``archive_bomb``.
        """
        # What our reader does not know as such a file is not for LibreOffice either: it opens anything as text.
        own = _own(source, None)
        converted = _converted(source, own, context)
        if converted is not None and not _lost(own, converted):
            return finished(converted, own)
        own = _own(source, context)
        why = _LESS.get(source.format, "") if converted is None else _LOST
        if why:
            quality = own.quality
            if quality.grade == "A":
                quality = replace(quality, grade="B", reasons=(why,))
            own = replace(own, quality=quality, warnings=(*own.warnings, why))
        return _with_macros(own)


def _own(source: ParserInput, context: ParserContext | None) -> ParsedDocument:
    """What our own reader finds; without a context, embedded files are left where they are."""
    if source.format == "doc":
        from parsers.legacy.doc import read_doc

        return read_doc(source.path, context)
    if source.format == "ppt":
        from parsers.legacy.ppt import read_ppt

        return read_ppt(source.path, context)
    from parsers.legacy.rtf import read_rtf

    return read_rtf(source.path)


def _converted(
    source: ParserInput, own: ParsedDocument, context: ParserContext
) -> ParsedDocument | None:
    target = _TARGETS[source.format]
    # RTF: numbered notes are footnotes. Those of slides are the speaker's.
    notes = (block for block in own.blocks if block.kind is BlockKind.NOTE)
    comments = target == "docx" and any(not n.label or source.format == "doc" for n in notes)
    return converted_document(source, target, context, comments=comments)


def _with_macros(document: ParsedDocument) -> ParsedDocument:
    if "macros" not in document.properties:
        return document
    return replace(document, warnings=(*document.warnings, MACROS))


def _lost(own: ParsedDocument, converted: ParsedDocument) -> bool:
    """Whether more than a few words that our own reader finds are missing from what LibreOffice made."""
    found, there = words_of(own), words_of(converted)
    missing = found - there
    return missing.total() > max(2, found.total() * _LOST_SHARE)
