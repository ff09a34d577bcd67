"""Processor time of the Office readers beside what their libraries take alone on the same bytes: how far these set the pace.

usage: bench_floor.py [--corpus FOLDER] [--formats docx,pptx,xlsx,xls,doc,ppt] [--rounds N]

Ours is the parse in this process, without the way into a process of its own and back; embedded files are taken out, not read.
The floor is, for packages, :mod:`zipfile` and lxml on the parts that the reader asked for (unpacked, parsed, every element looked at
once); for XLS, xlrd with formats, as it must be opened to see merged and hidden cells; for DOC and PPT, the compound file opened
and its streams read, beside the readers that need no LibreOffice. Best of the rounds for each file, in milliseconds for all.
"""

from __future__ import annotations

import argparse
import io
import tempfile
import time
import zipfile
from collections.abc import Callable
from pathlib import Path

import xlrd  # type: ignore[import-untyped]
from lxml import etree

from contracts.errors import ParseFailure
from contracts.parsing import Parser, ParserInput
from contracts.settings import OcrSettings, ParseSettings
from parsers.common.opc import Package
from parsers.context import SpoolContext, full_budget
from parsers.ole import open_ole
from parsers.registry import parser_for

ROOT = Path(__file__).resolve().parent.parent
FORMATS = "docx,pptx,xlsx,xls,doc,ppt"
LIMITS = ParseSettings(office="off")


def ours(parser: Parser, path: Path, kind: str, spool: Path) -> None:
    """One parse."""
    context = SpoolContext(
        limits=LIMITS,
        ocr=OcrSettings(enabled=False),
        budget=full_budget(LIMITS),
        spool_folder=spool,
        container_bytes=path.stat().st_size,
    )
    parser.parse(ParserInput(path=path, name=path.name, format=kind), context)


def parts_asked_for(read: Callable[[], None]) -> list[str]:
    """Parts of a package that a reader asks for, each once."""
    asked: dict[str, None] = {}
    admitted = Package._admitted  # noqa: SLF001  where every part passes

    def noted(package: Package, part: str) -> object:
        info = admitted(package, part)
        if info is not None:
            asked[info.filename] = None
        return info

    Package._admitted = noted  # type: ignore[assignment,method-assign]  # noqa: SLF001
    try:
        read()
    finally:
        Package._admitted = admitted  # type: ignore[method-assign]  # noqa: SLF001
    return list(asked)


def package_floor(path: Path, parts: list[str]) -> None:
    """Unpack the parts and look at each element once."""
    with zipfile.ZipFile(path) as archive:
        for part in parts:
            data = archive.read(part)
            if part.endswith((".xml", ".rels")):
                for element in etree.fromstring(data).iter():
                    element.tag, element.text  # noqa: B018  looked at


def xls_floor(path: Path) -> None:
    """Open a workbook with its formats and read all sheets."""
    book = xlrd.open_workbook(
        str(path), formatting_info=True, on_demand=True, logfile=io.StringIO()
    )
    for sheet in range(book.nsheets):
        book.sheet_by_index(sheet)


def compound_floor(path: Path) -> None:
    """Read all streams."""
    with open_ole(path) as ole:
        for entry in ole.entries:
            ole.read(entry.path)


def best(run: Callable[[], None], rounds: int) -> float:
    """Least processor time of some rounds, milliseconds."""
    spent = []
    for _ in range(rounds):
        began = time.process_time()
        run()
        spent.append(time.process_time() - began)
    return min(spent) * 1000


def main() -> int:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--corpus", type=Path, default=ROOT.parent / "shared/corpus")
    parser.add_argument("--formats", default=FORMATS)
    parser.add_argument("--rounds", type=int, default=9)
    given = parser.parse_args()
    print("| format | files | ours, ms | floor, ms | ratio |\n|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for kind in given.formats.split(","):
            reader = parser_for(kind).load()
            files = floor = mine = 0.0
            for path in sorted((given.corpus / kind).glob(f"*.{kind}")):

                def read(path: Path = path) -> None:
                    ours(reader, path, kind, Path(folder))  # noqa: B023  used within the loop

                try:
                    parts = parts_asked_for(read)
                except ParseFailure:
                    continue  # it is refused
                alone: Callable[[], None] = lambda p=path, q=parts: package_floor(p, q)  # type: ignore[misc]  # noqa: E731
                if kind in ("xls", "doc", "ppt"):
                    floors = xls_floor if kind == "xls" else compound_floor
                    alone = lambda p=path, f=floors: f(p)  # type: ignore[misc]  # noqa: E731
                files += 1
                mine += best(read, given.rounds)
                floor += best(alone, given.rounds)
            if files:
                print(f"| {kind} | {files:.0f} | {mine:.1f} | {floor:.1f} | {mine / floor:.2f} |")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
