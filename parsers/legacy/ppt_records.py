"""Records of a binary presentation (MS-PPT 2.1.2): a header of eight bytes, then data or further records."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass

__all__ = ["Record", "children", "first", "live_objects", "records", "recovered_objects", "walk"]

_HEADER = struct.Struct("<HHI")
_CONTAINER = 0xF
_MOST_DEPTH = 40
_USER_EDIT = 4085
_PERSIST_DIRECTORY = 6002
_MOST_EDITS = 4096


@dataclass(frozen=True, slots=True)
class Record:
    """One record: type, instance, whether it holds records, and where its data lie in the stream."""

    kind: int
    instance: int
    container: bool
    data: memoryview

    def bytes(self) -> bytes:
        """Its data."""
        return self.data.tobytes()


def records(data: memoryview) -> Iterator[Record]:
    """The records of a stretch of a stream; one that is cut off ends them."""
    at = 0
    while at + _HEADER.size <= len(data):
        head, kind, size = _HEADER.unpack_from(data, at)
        at += _HEADER.size
        yield Record(kind, head >> 4, head & _CONTAINER == _CONTAINER, data[at : at + size])
        at += size


def children(record: Record) -> Iterator[Record]:
    """The records in a container."""
    return records(record.data) if record.container else iter(())


def first(record: Record, *kinds: int) -> Record | None:
    """The first record along a path of types, from child to child."""
    found: Record | None = record
    for kind in kinds:
        found = next((r for r in children(found) if r.kind == kind), None) if found else None
    return found


def walk(record: Record, depth: int = 0) -> Iterator[Record]:
    """All records below one, containers before what they hold."""
    if depth > _MOST_DEPTH:
        return
    for child in children(record):
        yield child
        yield from walk(child, depth + 1)


def live_objects(stream: memoryview, current_edit: int) -> dict[int, Record]:
    """Objects of the presentation as it was last saved, by their persist id (MS-PPT 2.1.2).

    Older states of a slide stay in the stream; the chain of edits says which one counts.

    Args:
        stream: The stream ``PowerPoint Document``.
        current_edit: Offset of the last user edit, from ``Current User``.
    """
    offsets: dict[int, int] = {}
    seen: set[int] = set()
    while current_edit not in seen and len(seen) < _MOST_EDITS:
        seen.add(current_edit)
        edit = _at(stream, current_edit)
        if edit is None or edit.kind != _USER_EDIT or len(edit.data) < 20:  # noqa: PLR2004
            break
        previous, directory = struct.unpack_from("<II", edit.data, 8)
        for key, offset in _directory(_at(stream, directory)):
            offsets.setdefault(key, offset)  # later edits come first
        if not previous:
            break
        current_edit = previous
    found = {key: _at(stream, offset) for key, offset in offsets.items()}
    return {key: record for key, record in found.items() if record is not None}


def recovered_objects(stream: memoryview) -> dict[int, Record]:
    """The same without a sound chain of edits: by all directories that the stream holds, the last one counting."""
    offsets: dict[int, int] = {}
    for record in records(stream):
        offsets.update(_directory(record))
    found = {key: _at(stream, offset) for key, offset in offsets.items()}
    return {key: record for key, record in found.items() if record is not None}


def _directory(record: Record | None) -> Iterator[tuple[int, int]]:
    """PersistDirectoryAtom (2.3.5): runs of ids, each with its offsets."""
    if record is None or record.kind != _PERSIST_DIRECTORY:
        return
    words = memoryview(record.bytes()[: len(record.data) // 4 * 4]).cast("I")
    at = 0
    while at < len(words):
        start, count = words[at] & 0xFFFFF, words[at] >> 20
        for place, offset in enumerate(words[at + 1 : at + 1 + count]):
            yield start + place, offset
        at += 1 + count


def _at(stream: memoryview, offset: int) -> Record | None:
    return next(records(stream[offset:]), None) if offset < len(stream) else None
