"""Damaged files of every format through the parse processes: no hang, no process lost, each a class.

usage: fuzz.py [--seed N] [--count N | --full] [--group pdf|office|mail] [--from FOLDER] [--keep FOLDER]

The files are made here (``fuzz_seeds.py``), or are those of ``--from``, and are damaged by a seeded generator
(``fuzz_mutate.py``); run N of a seed is the same file everywhere. Counts by format and class are printed. Exits 1 where a file
ended as ``internal`` (a fault of ours, or a process that died) or took longer than its limit.
"""

from __future__ import annotations

import argparse
import collections
import hashlib
import random
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from fuzz_mutate import damaged
from fuzz_seeds import GROUPS, seeds

from contracts.failures import FailureClass
from contracts.settings import OcrSettings, ParseSettings
from parsers.pool import ParsePool, ParseResult

FULL = {"pdf": 3000, "office": 3000, "mail": 4000}
LIMIT_SECONDS = 60.0
GRACE_SECONDS = 10.0
MEMORY_MB = 1536
AHEAD = 16


@dataclass
class Tally:
    """What became of the files."""

    classes: dict[str, collections.Counter[str]] = field(
        default_factory=lambda: collections.defaultdict(collections.Counter)
    )
    seconds: dict[str, float] = field(default_factory=lambda: collections.defaultdict(float))
    slowest: tuple[float, str] = (0.0, "")
    bad: list[str] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def add(self, ending: str, label: str, result: ParseResult) -> bool:
        """Count one; whether it is a fault."""
        name = result.failure.value if result.failure else "read"
        late = result.seconds > LIMIT_SECONDS + GRACE_SECONDS
        wrong = result.failure is FailureClass.INTERNAL or late
        with self.lock:
            self.classes[ending][name] += 1
            self.seconds[ending] += result.seconds
            self.slowest = max(self.slowest, (result.seconds, label))
            if wrong:
                self.bad.append(f"{label}: {name} {result.detail} ({result.seconds:.1f} s)")
        return wrong


def files(given: argparse.Namespace) -> dict[str, list[tuple[str, bytes]]]:
    """Sound files by group."""
    found = seeds()
    if given.folder:
        paths = sorted(path for path in given.folder.rglob("*") if path.is_file())
        found = [(p.name, p.read_bytes()) for p in paths if p.stat().st_size < given.largest << 10]
    out: dict[str, list[tuple[str, bytes]]] = {group: [] for group in GROUPS}
    for name, data in found:
        ending = name.rpartition(".")[2].lower()
        for group, endings in GROUPS.items():
            if ending in endings:
                out[group].append((name, data))
    return out


def runs(given: argparse.Namespace) -> Iterator[tuple[str, str, bytes]]:
    """Label, name and damaged content of each run, formats in turn."""
    counts = (
        FULL
        if given.full
        else {g: round(given.count * n / sum(FULL.values())) for g, n in FULL.items()}
    )
    for group, found in files(given).items():
        if (given.group and group != given.group) or not found:
            continue
        by_ending: dict[str, list[tuple[str, bytes]]] = collections.defaultdict(list)
        for name, data in found:
            by_ending[name.rpartition(".")[2].lower()].append((name, data))
        endings = sorted(by_ending)
        for number in range(counts[group]):
            ending = endings[number % len(endings)]
            rng = random.Random(f"{given.seed} {group} {number}")
            name, data = rng.choice(by_ending[ending])
            yield f"{group} {number} {name}", name, damaged(data, rng)


def main() -> int:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=400, help="files of all groups together")
    parser.add_argument("--full", action="store_true", help=f"as promised: {FULL}")
    parser.add_argument("--group", choices=sorted(GROUPS))
    parser.add_argument("--from", dest="folder", type=Path, help="damage the files of this folder")
    parser.add_argument("--largest", type=int, default=300, help="KB of a file of --from")
    parser.add_argument("--keep", type=Path, help="folder for the files that ended badly")
    given = parser.parse_args()
    limits = ParseSettings(timeout_seconds=LIMIT_SECONDS, memory_mb=MEMORY_MB, workers=2)
    tally = Tally()
    started = time.monotonic()
    with (
        tempfile.TemporaryDirectory(prefix="seoga-fuzz-") as folder,
        ParsePool(limits, OcrSettings()) as pool,
        ThreadPoolExecutor(2) as threads,
    ):
        waiting = threading.Semaphore(AHEAD)
        spool = Path(folder) / "spool"
        spool.mkdir()

        def one(label: str, name: str, data: bytes) -> None:
            digest = hashlib.sha256(data).hexdigest()
            path = Path(folder) / f"{digest}-{threading.get_ident()}"
            try:
                path.write_bytes(data)
                result = pool.parse(path, name, spool)
                if tally.add(name.rpartition(".")[2].lower(), label, result) and given.keep:
                    given.keep.mkdir(parents=True, exist_ok=True)
                    (given.keep / f"{digest[:12]}-{name}").write_bytes(data)
            finally:
                path.unlink(missing_ok=True)
                waiting.release()

        ends = []
        for run in runs(given):
            waiting.acquire()
            ends.append(threads.submit(one, *run))
        for end in ends:
            end.result()
    return report(tally, time.monotonic() - started)


def report(tally: Tally, spent: float) -> int:
    """Print the counts; 1 where something ended badly."""
    print("| format | files | seconds a file | ended as |\n|---|---|---|---|")
    total = 0
    for ending, classes in sorted(tally.classes.items()):
        count = sum(classes.values())
        total += count
        named = ", ".join(f"{name} {n}" for name, n in classes.most_common())
        print(f"| {ending} | {count} | {tally.seconds[ending] / count:.2f} | {named} |")
    print(
        f"\n{total} files in {spent:.0f} s; slowest {tally.slowest[0]:.1f} s ({tally.slowest[1]})"
    )
    for line in tally.bad:
        print(f"BAD: {line}")
    print(f"{len(tally.bad)} ended badly")
    return 1 if tally.bad or not total else 0


if __name__ == "__main__":
    sys.exit(main())
