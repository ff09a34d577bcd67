"""What charts inside an HWP 5 file say, and embedded documents as children."""

from __future__ import annotations

import io
import re
from typing import TYPE_CHECKING

import olefile

from contracts.documents import Child, ChildRelation
from contracts.errors import ParseFailure
from parsers.common.hangul_xml import read_chart
from parsers.hwp.container import OLE_PROBLEMS

if TYPE_CHECKING:
    from contracts.documents import Table
    from contracts.ports import ParserContext
    from parsers.hwp.container import Container
    from parsers.hwp.docinfo import DocInfo

__all__ = ["EmbeddedObjects"]

_OOXML_CHART = "OOXMLChartContents"
_OLD_CHART = "Contents"
_NOTHING: tuple[str, None] = ("", None)
_PACKAGE = "Package"
_NAMES = ((b"xl/", "xlsx"), (b"word/", "docx"), (b"ppt/", "pptx"))
_LABEL = re.compile(rb"(?=(.[\x00\x01])([^\x00]{1,120})\x00\x00)", re.DOTALL)
_MAX_CHART = 1 << 18


class EmbeddedObjects:
    """Opens the OLE objects of BinData; documents among them are spooled as children, once each."""

    def __init__(self, container: Container, info: DocInfo, context: ParserContext) -> None:
        self._container = container
        self._info = info
        self._context = context
        self._opened: dict[int, tuple[str, Table | None]] = {}
        self.children: list[Child] = []

    def open(self, index: int) -> tuple[str, Table | None]:
        """See :class:`parsers.hwp.objects.Embedded`."""
        if index not in self._opened:
            self._opened[index] = self._open(index)
        return self._opened[index]

    def _open(self, index: int) -> tuple[str, Table | None]:
        if not 0 < index <= len(self._info.binaries):
            return _NOTHING
        item = self._info.binaries[index - 1]
        data = self._container.binary(item.number, item.extension) if item.number else b""
        start = data.find(olefile.MAGIC, 0, 16)
        if start < 0:
            return _NOTHING
        try:
            with olefile.OleFileIO(io.BytesIO(data[start:])) as ole:
                if ole.exists(_OOXML_CHART):
                    return read_chart(ole.openstream(_OOXML_CHART).read())
                if ole.exists(_PACKAGE):
                    self._spool(item.number, ole.openstream(_PACKAGE).read())
                elif ole.exists("Workbook"):
                    name = f"BIN{item.number:04X}.xls"
                    self._add(name, data[start:])
                elif ole.exists(_OLD_CHART):
                    return _old_chart_labels(ole.openstream(_OLD_CHART).read()), None
        except OLE_PROBLEMS:
            return _NOTHING
        return _NOTHING

    def _spool(self, number: int, data: bytes) -> None:
        kind = next((ending for mark, ending in _NAMES if mark in data), "zip")
        self._add(f"BIN{number:04X}.{kind}", data)

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
