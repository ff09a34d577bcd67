"""Which mails belong to one conversation.

Message-IDs decide (RFC 5322, 3.6.4: ``References`` and ``In-Reply-To``); Outlook's conversation index (MS-OXOMSG
2.2.1.3: the first 22 bytes name the conversation) where they are missing, as in mails that never left an Exchange
server. The subject alone joins a reply that names no mail at all, as in jwz's threading, and joins it only to mails
of just that subject.
"""

from __future__ import annotations

import base64
import binascii
import re
import unicodedata
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["bare_subject", "partner_keys", "thread_keys"]

_ID = re.compile(r"<([^<>\s]+)>")
_MARK = re.compile(
    r"\s*(?:\[[^\]]{1,30}\]\s*)?(?:re|fw|fwd|aw|wg|답장|회신|답변|전달|재전송)\s*(?:\[\d+\]|\(\d+\))?\s*[:：]|\s*\[(?:re|fw|fwd|회신|답장|전달)\]",
    re.IGNORECASE,
)
_INDEX_BYTES = 22
_MOST = 200
"""References of one mail that count: the first and the last ones."""
_NAMED, _REPLY = "s:", "l:"


def thread_keys(properties: Mapping[str, str]) -> tuple[str, ...]:
    """Keys of a mail; two mails that share one are of one conversation (see also :func:`partner_keys`).

    Args:
        properties: Of the parsed mail: ``message_id``, ``in_reply_to``, ``references``, ``thread_index``, ``subject``.
    """
    own = _ID.findall(f"<{properties.get('message_id', '').strip(' <>')}>")
    named = _ID.findall(properties.get("references", ""))
    named = named[: _MOST // 2] + named[-_MOST // 2 :] if len(named) > _MOST else named
    answered = _ID.findall(properties.get("in_reply_to", ""))
    keys = [f"m:{name}" for name in dict.fromkeys([*own, *named, *answered])]
    index = _conversation(properties.get("thread_index", ""))
    if index:
        keys.append(f"c:{index}")
    subject, marked = bare_subject(properties.get("subject", ""))
    if subject:
        keys.append(f"{_NAMED}{subject}")
        if marked and not named and not answered and not index:
            keys.append(f"{_REPLY}{subject}")
    return tuple(keys)


def partner_keys(keys: tuple[str, ...]) -> frozenset[str]:
    """Keys that a mail of the same conversation has, for a mail with these keys."""
    wanted = {key for key in keys if key.startswith(("m:", "c:"))}
    wanted |= {f"{_REPLY}{k.removeprefix(_NAMED)}" for k in keys if k.startswith(_NAMED)}
    wanted |= {f"{_NAMED}{k.removeprefix(_REPLY)}" for k in keys if k.startswith(_REPLY)}
    return frozenset(wanted)


def bare_subject(subject: str) -> tuple[str, bool]:
    """The subject without marks of answering and handing on, folded; and whether there were any."""
    text = unicodedata.normalize("NFKC", subject)
    marked = False
    while found := _MARK.match(text):
        text, marked = text[found.end() :], True
    return " ".join(text.split()).casefold(), marked


def _conversation(index: str) -> str:
    try:
        raw = base64.b64decode(index, validate=True)
    except (binascii.Error, ValueError):
        return ""
    return raw[:_INDEX_BYTES].hex() if len(raw) >= _INDEX_BYTES else ""
