"""What a document's row is in the records of its chunks: the fields that filters look at."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

from search.backends.opensearch.heads import document_key
from search.backends.values import folded, path_bytes

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from contracts.chunks import DocumentRow

__all__ = ["FIELDS", "UPDATE", "path_key", "plain", "row_fields", "scopes_of"]

FIELDS = ("department", "source", "format", "language", "security_level", "revision")
"""Filter fields of one value, compared folded."""

UPDATE = (
    "if (ctx._source.row_number >= params.fields.row_number) { ctx.op = 'noop'; } "
    "else { ctx._source.putAll(params.fields); }"
)
"""A chunk takes a row only where it is newer than its own, in whatever order updates arrive."""


def scopes_of(row: DocumentRow) -> Iterable[str]:
    """The scopes that a row names."""
    yield row.scope_id
    yield from (successor.scope_id for successor in row.successors)


def row_fields(row: DocumentRow, number: int, scopes: Mapping[str, int]) -> dict[str, Any]:
    """Fields of every chunk of a document.

    Args:
        row: The row.
        number: Its number (see ``Head.row_number``).
        scopes: Numbers of the scopes that it names.
    """
    fields: dict[str, Any] = {name: folded(getattr(row, name)) for name in FIELDS}
    return fields | {
        "row_number": number,
        "document_id": plain(row.document_id),
        "version_id": plain(row.version_id),
        "scope": scopes[row.scope_id],
        "access_scope": plain(row.scope_id),
        "groups": [plain(group) for group in row.groups],
        "ancestors": [plain(ancestor) for ancestor in row.ancestors],
        "status": row.status,
        "effective_from": row.effective_from,
        "successors": [
            {
                "document": document_key(successor.document_id),
                "scope": scopes[successor.scope_id],
                "effective_from": successor.effective_from,
            }
            for successor in row.successors
        ],
        "title": plain(row.title),
        "document_type": plain(row.document_type),
        "codes": [folded(code) for code in row.codes],
        "path": plain(row.path),
        "path_keys": _path_keys(path_bytes(row.path)),
    }


def plain(text: str) -> str:
    """A text as people and other clients may see it; undecodable bytes are replaced."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


def path_key(path: bytes) -> str:
    """A path, or the beginning of one, in 32 characters, however long it is."""
    return hashlib.blake2b(path, digest_size=16).hexdigest()


def _path_keys(path: bytes) -> list[str]:
    """Keys of a path and of everything that it lies in: folders end at ``/``, containers at ``!/`` too."""
    ends = {len(path)}
    for place, sign in enumerate(path):
        if sign == ord("/"):
            ends |= {place, place - 1} if path[place - 1 : place] == b"!" else {place}
    return [path_key(path[:end]) for end in sorted(ends)]
