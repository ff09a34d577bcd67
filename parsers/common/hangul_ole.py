"""OLE objects inside Hangul files: what charts say, and embedded documents as children, each once."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from contracts.documents import Child, ChildRelation
from contracts.errors import ParseFailure
from parsers.common.compound import MAGIC, CompoundError, CompoundFile
from parsers.common.hangul_xml import read_chart

if TYPE_CHECKING:
    from contracts.documents import Table
    from contracts.parsing import ParserContext

__all__ = ["NOTHING", "OleObjects"]

NOTHING: tuple[str, None] = ("", None)
"""What an object says that is no chart."""
_OOXML_CHART = "OOXMLChartContents"
_OLD_CHART = "Contents"
_PACKAGE = "Package"
_NAMES = ((b"xl/", "xlsx"), (b"word/", "docx"), (b"ppt/", "pptx"))
_STREAMS = (
    ("Workbook", "xls"),
    ("WordDocument", "doc"),
    ("PowerPoint Document", "ppt"),
    ("BodyText", "hwp"),
)
# A text that begins with a plain letter begins with it in UTF-16 as well.
_LABEL = re.compile(
    rb"[\x00\x01](?=(([\x01-\x7f])[^\x00]{0,119}|[\x80-\xff][^\x00]{0,119})\x00\x00(?(2)\2\x00))"
)
_MAX_CHART = 1 << 18
_SEARCHED = 16
"""Hangul puts the length of an OLE file before it."""


class OleObjects:
    """Opens OLE objects; documents among them are spooled as children.

    Args:
        context: Spools children.
    """

    def __init__(self, context: ParserContext) -> None:
        self._context = context
        self.children: list[Child] = []

    def open(self, name: str, data: bytes) -> tuple[str, Table | None]:
        """Titles and values of a chart; ("", None) for everything else.

        Args:
            name: Name of the object without an ending; a document in it becomes the child ``name.ending``.
            data: The OLE file, or what holds it.
        """
        start = data.find(MAGIC, 0, _SEARCHED)
        if start < 0:
            return NOTHING
        try:
            ole = CompoundFile(data[start:])
        except CompoundError:
            return NOTHING
        if (chart := ole.read(_OOXML_CHART)) is not None:
            return read_chart(chart)
        if (package := ole.read(_PACKAGE)) is not None:
            self._package(name, package)
            return NOTHING
        ending = next((end for stream, end in _STREAMS if ole.find(stream)), "")
        if ending:
            self._add(f"{name}.{ending}", data[start:])
        elif (old := ole.read(_OLD_CHART)) is not None:
            return _old_chart_labels(old), None
        return NOTHING

    def _package(self, name: str, data: bytes) -> None:
        kind = next((ending for mark, ending in _NAMES if mark in data), "zip")
        self._add(f"{name}.{kind}", data)

    def _add(self, name: str, data: bytes) -> None:
        relation = ChildRelation.EMBEDDED
        try:
            child = self._context.spool(name, relation, [data])
        except ParseFailure as failure:
            # The document itself is sound; only this object goes beyond the budget.
            kind, detail = failure.failure.value, failure.detail
            child = Child(name=name, relation=relation, failure=kind, detail=detail)
        self.children.append(child)


def _old_chart_labels(data: bytes) -> str:
    """Names of rows, columns and axes in Hangul's own chart format, in the order of the file.

    A text there is its length in bytes (16 bits), the text in CP949 with a zero byte, one more zero byte, and
    the same text in UTF-16 with its zero; only where both readings agree it is taken for one.
    """
    labels: list[str] = []
    for found in _LABEL.finditer(data[:_MAX_CHART]):
        start = found.end()
        stop = start + int.from_bytes(data[max(start - 2, 0) : start], "little")
        wide = data[start + len(found[1]) + 2 : stop - 2].decode("utf-16-le", "replace")
        if wide and wide == found[1].decode("cp949", "replace") and wide not in labels:
            labels.append(wide)
    return ", ".join(labels)
