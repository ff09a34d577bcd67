"""OLE objects inside Hangul files: what charts say, and embedded documents as children, each once."""

from __future__ import annotations

import io
import re
import struct
from typing import TYPE_CHECKING

import olefile

from contracts.documents import Child, ChildRelation
from contracts.errors import ParseFailure
from parsers.common.hangul_xml import read_chart

if TYPE_CHECKING:
    from contracts.documents import Table
    from contracts.parsing import ParserContext

__all__ = ["NOTHING", "OLE_PROBLEMS", "OleObjects"]

OLE_PROBLEMS = (
    OSError,
    ValueError,
    IndexError,
    KeyError,
    TypeError,
    AttributeError,
    OverflowError,
    RecursionError,
    struct.error,
)
"""What :mod:`olefile` raises for a damaged file."""
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
_LABEL = re.compile(rb"(?=(.[\x00\x01])([^\x00]{1,120})\x00\x00)", re.DOTALL)
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
        start = data.find(olefile.MAGIC, 0, _SEARCHED)
        if start < 0:
            return NOTHING
        try:
            with olefile.OleFileIO(io.BytesIO(data[start:])) as ole:
                if ole.exists(_OOXML_CHART):
                    return read_chart(ole.openstream(_OOXML_CHART).read())
                if ole.exists(_PACKAGE):
                    self._package(name, ole.openstream(_PACKAGE).read())
                    return NOTHING
                ending = next((end for stream, end in _STREAMS if ole.exists(stream)), "")
                if ending:
                    self._add(f"{name}.{ending}", data[start:])
                elif ole.exists(_OLD_CHART):
                    return _old_chart_labels(ole.openstream(_OLD_CHART).read()), None
        except OLE_PROBLEMS:
            return NOTHING
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
        start = found.start() + 2
        stop = start + int.from_bytes(found[1], "little")
        wide = data[start + len(found[2]) + 2 : stop - 2].decode("utf-16-le", "replace")
        if wide and wide == found[2].decode("cp949", "replace") and wide not in labels:
            labels.append(wide)
    return ", ".join(labels)
