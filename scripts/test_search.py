"""What the search API promises, shown; exit status 1 where one part falls short.

Parts: ``tests`` (search, API, attacks), ``schema`` (schemathesis on the real API over a real index), ``odd`` (10,000 odd
requests), ``opened`` (every citation at its place), ``korquad`` (retrieval on 800 questions) and ``refusal`` (when to answer; both need ``--korquad``, and are
left out, which is said, where that file is not there). ``--reduced`` has the same parts at small sizes.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
KORQUAD = ROOT.parent / "shared/korquad/KorQuAD_v1.0_dev.json"
TESTS = (
    "tests/search",
    "tests/api",
    "tests/attacks",
    "tests/app/test_agents.py",
    "tests/app/test_audit_log.py",
)


@dataclass(frozen=True, slots=True)
class Sizes:
    """How much of each part.

    Attributes:
        examples: Requests that schemathesis makes of an operation in a phase.
        odd: Odd requests.
        questions: KorQuAD questions.
        seed: Of what is random.
        korquad: ``KorQuAD_v1.0_dev.json``.
    """

    examples: int
    odd: int
    questions: int
    seed: int
    korquad: Path


FULL = {"examples": 200, "odd": 10_000, "questions": 800}
REDUCED = {"examples": 25, "odd": 1_000, "questions": 100}
LEAST = {"recall_at_5": 0.996, "mrr": 0.965}
"""Of all 800 questions."""

COVERED = 0.70
"""Share of answerable questions answered at 5 % false answers, with all 800."""


def main() -> int:
    """Run the parts."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("parts", nargs="*", metavar="PART", help=", ".join(PARTS))
    parser.add_argument("--reduced", action="store_true", help="small sizes, for every change")
    parser.add_argument("--seed", type=int, default=int.from_bytes(os.urandom(3), "big"))
    parser.add_argument("--korquad", type=Path, default=KORQUAD)
    for name, full in FULL.items():
        parser.add_argument(f"--{name}", type=int, help=f"{full:,}; reduced: {REDUCED[name]:,}")
    given = parser.parse_args()
    if unknown := set(given.parts) - PARTS.keys():
        parser.error(f"no such part: {', '.join(sorted(unknown))}")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that what was started ends, too
    usual = REDUCED if given.reduced else FULL
    sizes = {name: getattr(given, name) or size for name, size in usual.items()}
    options = Sizes(**sizes, seed=given.seed, korquad=given.korquad)
    failed = []
    for name in given.parts or PARTS:
        print(f"\n== {name} (seed {options.seed})", flush=True)
        started = time.monotonic()
        fine = PARTS[name](options)
        failed += [] if fine else [name]
        verdict = "passed" if fine else "FAILED"
        print(f"== {name}: {verdict} ({time.monotonic() - started:.0f} s)", flush=True)
    print(f"failed: {', '.join(failed)}" if failed else "all parts passed")
    return 1 if failed else 0


def tests(_sizes: Sizes) -> bool:
    """The tests of searching, of the API and of attacks on both."""
    words = [sys.executable, "-m", "pytest", "-q", *TESTS]
    return subprocess.run(words, cwd=ROOT, check=False).returncode == 0


def schema(sizes: Sizes) -> bool:
    """Requests made from the OpenAPI document."""
    from proofs.schema_tests import run

    return run(examples=sizes.examples, seed=sizes.seed)


def odd(sizes: Sizes) -> bool:
    """Requests that no honest client makes."""
    from proofs.odd_requests import run

    return run(requests=sizes.odd, seed=sizes.seed)


def opened(sizes: Sizes) -> bool:
    """Citations of every document of the example drive, opened as each reader."""
    from proofs.opened import run

    return run(passages=5 if sizes.odd < FULL["odd"] else 100)


def korquad(sizes: Sizes) -> bool:
    """Retrieval through the real index and ranking."""
    found = _measured("korquad", sizes)
    if found is None:
        return True
    names = (
        "recall_at_1",
        "recall_at_5",
        "recall_at_10",
        "mrr",
        "ndcg_at_10",
        "questions",
        "seconds",
    )
    print(json.dumps({name: found[name] for name in names}))
    return sizes.questions < FULL["questions"] or all(
        found[n] >= least for n, least in LEAST.items()
    )


def refusal(sizes: Sizes) -> bool:
    """Answered and refused, half of the questions without their paragraph."""
    found = _measured("refusal", sizes)
    if found is None:
        return True
    print(json.dumps(found, ensure_ascii=False))
    covered = float(found["coverage_at"]["0.05"])
    return sizes.questions < FULL["questions"] or covered >= COVERED


def _measured(what: str, sizes: Sizes) -> dict[str, Any] | None:
    """What ``seoga eval`` says as JSON; None where there is no file to measure on."""
    if not sizes.korquad.is_file():
        print(f"LEFT OUT: {sizes.korquad} is not there (--korquad FILE)")
        return None
    with tempfile.TemporaryDirectory(prefix="seoga-search-") as home:
        words = [sys.executable, "-c", "from app.cli import main; main()", "eval", what]
        words += ["--data", str(sizes.korquad), "--questions", str(sizes.questions), "--json"]
        environ = {**os.environ, "SEOGA_HOME": home, "PYTHONPATH": str(ROOT)}
        done = subprocess.run(
            words, cwd=ROOT, env=environ, stdout=subprocess.PIPE, text=True, check=True
        )
    return dict(json.loads(done.stdout))


PARTS: dict[str, Callable[[Sizes], bool]] = {
    "tests": tests,
    "schema": schema,
    "odd": odd,
    "opened": opened,
    "korquad": korquad,
    "refusal": refusal,
}


if __name__ == "__main__":
    sys.exit(main())
