"""What every mail format boils down to: properties, bodies, attachments; and the document made of them."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from contracts.documents import Block, Child, ChildRelation, Layer, ParsedDocument, Quality
from contracts.errors import ParseFailure
from contracts.failures import FailureClass
from parsers.common.names import safe_name
from parsers.mail.closing import set_closing_apart
from parsers.mail.html_body import html_blocks
from parsers.mail.sender import Sender
from parsers.mail.text_body import text_blocks

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from contracts.parsing import ParserContext

__all__ = ["Attachment", "Body", "Letter", "to_document"]

_FORWARDS = ("fw:", "fwd:", "fw :", "전달:", "[전달]", "전달 :")
_ANSWERS = re.compile(r"\s*(?:\[[^\]]{1,30}\]\s*)?(?:re|aw|sv|antw|답장|회신|답변)\s*(?:\[\d+\]|\(\d+\))?\s*[:：]|\s*\[(?:re|회신|답장)\]", re.IGNORECASE)  # fmt: skip
_RIGHTS_MANAGED = "application/x-microsoft-rpmsg-message"
_ENCRYPTED_TYPES = frozenset({"application/pgp-encrypted"})
_STUB_SHARE = 0.5


@dataclass(frozen=True, slots=True)
class Body:
    """One part of the text; HTML as markup, anything else as text. Alternatives show the same content."""

    plain: str = ""
    html: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Attachment:
    """A child to be: its bytes, or why there are none."""

    name: str
    relation: ChildRelation
    data: bytes = b""
    media_type: str = ""
    failure: FailureClass | None = None
    detail: str = ""


@dataclass(slots=True, kw_only=True)
class Letter:
    """A mail while it is read."""

    format: str
    properties: dict[str, str] = field(default_factory=dict)
    bodies: list[Body] = field(default_factory=list)
    attachments: list[Attachment] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    encrypted: str = ""


def to_document(letter: Letter, context: ParserContext) -> ParsedDocument:
    """Blocks and spooled children of a mail.

    Raises:
        ParseFailure: ``encrypted``, ``drm:mip`` or ``empty``, where there is nothing to read.
    """
    subject = letter.properties.get("subject", "")
    forwarded = subject.lower().lstrip().startswith(_FORWARDS)
    answers = _is_answer(letter.properties)
    blocks = [
        block
        for body in letter.bodies
        for block in _blocks(body, forwarded=forwarded, answers=answers)
    ]
    if not forwarded:
        blocks = set_closing_apart(blocks, Sender(letter.properties.get("from", "")))
    _refuse_locked(letter, blocks)
    if not blocks and not letter.attachments and not letter.properties:
        raise ParseFailure(FailureClass.EMPTY, "a mail without headers, text and attachments")
    children, lost = _spool(letter.attachments, context)
    warnings = [*letter.warnings, *lost]
    return ParsedDocument(
        format=letter.format,
        title=subject,
        properties={name: text for name, text in letter.properties.items() if text},
        blocks=tuple(blocks),
        children=tuple(children),
        quality=_quality(blocks, warnings),
        warnings=tuple(dict.fromkeys(warnings)),
    )


def _is_answer(properties: Mapping[str, str]) -> bool:
    """Whether a mail says that it answers another one."""
    subject = properties.get("subject", "")
    named = any(properties.get(name) for name in ("in_reply_to", "references"))
    return named or bool(_ANSWERS.match(subject))


def _refuse_locked(letter: Letter, blocks: Sequence[Block]) -> None:
    types = {attachment.media_type for attachment in letter.attachments}
    if _RIGHTS_MANAGED in types or any(
        attachment.name.lower().endswith(".rpmsg") for attachment in letter.attachments
    ):
        raise ParseFailure(FailureClass.DRM_MIP, "message.rpmsg")
    if letter.encrypted and not blocks:
        raise ParseFailure(FailureClass.ENCRYPTED, letter.encrypted)
    if types & _ENCRYPTED_TYPES and not blocks:
        raise ParseFailure(FailureClass.ENCRYPTED, "application/pgp-encrypted")


def _blocks(body: Body, *, forwarded: bool, answers: bool) -> list[Block]:
    """The richer of the two alternatives: HTML with tables, or where the plain text is only a stub."""
    plain: list[Block] = []
    if body.plain.strip():
        plain = text_blocks(body.plain, forwarded=forwarded, answers=answers)
    if not body.html.strip():
        return plain
    rich = html_blocks(body.html, forwarded=forwarded)
    if not plain or any(block.table is not None for block in rich):
        return rich or plain
    return plain if _length(plain) >= _STUB_SHARE * _length(rich) else rich


def _length(blocks: Sequence[Block]) -> int:
    return sum(len("".join(block.text.split())) for block in blocks)


def _spool(
    attachments: Sequence[Attachment], context: ParserContext
) -> tuple[list[Child], list[str]]:
    children: list[Child] = []
    lost: list[str] = []
    for attachment in attachments:
        failure, detail = attachment.failure, attachment.detail
        if failure is None:
            try:
                chunks = [attachment.data]
                children.append(context.spool(attachment.name, attachment.relation, chunks))
                continue
            except ParseFailure as problem:
                failure, detail = problem.failure, problem.detail
        lost.append(f"an attachment was not taken out: {failure.value}")
        children.append(
            Child(
                name=safe_name(attachment.name),
                relation=attachment.relation,
                failure=failure.value,
                detail=detail,
            )
        )
    return children, lost


def _quality(blocks: Sequence[Block], warnings: Sequence[str]) -> Quality:
    text = "".join(block.text for block in blocks if block.layer is Layer.BODY)
    lost = text.count("�")
    if lost:
        return Quality(grade="C", reasons=(f"{lost} unreadable characters",))
    return Quality(grade="B", reasons=tuple(warnings[:3])) if warnings else Quality()
