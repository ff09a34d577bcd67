"""What pool and worker say to each other: MessagePack, each message after its length in 4 bytes."""

from __future__ import annotations

import struct
from typing import TypeVar

import msgspec

__all__ = ["INLINE_LIMIT", "LENGTH", "Answer", "Job", "Setup", "pack", "unpack"]

LENGTH = struct.Struct(">I")
INLINE_LIMIT = 1 << 20
"""Bytes of an answer that go through the pipe; larger results go through a file."""

_Message = TypeVar("_Message")


class Setup(msgspec.Struct, frozen=True):
    """First message to a worker: the settings groups as JSON."""

    parse: str
    ocr: str


class Job(msgspec.Struct, frozen=True):
    """One file to parse. Depth, members and bytes are the container budget.

    ``pages_…`` is about pages that need recognition, see :class:`parsers.pages.PageFolder`. With ``crops`` (pages and
    boxes of a PDF) the answer is pictures of these places instead of a document.
    """

    path: str
    name: str
    spool: str
    result_file: str
    depth: int
    members: int
    total_bytes: int
    pages_folder: str = ""
    pages_most: int = 0
    pages_only: tuple[int, ...] = ()
    pages_seconds: float = 0.0
    crops: tuple[tuple[int, tuple[float, float, float, float]], ...] = ()


class Answer(msgspec.Struct, frozen=True):
    """What became of a job; an answer without a format says that the worker is ready.

    Attributes:
        format: The sniffed format.
        failure: A ``FailureClass`` value, or "".
        detail: More about the failure, without document text.
        peak_bytes: Highest resident size of the worker during the job.
        inline: The encoded document.
        crops: A PNG of each place that the job asked for.
        in_file: The encoded document lies in the job's result file instead.
        final: False for the note that only tells the sniffed format.
        assembled: False where the job ended without a document, as it should.
        waiting: Pages that still have to be recognised then.
    """

    format: str = ""
    failure: str = ""
    detail: str = ""
    peak_bytes: int = 0
    inline: bytes = b""
    crops: tuple[bytes, ...] = ()
    in_file: bool = False
    final: bool = True
    assembled: bool = True
    waiting: tuple[int, ...] = ()


def pack(message: msgspec.Struct) -> bytes:
    """Length and message."""
    data = msgspec.msgpack.encode(message)
    return LENGTH.pack(len(data)) + data


def unpack(data: bytes, kind: type[_Message]) -> _Message:
    """The message without its length.

    Raises:
        msgspec.MsgspecError: the bytes are no such message.
    """
    return msgspec.msgpack.decode(data, type=kind)
