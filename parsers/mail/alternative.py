"""extract-msg behind the parser port: the alternative reader of Outlook messages (docs/decisions/0004-office-readers.md)."""

from __future__ import annotations

import logging
import struct
import warnings
import zlib
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from contracts.errors import ParseFailure
from contracts.failures import FailureClass
from parsers.mail.letter import to_document
from parsers.mail.outlook import read_letter

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from contracts.documents import ParsedDocument
    from contracts.parsing import ParserContext, ParserInput

__all__ = ["ExtractMsgParser"]

_LESS = "read with extract-msg: no embedded objects"
_PROBLEMS = (
    OSError, ValueError, TypeError, LookupError, AttributeError, NotImplementedError, RuntimeError,
    AssertionError, struct.error, zlib.error,
)  # fmt: skip
"""What extract-msg and the libraries below it raise on damaged messages, besides classes of their own."""


class ExtractMsgParser:
    """Reads Outlook messages through extract-msg; objects that are neither files nor messages have no bytes."""

    def parse(self, source: ParserInput, context: ParserContext) -> ParsedDocument:
        """Parse one message.

        Raises:
            ParseFailure: ``encrypted``, ``drm:mip``, ``corrupt`` or ``empty``.
        """
        with _opened(source.path) as message:
            letter = read_letter(_Message(message))
        letter.warnings.append(_LESS)
        return to_document(letter, context)


@contextmanager
def _opened(path: Path) -> Iterator[Any]:
    import extract_msg
    from extract_msg.enums import ErrorBehavior
    from extract_msg.exceptions import ExMsgBaseException

    # Neither warnings nor log lines of the libraries: they quote names and texts of the message.
    logging.getLogger("extract_msg").setLevel(logging.CRITICAL + 1)
    kind: Any = extract_msg.Message
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            message = kind(path, delayAttachments=True, errorBehavior=ErrorBehavior.SUPPRESS_ALL)
        except (*_PROBLEMS, ExMsgBaseException) as problem:
            raise ParseFailure(FailureClass.CORRUPT, f"msg: {type(problem).__name__}") from problem
        try:
            yield message
        except ExMsgBaseException as problem:
            raise ParseFailure(FailureClass.CORRUPT, f"msg: {type(problem).__name__}") from problem
        finally:
            message.close()


class _Part:
    """See :class:`parsers.mail.outlook.PartReader`."""

    def __init__(self, part: Any) -> None:
        self._part = part

    def stream(self, tag: str) -> bytes:
        try:
            data = self._part.getStream(f"__substg1.0_{tag}")
        except _PROBLEMS:
            return b""
        return bytes(data) if data else b""

    def number(self, tag: str) -> int | None:
        value = self._value(tag)
        return value if isinstance(value, int) else None

    def moment(self, tag: str) -> str:
        value = self._value(tag)
        if not isinstance(value, datetime):
            return ""
        value = value.astimezone(UTC) if value.tzinfo else value.replace(tzinfo=UTC)
        return value.isoformat(timespec="seconds")

    def _value(self, tag: str) -> Any:
        try:
            return getattr(self._part.props.get(tag), "value", None)
        except _PROBLEMS:
            return None


class _Attachment(_Part):
    """See :class:`parsers.mail.outlook.AttachmentReader`."""

    @property
    def hidden(self) -> bool:
        return bool(self._part.hidden)

    @property
    def data(self) -> bytes:
        content = self._content
        return content if isinstance(content, bytes) else b""

    @property
    def message(self) -> _Message | None:
        content = self._content
        return _Message(content) if hasattr(content, "exportBytes") else None

    def embedded(self) -> bytes:
        return b""

    @property
    def _content(self) -> Any:
        try:
            return self._part.data
        except _PROBLEMS:
            return None


class _Message(_Part):
    """See :class:`parsers.mail.outlook.MessageReader`."""

    @property
    def recipients(self) -> list[_Part]:
        try:
            return [_Part(recipient) for recipient in self._part.recipients]
        except _PROBLEMS:
            return []

    @property
    def attachments(self) -> list[_Attachment]:
        try:
            return [_Attachment(attachment) for attachment in self._part.attachments]
        except _PROBLEMS as problem:
            raise ParseFailure(FailureClass.CORRUPT, f"msg: {type(problem).__name__}") from problem

    def alone(self) -> bytes:
        try:
            return bytes(self._part.exportBytes())
        except _PROBLEMS:
            return b""
