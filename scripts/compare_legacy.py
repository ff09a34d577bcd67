"""What .doc and .ppt lose by our own readers and by LibreOffice: ``compare_legacy.py FOLDER [--runs 3]``.

Every .docx and .pptx of a folder is saved as .doc or .ppt by LibreOffice and read three ways: the new file by its own reader,
the old one by ours, and by LibreOffice's conversion. Of what the new file tells (the reference), the table counts what
the two readings of the old one tell as well. What LibreOffice did not write into the old file is missing from both.
The .doc and .ppt files of the folder, which have no reference, are counted by what both readings of them tell.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections import Counter
from collections.abc import Hashable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from contracts.documents import Block, BlockKind, Layer, ParsedDocument, Table
from contracts.errors import ParseFailure
from contracts.parsing import ParserInput
from contracts.settings import OcrSettings, ParseSettings
from parsers.context import SpoolContext, full_budget
from parsers.legacy.converter import Converter, converter_for
from parsers.registry import parser_for

_WAYS = ("ours", "LibreOffice")
_OLD = {"docx": "doc", "pptx": "ppt"}
_SECONDS = 120.0
_FILLERS = frozenset({"<number>", "<footer>", "Footer", "<#>"})
"""What LibreOffice writes into empty fields of slides."""

Facts = Counter[tuple[str, Hashable]]


def facts_of(document: ParsedDocument) -> Facts:
    """Everything that a document tells, by kind."""
    found: Facts = Counter()
    for block in document.blocks:
        if block.text not in _FILLERS:
            found.update(_facts(block))
    return found


def _facts(block: Block) -> Iterator[tuple[str, Hashable]]:
    lines = [line.strip() for line in block.text.split("\n") if line.strip()]
    layer = "hidden lines" if block.layer is Layer.HIDDEN else "lines"
    yield from (("furniture" if block.layer is Layer.FURNITURE else layer, line) for line in lines)
    if block.kind is BlockKind.HEADING:
        yield "headings", (block.level, block.text)
    if block.kind is BlockKind.LIST_ITEM:
        yield "list items", (block.level, block.text)
        if block.label:
            yield "list numbers", (block.label, block.text)
    if block.kind is BlockKind.NOTE:
        yield "notes, comments", (block.label, block.text)
    if block.kind is BlockKind.FIGURE:
        yield "figures", block.text
    if block.table is not None:
        yield from _table(block.table)


def _table(table: Table) -> Iterator[tuple[str, Hashable]]:
    yield "tables", (table.rows, table.columns)
    for cell in table.cells:
        if cell.text:
            yield "cells in place", (cell.row, cell.column, cell.text)
        if cell.row_span > 1 or cell.column_span > 1:
            yield "spans", (cell.row, cell.column, cell.row_span, cell.column_span, cell.text)
        for inner in cell.tables:
            yield from _table(inner)


def read(path: Path, *wishes: str) -> ParsedDocument:
    """A file by the readers that a setting chooses."""
    with tempfile.TemporaryDirectory() as folder:
        settings = ParseSettings(alternatives=wishes)
        context = SpoolContext(
            limits=settings,
            ocr=OcrSettings(),
            budget=full_budget(settings),
            spool_folder=Path(folder),
            container_bytes=path.stat().st_size,
        )
        name = path.suffix[1:].lower()
        source = ParserInput(path=path, name=path.name, format=name)
        return parser_for(name, wishes).load().parse(source, context)


def timed(path: Path, runs: int, *wishes: str) -> tuple[ParsedDocument, float]:
    """A file as read, and the shortest time of some runs by the clock: a converter works in a process of its own."""
    found = read(path, *wishes)
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        read(path, *wishes)
        times.append(time.perf_counter() - start)
    return found, min(times, default=0.0)


@dataclass
class Tally:
    """What the files of a format tell: the reference, ours, LibreOffice; milliseconds of the two readings."""

    old: str
    files: int = 0
    told: dict[str, Facts] = field(default_factory=lambda: {n: Facts() for n in ("told", *_WAYS)})
    spent: dict[str, float] = field(default_factory=lambda: dict.fromkeys(_WAYS, 0.0))

    def add(self, path: Path, folder: Path, converter: Converter, runs: int) -> None:
        """Count a file.

        Raises:
            ParseFailure: it cannot be read.
        """
        named = folder / f"source{path.suffix.lower()}"
        named.write_bytes(path.read_bytes())
        made = folder / f"made.{self.old}"
        is_old = named.suffix == made.suffix
        if is_old:
            made = named
        elif not converter.convert(named, made, self.old, _SECONDS):
            print(f"{path.name}: LibreOffice does not save it as .{self.old}")
            return
        ours, own_time = timed(made, runs)
        theirs, their_time = timed(made, runs, f"{self.old}:libreoffice")
        if "converter" not in theirs.properties:
            print(f"{path.name}: LibreOffice has lost text of it")
        own, other = facts_of(ours), facts_of(theirs)
        known = own | other if is_old else facts_of(read(named))
        self.files += 1
        for name, facts in zip(self.told, (known, own & known, other & known), strict=True):
            self.told[name] += facts
        for name, seconds in zip(_WAYS, (own_time, their_time), strict=True):
            self.spent[name] += 1000 * seconds

    def show(self) -> None:
        """Print its rows."""
        print(
            f"\n| .{self.old}, {self.files} files | told | ours | LibreOffice |\n|---|---|---|---|"
        )
        for kind in dict.fromkeys(kind for kind, _ in self.told["told"]):
            row = [sum(n for (k, _), n in facts.items() if k == kind) for facts in self.told.values()]  # fmt: skip
            print(f"| {kind} | {row[0]} | {row[1]} | {row[2]} |")
        ours, theirs = (self.spent[name] / max(self.files, 1) for name in _WAYS)
        print(f"| ms a file | | {ours:.1f} | {theirs:.1f} |")


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--runs", type=int, default=3)
    given = parser.parse_args()
    converter = converter_for("auto")
    if converter is None:
        parser.error("LibreOffice is not installed")
    files = sorted(path for path in given.folder.rglob("*") if path.is_file())
    for new, old in _OLD.items():
        tally = Tally(old)
        for path in files:
            if path.suffix.lower() in (f".{new}", f".{old}"):
                try:
                    with tempfile.TemporaryDirectory() as folder:
                        tally.add(path, Path(folder), converter, given.runs)
                except ParseFailure as failure:
                    print(f"{path.name}: {failure.failure}")
        tally.show()


if __name__ == "__main__":
    main()
