"""What the search API promises, shown; exit status 1 where one part falls short.

Parts: ``tests`` (search, API, attacks), ``schema`` (schemathesis on the real API over a real index), ``odd`` (10,000 odd
requests), ``opened`` (every citation at its place), ``korquad`` (retrieval on 800 questions), ``refusal`` (when to answer), ``paraphrases`` (the whole search beside
each leg, on questions in other words about the example drive and the corpus) and ``latency`` (stages beside the bare queries).
What needs ``--korquad`` or ``--corpus`` is left out, which is said, where that is not there. ``--reduced`` has the same parts at
small sizes.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
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
CORPUS = ROOT.parent / "shared/corpus"
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
        chunks: Passages of the latency bench.
        seed: Of what is random.
        korquad: ``KorQuAD_v1.0_dev.json``.
        corpus: Folder of real files.
    """

    examples: int
    odd: int
    questions: int
    chunks: int
    seed: int
    korquad: Path
    corpus: Path


FULL = {"examples": 200, "odd": 10_000, "questions": 800, "chunks": 200_000}
REDUCED = {"examples": 25, "odd": 1_000, "questions": 100, "chunks": 20_000}
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
    parser.add_argument("--corpus", type=Path, default=CORPUS)
    for name, full in FULL.items():
        parser.add_argument(f"--{name}", type=int, help=f"{full:,}; reduced: {REDUCED[name]:,}")
    given = parser.parse_args()
    if unknown := set(given.parts) - PARTS.keys():
        parser.error(f"no such part: {', '.join(sorted(unknown))}")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that what was started ends, too
    usual = REDUCED if given.reduced else FULL
    sizes = {name: getattr(given, name) or size for name, size in usual.items()}
    options = Sizes(**sizes, seed=given.seed, korquad=given.korquad, corpus=given.corpus)
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


def paraphrases(sizes: Sizes) -> bool:
    """No kind of question may be better off with one leg alone."""
    if not sizes.corpus.is_dir():
        print(f"LEFT OUT: {sizes.corpus} is not there (--corpus FOLDER)")
        return True
    with tempfile.TemporaryDirectory(prefix="seoga-search-") as made:
        drive, home = Path(made) / "drive", Path(made) / "home"
        make = [sys.executable, "examples/make_share.py", str(drive)]
        subprocess.run(make, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
        for folder in (one for one in sizes.corpus.iterdir() if one.is_dir()):
            shutil.copytree(folder, drive / "corpus" / folder.name)
        _seoga(home, "ingest", str(drive), "--name", "drive")
        found = json.loads(_seoga(home, "eval", "legs", "evaluation/paraphrases.jsonl", "--json"))
    fine = True
    print(
        "| split | kind | questions | Hit@3 words | vectors | search |\n|---|---|---|---|---|---|"
    )
    for split, kinds in found["splits"].items():
        for kind, figures in kinds.items():
            hits = [figures[leg]["hit_at_3"] for leg in ("lexical", "vector", "search")]
            shown = " | ".join(f"{hit:.3f}" for hit in hits)
            print(f"| {split} | {kind} | {figures['questions']} | {shown} |")
            fine &= split != "test" or hits[2] >= max(hits[:2])
    return fine


def latency(sizes: Sizes) -> bool:
    """Each stage beside one bare FTS5 query and one bare scan; limits hold for the full size on a quiet machine."""
    if not sizes.korquad.is_file():
        print(f"LEFT OUT: {sizes.korquad} is not there (--korquad FILE)")
        return True
    words = [sys.executable, "-m", "evaluation.bench_search", "--data", str(sizes.korquad)]
    words += ["--chunks", str(sizes.chunks)]
    done = subprocess.run(words, cwd=ROOT, check=False)
    return done.returncode == 0 or sizes.chunks < FULL["chunks"]


def _seoga(home: Path, *words: str) -> str:
    environ = {**os.environ, "SEOGA_HOME": str(home), "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-c", "from app.cli import main; main()", *words]
    done = subprocess.run(
        command, cwd=ROOT, env=environ, stdout=subprocess.PIPE, text=True, check=True
    )
    return done.stdout


def _measured(what: str, sizes: Sizes) -> dict[str, Any] | None:
    """What ``seoga eval`` says as JSON; None where there is no file to measure on."""
    if not sizes.korquad.is_file():
        print(f"LEFT OUT: {sizes.korquad} is not there (--korquad FILE)")
        return None
    with tempfile.TemporaryDirectory(prefix="seoga-search-") as home:
        words = ["--data", str(sizes.korquad), "--questions", str(sizes.questions), "--json"]
        return dict(json.loads(_seoga(Path(home), "eval", what, *words)))


PARTS: dict[str, Callable[[Sizes], bool]] = {
    "tests": tests,
    "schema": schema,
    "odd": odd,
    "opened": opened,
    "korquad": korquad,
    "refusal": refusal,
    "paraphrases": paraphrases,
    "latency": latency,
}


if __name__ == "__main__":
    sys.exit(main())
