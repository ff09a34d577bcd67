"""PDF: lines of text as poppler's ``pdftotext -bbox-layout`` finds them."""

from __future__ import annotations

import re
import subprocess
from collections import Counter
from pathlib import Path
from typing import Any

from lxml import etree

from references.found import Found, squeezed

_LONG = 12
_FAR = 1e9
_GAP = 0.4
_LEADERS = re.compile(r"([.·․‥…]\s?){5}")
_LIGATURES = {0xFB00: "ff", 0xFB01: "fi", 0xFB02: "fl", 0xFB03: "ffi", 0xFB04: "ffl"}
_SECONDS = 120


def pdf(path: Path) -> Found:
    """Lines that say something, and one of each page for the order of the pages.

    Cells of a row are told apart by the gap between them; the word that a line's end cuts is left out, and so are
    leaders; a line that occurs twice tells nothing about order.
    """
    done = subprocess.run(
        ["pdftotext", "-bbox-layout", str(path), "-"],
        capture_output=True,
        timeout=_SECONDS,
        check=True,
    )
    root = etree.fromstring(done.stdout, etree.XMLParser(recover=True, huge_tree=True))
    pages = [
        [text for line in _named(page, "line") for text in _texts(line)]
        for page in _named(root, "page")
    ]
    lines = [line for page in pages for line in page if line]
    seen = Counter(map(squeezed, lines))
    whole = "".join(map(squeezed, lines))
    order = []
    for page in pages:
        once = [x for x in page if len(squeezed(x)) >= _LONG and whole.count(squeezed(x)) == 1]
        order += sorted(once, key=len)[-1:]
    return Found(pieces=[line for line in lines if seen[squeezed(line)] == 1], order=order)


def _named(node: Any, name: str) -> list[Any]:
    return [x for x in node.iter() if isinstance(x.tag, str) and x.tag.endswith(f"}}{name}")]


def _texts(line: Any) -> list[str]:
    """Words of a line, cut where a gap may be more than a space."""
    parts: list[list[str]] = []
    edge = -_FAR
    for word in _named(line, "word"):
        left, right, top, bottom = (float(word.get(k)) for k in ("xMin", "xMax", "yMin", "yMax"))
        if left - edge > _GAP * (bottom - top):
            parts.append([])
        parts[-1].append((word.text or "").translate(_LIGATURES))
        edge = right
    if parts and parts[-1][-1].endswith(("-", "\u00ad")):
        parts[-1].pop()
    texts = [" ".join(part) for part in parts]
    return [text for text in texts if not (_LEADERS.search(text) or any(map(_meaningless, text)))]


def _meaningless(char: str) -> bool:
    """Private use, replacement and control characters: each tool has its own view of them."""
    return "\ue000" <= char <= "\uf8ff" or char == "\ufffd" or not char.isprintable()
