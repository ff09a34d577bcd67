"""Names of members: decoded by evidence where an archive does not say which code page they are in."""

from __future__ import annotations

from typing import TYPE_CHECKING

from parsers.common.charset import guess_charset, hangul_share

if TYPE_CHECKING:
    import zipfile
    from collections.abc import Sequence

__all__ = ["decode_all", "decode_names"]

_UTF8_NAMES = 0x800  # APPNOTE.TXT 4.4.4, bit 11
_UNICODE_PATH = 0x7075  # APPNOTE.TXT 4.6.9
_LEGACY = {"cp949": "euc_kr", "gb18030": "gb2312", "cp932": "shift_jis", "cp950": "big5"}
"""Code pages of East Asian Windows, each with the national standard that holds its common characters."""
_COMMON_IDEOGRAPHS = ("\u4e00", "\u9fff")
_SURE_HANGUL = 0.5


def decode_names(infos: Sequence[zipfile.ZipInfo]) -> list[str]:
    """Names of entries, ``/`` between folders.

    Entries marked as UTF-8 are; others are in the code page of the machine that packed them, which nothing
    states: all their bytes together decide it.
    """
    raw = [b"" if info.flag_bits & _UTF8_NAMES else _raw_name(info) for info in infos]
    charset = _charset_of(b"\n".join(name for name in raw if not name.isascii()))
    return [
        _unicode_path(info) or (_decode(name, charset) if name else info.filename)
        for info, name in zip(infos, raw, strict=True)
    ]


def decode_all(names: Sequence[str | bytes]) -> list[str]:
    """Names of which some are bytes in one code page that nothing states."""
    charset = _charset_of(
        b"\n".join(name for name in names if isinstance(name, bytes) and not name.isascii())
    )
    return [_decode(name, charset) if isinstance(name, bytes) else name for name in names]


def _raw_name(info: zipfile.ZipInfo) -> bytes:
    """The bytes that :mod:`zipfile` decoded as code page 437, which maps every byte."""
    try:
        return info.orig_filename.encode("cp437")
    except UnicodeEncodeError:
        return b""


def _decode(name: bytes, charset: str) -> str:
    # In double-byte code pages a backslash may be half of a character, so it is replaced in the text.
    text = name.decode(charset, "replace")
    return text.replace("\\", "/") if "/" not in text or charset != "cp437" else text


def _charset_of(raw: bytes) -> str:
    if not raw:
        return "cp437"
    if guess_charset(raw) == "utf-8":
        return "utf-8"
    if hangul_share(raw) >= _SURE_HANGUL and _fits(raw, "cp949"):
        return "cp949"
    fitting = [name for name in _LEGACY if _fits(raw, name)]
    if not fitting:
        return "cp437"
    return max(fitting, key=lambda name: _plausible(raw.decode(name), _LEGACY[name]))


def _fits(raw: bytes, charset: str) -> bool:
    try:
        raw.decode(charset)
    except UnicodeDecodeError:
        return False
    return True


def _plausible(text: str, standard: str) -> float:
    """How much a decoding looks like names: characters of one script, and common ones.

    Returns:
        Share of the non-ASCII characters in the prevailing script, times the share of those that the
        national standard has; mixed scripts and rare characters mean a wrong guess.
    """
    common = text.encode(standard, "ignore").decode(standard)
    counts = {"hangul": 0, "kana": 0, "han": 0, "other": 0}
    for character in text:
        if character.isascii():
            continue
        if "가" <= character <= "힣":
            counts["hangul"] += 1
        elif "぀" <= character <= "ヿ":
            counts["kana"] += 1
        elif _COMMON_IDEOGRAPHS[0] <= character <= _COMMON_IDEOGRAPHS[1]:
            counts["han"] += 1
        else:
            counts["other"] += 1
    total = sum(counts.values()) or 1
    japanese = counts["kana"] + counts["han"] if counts["kana"] else 0
    usual = sum(not character.isascii() for character in common) / total
    return max(counts["hangul"], counts["han"], japanese) / total * usual


def _unicode_path(info: zipfile.ZipInfo) -> str:
    """The UTF-8 name that some packers add beside the one in a code page (extra field 0x7075)."""
    extra = info.extra
    while len(extra) >= 4:  # noqa: PLR2004  id and size
        kind, size = int.from_bytes(extra[:2], "little"), int.from_bytes(extra[2:4], "little")
        body = extra[4 : 4 + size]
        if kind == _UNICODE_PATH and body[:1] == b"\x01":
            return body[5:].decode("utf-8", "replace")
        extra = extra[4 + size :]
    return ""
