"""What a binary presentation embeds: objects of other programs, and the charts among them (MS-PPT 2.10.27, 2.10.34)."""

from __future__ import annotations

import io
import struct
import zipfile
import zlib
from collections.abc import Mapping
from typing import TYPE_CHECKING

from contracts.documents import Block, Child
from contracts.errors import ParseFailure
from contracts.failures import FailureClass
from parsers.common.compound import CompoundError, CompoundFile
from parsers.common.embedded import spooled_object
from parsers.common.opc import parsed_piece
from parsers.common.open_chart import chart_block
from parsers.legacy.ppt_records import Record, walk

if TYPE_CHECKING:
    from contracts.parsing import ParserContext

__all__ = ["Objects"]

_OBJECT, _STORAGE = 4035, 4113
_EMBEDDED = 0
_OPEN_DOCUMENT = "package_stream"
_LARGEST_CHART = 8 << 20
_BROKEN = (OSError, KeyError, ValueError, RuntimeError, NotImplementedError, EOFError, zlib.error, zipfile.BadZipFile)  # fmt: skip
"""What a damaged zip file raises."""


class Objects:
    """Embedded objects by the number that shapes name them by.

    Args:
        document: The document container.
        live: Records of the presentation by their persist id.
        context: Where embedded files go; None leaves them where they are.
    """

    def __init__(
        self, document: Record | None, live: Mapping[int, Record], context: ParserContext | None
    ) -> None:
        self._live = live
        self._context = context
        self._places: dict[int, int] = {}
        self.children: list[Child] = []
        for record in walk(document) if document is not None else ():
            if record.kind == _OBJECT and len(record.data) >= 20:  # noqa: PLR2004
                _, kind, number, _, place = struct.unpack_from("<5I", record.data)
                if kind == _EMBEDDED:
                    self._places[number] = place

    def chart(self, number: int) -> Block | None:
        """The table of an object that is a chart of LibreOffice; others are taken out as children.

        Raises:
            ParseFailure: ``archive_bomb`` where they unpack to more than they may.
        """
        record = self._live.get(self._places.get(number, -1))
        data = self._content(record) if record is not None and record.kind == _STORAGE else b""
        if not data:
            return None
        try:
            compound = CompoundFile(data)
        except CompoundError:
            return None
        block = _chart(compound.read(_OPEN_DOCUMENT, _LARGEST_CHART) or b"")
        if block is None and self._context is not None:
            child = spooled_object(f"object{number}", compound, data, self._context)
            if child not in self.children:
                self.children.append(child)
        return block

    def _content(self, record: Record) -> bytes:
        """The object's compound file; instance 1 is packed (ExOleObjStgCompressedAtom, 2.10.35)."""
        data = record.data.tobytes()
        if record.instance != 1:
            return data
        limits = self._context.limits if self._context is not None else None
        most = limits.archive_total_mb << 20 if limits else _LARGEST_CHART
        unpacker = zlib.decompressobj()
        try:
            found = unpacker.decompress(data[4:], most)
        except zlib.error:
            return b""
        if unpacker.unconsumed_tail:
            if limits is None:
                return b""
            raise ParseFailure(FailureClass.ARCHIVE_BOMB, "an embedded object")
        return found


def _chart(data: bytes) -> Block | None:
    if not data:
        return None
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as package, package.open("content.xml") as part:
            content = part.read(_LARGEST_CHART)
    except _BROKEN:
        return None
    root = parsed_piece(content)
    return chart_block(root) if root is not None else None
