"""Read a workbook of a million rows, and check what was stored against what was written.

usage: python -m evaluation.bench_workbook [--rows N] [--spelling shared|inline|both] [--keep FOLDER]

The workbook has ten columns: numbers, codes, names, dates, shares, and remarks of which no two are alike. ``shared`` is how
Excel writes it (texts in a table of their own), ``inline`` how programs that stream write it. It goes through the parse
pool, so that rows a second count reading, storing and handing over, and the peak is that of the parse process.
"""

from __future__ import annotations

import argparse
import datetime as dt
import random
import resource
import sqlite3
import sys
import tempfile
import time
import zipfile
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from xml.sax.saxutils import escape

import click

from contracts.settings import OcrSettings, ParseSettings
from parsers.pool import ParsePool

__all__ = ["Written", "main", "write_workbook"]

HEADS = ("번호", "품번", "품명", "라인", "수량", "불량", "불량률", "일자", "담당", "비고")
_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_REL = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006/relationships"
_TYPES = "http://schemas.openxmlformats.org/package/2006/content-types"
_FIRST_DAY = dt.date(1899, 12, 30)
_STRINGS = "xl/sharedStrings.xml"
_PARTS = {
    "[Content_Types].xml": f'<Types xmlns="{_TYPES}"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    '<Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/>'
    '<Override PartName="/xl/worksheets/sheet1.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/>'
    '<Override PartName="/xl/styles.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.styles+xml"/>'
    '<Override PartName="/xl/sharedStrings.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sharedStrings+xml"/></Types>',
    "_rels/.rels": f'<Relationships xmlns="{_PACKAGE}"><Relationship Id="r1" Type="{_REL}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
    "xl/workbook.xml": f'<workbook xmlns="{_MAIN}" xmlns:r="{_REL}"><sheets><sheet name="대장" sheetId="1" r:id="r1"/></sheets></workbook>',
    "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{_PACKAGE}"><Relationship Id="r1" Type="{_REL}/worksheet" Target="worksheets/sheet1.xml"/>'
    f'<Relationship Id="r2" Type="{_REL}/styles" Target="styles.xml"/><Relationship Id="r3" Type="{_REL}/sharedStrings" Target="sharedStrings.xml"/></Relationships>',
    "xl/styles.xml": f'<styleSheet xmlns="{_MAIN}"><fonts><font/></fonts><fills><fill/></fills><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="10"/></cellXfs></styleSheet>',
}


@dataclass
class Written:
    """What a workbook holds, counted while it was written.

    Attributes:
        rows: Rows with the header.
        quantity: Sum of the quantities.
        line_a: Rows of line A.
        last_day: Latest day, ISO.
    """

    rows: int
    quantity: int = 0
    line_a: int = 0
    last_day: str = ""


def write_workbook(path: Path, rows: int, *, shared: bool) -> Written:
    """Write a ledger.

    Args:
        path: Where to.
        rows: Rows, header included.
        shared: Texts in a table of shared strings, else in the cells.
    """
    written = Written(rows)
    known: dict[str, int] = {}

    def text(reference: str, value: str) -> str:
        if shared:
            return f'<c r="{reference}" t="s"><v>{known.setdefault(value, len(known))}</v></c>'
        return f'<c r="{reference}" t="inlineStr"><is><t>{escape(value)}</t></is></c>'

    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=3) as package:
        for name, content in _PARTS.items():
            package.writestr(name, content)
        with package.open("xl/worksheets/sheet1.xml", "w", force_zip64=True) as part:
            part.write(f'<worksheet xmlns="{_MAIN}"><sheetData>'.encode())
            heads = "".join(text(f"{'ABCDEFGHIJ'[c]}1", head) for c, head in enumerate(HEADS))
            part.write(f'<row r="1">{heads}</row>'.encode())
            for number, values in enumerate(_values(rows, written), start=2):
                a, code, name, line, quantity, bad, share, day, person, note = values
                part.write(
                    (
                        f'<row r="{number}"><c r="A{number}"><v>{a}</v></c>{text(f"B{number}", code)}{text(f"C{number}", name)}'
                        f'{text(f"D{number}", line)}<c r="E{number}"><v>{quantity}</v></c><c r="F{number}"><v>{bad}</v></c>'
                        f'<c r="G{number}" s="2"><v>{share}</v></c><c r="H{number}" s="1"><v>{day}</v></c>'
                        f"{text(f'I{number}', person)}{text(f'J{number}', note)}</row>"
                    ).encode()
                )
            part.write(b"</sheetData></worksheet>")
        with package.open(_STRINGS, "w") as part:
            part.write(f'<sst xmlns="{_MAIN}">'.encode())
            for value in known:
                part.write(f"<si><t>{escape(value)}</t></si>".encode())
            part.write(b"</sst>")
    return written


def _values(
    rows: int, written: Written
) -> Iterator[tuple[int, str, str, str, int, int, float, int, str, str]]:
    chance = random.Random(1)  # noqa: S311  a bench
    latest = 0
    for number in range(1, rows):
        line, quantity = chance.choice("ABCD"), chance.randrange(10_000)
        day = 45_292 + chance.randrange(1000)
        latest = max(latest, day)
        written.quantity += quantity
        written.line_a += line == "A"
        yield (
            number,
            f"HX-{chance.randrange(5000):05d}",
            chance.choice(("브라켓", "커버", "하우징", "샤프트")),
            f"{line}라인",
            quantity,
            chance.randrange(100),
            round(chance.random(), 4),
            day,
            chance.choice("김이박"),
            f"메모 {number}",
        )
    written.last_day = (_FIRST_DAY + dt.timedelta(days=latest)).isoformat()


def measure(path: Path, written: Written, label: str) -> bool:
    """Parse a workbook, print the figures, compare what was stored; True where all is there."""
    limits = ParseSettings(workers=1, timeout_seconds=600)
    with tempfile.TemporaryDirectory() as folder, ParsePool(limits, OcrSettings()) as pool:
        small = Path(folder) / "small.xlsx"
        write_workbook(small, 50, shared=True)
        pool.parse(small, small.name, Path(folder))  # start-up and imports are not the reader's
        before = time.monotonic()
        result = pool.parse(path, path.name, Path(folder))
        seconds = time.monotonic() - before
        document = result.document
        if document is None:
            click.echo(f"{label}: {result.failure} {result.detail}")
            return False
        pace = written.rows / seconds
        click.echo(
            f"{label}: {written.rows:,} rows x {len(HEADS)} columns, {path.stat().st_size / 1e6:.1f} MB: {seconds:.1f} s,"
            f" {pace:,.0f} rows/s, peak {result.peak_mb:.0f} MB"
        )
        stored = next((b.table.stored for b in document.blocks if b.table and b.table.stored), None)
        if stored is None or not document.database:
            click.echo(f"{label}: no stored table")
            return False
        database = Path(folder) / document.database
        click.echo(f"{label}: stored table of {database.stat().st_size / 1e6:.1f} MB")
        with closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True)) as connection:
            found = connection.execute(
                'SELECT count(*) + 1, sum("수량"), sum("라인" = \'A라인\'), max("일자") FROM "대장"'
            ).fetchone()
    right = bool(found == (written.rows, written.quantity, written.line_a, written.last_day))
    click.echo(
        f"{label}: rows, sum, count and last day {'as written' if right else 'DIFFER'}: {found}"
    )
    return right


def main() -> int:
    """Run; 0 where all that was written was stored."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--spelling", choices=("shared", "inline", "both"), default="both")
    parser.add_argument("--keep", type=Path, help="folder for the workbooks; made there once")
    arguments = parser.parse_args()
    right = True
    with tempfile.TemporaryDirectory() as made:
        folder = arguments.keep or Path(made)
        folder.mkdir(parents=True, exist_ok=True)
        for spelling in ("shared", "inline"):
            if arguments.spelling not in (spelling, "both"):
                continue
            path = folder / f"{spelling}-{arguments.rows}.xlsx"
            written = write_workbook(path, arguments.rows, shared=spelling == "shared")
            right &= measure(path, written, spelling)
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    click.echo(f"CPU of all parse processes: {children.ru_utime + children.ru_stime:.1f} s")
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main())
