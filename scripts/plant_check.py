"""Answers questions of a plant by reading its files with other tools, and compares: is what the generator calls the answer there, alone?

usage: plant_check.py FOLDER [--sample 100] [--seed 5]

FOLDER is what ``seoga eval plant --only-build --out FOLDER`` made. Nothing of the generator or of the product is imported: Word and Hangul
documents are read as zip and XML, workbooks with openpyxl, presentations with python-pptx, text PDF with pymupdf, mails with the standard
library; access lists and groups are evaluated from the two YAML files. Scans are left out. Exit 1 where anything is wrong.
"""

from __future__ import annotations

import argparse
import email
import email.policy
import io
import json
import random
import re
import sys
import zipfile
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from xml.etree import ElementTree as ET

import openpyxl
import pymupdf
import yaml
from pptx import Presentation

COPIES = ("공용/", "개인/")
COLUMNS = {
    "standard": ("기준",),
    "inspection": ("측정값",),
    "ecn": ("변경 후", "내용"),
    "8d": ("내용",),
    "manual": ("조치", "내용"),
    "letter": ("내용",),
    "mail": ("내용",),
    "zip": ("결과",),
    "secret": ("내용",),
}
"""Header of the column that holds what is asked for."""


@dataclass
class Read:
    """A file as another tool reads it.

    Attributes:
        path: Below the drive; members of containers behind ``!/``.
        lines: Paragraphs.
        rows: Rows of tables, with the header row of each.
        cells: Of a workbook: (sheet, cell) → text.
    """

    path: str
    lines: list[str] = field(default_factory=list)
    rows: list[tuple[list[str], list[str]]] = field(default_factory=list)
    cells: dict[tuple[str, str], str] = field(default_factory=dict)

    @property
    def text(self) -> str:
        """Everything that people see."""
        return "\n".join([*self.lines, *("\t".join(row) for _, row in self.rows)])

    def pair(self, label: str) -> str:
        """The cell after a label in the first table that has it, or what follows ``label:``."""
        for _, row in self.rows:
            for place, cell in enumerate(row[:-1]):
                if cell == label:
                    return row[place + 1]
        found = re.search(rf"^{re.escape(label)}: (.+)$", self.text, re.MULTILINE)
        return found[1].strip() if found else ""


def word(path: str, data: bytes) -> Read:
    """A docx."""
    name = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        body = ET.fromstring(archive.read("word/document.xml"))[0]  # noqa: S314  files of our own
        return marked(path, body, f"{name}tbl", f"{name}tr", f"{name}tc", f"{name}t", f"{name}p")


def hangul(path: str, data: bytes) -> Read:
    """A hwpx."""
    name = "{http://www.hancom.co.kr/hwpml/2011/paragraph}"
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        body = ET.fromstring(archive.read("Contents/section0.xml"))  # noqa: S314  files of our own
        return marked(path, body, f"{name}tbl", f"{name}tr", f"{name}tc", f"{name}t", f"{name}p")


def marked(path: str, body, tbl: str, tr: str, tc: str, t: str, p: str) -> Read:  # noqa: PLR0913, PLR0917
    """Tables (those in cells too) and paragraphs of a tree of elements."""
    found = Read(path)
    inside = {id(e) for table in body.iter(tbl) for e in table.iter()}
    found.lines = [
        "".join(x.text or "" for x in e.iter(t) if id(x) not in inside)
        for e in body.iter(p)
        if id(e) not in inside
    ]
    for table in body.iter(tbl):
        within = {id(e) for inner in table.iter(tbl) if inner is not table for e in inner.iter()}
        rows = [
            [
                "".join(x.text or "" for x in cell.iter(t) if id(x) not in within)
                for cell in row.iter(tc)
                if id(cell) not in within
            ]
            for row in table.iter(tr)
            if id(row) not in within
        ]
        found.rows += [(rows[0], row) for row in rows]
    return found


def workbook(path: str, data: bytes) -> Read:
    """An xlsx: visible sheets and columns only."""
    found = Read(path)
    book = openpyxl.load_workbook(io.BytesIO(data))
    for sheet in book:
        if sheet.sheet_state != "visible":
            continue
        hidden = {name for name, column in sheet.column_dimensions.items() if column.hidden}
        rows = []
        for row in sheet.iter_rows():
            shown = [c for c in row if c.coordinate.rstrip("0123456789") not in hidden]
            rows.append(["" if c.value is None else str(c.value) for c in shown])
            found.cells |= {
                (sheet.title, c.coordinate): str(c.value) for c in shown if c.value is not None
            }
        heads = [r for r in rows[:4] if sum(bool(c) for c in r) > 1]
        found.rows += [(heads[0] if heads else [], row) for row in rows]
    return found


def slides(path: str, data: bytes) -> Read:
    """A pptx: texts, tables, charts, notes."""
    found = Read(path)
    for slide in Presentation(io.BytesIO(data)).slides:
        for shape in slide.shapes:
            if shape.has_text_frame:
                found.lines += shape.text_frame.text.split("\n")
            if shape.has_table:
                rows = [[cell.text for cell in row.cells] for row in shape.table.rows]
                found.rows += [(rows[0], row) for row in rows]
            if shape.has_chart:
                plot = shape.chart.plots[0]
                for series in plot.series:
                    found.rows += [
                        ([shape.chart.chart_title.text_frame.text], [str(c), f"{v:g}"])
                        for c, v in zip(plot.categories, series.values, strict=True)
                    ]
        if slide.has_notes_slide:
            found.lines.append(slide.notes_slide.notes_text_frame.text)
    return found


def pages(path: str, data: bytes) -> Read:
    """A PDF with text: its ruled tables and its lines."""
    found = Read(path)
    with pymupdf.open(stream=data) as document:
        for page in document:
            tables = page.find_tables().tables
            found.lines += [
                line.strip() for line in page.get_text(sort=False).split("\n") if line.strip()
            ]
            for table in tables:
                rows = [[" ".join((cell or "").split()) for cell in row] for row in table.extract()]
                found.rows += [(rows[0], row) for row in rows]
    return found


READERS = {"docx": word, "hwpx": hangul, "xlsx": workbook, "pptx": slides, "pdf": pages}


def read(path: str, data: bytes) -> list[Read]:
    """A file and what is in it."""
    kind = path.rpartition(".")[2]
    if kind == "eml":
        message = email.message_from_bytes(data, policy=email.policy.default)
        found = Read(path, [str(message["subject"]), message.get_body(("plain",)).get_content()])
        return [found, *(r for part in message.iter_attachments() for r in attached(path, part))]
    if kind == "zip":
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            return [
                r
                for name in archive.namelist()
                for r in read(f"{path}!/{name}", archive.read(name))
            ]
    return [READERS[kind](path, data)] if kind in READERS else []


def attached(path: str, part) -> list[Read]:
    """What hangs on a mail."""
    name = f"{path}!/{part.get_filename()}"
    if part.get_content_type() == "message/rfc822":
        return read(name, part.get_content().as_bytes())
    return read(name, part.get_content())


class Drive:
    """The drive as other tools read it."""

    def __init__(self, share: Path) -> None:
        self.acl = yaml.safe_load((share / "acl.yaml").read_text(encoding="utf-8"))
        self.people = yaml.safe_load((share / "directory.yaml").read_text(encoding="utf-8"))
        files = sorted(p for p in share.rglob("*") if p.is_file() and p.suffix != ".yaml")
        self.files = [
            r for p in files for r in read(p.relative_to(share).as_posix(), p.read_bytes())
        ]

    def having(self, *strings: str) -> list[Read]:
        """Files whose visible text or name has all of the strings."""
        return [f for f in self.files if all(has(f"{f.path}\n{f.text}", s) for s in strings)]

    def may_read(self, account: str, path: str) -> bool:
        """As acl.yaml says."""
        user = self.people["users"].get(account)
        if user is None or user.get("disabled"):
            return False
        held, todo = {"everyone", f"user:{account}"}, list(user["groups"])
        while todo:
            group = todo.pop()
            held.add(f"group:{group}")
            todo += self.people["groups"].get(group, {}).get("groups", [])
        share = first(self.acl["share"], held)
        return share and first(self._entries(path.partition("!/")[0]), held)

    def _entries(self, path: str) -> list[dict[str, str]]:
        files = self.acl.get("files") or {}
        if path in files:
            return files[path]
        found, folder = [], path.rpartition("/")[0]
        while True:
            rule = self.acl["folders"].get(folder)
            if isinstance(rule, list):
                return found + rule
            if rule is not None:
                found += rule["entries"]
            if not folder:
                return found
            folder = folder.rpartition("/")[0]


def has(text: str, wanted: str) -> bool:
    """Whether a string stands in a text, not within a longer word or number."""
    return re.search(rf"(?<![\w-]){re.escape(wanted)}(?![\w-])", text) is not None or (
        wanted in text and not wanted[-1].isalnum()
    )


def first(entries: list[dict[str, str]], held: set[str]) -> bool:
    """Whether the first entry that names one of the principals allows."""
    for entry in entries:
        ((effect, who),) = entry.items()
        if who in held:
            return effect == "allow"
    return False


def value(file: Read, kind: str, look: list[str]) -> set[str]:
    """What a file gives for a label."""
    label = look[-1]
    if kind == "ledger":
        rows = {re.sub(r"\D", "", c): s for (s, c), v in file.cells.items() if v == look[1]}
        return {file.cells[s, f"{look[2]}{row}"] for row, s in rows.items()}
    if kind == "secret" and file.cells:
        return {
            file.cells[s, f"{c[0]}{int(c[1:]) + 1}"]
            for (s, c), v in file.cells.items()
            if v == label
        }
    if kind == "slides":
        return slide_value(file, label)
    if kind == "drawings":
        return drawing_value(file, look)
    found = {
        by_header(kind, head, row, label) for head, row in file.rows if label in row and row != head
    }
    found |= {file.pair(label)} if not found - {""} else set()
    return found - {""}


def drawing_value(file: Read, look: list[str]) -> set[str]:
    """By the header of the column; 중량 has its unit below."""
    found = set()
    for head, row in file.rows:
        if look[0] in row and look[1] in head:
            found.add(row[head.index(look[1])])
    return found


def slide_value(file: Read, label: str) -> set[str]:
    """Beside the label in a table or chart, or within the sentence of a note."""
    found = {row[1] for head, row in file.rows if row[0] == label and row != head}
    for line in file.lines:
        if label == "가장 나쁜 라인" and (
            match := re.search(r"가장 나쁜 라인은 (.+?) 때문이다", line)
        ):
            found.add(match[1])
        if label == "개선 예산" and (match := re.search(r"개선 예산으로 (.+?)을 신청한다", line)):
            found.add(match[1])
    return found


def by_header(kind: str, head: list[str], row: list[str], label: str) -> str:
    """The cell below the header of a kind, else the one after the label."""
    for name in COLUMNS.get(kind, ()):
        if name in head and head.index(name) < len(row) and row[head.index(name)] != label:
            return row[head.index(name)]
    at = row.index(label)
    return row[at + 1] if at + 1 < len(row) else ""


def versions(files: list[Read], code: str, options: dict[str, object], question: str) -> list[Read]:
    """Of the files of a standard those of the revision that is asked for."""
    mine = [f for f in files if f.pair("문서번호") == code and not f.path.startswith(COPIES)]
    if options.get("include_obsolete"):
        asked = re.search(r"(?:개정 |rev)(\d)", question)
        assert asked is not None  # noqa: S101  such questions name one
        return [f for f in mine if f.pair("개정") == asked[1]]
    approved = [f for f in mine if f.pair("상태") != "초안"]
    if day := options.get("as_of"):
        approved = [f for f in approved if iso(f.pair("시행일")) <= str(day)]
    newest = max((int(f.pair("개정")) for f in approved), default=0)
    return [f for f in approved if int(f.pair("개정")) == newest]


def iso(text: str) -> str:
    """``2025. 3. 4.`` as ``2025-03-04``."""
    year, month, day = re.findall(r"\d+", text)
    return f"{year}-{int(month):02d}-{int(day):02d}"


def minutes_value(files: list[Read], look: list[str], question: dict[str, object]) -> set[str]:
    """Who does it, or until when: both stand in the row of the matter."""
    place = 1 if str(question["fact"]).split("+")[-1].endswith("/who") else 2
    return {row[place] for f in files for head, row in f.rows if row[0] == look[1] and row != head}


def looked_up(
    drive: Drive, question: dict[str, object], look: list[str]
) -> tuple[set[str], set[str]]:
    """What other tools find: answers, and the paths that give them."""
    kind = str(question["kind"])
    if kind == "ledger":
        files = [f for f in drive.files if look[0] in f.path]
    else:
        files = drive.having(look[0])
    if kind == "standard":
        files = versions(files, look[0], question["options"], str(question["question"]))
    if kind == "minutes":
        return minutes_value(files, look, question), {f.path for f in files}
    by_path = {f.path: value(f, kind, look) for f in files}
    return set().union(*by_path.values()) if by_path else set(), {
        p for p, v in by_path.items() if v
    }


def problems(drive: Drive, question: dict[str, object]) -> list[str]:
    """What is wrong with a question; none where it is as it should be."""
    looks = question["looks"]
    if question["type"] == "unanswerable":
        return [f"stands in {f.path}" for f in drive.having(*looks[0])]
    found = []
    answers = list(question["answer"])
    pairs = (
        list(zip(looks, answers, strict=True))
        if len(looks) == len(answers)
        else [(looks[-1], answers[0])]
    )
    for look, answer in pairs:
        got, paths = looked_up(drive, question, look)
        if {flat(g) for g in got} != {flat(answer)}:
            found.append(f"{look}: {sorted(got)}, not {answer!r}")
        reader = str(question["reader"])
        readable = [p for p in paths if drive.may_read(reader, p)]
        if question["answerable"] and not readable:
            found.append(f"{reader} may read none of {sorted(paths)}")
        if not question["answerable"] and readable:
            found.append(f"{reader} may read {readable}")
    return found


def flat(text: str) -> str:
    """Without spaces: a PDF may break a line within."""
    return "".join(text.split())


def main() -> int:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--sample", type=int, default=100)
    parser.add_argument("--seed", type=int, default=5)
    chosen = parser.parse_args()
    lines = (chosen.folder / "questions.jsonl").read_text(encoding="utf-8").splitlines()
    questions = [q for q in map(json.loads, lines) if q["kind"] != "scan"]
    sample = random.Random(chosen.seed).sample(questions, min(chosen.sample, len(questions)))
    drive = Drive(chosen.folder / "share")
    wrong = {q["id"]: found for q in sample if (found := problems(drive, q))}
    for name, found in wrong.items():
        print(name, *found, sep="\n   ")
    names = [
        q["id"]
        for q in map(json.loads, lines)
        for a in q["answer"]
        for d in drive.files
        if flat(a)[3:] and a in d.path
    ]
    print(f"answers within file names: {sorted(set(names))}")
    print(
        f"{len(sample)} questions {dict(Counter(q['type'] for q in sample))}, wrong: {len(wrong)}"
    )
    return 1 if wrong or names else 0


if __name__ == "__main__":
    sys.exit(main())
