"""PDF to blocks: read the pages one by one, then lay out what they hold together."""
# mypy: allow-untyped-calls
# (PyMuPDF ships without complete types)

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pymupdf
from msgspec import structs

from contracts.documents import Layer, Origin, ParsedDocument
from contracts.errors import ParseFailure
from contracts.failures import FailureClass
from parsers.common.paged.assembly import Assembly
from parsers.common.paged.content import PageContent, PageRecord
from parsers.common.paged.grading import grade
from parsers.ocr.kept import recognised
from parsers.ocr.recognizer import RecognisedPage, RecognitionProblem, Recognizer, placed
from parsers.ocr.strips import StripSheet
from parsers.pages import PageWaits
from parsers.pdf.extras import (
    annotation_blocks,
    attachments,
    bookmarks,
    form_values,
    link_targets,
    page_attachments,
    properties,
)
from parsers.pdf.fonts import Fonts
from parsers.pdf.opening import LIBRARY_ERRORS, is_huge, open_pdf, upright
from parsers.pdf.reading import read_page
from parsers.pdf.resources import has_annotations
from parsers.pdf.scans import (
    Need,
    Plan,
    cuttings,
    not_covered,
    outlined_lines,
    parted,
    plan,
    rendered,
    soundness,
)
from parsers.pdf.xfa import form_blocks, form_packets, is_form_only

if TYPE_CHECKING:
    from collections.abc import Callable

    from contracts.documents import Block, Box
    from contracts.parsing import ParserContext, ParserInput

__all__ = ["PdfParser"]

_SIDEWAYS = 0.6
_SHRINK_EVERY = 16
_FOREIGN_CONFIDENCE = 0.8
_OURS_CONFIDENCE = 0.8
_CLEARLY = 0.05
_FILL_CONFIDENCE = 0.5


class PdfParser:
    """Opens PDF files: text layer first, recognition page by page where it is missing or broken."""

    def parse(self, source: ParserInput, context: ParserContext) -> ParsedDocument:
        """Parse one file; boxes are in points of the pages as shown.

        Raises:
            ParseFailure: ``encrypted``, ``empty``, ``truncated``, ``corrupt``, ``too_large``;
                ``unsupported`` for a scan where recognition is not possible on this machine.
        """
        reading = _Reading(open_pdf(source.path, context.limits), context)
        try:
            return reading.result()
        finally:
            context.later(reading.close)


@dataclass(slots=True)
class _Problems:
    """Pages (numbers from 1) by what went wrong with them."""

    damaged: list[int] = field(default_factory=list)
    unread: list[int] = field(default_factory=list)
    oversized: list[int] = field(default_factory=list)
    outlined: list[int] = field(default_factory=list)
    why_unread: str = ""
    notes: list[str] = field(default_factory=list)

    def lines(self) -> list[str]:
        """One line each, for the operator."""
        out = list(dict.fromkeys(self.notes))
        if self.damaged:
            out.append(f"damaged and left out: {_pages(self.damaged)}")
        if self.oversized:
            out.append(f"too large to be recognised: {_pages(self.oversized)}")
        if self.outlined:
            out.append(f"text drawn as curves was not recognised: {_pages(self.outlined)}")
        if self.unread:
            out.append(f"not recognised ({self.why_unread}): {_pages(self.unread)}")
        return out


def _pages(numbers: list[int]) -> str:
    shown = ", ".join(map(str, numbers[:10]))
    return f"page{'s' if len(numbers) > 1 else ''} {shown}{' …' if len(numbers) > 10 else ''}"  # noqa: PLR2004  enough to look at


def _through(matrix: pymupdf.Matrix) -> Callable[[Box], Box]:
    def back(box: Box) -> Box:
        rect = pymupdf.Rect(box) * matrix
        return rect.x0, rect.y0, rect.x1, rect.y1

    return back


class _Reading:
    """One document on its way through the parser."""

    def __init__(self, document: pymupdf.Document, context: ParserContext) -> None:
        self._document = document
        self._context = context
        self._recognizer = Recognizer(context.ocr)
        self._problems = _Problems()
        self._fonts = Fonts()
        self._drawn = False
        self._files: list[tuple[str, bytes]] = []
        self._waiting: list[int] = []
        self._sheet = StripSheet()
        self._by_number: dict[int, PageRecord] = {}
        self._assembly: Assembly | None = None

    def close(self) -> None:
        """Let go of the file, and of its pages."""
        self._document.close()
        self._assembly = None

    def result(self) -> ParsedDocument:
        """Read every page, then assemble."""
        meta = properties(self._document)
        records = self._records()
        self._read_strips()
        children = attachments(self._document, self._files, self._context, self._problems.notes)
        assembly = self._assembly = Assembly(records, bookmarks(self._document))
        blocks, qualities = assembly.result()
        blocks = self._form(blocks)
        self._refuse_nothing(blocks, has_children=bool(children))
        warnings = self._problems.lines()
        return ParsedDocument(
            format="pdf",
            title=meta.get("title", "") or assembly.first_heading(blocks),
            properties=meta,
            blocks=tuple(blocks),
            children=tuple(children),
            quality=grade(qualities, warnings),
            warnings=tuple(warnings),
        )

    def _form(self, blocks: list[Block]) -> list[Block]:
        """The form that only the XML holds, in the place of pages that ask to wait for it."""
        packets = form_packets(self._document)
        if not packets or not is_form_only(self._document):
            return blocks
        form = form_blocks(packets)
        if not form:
            raise ParseFailure(
                FailureClass.UNSUPPORTED,
                "XFA form that cannot be read: print it to a PDF in Acrobat",
            )
        return form + [structs.replace(block, layer=Layer.FURNITURE) for block in blocks]

    def _records(self) -> list[PageRecord]:
        """Every page; or the end of this job, where pages must be recognised in others first."""
        pages, count = self._context.pages, self._document.page_count
        pages.begin(count)
        if pages.only:
            for number in pages.only:
                self._record(number - 1)
            pages.settle(self._waiting)
        records = [self._record(index) for index in range(count)]
        while self._waiting:
            waiting, self._waiting = self._waiting, []
            pages.settle(waiting)
            for number in waiting:
                records[number - 1] = self._record(number - 1)
        return records

    def _refuse_nothing(self, blocks: list[Block], *, has_children: bool) -> None:
        """A file without any content fails with the reason that a person can act on."""
        problems = self._problems
        if has_children or any(block.text or block.table for block in blocks):
            return
        if problems.unread and not self._context.ocr.enabled:
            return  # as configured: pages stay empty, with a warning
        if problems.damaged:
            raise ParseFailure(FailureClass.CORRUPT, "no page can be read")
        if problems.unread:
            raise ParseFailure(FailureClass.UNSUPPORTED, f"scan, and {problems.why_unread}")
        if problems.oversized:
            raise ParseFailure(FailureClass.TOO_LARGE, "pictures are over the pixel limit")
        raise ParseFailure(FailureClass.EMPTY, "no text, picture or attachment on any page")

    def _record(self, index: int) -> PageRecord:
        """Read one page; what is damaged is noted and left out."""
        number = index + 1
        files = len(self._files)
        try:
            page = self._document.load_page(index)
            record = self._read(page, number)
        except PageWaits:
            del self._files[files:]
            self._waiting.append(number)
            return PageRecord(number=number, content=PageContent(width=1, height=1))
        except (*LIBRARY_ERRORS, MemoryError):
            self._problems.damaged.append(number)
            return PageRecord(number=number, content=PageContent(width=1, height=1))
        if number % _SHRINK_EVERY == 0:
            self._shrink()
        return record

    def _shrink(self) -> None:
        """Free what earlier pages have left: decoded pictures all; of the rest the half that was used last stays."""
        pymupdf.TOOLS.store_shrink(100 if self._drawn else 50)
        self._drawn = False

    def _read(self, page: pymupdf.Page, number: int) -> PageRecord:
        annotated = has_annotations(page)
        notes = annotation_blocks(page, number) if annotated else []
        fields = annotated and any(True for _ in page.widgets() or ())
        links = link_targets(page) if annotated else []
        self._files += page_attachments(page, self._problems.notes) if annotated else []
        back = upright(page)
        content = read_page(page, self._fonts)
        turn = max(content.sideways, key=lambda t: content.sideways[t], default=0)
        if turn and content.sideways[turn] >= _SIDEWAYS:
            back = upright(page, turn)
            content = read_page(page, self._fonts)
        if links:
            shown = "".join(line.text for line in content.lines)
            links = [link for link in links if link.removeprefix("mailto:") not in shown]
        record = PageRecord(number=number, content=content, notes=notes, links=links)
        if back is not None:
            record.back.append(_through(back))
        decision = plan(content, page, self._context.ocr.max_pixels)
        if decision.foreign:
            if not (decision.doubtful and self._ours_is_better(page, record, decision)):
                record.foreign = True
                record.confidence = _FOREIGN_CONFIDENCE
        elif decision.too_large or (decision.need is not Need.NOTHING and is_huge(page)):
            self._problems.oversized.append(number)
        elif decision.need is not Need.NOTHING:
            self._recognise(page, record, decision)
        else:
            self._cut_outlines(page, record)
        if fields:
            shown = "".join(line.text for line in content.lines)
            record.notes += form_values(page, number, shown)
        return record

    def _recognise(self, page: pymupdf.Page, record: PageRecord, decision: Plan) -> None:
        """Recognise a page; without recognition its text layer, if any, stays."""
        try:
            found = self._recognised(page, record.number, decision)
        except RecognitionProblem as trouble:
            self._unread(record, decision, str(trouble))
            return
        if decision.need is Need.FILL:
            known = [line.box for line in record.content.lines]
            record.recognised = [
                line
                for line in not_covered([placed(x, found.prepared) for x in found.lines], known)
                if line.confidence >= _FILL_CONFIDENCE
            ]
            return
        self._replace(record, found)

    def _ours_is_better(self, page: pymupdf.Page, record: PageRecord, decision: Plan) -> bool:
        """Recognise a page over another program's recognition; that stays where ours has not fewer odd words."""
        if not self._context.ocr.enabled:
            return False
        try:
            found = self._recognised(page, record.number, decision)
        except RecognitionProblem:
            return False
        theirs = soundness(" ".join(line.text for line in record.content.invisible))
        ours = soundness(" ".join(line.text for line in found.lines))
        better = ours > theirs + _CLEARLY and found.confidence >= _OURS_CONFIDENCE
        if better:
            self._replace(record, found)
        return better

    @staticmethod
    def _replace(record: PageRecord, found: RecognisedPage) -> None:
        content = record.content
        record.recognised = list(found.lines)
        record.origin = Origin.OCR
        content.lines, content.invisible, content.unmapped = [], [], 0
        content.horizontal, content.vertical = list(found.horizontal), list(found.vertical)
        content.width, content.height = found.prepared.width, found.prepared.height
        record.back.insert(0, found.prepared.back)

    def _recognised(self, page: pymupdf.Page, number: int, decision: Plan) -> RecognisedPage:
        """The page as it was recognised before, or now."""
        ocr = self._context.ocr
        problem = self._recognizer.problem()

        def recognise() -> RecognisedPage:
            if problem:
                raise RecognitionProblem(problem)
            self._drawn = True
            image, dpi = rendered(page, ocr.dpi, ocr.max_pixels)
            return self._recognizer.read(image, dpi, may_turn=decision.need is Need.REPLACE)

        return recognised(self._context.pages, number, recognise) if ocr.enabled else recognise()

    def _cut_outlines(self, page: pymupdf.Page, record: PageRecord) -> None:
        """Text drawn as curves is cut out, and recognised with that of other pages."""
        boxes = outlined_lines(record.content) if self._context.ocr.enabled else []
        if not boxes:
            return
        if self._recognizer.problem():
            self._problems.outlined.append(record.number)
            return
        self._drawn = True
        self._by_number[record.number] = record
        self._sheet.strips += cuttings(page, boxes, record.number, self._context.ocr.dpi)
        if self._sheet.full:
            self._read_strips()

    def _read_strips(self) -> None:
        pages = sorted({strip.page for strip in self._sheet.strips})
        try:
            found = self._sheet.read(self._recognizer)
        except RecognitionProblem:
            self._problems.outlined += pages
            return
        for number, lines in found.items():
            kept = [line for line in lines if line.confidence >= _FILL_CONFIDENCE]
            record = self._by_number[number]
            record.content.lines = parted(record.content.lines, kept)
            record.recognised += kept

    def _unread(self, record: PageRecord, decision: Plan, why: str) -> None:
        self._problems.unread.append(record.number)
        self._problems.why_unread = why
        record.foreign = bool(record.content.invisible) and not decision.broken
        record.confidence = _FILL_CONFIDENCE
