"""Charsets that statistics over bytes alone mistake: Johab for another Korean code, Western European for Baltic.

Johab (조합형, KS X 1001 annex 3) and the completion codes (완성형) are both double-byte, and most Johab text decodes as
cp949 without an error, as rare syllables and Hanja. Running text decides: the right code gives the syllables that
Korean is made of.
"""

from __future__ import annotations

from parsers.common.charset import guess_charset

__all__ = ["charset_by_text", "is_johab"]

_SAMPLE = 65_536
_COMMON = frozenset(
    "이다는의가을에고하지기로사한리도어자해아나대인시그있은를서일정부라수으게과전보니여들스면구만주것장제조원비상"
    "해용성동공오까요때화거무소안없우생선중음관업트학년신했내습합연경실작품회계방출문행금모물세반위영국발분등점불개"
)
_WESTERN = frozenset(
    "àáâãäåæçèéêëìíîïñòóôõöøùúûüýÿßœÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÑÒÓÔÕÖØÙÚÛÜŒ€’‘“”–—…«»°§£¿¡·±µ²³™®©\u00a0"
)
_LEAST_SHARE = 0.25
_LEAST_LETTERS = 4
_AHEAD = 2.0


def charset_by_text(data: bytes) -> str:
    """``johab`` or ``cp1252`` where the text that they give speaks for them, else ""."""
    if data.isascii():
        return ""
    if is_johab(data):
        return "johab"
    guess = guess_charset(data)
    if guess.startswith(("utf", "cp949", "cp932", "gb", "big5", "cp950", "euc", "shift")):
        return ""
    try:
        text = data[:_SAMPLE].decode("cp1252")
    except UnicodeDecodeError:
        return ""
    return "cp1252" if all(ch in _WESTERN for ch in text if ch > "\x7f") else ""


def is_johab(data: bytes) -> bool:
    """Whether bytes without a declared charset are Johab."""
    sample = data[:_SAMPLE]
    if sample.isascii() or _decodes(sample, "utf-8"):
        return False
    johab = _common_share(sample, "johab")
    return johab >= _LEAST_SHARE and johab > _AHEAD * _common_share(sample, "cp949")


def _decodes(sample: bytes, charset: str) -> bool:
    try:
        sample.decode(charset)
    except UnicodeDecodeError as problem:
        return problem.start > len(sample) - 4 and len(sample) == _SAMPLE
    return True


def _common_share(sample: bytes, charset: str) -> float:
    """Share of the non-ASCII letters that are common syllables; 0 where the bytes hardly fit the charset."""
    text = sample.decode(charset, "replace")
    letters = [ch for ch in text if ch > "\x7f"]
    if len(letters) < _LEAST_LETTERS:
        return 0.0
    broken = letters.count("\N{REPLACEMENT CHARACTER}")
    if broken * 50 > len(letters):
        return 0.0
    return sum(ch in _COMMON for ch in letters) / len(letters)
