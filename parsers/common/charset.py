"""Bytes to text, by evidence: byte order mark, declared charset, then what the bytes themselves say."""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = [
    "Decoded",
    "codec_for",
    "decode_text",
    "guess_charset",
    "hangul_share",
    "unicode_charset",
    "without_surrogates",
]

_ALIASES = {
    # cp949 (UHC) contains EUC-KR; Korean software labels the one as the other.
    "euc-kr": "cp949",
    "euckr": "cp949",
    "ks_c_5601-1987": "cp949",
    "ks_c_5601-1989": "cp949",
    "ks_c_5601": "cp949",
    "ksc5601": "cp949",
    "ksc_5601": "cp949",
    "korean": "cp949",
    "iso-ir-149": "cp949",
    "windows-949": "cp949",
    "x-windows-949": "cp949",
    "uhc": "cp949",
    "ms949": "cp949",
    # Supersets that the web and mail programs mean by these names (WHATWG Encoding Standard, 4.2).
    "gb2312": "gb18030",
    "gb_2312-80": "gb18030",
    "gbk": "gb18030",
    "cp936": "gb18030",
    "x-gbk": "gb18030",
    "shift_jis": "cp932",
    "shift-jis": "cp932",
    "sjis": "cp932",
    "x-sjis": "cp932",
    "big5": "cp950",
    "iso-8859-1": "cp1252",
    "latin1": "cp1252",
    "us-ascii": "ascii",
    "unicode": "utf-16",
    "unicode-1-1-utf-7": "utf-7",
    "utf8mb4": "utf-8",
}
_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_MARKED = frozenset({"utf-8-sig", "utf-16", "utf-32"})
_SINGLE_BYTE = frozenset(
    {"ascii", "cp1252", "iso8859-15", "cp1250", "cp1251", "iso8859-2", "cp437"}
)
_SAMPLE = 65_536
_ASCII_END = 0x80
_MIN_HANGUL = 0.6
_KS_HANGUL = (0xB0, 0xC8)  # lead bytes of the Hangul rows of KS X 1001
_HIGH = re.compile(rb"[\x80-\xff][\xa1-\xff]|[\x80-\xff]")
"""A pair of a double-byte code, or a byte that makes none with the next one."""
_MIN_WIDE = 0.05


@dataclass(frozen=True, slots=True)
class Decoded:
    """Text, the codec that gave it, and whether every byte fitted that codec."""

    text: str
    charset: str
    sound: bool


def codec_for(declared: str) -> str:
    """The Python codec that a declared charset stands for, or "" for an unknown one."""
    name = declared.strip().strip("\"'").lower()
    name = _ALIASES.get(name, name)
    try:
        info = codecs.lookup(name)
    except (LookupError, ValueError):
        return ""
    # Python also registers bytes-to-bytes transforms (zlib, hex) under this lookup.
    return info.name if info._is_text_encoding else ""  # noqa: SLF001  no public name for it


def hangul_share(data: bytes) -> float:
    """Share (0 to 1) of the non-ASCII bytes that form precomposed Hangul of KS X 1001 (B0A1 to C8FE)."""
    found = _HIGH.findall(data[:_SAMPLE])
    first, last = _KS_HANGUL
    pairs = sum([2 for high in found if len(high) == 2 and first <= high[0] <= last])  # noqa: PLR2004
    return pairs / sum(map(len, found)) if found else 0.0


def unicode_charset(data: bytes) -> str:
    """The codec of UTF-16, of UTF-32, or of UTF-8 that a byte order mark opens; "" for all others."""
    for bom, name in _BOMS:
        if data.startswith(bom):
            return name
    return _wide_without_bom(data[:_SAMPLE])


def guess_charset(data: bytes) -> str:
    """The codec that the bytes themselves speak for; ``ascii`` where all bytes are below 0x80."""
    if marked := unicode_charset(data):
        return marked
    sample = data[:_SAMPLE]
    if sample.isascii():
        return "ascii" if data.isascii() else guess_charset(data[_first_high(data) :])
    if _fits(sample, "utf-8"):
        return "utf-8"
    if hangul_share(sample) >= _MIN_HANGUL and _fits(sample, "cp949"):
        return "cp949"
    return _by_statistics(sample)


def decode_text(data: bytes, declared: str = "") -> Decoded:
    """Decode by byte order mark, then the declared charset if the bytes agree with it, then by guess.

    Never fails: bytes that fit nothing become U+FFFD and ``sound`` is false.
    """
    for name in _candidates(data, declared):
        try:
            return Decoded(data.decode(name), name, sound=True)
        except (UnicodeDecodeError, UnicodeError):
            continue
    fallback = codec_for(declared)
    if not fallback or fallback == "ascii":
        fallback = "cp949" if hangul_share(data) >= _MIN_HANGUL else "utf-8"
    return Decoded(data.decode(fallback, "replace"), fallback, sound=False)


def without_surrogates(text: str) -> str:
    """Text that UTF-8 can carry: lone surrogates become U+FFFD, pairs the character they stand for."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _candidates(data: bytes, declared: str) -> Iterator[str]:
    """Each when it is asked for: guessing takes longer than decoding."""
    named = codec_for(declared)
    if named and named not in _SINGLE_BYTE and unicode_charset(data) not in _MARKED:
        yield named
        named = ""
    guess = guess_charset(data)
    # A single-byte charset accepts any bytes, so its label proves nothing against sound multi-byte text.
    if named and guess not in {*_MARKED, "utf-8", "cp949"}:
        yield named
    yield guess
    if named and guess in {"utf-8", "cp949"}:
        yield named
        return
    yield from ("utf-8", "cp949")


def _first_high(data: bytes) -> int:
    return next(at for at, byte in enumerate(data) if byte >= _ASCII_END)


def _fits(sample: bytes, name: str) -> bool:
    decoder = codecs.getincrementaldecoder(name)()
    try:
        decoder.decode(sample, final=False)
    except UnicodeDecodeError:
        return False
    return True


def _wide_without_bom(sample: bytes) -> str:
    """UTF-16 without a mark: spaces, digits and line ends put NULs on one side of the pairs only."""
    if b"\0" not in sample:
        return ""
    even, odd = sample[::2].count(0), sample[1::2].count(0)
    pairs = max(1, len(sample) // 2)
    name = "utf-16-le" if odd > even else "utf-16-be"
    if max(even, odd) / pairs < _MIN_WIDE or min(even, odd) * 20 > max(even, odd):
        return ""
    if not _fits(sample, name):
        return ""
    text = sample[: len(sample) // 2 * 2].decode(name, "replace")
    odd_characters = sum(c < " " and c not in "\t\r\n\f" for c in text)
    return name if odd_characters * 100 <= len(text) else ""


def _by_statistics(sample: bytes) -> str:
    from charset_normalizer import from_bytes

    best = from_bytes(sample).best()
    if best is None:
        return "cp949" if _fits(sample, "cp949") else "cp1252"
    name = codec_for(best.encoding)
    # Its names for the Korean and Latin families are narrower than what is meant.
    return {"euc_kr": "cp949", "johab": "cp949", "iso8859-1": "cp1252"}.get(name, name) or "cp1252"
