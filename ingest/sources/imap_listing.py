"""Bring what is known of a mail folder up to date, asking the server for no more than what has changed.

A folder whose mark (RFC 3501 STATUS, with HIGHESTMODSEQ of RFC 7162) is as before costs that one command. Where it
is not: numbers only ever rise (RFC 3501, 2.3.1.1), so new messages stand behind the known ones, and nothing known is
gone as long as the last known one still has the place that it would have then.
"""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

from catalog.statements import batches
from contracts.errors import SeogaError
from ingest.sources.imap_names import file_name, header_digest, slug_of, tag_of
from ingest.sources.imap_state import ListedMail, Named

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from acl_sync.imap_client import MailClient
    from ingest.sources.imap_state import FolderState, Mark

__all__ = ["IDENTITY_FIELDS", "body_of", "identity_of", "opened", "refresh"]

_NEW_BATCH = 500
_KNOWN_BATCH = 20_000
_HEADER_BATCH = 100
_TRIES = 5
_TWIN = 8
"""Hex digits of a digest of headers that tell messages of one Message-ID apart."""
IDENTITY_FIELDS = "BODY.PEEK[HEADER.FIELDS (MESSAGE-ID SUBJECT)]<0.8192>"
_ALL_FIELDS = "BODY.PEEK[HEADER]<0.65536>"
"""No more than that, however long somebody makes the headers of a mail."""
_WANTED = ("UID", "FLAGS", "RFC822.SIZE", "INTERNALDATE", IDENTITY_FIELDS)
_STATUS = ("UIDVALIDITY", "UIDNEXT", "MESSAGES")


def refresh(client: MailClient, name: str, known: FolderState) -> None:
    """Make ``known`` equal to what the folder holds now; what was learnt before a break is kept.

    Raises:
        IMAPClientError: the server refuses the folder.
    """
    mark = _mark(client, name)
    modseq = (
        len(mark) > len(_STATUS) and mark[-1] > 0
    )  # 0: this folder has none (RFC 7162, 3.1.2.2)
    if modseq and mark == known.mark:
        return
    with opened(client, name) as chosen:
        if known.uidvalidity != chosen[b"UIDVALIDITY"]:
            known.begin(chosen[b"UIDVALIDITY"])
        if mark != known.mark:
            known.finish(())
            kept = _drop_gone(client, known, chosen[b"EXISTS"])
            _add_new(client, known, kept + 1, chosen[b"EXISTS"])
        known.set_deleted(client.search(["DELETED"]))
        _tell_apart(client, known)
    known.finish(mark)


@contextlib.contextmanager
def opened(client: MailClient, name: str) -> Iterator[dict[bytes, Any]]:
    """Select a folder, read only; the server's answer.

    It is closed again, or STATUS would tell what was there when it was opened.

    Raises:
        IMAPClientError: the server refuses the folder.
    """
    from imapclient.exceptions import IMAPClientAbortError, IMAPClientError

    chosen = client.select_folder(name, readonly=True)
    try:
        yield chosen
    except (IMAPClientAbortError, OSError):
        raise  # the connection is of no use any more
    except (IMAPClientError, SeogaError):
        client.close_folder()
        raise
    client.close_folder()  # a folder that was only read loses nothing (RFC 3501, 6.4.2)


def body_of(answer: dict[bytes, Any], section: bytes) -> bytes:
    """The part of a FETCH answer whose name begins so: servers write what follows each in their own way."""
    for key, value in answer.items():
        if key.startswith(section):
            return value if isinstance(value, bytes) else b""
    return b""


def identity_of(client: MailClient, uid: int) -> str:
    """The tag of a message of the selected folder as it is there now, or "" where there is none."""
    told = client.fetch([uid], [IDENTITY_FIELDS]).get(uid)
    if told is None:
        return ""
    return tag_of(_fields(told)) or _headers(client, [uid]).get(uid, "")


def _mark(client: MailClient, name: str) -> Mark:
    asked = (*_STATUS, "HIGHESTMODSEQ") if client.has_capability("CONDSTORE") else _STATUS
    told = client.status(name, asked)
    return tuple(told.get(key, 0) for key in asked)


def _drop_gone(client: MailClient, known: FolderState, there: int) -> int:
    """Forget messages that are not there any more; how many of the known ones are.

    Args:
        client: The folder is open on it.
        known: What is known of it.
        there: How many messages were there when it was opened; places beyond may not be asked for.
    """
    for _ in range(_TRIES):
        count = known.count
        if count == 0 or (count <= there and _uid_at(client, count) == known.last_uid):
            return count
        after = 0
        while uids := known.uids(after, _KNOWN_BATCH):
            left = set(client.search(["UID", f"{uids[0]}:{uids[-1]}"]))
            known.remove(uid for uid in uids if uid not in left)
            after = uids[-1]
        client.noop()  # what others removed meanwhile moves the places
    known.begin(known.uidvalidity)  # it changes faster than it can be looked at
    return 0


def _uid_at(client: MailClient, place: int) -> int:
    return int(_by_place(client, [place], ["UID"]).get(place, {}).get(b"UID", 0))


def _add_new(client: MailClient, known: FolderState, first: int, last: int) -> None:
    for start in range(first, last + 1, _NEW_BATCH):
        places = range(start, min(start + _NEW_BATCH, last + 1))
        found = [a for a in _by_place(client, places, _WANTED).values() if b"UID" in a]
        without = [int(a[b"UID"]) for a in found if not tag_of(_fields(a))]
        headers = _headers(client, without)
        known.add(_mail(answer, headers) for answer in found)


def _by_place(client: MailClient, places: Iterable[int], data: Iterable[str]) -> dict[int, Any]:
    """FETCH by sequence number: while it runs, no server may move them (RFC 3501, 7.4.1)."""
    client.use_uid = False
    try:
        return dict(client.fetch(list(places), list(data)))
    finally:
        client.use_uid = True


def _headers(client: MailClient, uids: list[int]) -> dict[int, str]:
    """Digests of all headers."""
    digests: dict[int, str] = {}
    for batch in batches(uids, _HEADER_BATCH):
        answers = client.fetch(batch, [_ALL_FIELDS])
        digests |= {u: header_digest(body_of(a, b"BODY[HEADER]")) for u, a in answers.items()}
    return digests


def _mail(answer: dict[bytes, Any], headers: dict[int, str]) -> ListedMail:
    uid, fields = int(answer[b"UID"]), _fields(answer)
    tag = tag_of(fields) or headers.get(uid) or header_digest(str(uid).encode())
    slug = slug_of(fields)
    received = answer.get(b"INTERNALDATE")
    return ListedMail(
        uid=uid,
        tag=tag,
        slug=slug,
        size=int(answer.get(b"RFC822.SIZE", 0)),
        received_ns=int(received.timestamp()) * 1_000_000_000 if received else 0,
        deleted=any(flag.lower() == b"\\deleted" for flag in answer.get(b"FLAGS", ())),
        file=file_name(slug, tag),
    )


def _fields(answer: dict[bytes, Any]) -> bytes:
    return body_of(answer, b"BODY[HEADER.FIELDS")


def _tell_apart(client: MailClient, known: FolderState) -> None:
    """Of messages with one tag the first keeps the plain name; the others get a digest of their headers, then a number."""
    for mails in known.shared_tags():
        unread = [mail.uid for mail in mails[1:] if not mail.headers]
        digests = {mail.uid: mail.headers for mail in mails}
        digests |= _headers(client, unread)
        first = mails[0]
        named = [Named(first.uid, "", first.headers, file_name(first.slug, first.tag))]
        taken: set[str] = set()
        for mail in mails[1:]:
            base = twin = digests[mail.uid][:_TWIN] or "0"
            number = 1
            while twin in taken:
                number += 1
                twin = f"{base}{number:x}"
            taken.add(twin)
            name = file_name(mail.slug, mail.tag, twin)
            named.append(Named(mail.uid, twin, digests[mail.uid], name))
        known.rename(named)
