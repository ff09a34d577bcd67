"""Characters of HWP 3.0: two-byte codes of Hancom's own, most of them Johab or KS X 1001 in another order."""

from __future__ import annotations

from functools import lru_cache

__all__ = ["UNKNOWN", "character"]

UNKNOWN = "\N{REPLACEMENT CHARACTER}"
_ASCII, _HANJA, _JOHAB = 0x80, 0x4000, 0x8000
_HANJA_ROW, _ROW = 0xCA, 94
_KANA, _SIGNS, _SIGNS_END, _SIGN_ROW, _SIGN_PAGE = 0x1F00, 0x3400, 0x37C0, 0x60, 0xC0
_RULES, _RULES_END, _RULE_SHAPES = 0x3013, 0x3060, "┼┼┼┼┼┼┼┼┼─│"
_BULLETS, _BULLETS_END = 0x2F00, 0x2F70
_HOLLOW, _FILLED = "□○◇△▽◁▷", "■●◆▲▼◀▶"
_QUOTES = {0x81: '"', 0x82: '"', 0x83: "'", 0x84: "'"}


@lru_cache(maxsize=8192)
def character(code: int) -> str:
    """The character of a code, U+FFFD where the code has none in Unicode.

    Hanja are the 4,888 of KS X 1001 from 0x4000 on; signs are its rows 1 to 12 from 0x3400 on, 96 places a row.

    Args:
        code: 0 to 0xFFFF; controls (below 0x20) are for the caller.
    """
    if code < _ASCII:
        return chr(code)
    if code >= _JOHAB:
        return code.to_bytes(2, "big").decode("johab", "replace")[:1]
    if code >= _HANJA:
        row, place = divmod(code - _HANJA, _ROW)
        return _ks(_HANJA_ROW + row, 0xA1 + place)
    return _sign(code)


def _sign(code: int) -> str:
    if code >> 8 == _KANA >> 8 and code & 0xFF < _SIGN_PAGE:
        row, place = divmod(code - _KANA, _SIGN_ROW)
        return _ks(0xAA + row, 0xA0 + place)
    if _SIGNS <= code < _SIGNS_END and code & 0xFF < _SIGN_PAGE:
        row, place = divmod(code - _SIGNS, _SIGN_ROW)
        # the kana of rows 10 and 11 have a page of their own
        return _ks(0xA1 + row + (2 if row >= 9 else 0), 0xA0 + place)  # noqa: PLR2004
    if _RULES <= code < _RULES_END:
        return _RULE_SHAPES[(code - _RULES) % len(_RULE_SHAPES)]
    if _BULLETS <= code < _BULLETS_END:
        shapes = _FILLED if code & 0xF >= 6 else _HOLLOW  # noqa: PLR2004  six sizes of each
        return shapes[(code - _BULLETS) >> 4]
    return _QUOTES.get(code, UNKNOWN)


def _ks(row: int, place: int) -> str:
    if not (0xA1 <= row <= 0xFE and 0xA1 <= place <= 0xFE):  # noqa: PLR2004  the 94 x 94 of EUC-KR
        return UNKNOWN
    return bytes([row, place]).decode("euc-kr", "replace")[:1]
