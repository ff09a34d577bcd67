"""Folding: the same word or code written in another width, case or spacing becomes equal."""

from __future__ import annotations

import re
import unicodedata

__all__ = [
    "canonical_code",
    "clip",
    "fold_code",
    "fold_label",
    "fold_name",
    "normalise",
    "unspaced",
]

_DASHES = str.maketrans(dict.fromkeys("‐‑‒–—―−﹘﹣－ー_", "-"))
_RAW_LIMIT = 200


def normalise(text: str) -> str:
    """Composed, half-width text with single spaces; line breaks become spaces.

    File names from macOS arrive decomposed, scans and old word processors write full-width digits.
    """
    return " ".join(unicodedata.normalize("NFKC", text).split())


def unspaced(text: str) -> str:
    """``작 업 표 준 서`` as ``작업표준서``: titles are spread by spaces between single syllables."""
    flat = normalise(text)
    words = flat.split()
    spread = len(words) > 2 and all(len(word) == 1 and "가" <= word <= "힣" for word in words)  # noqa: PLR2004  two may be words
    return "".join(words) if spread else flat


def fold_code(text: str) -> str:
    """Comparison key of a code: upper case, letters and digits only (``eq press-07`` → ``EQPRESS07``)."""
    return "".join(c for c in unicodedata.normalize("NFKC", text).upper() if c.isalnum())


def canonical_code(text: str) -> str:
    """Folded form for people: upper case, one hyphen between parts (``eq_press 07`` → ``EQ-PRESS-07``)."""
    flat = unicodedata.normalize("NFKC", text).upper().translate(_DASHES)
    return re.sub(r"[\s\-]+", "-", flat).strip("-.,:;()[]")


def fold_label(text: str) -> str:
    """Comparison key of a field name: ``문 서 번 호 :`` and ``문서번호`` are equal."""
    flat = unicodedata.normalize("NFKC", text).lower()
    return "".join(c for c in flat if c.isalnum())


def fold_name(text: str) -> str:
    """Comparison key of a title or file name: lower case, letters and digits only."""
    return fold_label(text)


def clip(text: str) -> str:
    """At most 200 characters, on one line, as evidence keeps it."""
    flat = " ".join(text.split())
    return flat if len(flat) <= _RAW_LIMIT else flat[: _RAW_LIMIT - 1] + "…"
