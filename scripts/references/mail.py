"""Mails through Python's ``email``; Outlook's messages from the property streams of the OLE file (MS-OXMSG)."""

from __future__ import annotations

import contextlib
import email
import email.policy
from pathlib import Path
from typing import Any

import olefile

from references.found import Found


def eml(path: Path) -> Found:
    """Plain parts, the subject and the names of attachments."""
    data = path.read_bytes()
    if data.startswith((b"\xff\xfe", b"\xfe\xff")) or b"\0" in data[:64]:
        data = data.decode("utf-16").encode()
    message = email.message_from_bytes(data, policy=email.policy.default)
    pieces: list[str] = []
    for part in message.walk():
        if part.get_content_type() == "text/plain" and not part.get_filename():
            with contextlib.suppress(LookupError, ValueError):
                pieces += [line.strip("> \t") for line in str(part.get_content()).splitlines()]
    names = [n for part in message.walk() if (n := part.get_filename()) and "\ufffd" not in n]
    meta: dict[str, Any] = {"attachments": names} if names else {}
    subject = str(message.get("Subject", ""))
    if subject and "\ufffd" not in subject and "=?" not in subject:
        meta["subject"] = subject
    return Found(pieces=[p for p in pieces if "\ufffd" not in p], meta=meta)


def msg(path: Path) -> Found:
    """The body, the subject and the names of attachments."""
    with olefile.OleFileIO(path) as ole:
        body = _text(ole, "__substg1.0_1000")
        meta: dict[str, Any] = {"subject": _text(ole, "__substg1.0_0037")}
        stores = {entry[0] for entry in ole.listdir() if entry[0].startswith("__attach")}
        names = [
            _text(ole, f"{store}/__substg1.0_3707") or _text(ole, f"{store}/__substg1.0_3704")
            for store in sorted(stores)
        ]
    if any(names):
        meta["attachments"] = [name for name in names if name]
    return Found(
        pieces=[line.strip("> \t") for line in body.splitlines()],
        meta={k: v for k, v in meta.items() if v},
    )


def _text(ole: olefile.OleFileIO, name: str) -> str:
    """A string property: UTF-16 where there is one; code pages need more than this script wants to know."""
    if ole.exists(f"{name}001F"):
        raw: bytes = ole.openstream(f"{name}001F").read()
        return raw.decode("utf-16-le", "replace").strip("\0 ")
    if ole.exists(f"{name}001E"):
        raw = ole.openstream(f"{name}001E").read()
        return raw.decode("ascii", "ignore").strip("\0 ") if raw.isascii() else ""
    return ""
