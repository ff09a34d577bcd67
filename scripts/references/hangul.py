"""HWP through pyhwp's record models, HWPX from the section XML; deleted text and hidden comments are left out."""

from __future__ import annotations

import contextlib
import io
import re
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from lxml import etree

from references.found import LONGEST, Found

_PARAGRAPH = "{http://www.hancom.co.kr/hwpml/2011/paragraph}"


def hwp(path: Path) -> Found:
    """Through pyhwp's XML: paragraphs in document order, cells row by row."""
    from hwp5.xmlmodel import Hwp5File

    out = io.BytesIO()
    with contextlib.closing(Hwp5File(str(path))) as document:
        document.xmlevents(embedbin=False).dump(out)
    root = etree.fromstring(out.getvalue(), etree.XMLParser(huge_tree=True, recover=True))
    pieces = []
    for line in root.iter("LineSeg"):
        if all(child.tag == "Text" for child in line):  # numbers and fields print something between
            pieces += ["".join(t.text or "" for t in line).strip()]
    rows = []
    for row in root.iter("TableRow"):
        cells = [
            "".join(t.text or "" for t in cell.iter("Text")).strip()
            for cell in row.findall("TableCell")
            if cell.find(".//TableControl") is None and len(cell.findall(".//Paragraph")) == 1
        ]
        if len(cells) < len(row.findall("TableCell")):
            continue
        short = [cell for cell in cells if cell and len(cell) <= LONGEST]
        if len(short) > 1 and len(short) == len([c for c in cells if c]):
            rows.append(short[:4])
    return Found(pieces=pieces, rows=rows)


def hwpx(path: Path) -> Found:
    """Text elements of each section, in order."""
    pieces: list[str] = []
    rows: list[list[str]] = []
    with zipfile.ZipFile(path) as archive:
        names = [
            n for n in archive.namelist() if re.search(r"section\d+\.xml$", n.replace("\\", "/"))
        ]
        for name in sorted(names):
            root: Any = etree.fromstring(archive.read(name), etree.XMLParser(huge_tree=True))
            runs = (run for run in root.iter(f"{_PARAGRAPH}t") if not _left_out(run))
            pieces += ["".join(run.itertext()).strip() for run in runs]
            rows += list(_hwpx_rows(root))
    return Found(pieces=pieces, rows=rows)


def _left_out(run: Any) -> bool:
    names = {etree.QName(a).localname for a in run.iterancestors() if isinstance(a.tag, str)}
    return bool(names & {"hiddenComment", "deleteBegin"}) or len(run) > 0


def _hwpx_rows(root: Any) -> Iterator[list[str]]:
    for row in root.iter(f"{_PARAGRAPH}tr"):
        cells = []
        for cell in row.findall(f"{_PARAGRAPH}tc"):
            paragraphs = list(cell.iter(f"{_PARAGRAPH}p"))
            if cell.find(f".//{_PARAGRAPH}tbl") is not None or len(paragraphs) > 1:
                break  # how paragraphs of a cell are joined is each reader's own matter
            cells.append(
                "".join("".join(t.itertext()) for t in cell.iter(f"{_PARAGRAPH}t")).strip()
            )
        else:
            written = [cell for cell in cells if cell]
            if len(written) > 1 and all(len(cell) <= LONGEST for cell in written):
                yield written[:4]
