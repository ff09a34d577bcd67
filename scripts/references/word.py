"""Word: document parts of ``docx`` as XML, the piece table of ``doc`` (MS-DOC 2.4.1), ``rtf`` as LibreOffice's plain text."""

from __future__ import annotations

import re
import struct
import zipfile
from pathlib import Path
from typing import Any

import olefile
from lxml import etree

from references.found import Found, converted, short_row

_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_STRICT = "http://purl.oclc.org/ooxml/wordprocessingml/main"
_PARTS = re.compile(r"word/(?:document\d*|footnotes|endnotes|comments|header\d*|footer\d*)\.xml$")
_GONE = {f"{_W}del", f"{_W}moveFrom"}
_HEADING = re.compile(r"heading [1-9]$|title$", re.IGNORECASE)
_FIELD = re.compile("\x13[^\x13\x14\x15]*(?:\x14([^\x13\x14\x15]*))?\x15")
_CELLS = re.compile("(?:[^\x07\r\x0c]+\x07){2,}\x07")
_CONTROL = re.compile("[\x00-\x08\x0e-\x1f]")


def docx(path: Path) -> Found:
    """Paragraphs and rows of all parts, deleted text, headings in the order of the document."""
    found = Found()
    with zipfile.ZipFile(path) as archive:
        names = set(archive.namelist())
        styles = _heading_styles(_tree(archive, "word/styles.xml")) if "word/styles.xml" in names else set()  # fmt: skip
        for name in sorted(names):
            if _PARTS.search(name):
                main = name.startswith("word/document")
                _part(_tree(archive, name), found, styles if main else set(), main=main)
    return found


def _tree(archive: zipfile.ZipFile, name: str) -> Any:
    raw = archive.read(name).replace(_STRICT.encode(), _W[1:-1].encode())
    return etree.fromstring(raw, etree.XMLParser(huge_tree=True, resolve_entities=False))


def _heading_styles(root: Any) -> set[str]:
    return {
        style.get(f"{_W}styleId")
        for style in root.iter(f"{_W}style")
        if _HEADING.match((style.find(f"{_W}name").get(f"{_W}val")) or "")
    }


def _part(root: Any, found: Found, headings: set[str], *, main: bool) -> None:
    for merged in list(root.iter(f"{_W}vMerge")):
        if merged.get(f"{_W}val") != "restart":  # below the first cell of a merge nothing is shown
            cell = merged.getparent().getparent()
            for paragraph in cell.findall(f"{_W}p"):
                cell.remove(paragraph)
            etree.SubElement(cell, f"{_W}p")
    for paragraph in root.iter(f"{_W}p"):
        if _within_fallback(paragraph) or paragraph.find(f".//{_W}ruby") is not None:
            continue
        text = _own_text(paragraph)
        boxed = any(a.tag == f"{_W}txbxContent" for a in paragraph.iterancestors())
        (found.pieces if main and not boxed else found.special).append(text)
        style = paragraph.find(f"{_W}pPr/{_W}pStyle")
        if text and not boxed and style is not None and style.get(f"{_W}val") in headings:
            found.order.append(text)
    found.deleted += [text.text or "" for text in root.iter(f"{_W}delText")]
    for row in root.iter(f"{_W}tr"):
        cells = row.findall(f"{_W}tc")
        whole = [cell for cell in cells if len(list(cell.iter(f"{_W}p"))) == 1]
        dropped = row.find(f"{_W}trPr/{_W}del") is not None
        if len(whole) == len(cells) and not dropped and not _within_fallback(row):
            found.rows += short_row([_own_text(next(cell.iter(f"{_W}p"))) for cell in whole])


def _own_text(paragraph: Any) -> str:
    """Text of the runs of this paragraph, without text boxes within it and what has been deleted."""
    texts = []
    for text in paragraph.iter(f"{_W}t", f"{_W}tab", f"{_W}br", f"{_W}noBreakHyphen"):
        above = list(text.iterancestors())
        if next(a for a in above if a.tag == f"{_W}p") is not paragraph:
            continue
        if any(a.tag in _GONE for a in above) or _within_fallback(text):
            continue
        spelled = {f"{_W}t": text.text or "", f"{_W}noBreakHyphen": "-"}
        texts.append(spelled.get(text.tag, " "))
    return "".join(texts).strip()


def _within_fallback(element: Any) -> bool:
    return any(str(a.tag).endswith("}Fallback") for a in element.iterancestors())


def doc(path: Path) -> Found:
    """Characters through the piece table; runs of filled cells up to the mark that ends a row."""
    with olefile.OleFileIO(path) as ole:
        main = ole.openstream("WordDocument").read()
        flags = struct.unpack_from("<H", main, 0x0A)[0]
        table = ole.openstream("1Table" if flags & 0x0200 else "0Table").read()
    at, length = struct.unpack_from("<II", main, 0x01A2)
    body, notes = struct.unpack_from("<II", main, 0x4C)
    text = _pieces(main, table[at : at + length])
    found = Found(rows=[])
    while _FIELD.search(text[: body + notes]):
        # Fields may lie within fields; the marks are counted as characters, so that lengths stay.
        text = _FIELD.sub(lambda m: "\x00" * (len(m[0]) - len(m[1] or "")) + (m[1] or ""), text)
    shown = _CONTROL.sub("", text[:body].replace("\x07", "\r\x07"))
    found.pieces = [p.strip() for p in re.split("[\r\x0b\x0c\x07]", shown)]
    found.special = [_CONTROL.sub("", p).strip() for p in text[body : body + notes].split("\r")]
    for match in _CELLS.finditer(text[:body]):
        cells = [_CONTROL.sub("", cell).strip() for cell in match[0].split("\x07")]
        found.rows += short_row(cells)
    return found


def _pieces(main: bytes, clx: bytes) -> str:
    at = 0
    while clx[at] == 1:  # Prc: properties that text does not need
        at += 3 + struct.unpack_from("<H", clx, at + 1)[0]
    size = struct.unpack_from("<I", clx, at + 1)[0]
    plc = clx[at + 5 : at + 5 + size]
    count = (size - 4) // 12
    ends = struct.unpack_from(f"<{count + 1}I", plc)
    texts = []
    for number in range(count):
        start = struct.unpack_from("<I", plc, 4 * (count + 1) + 8 * number + 2)[0]
        characters = ends[number + 1] - ends[number]
        if start & 0x40000000:
            start = (start & 0x3FFFFFFF) // 2
            texts.append(main[start : start + characters].decode("cp1252", "replace"))
        else:
            raw = main[start : start + 2 * characters]
            texts.append(raw.decode("utf-16-le", "replace"))
    return "".join(texts)


def rtf(path: Path) -> Found:
    """Lines of the text that LibreOffice saves."""
    with converted(path, "txt:Text (encoded):UTF8", ".txt") as made:
        lines = made.read_text(encoding="utf-8-sig").splitlines()
    # Numbers and bullets, which are written in front, and notes, which stand within, are shown in many ways.
    plain = [line.strip() for line in lines if not re.match(r"\s*(?:\W|\w{1,4}[.)])\s", line)]
    return Found(pieces=[line for line in plain if not re.search(r"[^\W\d]\d+$", line)])
