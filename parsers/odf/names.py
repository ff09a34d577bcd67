"""Names and small helpers of OpenDocument (OASIS OpenDocument 1.3, part 3)."""

from __future__ import annotations

from parsers.common.opc import Element, local_name

__all__ = [
    "CHART",
    "DRAW",
    "OFFICE",
    "PRESENTATION",
    "STYLE",
    "SVG",
    "TABLE",
    "TEXT",
    "XLINK",
    "count",
    "local_name",
    "points",
]

_NS = "urn:oasis:names:tc:opendocument:xmlns:"
OFFICE, STYLE, TEXT, TABLE = (f"{{{_NS}{n}:1.0}}" for n in ("office", "style", "text", "table"))
DRAW, PRESENTATION, CHART = (f"{{{_NS}{n}:1.0}}" for n in ("drawing", "presentation", "chart"))
SVG = f"{{{_NS}svg-compatible:1.0}}"
XLINK = "{http://www.w3.org/1999/xlink}"
_POINTS = {"cm": 72 / 2.54, "mm": 72 / 25.4, "in": 72.0, "pt": 1.0, "px": 0.75, "pc": 12.0}
_MOST_REPEATED = 1 << 21


def count(element: Element, name: str, default: int = 1) -> int:
    """A whole number of an attribute, at least the default."""
    text = str(element.get(name, ""))
    return max(default, min(int(text), _MOST_REPEATED)) if text.isdecimal() else default


def points(text: str | None) -> float | None:
    """A length such as ``2.54cm`` in points, or None."""
    text = (text or "").strip()
    unit = text.lstrip("-+.0123456789")
    try:
        return float(text[: len(text) - len(unit)]) * _POINTS[unit]
    except (ValueError, KeyError):
        return None
