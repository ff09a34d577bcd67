"""Files embedded in Office documents: taken out of their wrapping and handed over as children."""

from __future__ import annotations

import posixpath
import struct
from collections.abc import Iterator

from contracts.documents import Child, ChildRelation
from contracts.parsing import ParserContext
from parsers.common.compound import MAGIC, CompoundFile, Entry
from parsers.common.compound_writer import compound_bytes
from parsers.common.opc import Package

__all__ = ["embedded_child", "spooled_object", "storage_child", "streams_below", "unwrapped"]

_CHUNK = 1 << 20
_NATIVE = "\x01Ole10Native"
_WRAPPED = ("Package", "CONTENTS")
_ENDINGS = (
    ("WordDocument", "doc"),
    ("Workbook", "xls"),
    ("Book", "xls"),
    ("PowerPoint Document", "ppt"),
)
"""Endings of what is embedded by the streams that it has."""


def embedded_child(
    package: Package, part: str, relation_id: str, context: ParserContext
) -> Child | None:
    """Spool the embedded file that a relationship of a part points to; None for links and missing parts.

    Raises:
        ParseFailure: ``archive_bomb`` beyond the context's budget.
    """
    link = package.relationships(part).get(relation_id)
    if link is None or link.external:
        return None
    data = package.read(link.target)
    if not data:
        return None
    name, data = unwrapped(posixpath.basename(link.target), data)
    return context.spool(name, ChildRelation.EMBEDDED, _chunks(data))


def storage_child(file: CompoundFile, path: str, context: ParserContext) -> Child | None:
    """Spool the embedded object that a storage of a compound file holds; None where there is none.

    Raises:
        ParseFailure: ``archive_bomb`` beyond the context's budget.
    """
    storage = file.find(path)
    streams = dict(streams_below(file, storage)) if storage is not None else {}
    if not streams:
        return None
    name = path.rpartition("/")[2].strip("_")
    data = compound_bytes(streams)
    return spooled_object(f"object{name}", CompoundFile(data), data, context)


def spooled_object(name: str, compound: CompoundFile, data: bytes, context: ParserContext) -> Child:
    """Spool an embedded object of a binary Office file: the file that it wraps, or itself.

    Args:
        name: Name without an ending.
        compound: The object.
        data: Its bytes.
        context: Spools it.

    Raises:
        ParseFailure: ``archive_bomb`` beyond the context's budget.
    """
    ending = next((ending for stream, ending in _ENDINGS if compound.find(stream)), "bin")
    name, data = unwrapped(f"{name}.{ending}", data)
    return context.spool(name, ChildRelation.EMBEDDED, _chunks(data))


def streams_below(
    file: CompoundFile, storage: Entry, above: str = ""
) -> Iterator[tuple[str, bytes]]:
    """Streams below a storage, and their paths from there."""
    for kid in file.kids(storage).values():
        if kid.is_stream and kid.name:
            yield above + kid.name, file.content(kid)
        elif kid.name:
            yield from streams_below(file, kid, f"{above}{kid.name}/")


def _chunks(data: bytes) -> Iterator[bytes]:
    for at in range(0, len(data), _CHUNK):
        yield data[at : at + _CHUNK]


def unwrapped(name: str, data: bytes) -> tuple[str, bytes]:
    """The embedded file itself: OLE objects wrap foreign files in a stream of their own."""
    if not data.startswith(MAGIC):
        return name, data
    try:
        compound = CompoundFile(data)
        native = compound.read(_NATIVE)
        if native is not None:
            return _native(name, native) or (name, data)
        for stream in _WRAPPED:
            content = compound.read(stream)
            if content is not None:
                return name, content
    except (OSError, struct.error, ValueError, IndexError):
        pass
    return name, data


def _native(fallback: str, data: bytes) -> tuple[str, bytes] | None:
    """Label and bytes of an ``Ole10Native`` stream (MS-OLEDS 2.3.6, as the packager writes it)."""
    label_end = data.index(b"\0", 6)
    path_end = data.index(b"\0", label_end + 1)
    at = path_end + 5
    (length,) = struct.unpack_from("<I", data, at)
    at += 4 + length
    (size,) = struct.unpack_from("<I", data, at)
    body = data[at + 4 : at + 4 + size]
    if len(body) != size:
        return None
    label = data[6:label_end].decode("cp949", "replace").replace("\\", "/")
    return posixpath.basename(label) or fallback, body
