"""Writers of the page formats of the example drive: PDF, a skewed scan with a stamp, an encrypted PDF."""

from __future__ import annotations

import hashlib
import io
import struct
from typing import TYPE_CHECKING

import pymupdf
from PIL import Image

if TYPE_CHECKING:
    from collections.abc import Sequence

    from share_office import Block

__all__ = ["encrypted_pdf", "pdf", "scan"]

_LEFT, _RIGHT, _TOP, _BOTTOM = 56.0, 539.0, 72.0, 770.0
_SIZES = {"h1": 15.0, "h2": 12.5, "p": 11.0}
_DAY = "D:20240301090000+09'00'"
_SCAN_DPI = 200
_SKEW = 2.2
"""Degrees, as a sheet lies on the glass in a hurry."""


def pdf(blocks: Sequence[Block], *, title: str, author: str, header: str = "") -> bytes:
    """A PDF with a text layer; tables are ruled."""
    document = pymupdf.open()
    _Sheet(document, header).write(blocks)
    document.set_metadata(
        {
            "title": title,
            "author": author,
            "creationDate": _DAY,
            "modDate": _DAY,
            "producer": "",
            "creator": "",
        }
    )
    document.subset_fonts()
    result: bytes = document.tobytes(garbage=3, deflate=True, no_new_id=True)
    return result


def scan(blocks: Sequence[Block], *, stamp: str) -> bytes:
    """A PDF of one skewed page image with a red stamp, without any text layer."""
    document = pymupdf.open()
    _Sheet(document, "").write(blocks)
    page = document[0]
    center = pymupdf.Point(455, 150)
    page.draw_circle(center, 42, color=(0.85, 0.1, 0.1), width=3)
    writer = pymupdf.TextWriter(page.rect, color=(0.85, 0.1, 0.1))
    font = pymupdf.Font("korea")
    width = font.text_length(stamp, 26)
    writer.append((center.x - width / 2, center.y + 9), stamp, font=font, fontsize=26)
    writer.write_text(page)
    pixels = page.get_pixmap(dpi=_SCAN_DPI)
    picture = Image.frombytes("RGB", (pixels.width, pixels.height), pixels.samples)
    picture = picture.rotate(_SKEW, Image.Resampling.BICUBIC, fillcolor=(250, 249, 245))
    stored = io.BytesIO()
    picture.save(stored, "JPEG", quality=80, dpi=(_SCAN_DPI, _SCAN_DPI))
    result = pymupdf.open()
    sheet = result.new_page(width=595, height=842)
    sheet.insert_image(sheet.rect, stream=stored.getvalue())
    result.set_metadata({"creationDate": _DAY, "modDate": _DAY, "producer": "", "creator": ""})
    data: bytes = result.tobytes(garbage=3, deflate=True, no_new_id=True)
    return data


class _Sheet:
    """Writes blocks from the top down, page after page."""

    def __init__(self, document: pymupdf.Document, header: str) -> None:
        self._document = document
        self._header = header
        self._font = pymupdf.Font("korea")
        self._page = document.new_page()
        self._y = _TOP
        self._head()

    def write(self, blocks: Sequence[Block]) -> None:
        for kind, value in blocks:
            if kind == "table":
                self._table(value)
            elif kind == "page":
                self._turn()
            else:
                self._lines(value, _SIZES[kind])

    def _turn(self) -> None:
        self._page = self._document.new_page()
        self._y = _TOP
        self._head()

    def _head(self) -> None:
        if self._header:
            self._put(_LEFT, 44, self._header, 9)

    def _put(self, x: float, y: float, text: str, size: float) -> None:
        writer = pymupdf.TextWriter(self._page.rect)
        writer.append((x, y), text, font=self._font, fontsize=size)
        writer.write_text(self._page)

    def _lines(self, text: str, size: float) -> None:
        for line in self._wrapped(text, size, _RIGHT - _LEFT):
            if self._y > _BOTTOM:
                self._turn()
            self._y += size * 1.55
            self._put(_LEFT, self._y, line, size)
        self._y += 4

    def _wrapped(self, text: str, size: float, width: float) -> list[str]:
        lines = [""]
        for word in text.split(" "):
            longer = f"{lines[-1]} {word}".strip()
            if self._font.text_length(longer, size) <= width or not lines[-1]:
                lines[-1] = longer
            else:
                lines.append(word)
        return lines

    def _table(self, rows: Sequence[Sequence[str]]) -> None:
        width = (_RIGHT - _LEFT) / len(rows[0])
        self._y += 6
        for row in rows:
            cells = [self._wrapped(text, 9.5, width - 10) for text in row]
            height = 8 + 14 * max(len(lines) for lines in cells)
            if self._y + height > _BOTTOM:
                self._turn()
            for column, lines in enumerate(cells):
                left = _LEFT + column * width
                self._page.draw_rect((left, self._y, left + width, self._y + height), width=0.7)
                for number, line in enumerate(lines):
                    self._put(left + 5, self._y + 14 + 14 * number, line, 9.5)
            self._y += height
        self._y += 6


# -- encrypted PDF (ISO 32000-1, 7.6.3: standard security handler, revision 2) ---------------------

_PAD = bytes.fromhex("28BF4E5E4E758A4164004E56FFFA01082E2E00B6D0683E802F0CA9FE6453697A")
_FILE_ID = hashlib.md5(b"hanbit example", usedforsecurity=False).digest()
_RIGHTS = -4


def encrypted_pdf(password: str) -> bytes:
    """A PDF that opens with a password only (40-bit RC4: weak, yet what old payroll programs write)."""
    padded = (password.encode() + _PAD)[:32]
    owner = _rc4(_md5(padded)[:5], padded)
    key = _md5(padded + owner + struct.pack("<i", _RIGHTS) + _FILE_ID)[:5]
    user = _rc4(key, _PAD)
    text = b"BT /F1 12 Tf 72 770 Td (confidential) Tj ET"
    content = _rc4(_md5(key + b"\x04\x00\x00\x00\x00")[:10], text)
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>",
        b"<</Length %d>>stream\n%s\nendstream" % (len(content), content),
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
        b"<</Filter/Standard/V 1/R 2/P %d/O<%s>/U<%s>>>"
        % (_RIGHTS, owner.hex().encode(), user.hex().encode()),
    ]
    data = b"%PDF-1.4\n"
    places = []
    for number, body in enumerate(objects, start=1):
        places.append(len(data))
        data += b"%d 0 obj%s endobj\n" % (number, body)
    start = len(data)
    data += b"xref\n0 7\n0000000000 65535 f \n" + b"".join(
        b"%010d 00000 n \n" % at for at in places
    )
    identity = _FILE_ID.hex().encode()
    data += b"trailer<</Size 7/Root 1 0 R/Encrypt 6 0 R/ID[<%s><%s>]>>\n" % (identity, identity)
    return data + b"startxref\n%d\n%%%%EOF\n" % start


def _md5(data: bytes) -> bytes:
    return hashlib.md5(data, usedforsecurity=False).digest()


def _rc4(key: bytes, data: bytes) -> bytes:
    state = list(range(256))
    other = 0
    for index in range(256):
        other = (other + state[index] + key[index % len(key)]) % 256
        state[index], state[other] = state[other], state[index]
    result = bytearray()
    index = other = 0
    for byte in data:
        index = (index + 1) % 256
        other = (other + state[index]) % 256
        state[index], state[other] = state[other], state[index]
        result.append(byte ^ state[(state[index] + state[other]) % 256])
    return bytes(result)
