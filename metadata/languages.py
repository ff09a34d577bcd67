"""Language of a document by its scripts."""

from __future__ import annotations

import re
from collections import Counter

__all__ = ["language_of"]

_ENGLISH = re.compile(
    r"\b(?:the|and|of|to|is|for|with|in|on|be|by|or|are|this|from|date|no|report)\b", re.IGNORECASE
)
_VIETNAMESE = re.compile(r"[ăđơưạảấầẩẫậắằẳẵặẹẻẽếềểễệỉịọỏốồổỗộớờởỡợụủứừửữựỳỵỷỹ]", re.IGNORECASE)
_HANGUL_SHARE, _KANA_SHARE, _HAN_SHARE = 0.15, 0.05, 0.3
_LEAST = 8


_RANGES = (
    (0x0400, 0x04FF, "cyrillic"),
    (0x1100, 0x11FF, "hangul"),
    (0x3040, 0x30FF, "kana"),
    (0x3130, 0x318F, "hangul"),
    (0x3400, 0x4DBF, "han"),
    (0x4E00, 0x9FFF, "han"),
    (0xAC00, 0xD7A3, "hangul"),
)
"""Unicode blocks by script; other letters count as Latin."""
_SHARES = (
    ("hangul", _HANGUL_SHARE, "ko"),
    ("kana", _KANA_SHARE, "ja"),
    ("han", _HAN_SHARE, "zh"),
    ("cyrillic", 0.5, "ru"),
)


def language_of(text: str) -> str:
    """ISO 639-1 code from the first 20,000 characters, ``und`` where too little says so.

    Korean documents are full of Latin codes and units: 15 % Hangul among the letters makes a text Korean.
    """
    sample = text[:20_000]
    counts: Counter[str] = Counter(_script(c) for c in sample if c.isalpha())
    total = sum(counts.values())
    if total < _LEAST:
        return "ko" if counts["hangul"] else "und"
    for script, share, language in _SHARES:
        if counts[script] / total >= share:
            return language
    if len(_VIETNAMESE.findall(sample)) / total > _KANA_SHARE:
        return "vi"
    return "en" if _ENGLISH.search(sample) else "und"


def _script(character: str) -> str:
    code = ord(character)
    return next((name for low, high, name in _RANGES if low <= code <= high), "latin")
