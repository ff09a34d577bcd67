"""OpenDocument text and slides from ``content.xml``, web pages through lxml's HTML parser."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import Any

from lxml import etree, html

from references.found import Found, short_row

_TABLE = "{urn:oasis:names:tc:opendocument:xmlns:table:1.0}"
_TEXT = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}"
_OFFICE = "{urn:oasis:names:tc:opendocument:xmlns:office:1.0}"
_SPECIAL = {f"{_TEXT}note", f"{_OFFICE}annotation"}
_ROLE = "{urn:oasis:names:tc:opendocument:xmlns:presentation:1.0}class"
_FURNITURE = {"header", "footer", "date-time", "page-number"}
_UNSEEN = "//script | //style | //nav | //noscript | //template | //head/*[not(self::title)] | //comment()"
_LEAF = [
    "p",
    "li",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "dt",
    "dd",
    "td",
    "th",
    "caption",
    "figcaption",
]


def odf(path: Path) -> Found:
    """Paragraphs, notes, comments, rows and headings; deleted text of tracked changes."""
    with zipfile.ZipFile(path) as archive:
        root = etree.fromstring(archive.read("content.xml"), etree.XMLParser(huge_tree=True))
    found = Found()
    for changes in root.iter(f"{_TEXT}tracked-changes"):
        found.deleted += [_own(p) for p in changes.iter(f"{_TEXT}p", f"{_TEXT}h")]
    for changes in list(root.iter(f"{_TEXT}tracked-changes")):
        changes.getparent().remove(changes)
    for paragraph in root.iter(f"{_TEXT}p", f"{_TEXT}h"):
        above = list(paragraph.iterancestors())
        if any(a.get(_ROLE) in _FURNITURE for a in above):
            continue
        special = any(a.tag in _SPECIAL for a in above)
        (found.special if special else found.pieces).append(_own(paragraph))
        if paragraph.tag == f"{_TEXT}h":
            found.order.append(_own(paragraph))
    for row in root.iter(f"{_TABLE}table-row"):
        cells = [list(cell.iter(f"{_TEXT}p", f"{_TEXT}h")) for cell in row]
        if all(len(cell) <= 1 for cell in cells):
            found.rows += short_row([_own(cell[0]) for cell in cells if cell])
    return found


def _own(paragraph: Any) -> str:
    """Text without notes, comments and frames that hang in it."""
    texts = [paragraph.text or ""]
    for child in paragraph:
        if child.tag == f"{_TEXT}s":
            texts.append(" ")
        elif isinstance(child.tag, str) and child.find(f".//{_TEXT}p") is None:
            texts.append(_own(child))
        texts.append(child.tail or "")
    return "".join(texts).strip()


def page(path: Path) -> Found:
    """Text of the innermost blocks, rows of tables, headings."""
    root: Any = html.fromstring(path.read_bytes())
    for unseen in root.xpath(_UNSEEN):
        unseen.drop_tree()
    found = Found()
    for element in root.iter(*_LEAF):
        if next(element.iterdescendants(*_LEAF, "table", "ul", "ol", "div"), None) is None:
            text = " ".join(element.text_content().split())
            found.pieces.append(text)
            if element.tag in ("h1", "h2", "h3", "h4") and text:
                found.order.append(text)
    for row in root.iter("tr"):
        if next(row.iterdescendants("tr"), None) is None:
            cells = [" ".join(c.text_content().split()) for c in row.iterchildren("td", "th")]
            found.rows += short_row(cells)
    return found
