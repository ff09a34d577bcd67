"""``python -m evaluation.bench_ocr``: recognition of Korean scans made here, with raw Tesseract beside it.

Prints the character error rate (spaces count) of the whole mix, of its clean half and by layout, the share of table
cells that stand in their place, and what the words' confidences are worth. Exits 1 where a promise is broken: an error
rate over 0.04 (clean half: 0.03).
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from PIL import Image

from contracts.parsing import ContainerBudget, ParserInput
from contracts.settings import OcrSettings, ParseSettings
from evaluation.scans.mix import ScanPage, scan_pages
from evaluation.scans.scoring import (
    cells_in_place,
    distance,
    fitted,
    judged_words,
    plain,
    reliability,
    said,
    spoken,
)
from evaluation.scans.sheet import face_problem
from parsers.common.paged.grading import GOOD_OCR, POOR_OCR
from parsers.context import SpoolContext
from parsers.ocr.calibration import raw_confidence
from parsers.registry import parser_for

if TYPE_CHECKING:
    from collections.abc import Sequence

    from contracts.documents import ParsedDocument

__all__ = ["main"]

ERROR_RATE, CLEAN_ERROR_RATE, CELLS = 0.04, 0.03, 0.95
_RAW_SECONDS = 120
_NINE_TENTHS = 0.9


@dataclass(slots=True)
class _Tally:
    """Sums over pages of one kind."""

    pages: int = 0
    wrong: int = 0
    characters: int = 0
    raw_wrong: int = 0

    def add(self, wrong: int, characters: int, raw_wrong: int) -> None:
        self.pages += 1
        self.wrong += wrong
        self.characters += characters
        self.raw_wrong += raw_wrong

    @property
    def rate(self) -> float:
        return self.wrong / max(1, self.characters)

    @property
    def raw_rate(self) -> float:
        return self.raw_wrong / max(1, self.characters)


@dataclass(slots=True)
class _Bench:
    """One run over a mix."""

    ocr: OcrSettings
    keep: Path | None
    with_raw: bool
    tallies: dict[str, _Tally] = field(default_factory=lambda: defaultdict(_Tally))
    judged: list[tuple[float, bool]] = field(default_factory=list)
    cells: list[int] = field(default_factory=lambda: [0, 0])
    seconds: float = 0.0
    raw_seconds: float = 0.0

    def page(self, page: ScanPage, folder: Path) -> None:
        """Read one page both ways and count."""
        path = folder / f"page{page.number:03d}.png"
        page.image.save(path, dpi=(page.dpi, page.dpi))
        true = said(page.written)
        started = time.monotonic()
        document = self._parsed(path, folder)
        spent = time.monotonic() - started
        self.seconds += spent
        read = spoken(document.blocks)
        wrong = distance(read, true)
        raw_wrong = self._raw(path, true) if self.with_raw else 0
        for name in ("all", "clean" if page.clean else "aged", page.layout, _graded(document)):
            self.tallies[name].add(wrong, len(true), raw_wrong)
        words = [word for block in document.blocks for word in block.words]
        self.judged += judged_words(words, true)
        placed, total = cells_in_place(document.blocks, page.written)
        self.cells[0] += placed
        self.cells[1] += total
        told = f"cells {placed}/{total}" if total else ""
        raw = f"raw {raw_wrong / len(true):.3f}" if self.with_raw else ""
        _say(
            f"page {page.number:3d}  {wrong / len(true):.3f} {raw} {told}  {page.layout}, {page.dpi} dpi, "
            f"{', '.join(page.faults) or 'clean'} ({spent:.1f} s)"
        )
        if self.keep is not None:
            kept = self.keep / path.name
            kept.write_bytes(path.read_bytes())
            kept.with_suffix(".true.txt").write_text(true + "\n", encoding="utf-8")
            kept.with_suffix(".read.txt").write_text(read + "\n", encoding="utf-8")

    def _parsed(self, path: Path, folder: Path) -> ParsedDocument:
        context = SpoolContext(
            limits=ParseSettings(),
            ocr=self.ocr,
            budget=ContainerBudget(depth=1, members=10, total_bytes=1 << 20),
            spool_folder=folder,
            container_bytes=path.stat().st_size,
        )
        source = ParserInput(path=path, name=path.name, format="png")
        return parser_for("png").load().parse(source, context)

    def _raw(self, path: Path, true: str) -> int:
        """Tesseract as it comes: the same models, its own page segmentation."""
        started = time.monotonic()
        done = subprocess.run(  # noqa: S603  a fixed command
            ["tesseract", str(path), "-", "-l", self.ocr.languages],  # noqa: S607  as installed
            capture_output=True,
            timeout=_RAW_SECONDS,
            check=True,
            env={"OMP_THREAD_LIMIT": "1", "PATH": "/usr/local/bin:/usr/bin:/bin"},
        )
        self.raw_seconds += time.monotonic() - started
        return distance(plain(done.stdout.decode("utf-8", "replace")), true)

    def report(self) -> list[str]:
        """Print the figures; the promises that are broken."""
        _say("", "| pages | n | error rate | raw Tesseract |", "|---|---|---|---|")
        for name, tally in self.tallies.items():
            raw = f"{tally.raw_rate:.4f}" if self.with_raw else "not run"
            _say(f"| {name} | {tally.pages} | {tally.rate:.4f} | {raw} |")
        placed, total = self.cells
        if total:
            _say("", f"table cells in place: {placed} of {total} ({placed / total:.3f})")
        self._confidence()
        pages = self.tallies["all"].pages
        raw = f", raw Tesseract {self.raw_seconds / pages:.2f}" if self.with_raw else ""
        _say("", f"seconds a page: {self.seconds / pages:.2f}{raw}")
        broken = []
        if self.tallies["all"].rate > ERROR_RATE:
            broken.append(f"error rate {self.tallies['all'].rate:.4f}, promised {ERROR_RATE}")
        if self.tallies["clean"].rate > CLEAN_ERROR_RATE:
            rate = self.tallies["clean"].rate
            broken.append(f"error rate of the clean half {rate:.4f}, promised {CLEAN_ERROR_RATE}")
        if total and placed / total < CELLS:
            broken.append(f"table cells in place {placed / total:.3f}, promised {CELLS}")
        return broken

    def _confidence(self) -> None:
        steps, error = reliability(self.judged)
        _say("", "| confidence | words | said | right |", "|---|---|---|---|")
        for step in steps:
            _say(
                f"| {step.low:.2f}-{step.high:.2f} | {step.words} | {step.said:.3f} | {step.right:.3f} |"
            )
        near = [right for said_, right in self.judged if abs(said_ - _NINE_TENTHS) <= 0.05]  # noqa: PLR2004
        share = f"{sum(near) / len(near):.3f} of {len(near)}" if near else "none"
        _say(
            "",
            f"expected calibration error {error:.3f}; words said 0.85 to 0.95 that are right: {share}",
        )


def _shrunk(page: ScanPage, factor: float) -> ScanPage:
    """The page as if it had been scanned at a lower resolution."""
    size = round(page.image.width * factor), round(page.image.height * factor)
    image = page.image.resize(size, Image.Resampling.BOX)
    return replace(page, image=image, dpi=round(page.dpi * factor))


def _graded(document: ParsedDocument) -> str:
    """How sure recognition is of the page, in the steps that grades are made of."""
    sure = document.quality.pages[0].ocr_confidence_mean or 0.0
    if sure >= GOOD_OCR:
        return f"confidence from {GOOD_OCR}"
    return (
        f"confidence {POOR_OCR} to {GOOD_OCR}"
        if sure >= POOR_OCR
        else f"confidence below {POOR_OCR}"
    )


def _say(*lines: str) -> None:
    sys.stdout.write("".join(f"{line}\n" for line in lines))
    sys.stdout.flush()


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the bench; see the module."""
    parser = argparse.ArgumentParser(prog="bench_ocr", description=__doc__)
    parser.add_argument("--seed", type=int, default=6, help="which mix of pages")
    parser.add_argument("--pages", type=int, default=24)
    parser.add_argument("--engine", default=OcrSettings().engine)
    parser.add_argument("--no-raw", action="store_true", help="without raw Tesseract")
    parser.add_argument("--keep", type=Path, help="folder for pages, their truth and what was read")
    parser.add_argument(
        "--shrink", type=float, default=1.0, help="of their size: what becomes of poor scans"
    )
    parser.add_argument("--fit", action="store_true", help="print a calibration fitted to this mix")
    given = parser.parse_args(arguments)
    if problem := face_problem():
        _say(problem)
        return 2
    if given.keep:
        given.keep.mkdir(parents=True, exist_ok=True)
    ocr = OcrSettings.model_validate({"engine": given.engine})
    bench = _Bench(ocr, given.keep, not given.no_raw)
    _say(f"python -m evaluation.bench_ocr --seed {given.seed} --pages {given.pages}", "")
    with tempfile.TemporaryDirectory(prefix="seoga-bench-ocr-") as folder:
        for page in scan_pages(given.seed, given.pages):
            bench.page(_shrunk(page, given.shrink) if given.shrink < 1 else page, Path(folder))
    broken = bench.report()
    if given.fit:
        raw = [(raw_confidence(said_), right) for said_, right in bench.judged]
        _say("", "calibration (engine's confidence, share right):", str(fitted(raw)))
    for promise in broken:
        _say(f"BROKEN: {promise}")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
