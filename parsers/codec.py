"""Parsed documents to bytes and back: how they cross a process border and lie in the blob store."""

from __future__ import annotations

from typing import Any

import msgspec

from contracts.documents import ParsedDocument
from parsers.common.charset import without_surrogates

__all__ = ["VERSION", "CodecError", "decode_document", "encode_document"]

VERSION = 1
"""Raised whenever the types change so that stored bytes no longer fit."""

_PREFIX = b"seoga-document\0"
_HEADER = len(_PREFIX) + 2
_ENCODER = msgspec.msgpack.Encoder(order="deterministic")


class CodecError(ValueError):
    """Bytes that are no parsed document of this version: parse the content again."""


def encode_document(document: ParsedDocument) -> bytes:
    """A version header (17 bytes) and the document as MessagePack. Equal documents give equal bytes.

    Lone surrogates, which UTF-8 cannot carry, become U+FFFD.
    """
    header = _PREFIX + VERSION.to_bytes(2, "big")
    try:
        return header + _ENCODER.encode(document)
    except UnicodeEncodeError:
        return header + _ENCODER.encode(_cleaned(msgspec.to_builtins(document)))


def decode_document(data: bytes) -> ParsedDocument:
    """The document that :func:`encode_document` was given.

    Raises:
        CodecError: other bytes, or another version's.
    """
    if not data.startswith(_PREFIX):
        msg = "not a parsed document"
        raise CodecError(msg)
    version = int.from_bytes(data[len(_PREFIX) : _HEADER], "big")
    if version != VERSION:
        msg = f"a parsed document of version {version}; this is version {VERSION}"
        raise CodecError(msg)
    try:
        return msgspec.msgpack.decode(memoryview(data)[_HEADER:], type=ParsedDocument)
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError) as problem:
        msg = f"a damaged parsed document: {type(problem).__name__}"
        raise CodecError(msg) from problem


def _cleaned(value: Any) -> Any:
    if isinstance(value, str):
        return without_surrogates(value)
    if isinstance(value, dict):
        return {_cleaned(key): _cleaned(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_cleaned(item) for item in value]
    return value
