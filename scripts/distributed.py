"""What the distributed set promises, shown on real servers; exit status 1 where one part falls short.

Starts OpenSearch, Redis and PostgreSQL as processes (``harness``), runs the contract suites of their adapters, compares the two
index backends, runs the commands of the compose file, ingests a corpus both ways, and strikes a few times while two workers ingest.
"""

from __future__ import annotations

import argparse
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
_SUITES = ("index", "catalog", "blob_store", "queue", "tasks")


@dataclass(frozen=True, slots=True)
class Options:
    """Where the real files are, and how much to run."""

    corpus: Path
    rounds: int


def main() -> int:
    """Run the parts."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--corpus", type=Path, default=ROOT.parent / "shared/corpus")
    parser.add_argument("--rounds", type=int, default=1, help="of each fault")
    parser.add_argument("--only", choices=sorted(PARTS))
    given = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that what was started ends, too
    options = Options(given.corpus.resolve(), given.rounds)
    failed = []
    for name, part in PARTS.items():
        if given.only and name != given.only:
            continue
        print(f"\n== {name}", flush=True)
        started = time.monotonic()
        fine = part(options) == 0
        failed += [] if fine else [name]
        verdict = "passed" if fine else "FAILED"
        print(f"== {name}: {verdict} ({time.monotonic() - started:.0f} s)", flush=True)
    print(f"failed: {', '.join(failed)}" if failed else "all parts passed")
    return 1 if failed else 0


def contracts(_options: Options) -> int:
    """The contract suites of index, catalog, blobs and queue, on both sides of each; tasks done once, by counters."""
    tests = [
        path
        for path in sorted((ROOT / "tests/contract").iterdir())
        if any(word in path.stem for word in _SUITES) and not path.name.startswith("_")
    ]
    tests += [ROOT / "tests/queue", ROOT / "tests/ingest/test_rebuild.py"]
    return _run("-m", "pytest", "-q", "--durations=5", *map(str, tests))


def compose(_options: Options) -> int:
    """Every command of the compose file, over an OpenSearch with its TLS and accounts."""
    return _run(
        "-m", "pytest", "-q", "--durations=5", "-m", "distributed", str(ROOT / "tests/deploy")
    )


def backends(_options: Options) -> int:
    """The two index backends on the same passages and queries."""
    return _run(str(ROOT / "scripts/compare_backends.py"))


def corpus(options: Options) -> int:
    """Two workers over the servers come to the same end as one process without them."""
    return _run(str(ROOT / "scripts/distributed_equal.py"), "--corpus", str(options.corpus))


def faults(options: Options) -> int:
    """A short fault run."""
    return _run(str(ROOT / "scripts/faults.py"), "--rounds", str(options.rounds))


def _run(*words: str) -> int:
    return subprocess.run([sys.executable, *words], cwd=ROOT, check=False).returncode


PARTS: dict[str, Callable[[Options], int]] = {
    "contracts": contracts,
    "compose": compose,
    "backends": backends,
    "corpus": corpus,
    "faults": faults,
}


if __name__ == "__main__":
    sys.exit(main())
