"""A PDF of 2,000 pages and a scan of 500, through ``seoga ingest``.

The text is ingested in one go. The scan is ingested by a process that is killed again and again (kill -9) and started anew;
the files of recognised pages are watched meanwhile, so that a page that is recognised twice is seen. Prints seconds, pages,
the highest resident memory of the main process and of the largest of its children, and what was done twice. Exits 1 where a
page is missing, or done twice.

usage: bench_long.py [--pages N] [--scanned N] [--kills N] [--seed N]
"""

from __future__ import annotations

import argparse
import io
import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import click
import psutil
import pymupdf
from PIL import Image

_WATCH_SECONDS = 0.05
_LINES = 34
_TABLE_EVERY = 5
_SCAN_DPI = 200
_A4 = (595, 842)
_SMALL = (420, 120)
_SENTENCE = "설비 점검 결과를 기록하고 이상이 있으면 담당자에게 즉시 알린다"


@dataclass
class Watch:
    """What is seen of an ingest while it runs.

    Attributes:
        home: The installation.
        main_mb: Highest resident memory of the main process, MB.
        child_mb: Highest of any of its children, MB.
        written: Page number → the files that it was written as.
    """

    home: Path
    main_mb: float = 0.0
    child_mb: float = 0.0
    written: dict[int, set[tuple[int, int]]] = field(default_factory=lambda: defaultdict(set))

    def look(self, process: psutil.Process) -> None:
        """Look once."""
        with suppress(psutil.Error):
            self.main_mb = max(self.main_mb, process.memory_info().rss / 1e6)
            for child in process.children(recursive=True):
                with suppress(psutil.Error):
                    self.child_mb = max(self.child_mb, child.memory_info().rss / 1e6)
        for path in self.home.glob("**/pages-*/*.page"):
            with suppress(OSError):
                status = path.stat()
                self.written[int(path.stem)].add((status.st_ino, status.st_mtime_ns))

    def run(
        self, process: subprocess.Popen[bytes], enough: int | None = None, delay: float = 0.0
    ) -> bool:
        """Until it ends, or is killed; whether it was killed.

        Args:
            process: The ingest.
            enough: Kill it once so many pages are recognised; None: let it end.
            delay: So much later, seconds: in the middle of a page.
        """
        seen = psutil.Process(process.pid)
        end = float("inf")
        while process.poll() is None:
            self.look(seen)
            if enough is not None and len(self.written) >= enough:
                end, enough = time.monotonic() + delay, None
            if time.monotonic() > end:
                process.send_signal(signal.SIGKILL)
                process.wait()
                return True
            time.sleep(_WATCH_SECONDS)
        return False


def write_text(path: Path, pages: int) -> None:
    """A manual of many pages: headings, running text, a ruled table on every fifth page, running lines."""
    document = pymupdf.open()
    for number in range(1, pages + 1):
        page = document.new_page(width=_A4[0], height=_A4[1])
        page.insert_text((60, 40), "설비 관리 규정", fontname="korea", fontsize=8)
        page.insert_text((60, 80), f"{number}. 점검 항목 {number}", fontname="korea", fontsize=15)
        table = number % _TABLE_EVERY == 0
        for line in range(_LINES // 2 if table else _LINES):
            text = f"{_SENTENCE} {number}-{line}"
            page.insert_text((60, 110 + 20 * line), text, fontname="korea", fontsize=10)
        if table:
            _table(page, number)
        page.insert_text((290, 825), f"- {number} -", fontname="korea", fontsize=8)
    document.save(path, deflate=True)


def _table(page: Any, number: int) -> None:
    xs, ys = (60, 180, 300, 420, 540), range(480, 481 + 8 * 24, 24)
    for y in ys:
        page.draw_line((xs[0], y), (xs[-1], y))
    for x in xs:
        page.draw_line((x, ys[0]), (x, ys[-1]))
    for row, y in enumerate(ys[:-1]):
        for column, x in enumerate(xs[:-1]):
            text = f"항목 {column}" if row == 0 else f"{number}.{row}.{column}"
            page.insert_text((x + 6, y + 16), text, fontname="korea", fontsize=10)


def write_scan(path: Path, pages: int) -> None:
    """Small pages, so that 500 take minutes: two lines each, as a scanner gives them."""
    document = pymupdf.open()
    for number in range(1, pages + 1):
        drawn = pymupdf.open()
        page = drawn.new_page(width=_SMALL[0], height=_SMALL[1])
        page.insert_text((30, 45), f"점검표 {number} 번", fontname="korea", fontsize=16)
        page.insert_text((30, 80), "설비 점검 결과 이상 없음", fontname="korea", fontsize=12)
        pixmap = page.get_pixmap(dpi=_SCAN_DPI, colorspace=pymupdf.csGRAY)
        image = Image.frombytes("L", (pixmap.width, pixmap.height), pixmap.samples)
        data = io.BytesIO()
        image.save(data, "JPEG", quality=80)
        document.new_page(width=_SMALL[0], height=_SMALL[1]).insert_image(
            (0, 0, *_SMALL), stream=data.getvalue()
        )
        drawn.close()
    document.save(path)


def start(home: Path, share: Path) -> subprocess.Popen[bytes]:
    """An ingest as a person would start it, with hashed vectors: the embedder is not what is tried here."""
    environ = {**os.environ, "SEOGA_HOME": str(home), "SEOGA_EMBEDDER__ENGINE": "hash"}
    command = [str(Path(sys.executable).with_name("seoga")), "ingest", str(share), "--name", "long"]
    return subprocess.Popen(command, env=environ, stdout=subprocess.DEVNULL)


def pages_stored(home: Path) -> dict[int, float | None]:
    """Pages of the one document in the catalog: number → mean confidence of recognition, None where there was none."""
    with sqlite3.connect(f"file:{next(home.glob('*.db'))}?mode=ro", uri=True) as catalog:
        ((pages,),) = catalog.execute("SELECT pages FROM quality").fetchall()
    return {page["page"]: page.get("ocr_confidence_mean") for page in json.loads(pages)}


def main() -> int:
    """Run both."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pages", type=int, default=2000)
    parser.add_argument("--scanned", type=int, default=500)
    parser.add_argument("--kills", type=int, default=5)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    dice = random.Random(given.seed)
    with tempfile.TemporaryDirectory(prefix="seoga-long-") as folder:
        whole = text(Path(folder), given.pages)
        whole &= scan(Path(folder), given.scanned, given.kills, dice)
    return 0 if whole else 1


def text(folder: Path, pages: int) -> bool:
    """A text of many pages, in one go."""
    share, home = folder / "text", folder / "text-home"
    share.mkdir()
    write_text(share / "manual.pdf", pages)
    watch, started = Watch(home), time.monotonic()
    process = start(home, share)
    watch.run(process)
    spent = time.monotonic() - started
    found = pages_stored(home)
    whole = process.returncode == 0 and sorted(found) == list(range(1, pages + 1))
    click.echo(
        f"text: {len(found)} of {pages} pages, {spent:.1f} s, main process {watch.main_mb:.0f} MB,"
        f" largest child {watch.child_mb:.0f} MB{'' if whole else '; NOT WHOLE'}"
    )
    return whole


def scan(folder: Path, pages: int, kills: int, dice: random.Random) -> bool:
    """A scan of many pages, killed again and again."""
    share, home = folder / "scan", folder / "scan-home"
    share.mkdir()
    write_scan(share / "scan.pdf", pages)
    watch, started, killed = Watch(home), time.monotonic(), 0
    while True:
        process = start(home, share)
        # so that the kills fall over the whole of it, however fast the machine is
        enough = pages * (killed + 1) // (kills + 1) if killed < kills else None
        if not watch.run(process, enough, dice.uniform(0.0, 1.0)):
            break
        killed += 1
        click.echo(f"  killed with {len(watch.written)} of {pages} pages recognised", err=True)
    spent = time.monotonic() - started
    found = pages_stored(home)
    twice = sum(len(files) - 1 for files in watch.written.values())
    whole = (
        process.returncode == 0
        and sorted(found) == list(range(1, pages + 1))
        and None not in found.values()
        and killed == kills
    )
    click.echo(
        f"scan: {len(found)} of {pages} pages, {spent:.1f} s, killed {killed} times, recognised twice {twice},"
        f" mean confidence {sum(filter(None, found.values())) / max(1, len(found)):.2f}, main process {watch.main_mb:.0f} MB,"
        f" largest child {watch.child_mb:.0f} MB{'' if whole else '; NOT WHOLE'}"
    )
    return whole and not twice


if __name__ == "__main__":
    sys.exit(main())
