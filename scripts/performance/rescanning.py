"""A rescan of an unchanged tree beside ``find -printf`` over it: processor time, clock, and the peak of memory."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from performance.machine import spent

__all__ = ["MOST", "run"]

MOST = 3.0
"""Times the seconds of ``find``."""

_FORMAT = r"%p\t%s\t%T@\t%C@\t%i\t%m\t%U\t%G\n"
_FOLDER = 100
_SCRIPTS = Path(__file__).resolve().parent.parent


def run(work: Path, files: int, rounds: int) -> dict[str, Any]:
    """Make the tree, follow it once, then compare; the best of the rounds counts.

    The tree is a folder source with the permissions of its files. Each round is a process of its own, so that its peak of memory is.
    """
    root = work / f"tree-{files}"
    if not (root / "made").exists():
        _make(root, files)
    home = work / f"home-{files}"
    first = _follow(root, home)
    listing: list[dict[str, float]] = []
    passes: list[dict[str, float]] = []
    for _ in range(rounds):
        with Path(os.devnull).open("wb") as nowhere:
            command = ["find", root, "-printf", _FORMAT]
            listing.append(
                spent(lambda c=command, n=nowhere: subprocess.run(c, stdout=n, check=True))
            )
        passes.append(_follow(root, home))
    find_cpu = min(one["children"] for one in listing)
    find_wall = min(one["wall"] for one in listing)
    cpu, wall = (min(one[name] for one in passes) for name in ("cpu", "wall"))
    return {
        "files": files,
        "find_cpu": find_cpu,
        "find_wall": find_wall,
        "rescan_cpu": cpu,
        "rescan_wall": wall,
        "times_cpu": cpu / find_cpu,
        "times_wall": wall / find_wall,
        "limit": MOST,
        "first_cpu": first["cpu"],
        "peak_mb_start": passes[0]["start_mb"],
        "peak_mb": max(one["peak_mb"] for one in passes),
        "cpu_seconds_per_file": cpu / files,
    }


def _make(root: Path, files: int) -> None:
    for number in range(files):
        folder = root / f"부서{number // 40_000:03}" / f"{number // _FOLDER % 400:03}"
        if number % _FOLDER == 0:
            folder.mkdir(parents=True)
        (folder / f"문서_{number:07}.txt").touch()
    (root / "made").touch()


def _follow(root: Path, home: Path) -> dict[str, float]:
    environ = {**os.environ, "SEOGA_HOME": str(home), "SEOGA_EMBEDDER__ENGINE": "hash"}
    command = [sys.executable, "-m", "performance.rescanning", str(root)]
    done = subprocess.run(
        command, env=environ, cwd=_SCRIPTS, check=True, capture_output=True, text=True
    )
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return found


def _peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def _main(root: Path) -> None:
    from app.sources import add_source
    from app.wiring import open_kit, source_run
    from contracts.settings import SourceSettings, load_settings

    with open_kit(load_settings()) as kit:
        source = SourceSettings(name="tree", root=root)
        if kit.catalog.sources.get("tree") is None:
            add_source(kit.catalog, source, origin="path")
        start = _peak()
        began, clock = time.process_time(), time.monotonic()
        source_run(kit, source).permissions()
        spent_here = {"cpu": time.process_time() - began, "wall": time.monotonic() - clock}
    print(json.dumps({**spent_here, "start_mb": start, "peak_mb": _peak()}))


if __name__ == "__main__":
    _main(Path(sys.argv[1]))
