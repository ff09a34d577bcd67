"""HWP 5, Hangul's binary format: a record reader of our own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from contracts.errors import ParseFailure
from parsers.common.hangul_result import finish_document
from parsers.hwp.container import Container
from parsers.hwp.docinfo import DocInfo
from parsers.hwp.embedded import EmbeddedObjects
from parsers.hwp.pyhwp import PyhwpParser
from parsers.hwp.section import SectionReader

if TYPE_CHECKING:
    from contracts.documents import ParsedDocument
    from contracts.parsing import ParserContext, ParserInput
    from parsers.common.hangul_model import Paragraph

__all__ = ["HwpParser", "PyhwpParser"]


class HwpParser:
    """Reads HWP 5 documents; see the promises of :class:`contracts.parsing.Parser`."""

    def parse(self, source: ParserInput, context: ParserContext) -> ParsedDocument:
        """Parse one file.

        Raises:
            ParseFailure: ``encrypted``, ``hwp_distribution``, ``truncated``, ``corrupt``, ``empty``,
                ``archive_bomb``, ``too_large`` or ``unsupported`` (HWP 3.0, HWPX or no Hangul file at all).
        """
        with Container(source.path, context.limits) as container:
            return _read(container, context)


def _read(container: Container, context: ParserContext) -> ParsedDocument:
    warnings: list[str] = []
    data, sound = container.read("DocInfo")
    if not sound:
        warnings.append("DocInfo is missing or damaged: styles and numberings in part only")
    info = DocInfo(data)
    embedded = EmbeddedObjects(container, info, context)
    reader = SectionReader(info, embedded, context.limits.max_cells)
    names = container.sections()
    if not names:
        raise ParseFailure(container.damage(), "no section stream")
    paragraphs: list[Paragraph] = []
    for name in names:
        data, sound = container.read(name)
        if not sound:
            warnings.append("a section is damaged and was read in part")
        paragraphs.extend(reader.read(data))
    if not paragraphs:
        raise ParseFailure(container.damage(), "no paragraph can be read")
    if reader.too_deep:
        warnings.append("lists nested too deep were left out")
    properties = container.properties()
    if container.is_distribution:
        properties["protection"] = "distribution"
    return finish_document(
        "hwp", paragraphs, properties=properties, warnings=warnings, children=embedded.children
    )
