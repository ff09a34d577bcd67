"""Facts about documents, found without Seoga's parsers: ``independent_facts.py FOLDER --out FACTS.jsonl [--only hwp,…]``.

For judging the parsers on files that nobody has read yet. The lines are those of ``score_facts.py``:

- ``hwp``: pyhwp's record models, text of each paragraph, cells of a row;
- ``hwpx``: text elements of the section XML, deleted text and hidden comments left out;
- ``eml``: Python's ``email``, plain parts, subject and names of attachments;
- ``msg``: property streams of the OLE file (MS-OXMSG): subject, body, names of attachments.

Pieces are drawn by a seed, so that a second run asks the same. Nothing of a document's text is kept in the repository.
"""

from __future__ import annotations

import argparse
import contextlib
import email
import email.policy
import io
import json
import random
import re
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import olefile
from lxml import etree

_MOST = 12
_SHORTEST = 6
_LONGEST = 60
_PARAGRAPH = "{http://www.hancom.co.kr/hwpml/2011/paragraph}"


def main() -> int:
    """Write the facts."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--only", default="hwp,hwpx,eml,msg")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    kinds = options.only.split(",")
    files = sorted(p for kind in kinds for p in options.folder.rglob(f"*.{kind}"))
    written = 0
    with options.out.open("w", encoding="utf-8") as out:
        for path in files:
            try:
                facts = facts_of(path, random.Random(f"{options.seed}/{path.name}"))
            except Exception as problem:  # noqa: BLE001  the other tool's failure is said, and the next file goes on
                print(f"{path.name}: {type(problem).__name__}: {problem}", file=sys.stderr)
                continue
            if facts is None:
                print(f"{path.name}: no text found", file=sys.stderr)
                continue
            facts["path"] = str(path.relative_to(options.folder))
            out.write(json.dumps(facts, ensure_ascii=False) + "\n")
            written += 1
    print(f"{written} of {len(files)} files")
    return 0


def facts_of(path: Path, dice: random.Random) -> dict[str, Any] | None:
    """The facts of one file, or None where the other tool found no text."""
    reader = {"hwp": _hwp, "hwpx": _hwpx, "eml": _eml, "msg": _msg}[path.suffix[1:].lower()]
    pieces, rows, meta = reader(path)
    kept = [piece for piece in pieces if len(re.sub(r"\s", "", piece)) >= _SHORTEST]
    if not kept and not meta:
        return None
    drawn = sorted(dice.sample(range(len(kept)), min(_MOST, len(kept))))
    return {
        "must_contain": [kept[at][:_LONGEST] for at in drawn],
        "must_not_contain": [],
        "order": [],
        "tables": [{"row": row} for row in dice.sample(rows, min(5, len(rows)))],
        "meta": meta,
        "basis": "independent",
    }


Found = tuple[list[str], list[list[str]], dict[str, Any]]


def _hwp(path: Path) -> Found:
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
        short = [cell for cell in cells if cell and len(cell) <= _LONGEST]
        if len(short) > 1 and len(short) == len([c for c in cells if c]):
            rows.append(short[:4])
    return pieces, rows, {}


def _hwpx(path: Path) -> Found:
    """Text elements of each section, in order."""
    pieces: list[str] = []
    rows: list[list[str]] = []
    with zipfile.ZipFile(path) as archive:
        names = [
            n for n in archive.namelist() if re.search(r"section\d+\.xml$", n.replace("\\", "/"))
        ]
        for name in sorted(names):
            root = etree.fromstring(archive.read(name), etree.XMLParser(huge_tree=True))
            runs = (run for run in root.iter(f"{_PARAGRAPH}t") if not _left_out(run))
            pieces += ["".join(run.itertext()).strip() for run in runs]
            rows += list(_hwpx_rows(root))
    return pieces, rows, {}


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
            if len(written) > 1 and all(len(cell) <= _LONGEST for cell in written):
                yield written[:4]


def _eml(path: Path) -> Found:
    data = path.read_bytes()
    if data.startswith((b"\xff\xfe", b"\xfe\xff")) or b"\0" in data[:64]:
        data = data.decode("utf-16").encode()
    message = email.message_from_bytes(data, policy=email.policy.default)
    pieces: list[str] = []
    for part in message.walk():
        if part.get_content_type() == "text/plain" and not part.get_filename():
            with contextlib.suppress(LookupError, ValueError):
                pieces += [line.strip("> \t") for line in str(part.get_content()).splitlines()]
    names = [n for part in message.walk() if (n := part.get_filename()) and "\ufffd" not in n]
    meta: dict[str, Any] = {"attachments": names} if names else {}
    subject = str(message.get("Subject", ""))
    if subject and "\ufffd" not in subject and "=?" not in subject:
        meta["subject"] = subject
    return [p for p in pieces if "\ufffd" not in p], [], meta


def _msg(path: Path) -> Found:
    with olefile.OleFileIO(path) as ole:
        body = _text(ole, "__substg1.0_1000")
        meta: dict[str, Any] = {"subject": _text(ole, "__substg1.0_0037")}
        stores = {entry[0] for entry in ole.listdir() if entry[0].startswith("__attach")}
        names = [
            _text(ole, f"{store}/__substg1.0_3707") or _text(ole, f"{store}/__substg1.0_3704")
            for store in sorted(stores)
        ]
    if any(names):
        meta["attachments"] = [name for name in names if name]
    return (
        [line.strip("> \t") for line in body.splitlines()],
        [],
        {k: v for k, v in meta.items() if v},
    )


def _text(ole: olefile.OleFileIO, name: str) -> str:
    """A string property: UTF-16 where there is one; code pages need more than this script wants to know."""
    if ole.exists(f"{name}001F"):
        return ole.openstream(f"{name}001F").read().decode("utf-16-le", "replace").strip("\0 ")
    if ole.exists(f"{name}001E"):
        raw = ole.openstream(f"{name}001E").read()
        return raw.decode("ascii", "ignore").strip("\0 ") if raw.isascii() else ""
    return ""


if __name__ == "__main__":
    raise SystemExit(main())
