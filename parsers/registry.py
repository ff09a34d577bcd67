"""Which module opens which format. A new format is one module and one line here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from typing import TYPE_CHECKING, cast

from contracts.errors import ConfigError, ParseFailure
from contracts.failures import FailureClass

if TYPE_CHECKING:
    from contracts.parsing import Parser

__all__ = ["ALTERNATIVES", "PARSERS", "ParserEntry", "parser_for", "parsers_in_use"]


@dataclass(frozen=True, slots=True)
class ParserEntry:
    """A parser, imported only when it is first needed.

    Attributes:
        name: Registry name.
        formats: Formats, as :mod:`parsers.sniff` names them.
        where: ``module:class``.
        version: Raised whenever the output for the same input changes: stored results are then made anew.
    """

    name: str
    formats: frozenset[str]
    where: str
    version: int = 1

    def load(self) -> Parser:
        """Import the module and make the parser."""
        module, _, name = self.where.partition(":")
        return cast("Parser", getattr(import_module(module), name)())


PARSERS: tuple[ParserEntry, ...] = (
    ParserEntry("pdf", frozenset({"pdf"}), "parsers.pdf:PdfParser", version=7),
    ParserEntry(
        "image",
        frozenset({"png", "jpeg", "tiff", "bmp", "gif", "webp"}),
        "parsers.image:ImageParser",
        version=5,
    ),
    ParserEntry("pptx", frozenset({"pptx"}), "parsers.pptx:PptxParser", version=2),
    ParserEntry("xlsx", frozenset({"xlsx"}), "parsers.xlsx:XlsxParser", version=4),
    ParserEntry("xls", frozenset({"xls"}), "parsers.xls:XlsParser", version=5),
    ParserEntry("docx", frozenset({"docx"}), "parsers.docx:DocxParser", version=2),
    ParserEntry("binary-office", frozenset({"doc", "ppt"}), "parsers.legacy:BinaryParser"),
    ParserEntry("legacy", frozenset({"rtf"}), "parsers.legacy:LegacyParser", version=3),
    ParserEntry("hwp3", frozenset({"hwp3"}), "parsers.legacy.hwp3:Hwp3Parser"),
    ParserEntry("xlsb", frozenset({"xlsb"}), "parsers.xlsx.binary:XlsbParser", version=2),
    ParserEntry("odf", frozenset({"odt", "ods", "odp", "odg"}), "parsers.odf:OdfParser", version=2),
    ParserEntry("hwp", frozenset({"hwp"}), "parsers.hwp:HwpParser", version=3),
    ParserEntry("hwpx", frozenset({"hwpx"}), "parsers.hwpx:HwpxParser", version=3),
    ParserEntry(
        "mail", frozenset({"eml", "msg", "mbox", "tnef"}), "parsers.mail:MailParser", version=5
    ),
    ParserEntry("calendar", frozenset({"ics"}), "parsers.calendar:CalendarParser"),
    ParserEntry("html", frozenset({"html"}), "parsers.html:HtmlParser", version=2),
    ParserEntry("text", frozenset({"txt", "md", "csv"}), "parsers.text:TextParser", version=3),
    ParserEntry("zip", frozenset({"zip"}), "parsers.archive:ZipParser"),
    ParserEntry(
        "packed",
        frozenset({"7z", "rar", "tar", "gz", "bz2", "xz", "zst", "cab"}),
        "parsers.archive:PackedParser",
    ),
)


ALTERNATIVES: tuple[ParserEntry, ...] = (
    ParserEntry("python-pptx", frozenset({"pptx"}), "parsers.pptx.alternative:PythonPptxParser"),
    ParserEntry("openpyxl", frozenset({"xlsx"}), "parsers.xlsx.alternative:OpenpyxlParser"),
    ParserEntry("xlrd", frozenset({"xls"}), "parsers.xls.alternative:XlrdParser"),
    ParserEntry("pyhwp", frozenset({"hwp"}), "parsers.hwp.pyhwp:PyhwpParser"),
    ParserEntry("libreoffice", frozenset({"doc", "ppt"}), "parsers.legacy:LegacyParser"),
    ParserEntry("extract-msg", frozenset({"msg"}), "parsers.mail.alternative:ExtractMsgParser"),
)
"""Readers behind the same port that know less; ``docs/decisions`` says what, in figures."""


def parser_for(format_name: str, alternatives: Sequence[str] = ()) -> ParserEntry:
    """The entry that opens a format.

    Args:
        format_name: As :mod:`parsers.sniff` names it.
        alternatives: ``format:name`` of each format that another reader shall open.

    Raises:
        ParseFailure: ``unsupported``, where no entry does.
        ConfigError: see :func:`parsers_in_use`.
    """
    for entry in parsers_in_use(alternatives):
        if format_name in entry.formats:
            return entry
    raise ParseFailure(FailureClass.UNSUPPORTED, format_name)


def parsers_in_use(alternatives: Sequence[str] = ()) -> tuple[ParserEntry, ...]:
    """All entries, the chosen alternatives (each for its chosen format only) before the others.

    Raises:
        ConfigError: an alternative that there is none of, or two for one format.
    """
    chosen: dict[str, ParserEntry] = {}
    for wish in alternatives:
        format_name, _, name = wish.partition(":")
        found = [e for e in ALTERNATIVES if e.name == name and format_name in e.formats]
        if not found or format_name in chosen:
            known = (f"{f}:{e.name}" for e in ALTERNATIVES for f in sorted(e.formats))
            problem = "is named twice" if found else "is no alternative reader"
            msg = f"parse.alternatives: {wish!r} {problem}"
            raise ConfigError(msg, advice=f"one a format of {', '.join(known)}")
        chosen[format_name] = replace(found[0], name=wish, formats=frozenset({format_name}))
    return (*(chosen[name] for name in sorted(chosen)), *PARSERS)
