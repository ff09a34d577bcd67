"""How many scanned pages a second: an ingest of page images beside bare Tesseract on the same images, on all cores."""

from __future__ import annotations

import os
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from evaluation.scans.mix import scan_pages
from performance.ingesting import ingest_folder
from performance.machine import spent

__all__ = ["LEAST", "run"]

LEAST = 0.9
"""Share of the pages a second of bare Tesseract, by the clock."""


def run(work: Path, pages: int) -> dict[str, Any]:
    """Make the pages, recognise them both ways, each on as many processes as there are cores.

    Bare Tesseract has the same models and one thread a process. What an ingest does besides is part of it: straightening,
    layout, cutting, storing, with hash vectors; the start of its processes is, too.
    """
    shutil.rmtree(work, ignore_errors=True)
    drive = work / "drive"
    drive.mkdir(parents=True)
    for page in scan_pages(6, pages):
        page.image.save(drive / f"page{page.number:03}.png", dpi=(page.dpi, page.dpi))
    images = sorted(drive.iterdir())
    cores = len(os.sched_getaffinity(0))
    with ThreadPoolExecutor(cores) as pool:
        bare = spent(lambda: list(pool.map(_bare, images)))
    ours = ingest_folder(drive, work / "home", engine="hash")
    return {
        "pages": pages,
        "processes": cores,
        "bare_wall": bare["wall"],
        "bare_cpu": bare["children"],
        "wall": ours["wall"],
        "cpu": ours["cpu"],
        "cpu_reading": ours["cpu_reading"],
        "share": bare["wall"] / ours["wall"],
        "share_cpu": bare["children"] / ours["cpu"],
        "limit": LEAST,
    }


def _bare(image: Path) -> None:
    environ = {**os.environ, "OMP_THREAD_LIMIT": "1"}
    command = ["tesseract", str(image), "-", "-l", "kor+eng"]
    subprocess.run(command, env=environ, check=True, capture_output=True)
