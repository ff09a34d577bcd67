"""Damage done to files: blind, and where a format keeps its lengths, counts and names."""
# ruff: noqa: PLR2004  the odds and sizes of damage stand for themselves

from __future__ import annotations

import io
import random
import re
import struct
import warnings
import zipfile
import zlib
from collections.abc import Callable

import olefile

Damage = Callable[[bytes, random.Random], bytes]

_EXTREMES = (0, 1, 2, 0x7F, 0x80, 0xFF, 0x7FFF, 0xFFFF, 0x10000, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF)
_NUMBERS = (
    b"0",
    b"-1",
    b"1",
    b"2147483647",
    b"4294967296",
    b"-99999999999",
    b"1e308",
    b"65536",
    b"NaN",
    b"",
)
_DIGITS = re.compile(rb"\d+")
_TAG = re.compile(rb"<[^<>]{1,400}>")


def damaged(data: bytes, rng: random.Random) -> bytes:
    """One to three kinds of damage that fit the content, whatever the file is called."""
    kinds: list[Damage] = [_flips, _cut, _swap, _extreme, _doubled, _emptied]
    if data[:4] == b"PK\x03\x04":
        kinds += [_package] * 6
    elif data[:8] == bytes.fromhex("d0cf11e0a1b11ae1"):
        kinds += [_streams] * 6
    elif data[:5] == b"%PDF-" or data[:1] in b"<{FBRM":
        kinds += [_number, _number, _line]
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        data = rng.choice(kinds)(data, rng)
    return data


def _flips(data: bytes, rng: random.Random) -> bytes:
    out = bytearray(data)
    for _ in range(rng.choice((1, 1, 3, 10, 40))):
        if out:
            out[rng.randrange(len(out))] ^= 1 << rng.randrange(8)
    return bytes(out)


def _cut(data: bytes, rng: random.Random) -> bytes:
    return data[: rng.randrange(len(data) + 1)]


def _swap(data: bytes, rng: random.Random) -> bytes:
    a, b, c = sorted(rng.randrange(len(data) + 1) for _ in range(3))
    return data[:a] + data[b:c] + data[a:b] + data[c:]


def _doubled(data: bytes, rng: random.Random) -> bytes:
    start = rng.randrange(len(data) + 1)
    piece = data[start : start + rng.choice((1, 16, 512, 4096))]
    return data[:start] + piece * rng.choice((2, 5, 50)) + data[start:]


def _emptied(data: bytes, rng: random.Random) -> bytes:
    start = rng.randrange(len(data) + 1)
    size = rng.choice((1, 4, 64, 512))
    fill = rng.choice((b"\0", b"\xff", b"A"))
    return data[:start] + fill * min(size, len(data) - start) + data[start + size :]


def _extreme(data: bytes, rng: random.Random) -> bytes:
    """A number field somewhere takes an extreme value."""
    form = rng.choice("BHIQ")
    size = struct.calcsize(form)
    if len(data) < size:
        return data
    start = rng.randrange(len(data) - size + 1)
    value = rng.choice(_EXTREMES) % (1 << 8 * size)
    return data[:start] + struct.pack(rng.choice("<>") + form, value) + data[start + size :]


def _number(data: bytes, rng: random.Random) -> bytes:
    """A number that is written in digits takes another value."""
    found = list(_DIGITS.finditer(data))
    if not found:
        return _flips(data, rng)
    hit = rng.choice(found)
    new = rng.choice((*_NUMBERS, rng.choice(found).group()))
    return data[: hit.start()] + new + data[hit.end() :]


def _line(data: bytes, rng: random.Random) -> bytes:
    """A line is left out, doubled or moved."""
    lines = data.splitlines(keepends=True) or [b""]
    line = lines.pop(rng.randrange(len(lines)))
    for _ in range(rng.choice((0, 1, 2))):
        lines.insert(rng.randrange(len(lines) + 1), line)
    return b"".join(lines)


def _markup(data: bytes, rng: random.Random) -> bytes:
    """A tag is left out, doubled, moved or nested deeply; or a number changes."""
    tags = list(_TAG.finditer(data))
    if not tags or rng.random() < 0.3:
        return _number(data, rng)
    hit = rng.choice(tags)
    kind = rng.randrange(4)
    if kind == 0:
        return data[: hit.start()] + data[hit.end() :]
    if kind == 1:
        return data[: hit.end()] + hit.group() * rng.choice((1, 3, 3000)) + data[hit.end() :]
    other = rng.choice(tags)
    if kind == 2:
        return data[: hit.start()] + other.group() + data[hit.end() :]
    a, b = sorted((hit.start(), other.start()))
    return data[:b] + data[a:b] * rng.choice((1, 20)) + data[b:]


def _inside(data: bytes, rng: random.Random) -> bytes:
    """Damage to one part of a package."""
    if data.lstrip()[:1] == b"<":
        return rng.choice((_markup, _markup, _markup, _flips, _cut))(data, rng)
    return rng.choice((_flips, _cut, _extreme, _swap, _emptied, _records))(data, rng)


def _package(data: bytes, rng: random.Random) -> bytes:
    """A zip whose members are damaged, left out, renamed or doubled."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as package:
            parts = [(info.filename, package.read(info)) for info in package.infolist()]
    except (
        zipfile.BadZipFile,
        OSError,
        ValueError,
        EOFError,
        NotImplementedError,
        RuntimeError,
        zlib.error,
        struct.error,
    ):
        return _flips(data, rng)
    if not parts:
        return _flips(data, rng)
    index = rng.randrange(len(parts))
    name, content = parts[index]
    kind = rng.randrange(10)
    if kind == 0:
        del parts[index]
    elif kind == 1:
        parts[index] = (
            rng.choice((f"../{name}", name.replace("/", "\\"), name.upper(), "x" * 300)),
            content,
        )
    elif kind == 2:
        parts.append((name, rng.choice(parts)[1]))
    else:
        parts[index] = (name, _inside(content, rng))
    buffer = io.BytesIO()
    with warnings.catch_warnings(), zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as package:
        warnings.simplefilter("ignore", UserWarning)  # doubled names are meant
        for own, part in parts:
            package.writestr(zipfile.ZipInfo(own), part, zipfile.ZIP_DEFLATED)
    return buffer.getvalue()


def _streams(data: bytes, rng: random.Random) -> bytes:
    """An OLE file, one stream of which is damaged within its own size (unpacked and packed again where it is deflated)."""
    try:
        with olefile.OleFileIO(io.BytesIO(data)) as ole:
            names = ["/".join(path) for path in ole.listdir() if ole.get_size("/".join(path))]
            if not names:
                return _flips(data, rng)
            content = ole.openstream(rng.choice(names)).read()
    except (OSError, ValueError, IndexError, TypeError, AttributeError):
        return _flips(data, rng)
    start = data.find(content[:64])
    if start < 0:
        return _flips(data, rng)
    changed = _packed_records(content, rng)
    # Streams lie in sectors: what stays within the size of the old one keeps the file whole.
    changed = changed[: len(content)].ljust(len(content), b"\0")
    return data[:start] + changed + data[start + len(content) :]


def _packed_records(content: bytes, rng: random.Random) -> bytes:
    try:
        plain = zlib.decompressobj(-15).decompress(content)
    except zlib.error:
        plain = b""
    if len(plain) < 4:
        return rng.choice((_records, _records, _flips, _extreme, _swap))(content, rng)
    return zlib.compress(_records(plain, rng), 9, wbits=-15)


def _records(data: bytes, rng: random.Random) -> bytes:
    """Heads of records (HWP: tag, level and size in 32 bits; BIFF: kind and size in 16 each) take other values."""
    out = bytearray(data)
    heads: list[int] = []
    at = 0
    while at + 4 <= len(data) and len(heads) < 5000:
        heads.append(at)
        word = struct.unpack_from("<I", data, at)[0]
        at += 4 + min(word >> 20, len(data))
    at = rng.choice(heads) if heads and rng.random() < 0.8 else 0
    if len(out) < at + 4:
        return _flips(data, rng)
    word = struct.unpack_from("<I", out, at)[0]
    kind = rng.randrange(4)
    if kind == 0:
        word = word & 0xFFFFF | rng.choice((0, 1, 0xFFE, 0xFFF)) << 20
    elif kind == 1:
        word = word & ~0xFFC00 | rng.choice((0, 1, 2, 900, 1023)) << 10
    elif kind == 2:
        word = word & ~0x3FF | rng.randrange(1024)
    else:
        size = min(len(out) - at, 4 + (word >> 20))
        return bytes(out[:at]) + _flips(bytes(out[at : at + size]), rng) + bytes(out[at + size :])
    struct.pack_into("<I", out, at, word)
    return bytes(out)
