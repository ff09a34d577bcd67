r"""RTF bodies of Outlook messages: the HTML or text that they encapsulate (MS-OXRTFEX), else plain text.

``\fromhtml1`` marks HTML in RTF: markup stands in ``{\*\htmltag …}`` groups, text between them, and what
``\htmlrtf`` brackets is only there for RTF readers. ``\fromtext`` marks plain text.
"""

from __future__ import annotations

import re
import zlib
from dataclasses import dataclass

from parsers.common.charset import codec_for, without_surrogates

__all__ = ["decompressed", "is_sound", "rtf_text"]

_TOKEN = re.compile(
    rb"\\([a-z]{1,32})(-?\d{1,10})? ?|\\'([0-9a-fA-F]{2})|\\([^a-z'])|([{}])|[\r\n]+|([^\\{}\r\n]+)"
)
_BREAKS = {
    "par": "\n", "line": "\n", "sect": "\n", "page": "\n", "tab": "\t", "cell": "\t", "row": "\n",
    "lquote": "‘", "rquote": "’", "ldblquote": "“", "rdblquote": "”", "bullet": "•",
    "endash": "–", "emdash": "—", "emspace": "\u2003", "enspace": "\u2002",
}  # fmt: skip
_SILENT = frozenset(
    {
        "fonttbl", "colortbl", "stylesheet", "info", "pict", "object", "header", "footer", "generator",
        "listtable", "listoverridetable", "themedata", "datastore", "xmlnstbl", "mhtmltag",
    }
)  # fmt: skip
# RTF 1.9.1, "Font Table": \fcharset numbers of East Asian and other code pages.
_CHARSETS = {
    0: "cp1252", 128: "cp932", 129: "cp949", 130: "johab", 134: "gb18030", 136: "cp950", 161: "cp1253",
    162: "cp1254", 163: "cp1258", 177: "cp1255", 178: "cp1256", 186: "cp1257", 204: "cp1251",
    222: "cp874", 238: "cp1250",
}  # fmt: skip
_MAX_GROUPS = 2000
# MS-OXRTFCP 2.1.2.1: what the dictionary holds at the start.
_DICTIONARY = (
    rb"{\rtf1\ansi\mac\deff0\deftab720{\fonttbl;}{\f0\fnil \froman \fswiss \fmodern \fscript \fdecor "
    rb"MS Sans SerifSymbolArialTimes New RomanCourier{\colortbl\red0\green0\blue0" + b"\r\n"
    rb"\par \pard\plain\f0\fs20\b\i\u\tab\tx"
)
_BITS = tuple(1 << bit for bit in range(8))
_WINDOW = 4096
_COMPRESSED, _RAW = b"LZFu", b"MELA"
_ONES = 0xFFFFFFFF


@dataclass(slots=True)
class _State:
    """What a group inherits from the one around it."""

    charset: str = ""
    silent: bool = False
    in_tag: bool = False
    rtf_only: bool = False
    unicode_skip: int = 1

    def copy(self) -> _State:
        return _State(self.charset, self.silent, self.in_tag, self.rtf_only, self.unicode_skip)


class _Rtf:
    """Runs through the tokens once and collects text."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        head = data[:4096]
        self.kind = "html" if b"\\fromhtml" in head else "text"
        page = re.search(rb"\\ansicpg(\d+)", head)
        self._page = (codec_for(f"cp{int(page[1])}") if page else "") or "cp1252"
        self._fonts: dict[int, str] = {}
        self._out: list[str] = []
        self._bytes = bytearray()
        self._stack: list[_State] = [_State()]
        self._skip = 0
        self._font = 0
        self._starred = False

    def text(self) -> str:
        for match in _TOKEN.finditer(self._data):
            word, number, byte, symbol, brace, plain = match.groups()
            if word is not None:
                self._word(word.decode("ascii"), int(number) if number else None)
            elif byte is not None:
                self._byte(int(byte, 16))
            elif symbol is not None:
                self._symbol(symbol)
            elif brace is not None:
                self._brace(brace)
            elif plain is not None:
                self._plain(plain)
        self._flush()
        return without_surrogates("".join(self._out))

    @property
    def _state(self) -> _State:
        return self._stack[-1]

    @property
    def _heard(self) -> bool:
        state = self._state
        return not state.silent and not (state.rtf_only and self.kind == "html")

    def _brace(self, brace: bytes) -> None:
        self._flush()
        self._starred = False
        if brace == b"{":
            if len(self._stack) < _MAX_GROUPS:
                self._stack.append(self._state.copy())
        elif len(self._stack) > 1:
            self._stack.pop()

    def _word(self, word: str, number: int | None) -> None:
        if word == "u" and number is not None:
            self._flush()
            if self._heard:
                self._out.append(chr(number % 65536))
            self._skip = self._state.unicode_skip
            return
        self._flush()
        starred, self._starred = self._starred, False
        self._control(word, number, starred=starred)

    def _control(self, word: str, number: int | None, *, starred: bool) -> None:
        state = self._state
        if word in _BREAKS:
            if self._heard and (not state.in_tag or word in {"par", "line", "tab"}):
                self._out.append(_BREAKS[word])
        elif word == "htmltag":
            state.in_tag, state.silent = True, False
        elif word == "htmlrtf":
            state.rtf_only = number != 0
        elif word == "plain":
            state.charset = ""
        elif number is not None and word in {"f", "fcharset", "uc"}:
            self._setting(word, number)
        elif word in _SILENT or starred:
            state.silent = True

    def _setting(self, word: str, number: int) -> None:
        if word == "f":
            self._font = number
            self._state.charset = self._fonts.get(number, "")
        elif word == "fcharset":
            self._fonts[self._font] = _CHARSETS.get(number, "")
        else:
            self._state.unicode_skip = max(0, number)

    def _symbol(self, symbol: bytes) -> None:
        if symbol == b"*":
            self._starred = True
            return
        if self._skip:
            self._skip -= 1
            return
        replacement = {b"~": "\u00a0", b"_": "-", b"-": "", b"\r": "\n", b"\n": "\n"}
        self._flush()
        if self._heard:
            self._out.append(replacement.get(symbol, symbol.decode("latin-1")))

    def _byte(self, value: int) -> None:
        if self._skip:
            self._skip -= 1
        elif self._heard:
            self._bytes.append(value)

    def _plain(self, plain: bytes) -> None:
        taken = min(self._skip, len(plain))
        self._skip -= taken
        if self._heard:
            self._bytes += plain[taken:]

    def _flush(self) -> None:
        if self._bytes:
            charset = self._state.charset or self._page
            self._out.append(self._bytes.decode(charset, "replace"))
            self._bytes.clear()


def is_sound(data: bytes) -> bool:
    """Whether the checksum of a packed RTF body is right (MS-OXRTFCP 3.1.3.2: CRC-32 that starts at 0, and is not inverted)."""
    if data[8:12] != _COMPRESSED:
        return data[8:12] == _RAW
    packed = data[16 : int.from_bytes(data[:4], "little") + 4]
    return zlib.crc32(packed, _ONES) ^ _ONES == int.from_bytes(data[12:16], "little")


def decompressed(data: bytes, most: int | None = None) -> bytes:
    """An RTF body as MS-OXRTFCP packs it; of a cut one what there is, b"" for anything else.

    Args:
        data: With its header.
        most: About so many bytes of it; None: all.
    """
    size, magic = int.from_bytes(data[4:8], "little"), data[8:12]
    size = size if most is None else min(size, most)
    if magic == _RAW:
        return data[16 : 16 + size]
    if magic != _COMPRESSED:
        return b""
    # What the window holds before the first byte: nothing where nothing was written yet, then the dictionary.
    out = bytearray(_WINDOW - len(_DICTIONARY)) + _DICTIONARY
    until = _WINDOW + size
    at, end = 16, len(data)
    while at < end and len(out) < until:
        flags, at = data[at], at + 1
        if not flags:  # eight bytes as they are
            out += data[at : at + 8]
            at += 8
            continue
        for bit in _BITS:
            if at >= end or len(out) >= until:
                break
            if not flags & bit:
                out.append(data[at])
                at += 1
                continue
            pair = int.from_bytes(data[at : at + 2], "big")
            at += 2
            written, length = len(out), (pair & 0xF) + 2
            back = (written + len(_DICTIONARY) - (pair >> 4)) % _WINDOW
            if back >= length:
                start = written - back
                out += out[start : start + length]
            elif back:
                out += (out[-back:] * (length // back + 1))[:length]  # goes on in what it writes
            else:
                return bytes(out[_WINDOW:until])
    return bytes(out[_WINDOW:until])


def rtf_text(data: bytes) -> tuple[str, str]:
    """What an RTF body says.

    Args:
        data: Decompressed RTF.

    Returns:
        ``("html", markup)`` or ``("text", text)``.
    """
    rtf = _Rtf(data)
    return rtf.kind, rtf.text()
