"""What following permissions promises, shown at its full size; exit status 1 where one part falls short.

Parts: ``revocation`` (a folder above 100,000 documents is taken away), ``leaks`` (100,000 random searches on either index
while permissions change), ``timing`` (what a refusal's shape and time tell), ``rescan`` (what an unchanged share costs),
``cases`` (the tests over real file, mail and directory servers). ``--reduced`` has the same parts at small sizes.
Each part prints its figures as it goes; all of them stand once more, with the time that each took, at the end.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


@dataclass(frozen=True, slots=True)
class Sizes:
    """How much of each part.

    Attributes:
        documents: Below the folder that is taken away.
        pairs: Searches on each index for the search for leaks.
        timings: Pairs of timed searches.
        files: In the folder that is followed again.
        shared: On the share that is followed again.
        seed: Of what is random.
        backends: Indexes searched for leaks.
    """

    documents: int
    pairs: int
    timings: int
    files: int
    shared: int
    seed: int
    backends: tuple[str, ...]


FULL = {
    "documents": 100_000,
    "pairs": 100_000,
    "timings": 2_000,
    "files": 100_000,
    "shared": 100_000,
}
REDUCED = {"documents": 1_000, "pairs": 2_400, "timings": 400, "files": 10_000, "shared": 3_000}


def main() -> int:
    """Run the parts."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("parts", nargs="*", metavar="PART", help=", ".join(PARTS))
    parser.add_argument("--reduced", action="store_true", help="small sizes, for every change")
    parser.add_argument("--seed", type=int, default=int.from_bytes(os.urandom(3), "big"))
    parser.add_argument("--backends", default="embedded,opensearch", help="of the part leaks")
    for name, full in FULL.items():
        parser.add_argument(f"--{name}", type=int, help=f"{full:,}; reduced: {REDUCED[name]:,}")
    given = parser.parse_args()
    if unknown := set(given.parts) - PARTS.keys():
        parser.error(f"no such part: {', '.join(sorted(unknown))}")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that what was started ends, too
    usual = REDUCED if given.reduced else FULL
    sizes = {name: getattr(given, name) or size for name, size in usual.items()}
    options = Sizes(**sizes, seed=given.seed, backends=tuple(given.backends.split(",")))
    done = [_run(name, options) for name in given.parts or PARTS]
    print(f"\n== summary (seed {options.seed}{', reduced' if given.reduced else ''})")
    for part in done:
        print(part.verdict, *(f"   {line.strip()}" for line in part.figures), sep="\n")
    failed = [part.name for part in done if not part.fine]
    print(f"failed: {', '.join(failed)}" if failed else "all parts passed")
    return 1 if failed else 0


@dataclass(frozen=True, slots=True)
class Done:
    """A part that has run: whether all is as promised, how long it took, what it printed."""

    name: str
    fine: bool
    seconds: float
    figures: list[str]

    @property
    def verdict(self) -> str:
        """In one line."""
        return f"{self.name}: {'passed' if self.fine else 'FAILED'} ({self.seconds:.0f} s)"


class _Kept(io.StringIO):
    """Keeps what is printed, and prints it."""

    def write(self, text: str) -> int:
        sys.__stdout__.write(text)
        sys.__stdout__.flush()
        return super().write(text)


def _run(name: str, options: Sizes) -> Done:
    print(f"\n== {name} (seed {options.seed})", flush=True)
    started = time.monotonic()
    with contextlib.redirect_stdout(_Kept()) as kept:
        fine = PARTS[name](options)
    figures = [line for line in kept.getvalue().splitlines() if not line.endswith(" so far")]
    done = Done(name, fine, time.monotonic() - started, figures)
    print(f"== {done.verdict}", flush=True)
    return done


def revocation(sizes: Sizes) -> bool:
    """A folder above many documents is taken away; a folder moves under other permissions."""
    from proofs.revocation import run

    return run(documents=sizes.documents)


def leaks(sizes: Sizes) -> bool:
    """Random searches while permissions, groups, files and folders change."""
    from proofs.leaks import run

    return run(pairs=sizes.pairs, backends=sizes.backends, seed=sizes.seed)


def timing(sizes: Sizes) -> bool:
    """Shape and time of answers about what may not be seen, and about what is not there."""
    from proofs.timing import run

    return run(pairs=sizes.timings, seed=sizes.seed)


def rescan(sizes: Sizes) -> bool:
    """Passes over an unchanged share."""
    from proofs import rescan as folder
    from proofs import rescan_smb as share

    return folder.run(files=sizes.files) & share.run(files=sizes.shared)


def cases(_sizes: Sizes) -> bool:
    """The tests over real servers."""
    tests = [str(ROOT / "tests/permissions"), str(ROOT / "tests/access")]
    words = [sys.executable, "-m", "pytest", "-q", *tests]
    with subprocess.Popen(words, cwd=ROOT, stdout=subprocess.PIPE, text=True) as running:
        last = ""
        for line in running.stdout or ():
            sys.__stdout__.write(line)
            sys.__stdout__.flush()
            last = line.strip() or last
    print(f"tests over real servers: {last}")
    return running.returncode == 0


PARTS: dict[str, Callable[[Sizes], bool]] = {
    "revocation": revocation,
    "leaks": leaks,
    "timing": timing,
    "rescan": rescan,
    "cases": cases,
}


if __name__ == "__main__":
    sys.exit(main())
