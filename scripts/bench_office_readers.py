"""Compare our Office readers with python-pptx and openpyxl (docs/decisions/0004-office-readers.md).

usage: python scripts/bench_office_readers.py FOLDER [--runs N]   all .pptx and .xlsx files below FOLDER
       python scripts/bench_office_readers.py --rows N            one workbook of N rows x 10 columns, made for it

Each file goes through the parse pool as in an ingest, so that the setting ``parse.alternatives``, the limits and the
peak memory of the parse process are the real ones. The best of the runs counts.
"""

from __future__ import annotations

import argparse
import random
import statistics
import sys
import tempfile
from dataclasses import dataclass, field
from datetime import date, timedelta
from pathlib import Path

from contracts.documents import ParsedDocument
from contracts.settings import OcrSettings, ParseSettings
from parsers.common.office_quality import block_text
from parsers.pool import ParsePool

READERS = {
    "pptx": {"ours": (), "python-pptx": ("pptx:python-pptx",)},
    "xlsx": {"ours": (), "openpyxl": ("xlsx:openpyxl",)},
}


@dataclass
class Figures:
    """What one reader made of the files."""

    files: int = 0
    opened: int = 0
    blocks: int = 0
    cells: int = 0
    characters: int = 0
    seconds: list[float] = field(default_factory=list)
    peak_mb: float = 0.0
    failures: list[str] = field(default_factory=list)

    def add(self, document: ParsedDocument) -> None:
        """Count what a document holds: blocks, table cells with text, characters that are no white space."""
        self.opened += 1
        self.blocks += len(document.blocks)
        for block in document.blocks:
            self.cells += sum(bool(cell.text) for cell in block.table.cells) if block.table else 0
            self.characters += len("".join(block_text(block).split()))

    def line(self, reader: str) -> str:
        """One line for people."""
        return (
            f"{reader:12} opened {self.opened}/{self.files}  blocks {self.blocks}  cells {self.cells}"
            f"  characters {self.characters}  total {sum(self.seconds):.2f} s"
            f"  median {statistics.median(self.seconds):.3f} s  longest {max(self.seconds):.3f} s"
            f"  peak {self.peak_mb:.0f} MB"
        )


def measure(
    files: list[Path], alternatives: tuple[str, ...], runs: int, settings: dict[str, int]
) -> Figures:
    """One reader over all files, in one parse process."""
    figures = Figures(files=len(files))
    limits = ParseSettings.model_validate({"workers": 1, "alternatives": alternatives, **settings})
    with tempfile.TemporaryDirectory() as spool, ParsePool(limits, OcrSettings()) as pool:
        pool.parse(
            files[0], files[0].name, Path(spool)
        )  # imports and start-up are not the reader's
        for path in files:
            results = [pool.parse(path, path.name, Path(spool)) for _ in range(runs)]
            result = min(results, key=lambda one: one.seconds)
            figures.seconds.append(result.seconds)
            figures.peak_mb = max(figures.peak_mb, *(one.peak_mb for one in results))
            if result.document is not None:
                figures.add(result.document)
            else:
                figures.failures.append(f"{path.name}: {result.failure} {result.detail}")
    return figures


def make_workbook(path: Path, rows: int) -> None:
    """A ledger of ten columns: numbers, codes, names, dates, shares and remarks that never repeat."""
    from openpyxl import Workbook

    chance = random.Random(1)
    book = Workbook(write_only=True)
    sheet = book.create_sheet("대장")
    sheet.append(["번호", "품번", "품명", "라인", "수량", "불량", "불량률", "일자", "담당", "비고"])
    for number in range(1, rows):
        sheet.append(
            [
                number,
                f"HX-{chance.randrange(5000):05d}",
                chance.choice(["브라켓", "커버", "하우징", "샤프트"]),
                chance.choice("ABCD") + "라인",
                chance.randrange(10_000),
                chance.randrange(100),
                round(chance.random(), 4),
                date(2024, 1, 1) + timedelta(days=chance.randrange(1000)),
                chance.choice(["김", "이", "박"]),
                f"메모 {number}",
            ]
        )
    book.save(path)


def main() -> int:
    """Run; 0."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("--rows", type=int, default=0)
    parser.add_argument("--runs", type=int, default=3)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as made:
        folder, runs, settings = arguments.folder, arguments.runs, {}
        if arguments.rows:
            folder, runs = Path(made), 1
            settings = {"max_cells": arguments.rows * 10, "timeout_seconds": 1800}
            make_workbook(folder / "ledger.xlsx", arguments.rows)
        for format_name, readers in READERS.items():
            files = sorted(folder.rglob(f"*.{format_name}"))
            for reader, alternatives in readers.items() if files else ():
                figures = measure(files, alternatives, runs, settings)
                print(f"{format_name} {figures.line(reader)}")
                for failure in figures.failures:
                    print(f"  {failure}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
