"""What the OLE objects of an HWP 5 file say, and embedded documents as children."""

from __future__ import annotations

from typing import TYPE_CHECKING

from parsers.common.hangul_ole import NOTHING, OleObjects

if TYPE_CHECKING:
    from contracts.documents import Child, Table
    from contracts.parsing import ParserContext
    from parsers.hwp.container import Container
    from parsers.hwp.docinfo import DocInfo

__all__ = ["EmbeddedObjects"]


class EmbeddedObjects:
    """Opens the OLE objects of BinData, each once."""

    def __init__(self, container: Container, info: DocInfo, context: ParserContext) -> None:
        self._container = container
        self._info = info
        self._objects = OleObjects(context)
        self._opened: dict[int, tuple[str, Table | None]] = {}

    @property
    def children(self) -> list[Child]:
        """Documents found so far."""
        return self._objects.children

    def open(self, index: int) -> tuple[str, Table | None]:
        """See :class:`parsers.hwp.objects.Embedded`."""
        if index not in self._opened:
            self._opened[index] = self._open(index)
        return self._opened[index]

    def _open(self, index: int) -> tuple[str, Table | None]:
        item = self._info.binary(index)
        if item is None:
            return NOTHING
        data = self._container.binary(item.number, item.extension) if item.number else b""
        return self._objects.open(f"BIN{item.number:04X}", data)
