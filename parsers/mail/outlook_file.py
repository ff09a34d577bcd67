"""What an Outlook message is made of (MS-OXMSG): streams and fixed properties of the message, its people and attachments."""

from __future__ import annotations

import struct
from datetime import UTC, datetime, timedelta
from functools import cached_property
from typing import TYPE_CHECKING

from parsers.common.compound_writer import compound_bytes
from parsers.common.embedded import streams_below

if TYPE_CHECKING:
    from parsers.common.compound import CompoundFile, Entry

__all__ = ["AttachedPart", "Message", "Part"]

_PROPERTIES = "__properties_version1.0"
_NAMES = "__nameid_version1.0"
_STREAM = "__substg1.0_"
_RECIPIENT, _ATTACHMENT = "__recip_version1.0_", "__attach_version1.0_"
# Before the properties stands, by what they belong to (2.4.1): reserved bytes, counts and more reserved bytes.
_OF_MESSAGE, _OF_EMBEDDED, _OF_PART = 32, 24, 8
_PROPERTY = struct.Struct("<I4x8s")
_METHOD, _HIDDEN = "37050003", "7FFE000B"
_DATA, _OBJECT = "37010102", "3701000D"
_EMBEDDED = 5
_METHODS = 7
_EPOCH = datetime(1601, 1, 1, tzinfo=UTC)
_NEVER = 915_046_235_400_000_000
"""From here on (the end of August 4500) a time stands for "none" (MS-OXCICAL, MS-OXOCAL)."""
_CLASS = bytes.fromhex("0b0d020000000000c000000000000046")
"""Class of a message's root storage."""


class Part:
    """A message, recipient or attachment: a storage with a stream for each long property.

    Args:
        file: The compound file.
        storage: Where it lies.
        header: Bytes before its fixed properties.
    """

    def __init__(self, file: CompoundFile, storage: Entry, header: int = _OF_PART) -> None:
        self._file = file
        self._storage = storage
        self._header = header

    def stream(self, tag: str) -> bytes:
        """A long property by id and type (``0037001F``), or b"" where there is none."""
        return self._read(_STREAM + tag)

    def number(self, tag: str) -> int | None:
        """A whole number (types 0003 and 000B), or None."""
        value = self._fixed.get(int(tag, 16))
        width = 2 if tag.endswith("000B") else 4
        return None if value is None else int.from_bytes(value[:width], "little")

    def moment(self, tag: str) -> str:
        """A time (type 0040) in ISO 8601, UTC, or "" where there is none."""
        ticks = int.from_bytes(self._fixed.get(int(tag, 16), b""), "little")
        if not 0 < ticks < _NEVER:
            return ""
        return (_EPOCH + timedelta(microseconds=ticks // 10)).isoformat(timespec="seconds")

    def _read(self, name: str) -> bytes:
        entry = self._file.kids(self._storage).get(name.lower())
        return self._file.content(entry) if entry and entry.is_stream else b""

    @cached_property
    def _fixed(self) -> dict[int, bytes]:
        data = self._read(_PROPERTIES)[self._header :]
        return dict(_PROPERTY.iter_unpack(data[: len(data) // 16 * 16]))


class AttachedPart(Part):
    """An attachment: a file, a message, another object, or a link."""

    @property
    def hidden(self) -> bool:
        """Whether it is not shown among the attachments."""
        return bool(self.number(_HIDDEN))

    @property
    def data(self) -> bytes:
        """Bytes of an attached file."""
        return self.stream(_DATA)

    @property
    def message(self) -> Message | None:
        """The attached message, or None."""
        inner = self._object
        if inner is None:
            return None
        method = self.number(_METHOD)
        embedded = (
            _PROPERTIES in self._file.kids(inner)
            if method is None
            else method & _METHODS == _EMBEDDED
        )
        return Message(self._file, inner) if embedded else None

    def embedded(self) -> bytes:
        """An embedded object (of Excel, say) as a compound file of its own; b"" where there is none."""
        inner = self._object
        streams = dict(streams_below(self._file, inner)) if inner else {}
        return compound_bytes(streams) if streams else b""

    @property
    def _object(self) -> Entry | None:
        return self._file.kids(self._storage).get((_STREAM + _OBJECT).lower())


class Message(Part):
    """A message: the outermost one, or an attached one.

    Args:
        file: The compound file.
        storage: Where an attached one lies; None for the outermost one.
    """

    def __init__(self, file: CompoundFile, storage: Entry | None = None) -> None:
        super().__init__(file, storage or file.root, _OF_EMBEDDED if storage else _OF_MESSAGE)

    @property
    def recipients(self) -> list[Part]:
        """Those whom it was sent to, in their order."""
        return [Part(self._file, kid) for kid in self._kids(_RECIPIENT)]

    @property
    def attachments(self) -> list[AttachedPart]:
        """Its attachments, in their order."""
        return [AttachedPart(self._file, kid) for kid in self._kids(_ATTACHMENT)]

    def alone(self) -> bytes:
        """An attached message as a file of its own: its properties begin otherwise there, and it brings the table of names."""
        streams = dict(streams_below(self._file, self._storage))
        properties = streams.get(_PROPERTIES, b"")
        streams[_PROPERTIES] = properties[:_OF_EMBEDDED] + bytes(8) + properties[_OF_EMBEDDED:]
        names = self._file.find(_NAMES)
        if names is not None:
            streams |= streams_below(self._file, names, _NAMES + "/")
        return compound_bytes(streams, _CLASS)

    def _kids(self, name: str) -> list[Entry]:
        kids = self._file.kids(self._storage).values()
        return [kid for kid in kids if kid.name.startswith(name) and self._file.kids(kid)]
