"""What is measured of an embedder: speed, memory, likeness to the reference, retrieval, steadiness, odd strings."""

from __future__ import annotations

import hashlib
import json
import random
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from contracts.errors import SeogaError
from contracts.ports import Embedder

__all__ = [
    "KorquadTexts",
    "OddStrings",
    "Retrieval",
    "VectorCache",
    "load_korquad",
    "odd_strings",
    "passages_of_tokens",
    "peak_memory_mb",
    "process_seconds",
    "retrieval",
    "same_everywhere",
    "try_odd_strings",
]

Vectors = npt.NDArray[np.float32]

_SEED = 7
_PASSAGE = 205
"""Characters of a short passage: about 123 tokens."""

_FRAME_TOKENS = 5
"""``<s>``, ``</s>`` and the three pieces of the longest prefix."""


@dataclass(frozen=True, slots=True)
class KorquadTexts:
    """Paragraphs in file order, and questions each with the number of its paragraph."""

    paragraphs: list[str]
    questions: list[tuple[str, int]]

    def passages(self, limit: int) -> list[str]:
        """The paragraphs cut every 205 characters, pieces under 100 left out."""
        cuts = (
            paragraph[start : start + _PASSAGE]
            for paragraph in self.paragraphs
            for start in range(0, len(paragraph), _PASSAGE)
        )
        return [cut for cut in cuts if 2 * len(cut) >= _PASSAGE - 5][:limit]


def load_korquad(path: Path, paragraphs: int | None, questions: int) -> KorquadTexts:
    """Read a KorQuAD 1.0 file.

    Args:
        path: ``KorQuAD_v1.0_dev.json``.
        paragraphs: Only the first so many, with their questions; None: all.
        questions: The first so many after ``random.Random(7).shuffle`` of all in file order.
    """
    articles = json.loads(path.read_text(encoding="utf-8"))["data"]
    entries = [entry for article in articles for entry in article["paragraphs"]][:paragraphs]
    asked = [
        (qa["question"], number) for number, entry in enumerate(entries) for qa in entry["qas"]
    ]
    random.Random(_SEED).shuffle(asked)  # noqa: S311 - a sample, no secret
    return KorquadTexts([entry["context"] for entry in entries], asked[:questions])


class VectorCache:
    """Keeps the reference's vectors between runs; it needs a quarter of an hour for them.

    Args:
        folder: Where to keep them, or None.
    """

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder
        if folder is not None:
            folder.mkdir(parents=True, exist_ok=True)

    def get(self, fingerprint: str, texts: Sequence[str], make: Callable[[], Vectors]) -> Vectors:
        """The vectors that this embedder made of these texts, or makes now."""
        if self._folder is None:
            return make()
        key = hashlib.sha256(json.dumps([fingerprint, *texts]).encode()).hexdigest()[:24]
        path = self._folder / f"{key}.npy"
        if not path.is_file():
            np.save(path, make())
        vectors: Vectors = np.load(path)
        return vectors


def process_seconds() -> float:
    """CPU seconds of this process, all its threads."""
    return time.process_time()


def peak_memory_mb() -> float:
    """Largest resident size that this process had, in MB (``getrusage`` would count the parent's, from before exec)."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    kilobytes = next(line.split()[1] for line in status.splitlines() if line.startswith("VmHWM"))
    return int(kilobytes) * 1024 / 1e6


def passages_of_tokens(
    embedder: Embedder, paragraphs: Sequence[str], tokens: int, amount: int
) -> list[str]:
    """Passages that the model sees as this many tokens, prefix and special tokens counted (at most 2 fewer)."""
    words = " ".join(paragraphs).split(" ")
    passages: list[str] = []
    start = 0
    while len(passages) < amount:
        end, low, high = start, 1, tokens
        while low <= high:  # the most words that fit
            middle = (low + high) // 2
            count = embedder.count_tokens([" ".join(words[start : start + middle])])[0]
            if count + _FRAME_TOKENS <= tokens:
                end, low = start + middle, middle + 1
            else:
                high = middle - 1
        passage = " ".join(words[start:end])
        if tokens - _FRAME_TOKENS - embedder.count_tokens([passage])[0] <= 2:  # noqa: PLR2004
            passages.append(passage)
        start = max(end, start + 1)
    return passages


@dataclass(frozen=True, slots=True, kw_only=True)
class Retrieval:
    """Shares in percent; MRR between 0 and 1."""

    recall_1: float
    recall_5: float
    mrr: float


def retrieval(paragraphs: Vectors, questions: Vectors, right: Sequence[int]) -> Retrieval:
    """Rank all paragraphs for every question by cosine; equal scores count against the right one."""
    scores = questions @ paragraphs.T
    gold = scores[np.arange(len(right)), right]
    ranks = (scores >= gold[:, None]).sum(axis=1)
    return Retrieval(
        recall_1=float((ranks <= 1).mean() * 100),
        recall_5=float((ranks <= 5).mean() * 100),  # noqa: PLR2004
        mrr=float((1 / ranks).mean()),
    )


def same_everywhere(make: Callable[[int, int], Embedder], texts: Sequence[str]) -> dict[str, bool]:
    """Whether vectors are equal to the last bit however they are asked for.

    Args:
        make: An embedder with so many threads and so large batches.
        texts: Texts of many lengths.
    """
    embedder = make(1, 32)
    expected = embedder.embed_passages(texts)
    order = list(range(len(texts)))
    random.Random(_SEED).shuffle(order)  # noqa: S311
    shuffled = np.empty_like(expected)
    shuffled[order] = embedder.embed_passages([texts[number] for number in order])
    alone = np.concatenate([embedder.embed_passages([text]) for text in texts])
    return {
        "another order": bool(np.array_equal(expected, shuffled)),
        "one by one": bool(np.array_equal(expected, alone)),
        "batches of 7": bool(np.array_equal(expected, make(1, 7).embed_passages(texts))),
        "two threads": bool(np.array_equal(expected, make(2, 32).embed_passages(texts))),
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class OddStrings:
    """How odd strings fared; ``problems`` holds what is neither a vector nor one of our errors."""

    strings: int
    embedded: int
    refused: int
    problems: tuple[str, ...]


_ALPHABETS = (
    "\x00",
    "".join(map(chr, range(0xD800, 0xE000, 64))),
    "😀🏭👩‍🔧🇰🇷❤️\u200d\ufe0f",
    "".join(map(chr, range(0xAC00, 0xD7A4, 31))),
    "".join(map(chr, range(1, 128))),
    "ᄀᆨ\u0300\u0323\u202e\u2066ﷺﷻ㍿㈜ｶﾞ",
    "漢字股份有限公司工程",
    "\ue000\uf8ff\U000f0000\ufffe\uffff\U0010ffff",
    " \t\r\n\u3000\u00a0▁",
    "</s><pad><mask>passage: query:",
)


def odd_strings(amount: int, longest: int) -> Iterator[str]:
    """Random strings of NUL, surrogates, emoji, Hangul, controls and more; the last is very long."""
    dice = random.Random(_SEED)  # noqa: S311
    for _ in range(amount - 1):
        alphabets = dice.sample(_ALPHABETS, dice.randint(1, 3))
        length = min(int(dice.expovariate(1 / 6)), 60)
        yield "".join(dice.choice(dice.choice(alphabets)) for _ in range(length))
    yield "".join(dice.choice(dice.choice(_ALPHABETS)) for _ in range(longest))


def try_odd_strings(embedder: Embedder, strings: Sequence[str]) -> OddStrings:
    """Embed each; a finite unit vector or an error of ours is in order, anything else is not."""
    embedded = refused = 0
    problems: list[str] = []
    for start in range(0, len(strings), 256):
        batch = strings[start : start + 256]
        try:
            lengths = np.linalg.norm(embedder.embed_passages(batch), axis=1)
        except SeogaError:
            refused += len(batch)
            continue
        wrong = np.flatnonzero(~(np.abs(lengths - 1) < 1e-3))  # noqa: PLR2004
        problems += [ascii(batch[int(number)])[:80] for number in wrong]
        embedded += len(batch) - len(wrong)
    return OddStrings(
        strings=len(strings), embedded=embedded, refused=refused, problems=tuple(problems)
    )
