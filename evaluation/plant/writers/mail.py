"""Mails as bytes (RFC 5322, MIME), and archives."""

from __future__ import annotations

import zipfile
from collections.abc import Callable
from datetime import datetime, timedelta, timezone
from email import policy
from email.headerregistry import Address
from email.message import EmailMessage
from email.parser import BytesParser
from io import BytesIO

from evaluation.plant.model import Bundle, Document, Letter

__all__ = ["bundle", "eml"]

_KINDS = {
    "docx": "vnd.openxmlformats-officedocument.wordprocessingml.document",
    "xlsx": "vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "hwpx": "hwp+zip",
    "pdf": "pdf",
}
_SEOUL = timezone(timedelta(hours=9))


def eml(letter: Letter, render: Callable[[Document], bytes]) -> bytes:
    """The mail; equal input gives equal bytes.

    Args:
        letter: What it says.
        render: Makes the bytes of what hangs on it.
    """
    message = EmailMessage(policy=policy.SMTP)
    message["From"] = _address(*letter.sender)
    message["To"] = tuple(_address(*one) for one in letter.to)
    message["Subject"] = letter.subject
    day = letter.day
    message["Date"] = datetime(day.year, day.month, day.day, 10, 30, tzinfo=_SEOUL)
    message["Message-ID"] = letter.identity
    if letter.reference:
        message["In-Reply-To"] = letter.reference
        message["References"] = letter.reference
    message.set_content(letter.text)
    for name, document in letter.attachments:
        data = render(document)
        if document.form == "eml":
            inner = BytesParser(policy=policy.SMTP).parsebytes(data)
            message.add_attachment(inner, filename=name)
        else:
            kind = _KINDS[document.form]
            message.add_attachment(data, maintype="application", subtype=kind, filename=name)
    if message.is_multipart():
        _settle(message, letter.identity)
    return message.as_bytes()


def _settle(message: EmailMessage, identity: str) -> None:
    """A boundary that depends on the mail alone: the library would draw one."""
    mark = "".join(c if c.isalnum() else "." for c in identity.strip("<>"))
    message.set_boundary(f"=_{mark}")


def _address(name: str, address: str) -> Address:
    user, _, domain = address.partition("@")
    return Address(name, user, domain)


def bundle(content: Bundle, render: Callable[[Document], bytes]) -> bytes:
    """The archive; names in UTF-8."""
    target = BytesIO()
    with zipfile.ZipFile(target, "w") as archive:
        for name, document in content.members:
            info = zipfile.ZipInfo(name, (2025, 12, 31, 0, 0, 0))
            info.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(info, render(document))
    return target.getvalue()
