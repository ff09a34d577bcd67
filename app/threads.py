"""One view of a conversation: each mail's own words once, in order of time, its attachments named.

Only mails that the reader may read are followed and shown: what lies beyond one that may not be read stays unknown.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from catalog.records import QueryRecord
from catalog.times import utc_now
from contracts.documents import Layer
from contracts.errors import NotFoundError
from ingest.reading import stored_document
from metadata.threads import bare_subject, partner_keys
from parsers.grid_text import grid_rows

if TYPE_CHECKING:
    from acl_sync.view import AccessView
    from catalog.catalog import Catalog
    from catalog.records import DocumentRecord, VersionRecord
    from contracts.documents import Block, ParsedDocument
    from contracts.ports import BlobStore

__all__ = ["Conversation", "Message", "conversation", "readable"]

_MOST = 500
"""Mails of one view."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One mail of a conversation.

    Attributes:
        document_id: Its document.
        path: Where it lies.
        date: ISO 8601, or "".
        sender: Or "".
        subject: As it was sent.
        text: What this mail itself says; of a mail whose predecessor is not here, what it quotes too (``quoted``).
        quoted: Text of the predecessor, where that is not among the mails shown, else "".
        attachments: Document id and name of each readable attachment.
    """

    document_id: str
    path: str
    date: str
    sender: str
    subject: str
    text: str
    quoted: str = ""
    attachments: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation:
    """The mails of one conversation that a reader may read.

    Attributes:
        subject: Without marks of answering.
        messages: Oldest first.
        complete: False where there are more than can be shown.
    """

    subject: str
    messages: tuple[Message, ...]
    complete: bool = True

    def as_object(self) -> dict[str, Any]:
        """For JSON."""
        return asdict(self)


def conversation(
    catalog: Catalog, blobs: BlobStore, view: AccessView, document_id: str, reader: str
) -> Conversation:
    """The conversation around a mail, or around the mail that an attachment hangs on; the look is audited.

    Args:
        catalog: Versions and their conversation keys.
        blobs: Stored parses.
        view: What the reader may see.
        document_id: A mail or an attachment.
        reader: Name, for the audit log.

    Raises:
        NotFoundError: there is no such mail, or the reader may not read it; worded alike.
    """
    look = _Look(catalog, view)
    start = look.mail_of(document_id)
    if start is None:
        raise NotFoundError(
            f"{document_id}: 그런 메일이 없거나 읽을 수 없습니다 (no such mail, or not for you)"
        )
    mails, complete = look.around(start)
    messages = [_message(look, blobs, mails, key) for key in mails]
    messages.sort(key=lambda message: (message.date, message.document_id))
    subject = bare_subject(messages[0].subject)[0] if messages else ""
    ids = tuple(message.document_id for message in messages)
    catalog.queries.append(
        QueryRecord(at=utc_now(), reader=reader, query=f"thread {document_id}", document_ids=ids)
    )
    return Conversation(subject=subject, messages=tuple(messages), complete=complete)


def readable(view: AccessView, document: DocumentRecord) -> bool:
    """Whether who sees ``view`` may read a document now."""
    return (
        document.state == "live"
        and bool(document.version_id)
        and document.scope_id in view.scopes
        and document.document_id not in view.hidden_documents
    )


_Mails = dict[str, tuple["DocumentRecord", "VersionRecord"]]


class _Look:
    """Reads what the reader may see of the catalog."""

    def __init__(self, catalog: Catalog, view: AccessView) -> None:
        self._catalog = catalog
        self._view = view

    def mail_of(self, document_id: str) -> str | None:
        """The mail itself, or the one that it hangs on."""
        at = document_id
        while at:
            document = self._catalog.documents.get(at)
            if document is None or not self.readable(document):
                return None
            if at in self.mails([at]):
                return at
            at = document.parent_id
        return None

    def readable(self, document: DocumentRecord) -> bool:
        """Whether the reader may read it now."""
        return readable(self._view, document)

    def mails(self, document_ids: list[str]) -> _Mails:
        """The readable mails among these."""
        documents = self._catalog.documents.get_many(document_ids)
        readable = [d for d in documents.values() if self.readable(d)]
        versions = self._catalog.versions.get_many(d.version_id for d in readable)
        return {
            d.document_id: (d, versions[d.version_id])
            for d in readable
            if d.version_id in versions and versions[d.version_id].metadata.threads
        }

    def around(self, start: str) -> tuple[_Mails, bool]:
        """Everything that keys connect with a mail."""
        found = self.mails([start])
        asked: set[str] = set()
        waiting = [version for _, version in found.values()]
        while waiting and len(found) < _MOST:
            keys = partner_keys(waiting.pop().metadata.threads) - asked
            asked |= keys
            ids = self._catalog.versions.with_thread_key(sorted(keys), _MOST + 1)
            new = self.mails([i for i in ids if i not in found])
            found |= new
            waiting += [version for _, version in new.values()]
        shown = dict(list(found.items())[:_MOST])
        return shown, len(found) <= _MOST and not waiting

    def attachments(self, document: DocumentRecord) -> tuple[tuple[str, str], ...]:
        """What hangs on a mail, in order."""
        inside = [
            d
            for d in self._catalog.documents.by_item(document.item_id)
            if d.parent_id == document.document_id and self.readable(d)
        ]
        inside.sort(key=lambda d: d.ordinal)
        return tuple((d.document_id, d.member_path.rpartition("!/")[2]) for d in inside)


def _message(look: _Look, blobs: BlobStore, mails: _Mails, key: str) -> Message:
    document, version = mails[key]
    parsed = stored_document(blobs, version.parse_key)
    properties = parsed.properties if parsed is not None else {}
    return Message(
        document_id=key,
        path=document.path,
        date=properties.get("date", ""),
        sender=properties.get("from", ""),
        subject=properties.get("subject", version.metadata.title),
        text=_text(parsed, Layer.BODY),
        quoted="" if _answers_one_of(properties, mails, key) else _text(parsed, Layer.QUOTED),
        attachments=look.attachments(document),
    )


def _answers_one_of(properties: dict[str, str], mails: _Mails, key: str) -> bool:
    """Whether the mail that this one quotes is among those shown."""
    answered = properties.get("in_reply_to", "").strip(" <>")
    if answered:
        own = f"m:{answered}"
        return any(
            version.metadata.threads[:1] == (own,)
            for other, (_, version) in mails.items()
            if other != key
        )
    return len(mails) > 1


def _text(parsed: ParsedDocument | None, layer: Layer) -> str:
    if parsed is None:
        return ""
    return "\n\n".join(_words(block) for block in parsed.blocks if block.layer is layer)


def _words(block: Block) -> str:
    if block.table is None:
        return block.text
    return "\n".join(" | ".join(row.texts) for row in grid_rows(block.table))
