"""What charts inside an HWP 5 file say, and embedded documents as children."""

from __future__ import annotations

import io
import re
from typing import TYPE_CHECKING

import olefile

from contracts.documents import ChildRelation
from parsers.common.hangul_chart import chart_text
from parsers.hwp.container import OLE_PROBLEMS

if TYPE_CHECKING:
    from contracts.documents import Child
    from contracts.ports import ParserContext
    from parsers.hwp.container import Container
    from parsers.hwp.docinfo import DocInfo

__all__ = ["EmbeddedObjects"]

_OOXML_CHART = "OOXMLChartContents"
_OLD_CHART = "Contents"
_PACKAGE = "Package"
_NAMES = ((b"xl/", "xlsx"), (b"word/", "docx"), (b"ppt/", "pptx"))
# Names of cells and series in Hangul's own chart format: a 16-bit length in bytes, then UTF-16 with its zero.
_GRID = b"VtDataGrid\0"
_LABEL_LENGTHS = range(4, 200, 2)


class EmbeddedObjects:
    """Opens the OLE objects of BinData; documents among them are spooled as children, once each."""

    def __init__(self, container: Container, info: DocInfo, context: ParserContext) -> None:
        self._container = container
        self._info = info
        self._context = context
        self._words: dict[int, str] = {}
        self.children: list[Child] = []

    def words(self, index: int) -> str:
        """See :class:`parsers.hwp.objects.Embedded`."""
        if index not in self._words:
            self._words[index] = self._open(index)
        return self._words[index]

    def _open(self, index: int) -> str:
        if not 0 < index <= len(self._info.binaries):
            return ""
        item = self._info.binaries[index - 1]
        data = self._container.binary(item.number, item.extension) if item.number else b""
        start = data.find(olefile.MAGIC, 0, 16)
        if start < 0:
            return ""
        try:
            with olefile.OleFileIO(io.BytesIO(data[start:])) as ole:
                if ole.exists(_OOXML_CHART):
                    return chart_text(ole.openstream(_OOXML_CHART).read())
                if ole.exists(_PACKAGE):
                    self._spool(item.number, ole.openstream(_PACKAGE).read())
                elif ole.exists("Workbook"):
                    name = f"BIN{item.number:04X}.xls"
                    self._add(name, data[start:])
                elif ole.exists(_OLD_CHART):
                    return _old_chart_labels(ole.openstream(_OLD_CHART).read())
        except OLE_PROBLEMS:
            return ""
        return ""

    def _spool(self, number: int, data: bytes) -> None:
        kind = next((ending for mark, ending in _NAMES if mark in data), "zip")
        self._add(f"BIN{number:04X}.{kind}", data)

    def _add(self, name: str, data: bytes) -> None:
        self.children.append(self._context.spool(name, ChildRelation.EMBEDDED, [data]))


def _old_chart_labels(data: bytes) -> str:
    """Row and column names in the data grid of Hangul's own chart format."""
    start = data.find(_GRID)
    if start < 0:
        return ""
    stop = data.find(b"VtBackdrop", start)
    labels: list[str] = []
    for found in re.finditer(
        rb"(?=(..)(?:[\x20-\x7e]\x00|[\x00-\xff][\xac-\xd7]))", data[start:stop], re.DOTALL
    ):
        length = int.from_bytes(found[1], "little")
        raw = data[start + found.start() + 2 :][:length]
        if length not in _LABEL_LENGTHS or raw[-2:] != b"\0\0":
            continue
        label = raw[:-2].decode("utf-16-le", "replace")
        if label.isprintable() and label not in labels:
            labels.append(label)
    return ", ".join(labels)
