"""Mailbox files (mbox, RFC 4155): each mail becomes a child of its own."""

from __future__ import annotations

import re
from email import message_from_bytes
from typing import TYPE_CHECKING, BinaryIO

from contracts.documents import Child, ChildRelation, ParsedDocument
from contracts.errors import ParseFailure
from contracts.failures import FailureClass
from parsers.common.names import safe_name
from parsers.mail.headers import decode_header, header_bytes

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from contracts.parsing import ParserContext

__all__ = ["mails_of", "read_mailbox"]

_SEPARATOR = re.compile(
    rb"From \S.*(?:\b(?:19|20)\d\d\b|(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) (?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec))"
)
_ESCAPED = re.compile(rb"^>(>*From )", re.MULTILINE)


def mails_of(file: BinaryIO) -> Iterator[bytes]:
    """The mails of a mailbox, without separator lines, ``>From `` restored."""
    lines: list[bytes] = []
    blank = True
    for line in file:
        if blank and _SEPARATOR.match(line):
            if any(kept.strip() for kept in lines):
                yield _restored(lines)
            lines = []
        else:
            lines.append(line)
        blank = not line.strip()
    if any(kept.strip() for kept in lines):
        yield _restored(lines)


def read_mailbox(path: Path, context: ParserContext) -> ParsedDocument:
    """A mailbox with its mails as children, named by number and subject.

    Raises:
        ParseFailure: ``empty`` or ``archive_bomb``.
    """
    children: list[Child] = []
    with path.open("rb") as file:
        for number, mail in enumerate(mails_of(file), start=1):
            name = f"{number:05d} {_subject(mail)}".strip() + ".eml"
            if number > context.limits.mailbox_messages:
                said = "more mails than parse.mailbox_messages; this mail and all after it are left out"
                children.append(
                    Child(
                        name=safe_name(name),
                        relation=ChildRelation.MESSAGE,
                        failure=FailureClass.TOO_LARGE.value,
                        detail=said,
                    )
                )
                break
            try:
                children.append(context.spool(name, ChildRelation.MESSAGE, [mail]))
            except ParseFailure as problem:
                children.append(
                    Child(
                        name=safe_name(name),
                        relation=ChildRelation.MESSAGE,
                        failure=problem.failure.value,
                        detail=f"{problem.detail}; this mail and all after it are left out",
                    )
                )
                break
    if not children:
        raise ParseFailure(FailureClass.EMPTY, "a mailbox without mails")
    return ParsedDocument(
        format="mbox", properties={"messages": str(len(children))}, children=tuple(children)
    )


def _restored(lines: list[bytes]) -> bytes:
    return _ESCAPED.sub(rb"\1", b"".join(lines))


def _subject(mail: bytes) -> str:
    head = mail[:65_536].split(b"\n\n", 1)[0].split(b"\r\n\r\n", 1)[0]
    for name, value in message_from_bytes(head).raw_items():
        if name.lower() == "subject":
            return decode_header(header_bytes(value)).replace("/", "_").replace("\\", "_")[:120]
    return ""
