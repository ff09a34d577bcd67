"""A plant's drive as other tools read it: nothing of the generator or of the product is imported.

Word and Hangul documents are read as zip and XML, workbooks with openpyxl, presentations with python-pptx, text PDF with pymupdf, mails
with the standard library; access lists and groups are evaluated from the two YAML files. Scans have no text here.
"""

from __future__ import annotations

import email
import email.policy
import io
import re
import zipfile
from dataclasses import dataclass, field
from pathlib import Path
from xml.etree import ElementTree as ET

import openpyxl
import pymupdf
import yaml
from pptx import Presentation

__all__ = ["Drive", "Read", "flat"]


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


def flat(text: str) -> str:
    """Without spaces: a PDF may break a line within."""
    return "".join(text.split())
