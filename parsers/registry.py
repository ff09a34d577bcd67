"""Which module opens which format. A new format is one module and one line here."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, cast

from contracts.errors import ParseFailure
from contracts.failures import FailureClass

if TYPE_CHECKING:
    from contracts.ports import Parser

__all__ = ["PARSERS", "ParserEntry", "parser_for"]


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
    ParserEntry("pdf", frozenset({"pdf"}), "parsers.pdf:PdfParser"),
    ParserEntry(
        "image",
        frozenset({"png", "jpeg", "tiff", "bmp", "gif", "webp"}),
        "parsers.image:ImageParser",
    ),
    ParserEntry("pptx", frozenset({"pptx"}), "parsers.pptx:PptxParser"),
    ParserEntry("xlsx", frozenset({"xlsx"}), "parsers.xlsx:XlsxParser"),
    ParserEntry("xls", frozenset({"xls"}), "parsers.xls:XlsParser"),
    ParserEntry("docx", frozenset({"docx"}), "parsers.docx:DocxParser"),
    ParserEntry("hwp", frozenset({"hwp"}), "parsers.hwp:HwpParser"),
    ParserEntry("hwpx", frozenset({"hwpx"}), "parsers.hwpx:HwpxParser"),
    ParserEntry("mail", frozenset({"eml", "msg", "mbox"}), "parsers.mail:MailParser"),
    ParserEntry("html", frozenset({"html"}), "parsers.html:HtmlParser"),
    ParserEntry("text", frozenset({"txt", "md", "csv"}), "parsers.text:TextParser"),
    ParserEntry("archive", frozenset({"zip"}), "parsers.archive:ArchiveParser"),
)


def parser_for(format_name: str) -> ParserEntry:
    """The entry that opens a format.

    Raises:
        ParseFailure: ``unsupported``, where no entry does.
    """
    for entry in PARSERS:
        if format_name in entry.formats:
            return entry
    raise ParseFailure(FailureClass.UNSUPPORTED, format_name)
