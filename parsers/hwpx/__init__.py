"""HWPX, Hangul's zip of XML (OWPML, KS X 6101)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from contracts.documents import BlockKind, Layer
from contracts.errors import ParseFailure
from contracts.failures import FailureClass
from parsers.common.hangul_model import Aside, Paragraph
from parsers.common.hangul_ole import NOTHING, OleObjects
from parsers.common.hangul_result import finish_document
from parsers.common.hangul_xml import read_chart
from parsers.common.office_quality import refuse_unread
from parsers.hwpx.header import Header
from parsers.hwpx.package import Package, local_name
from parsers.hwpx.section import SectionReader

if TYPE_CHECKING:
    from contracts.documents import Child, ParsedDocument, Table
    from contracts.parsing import ParserContext, ParserInput

__all__ = ["HwpxParser"]


class HwpxParser:
    """Reads HWPX packages; see the promises of :class:`contracts.parsing.Parser`."""

    def parse(self, source: ParserInput, context: ParserContext) -> ParsedDocument:
        """Parse one file.

        Raises:
            ParseFailure: ``encrypted``, ``truncated``, ``corrupt``, ``empty``, ``archive_bomb``, ``too_large`` or
                ``unsupported`` (not a zip package, or one without sections).
        """
        with Package(source.path, context.limits) as package:
            return _read(package, context)


class _Objects:
    """Reads chart parts, and opens OLE objects, each once."""

    def __init__(self, package: Package, context: ParserContext) -> None:
        self._package = package
        self._objects = OleObjects(context)
        self._opened: dict[str, tuple[str, Table | None]] = {}

    @property
    def children(self) -> list[Child]:
        """Documents found so far."""
        return self._objects.children

    def chart(self, element: Any) -> tuple[str, Table | None]:
        """See :class:`parsers.hwpx.objects.Charts`."""
        reference = element.get("chartIDRef", "")
        if reference:
            data = self._package.read(reference)
            return read_chart(data) if data else NOTHING
        item = element.get("binaryItemIDRef", "") if local_name(element) == "ole" else ""
        if item and item not in self._opened:
            name = self._package.binary_items().get(item, "")
            data = self._package.read(name) if name else None
            self._opened[item] = self._objects.open(item, data) if data else NOTHING
        return self._opened.get(item, NOTHING)


def _read(package: Package, context: ParserContext) -> ParsedDocument:
    warnings: list[str] = []
    root, sound = package.xml(package.header())
    if root is None or not sound:
        warnings.append("header.xml is missing or damaged: no styles and numberings")
    names = package.sections()
    if not names:
        known = any(name.lower().endswith((".hpf", "version.xml")) for name in package.names())
        failure = FailureClass.CORRUPT if known else FailureClass.UNSUPPORTED
        raise ParseFailure(failure, "no section in the package")
    objects = _Objects(package, context)
    reader = SectionReader(Header(root), objects, context.limits.max_cells)
    paragraphs: list[Paragraph] = []
    unread = unsound = 0
    for name in names:
        section, sound = package.xml(name)
        if section is None:
            unread += 1
            warnings.append("a section cannot be read")
            continue
        if not sound:
            warnings.append("a section is damaged and was read in part")
            unsound += 1
        paragraphs.extend(reader.read(section))
    if unread == len(names):
        raise ParseFailure(FailureClass.CORRUPT, "no section can be read")
    for name in package.master_pages():
        page, _ = package.xml(name)
        if page is not None:
            aside = Aside(BlockKind.HEADER, Layer.FURNITURE, reader.read(page))
            paragraphs.append(Paragraph([aside]))
    document = finish_document(
        "hwpx",
        paragraphs,
        properties=package.metadata(),
        children=objects.children,
        warnings=warnings,
    )
    if unread or unsound:
        refuse_unread(document.blocks, document.children, warnings[-1:])
    return document
