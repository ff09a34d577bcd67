"""How much of a page was read rightly: characters, table cells, and what the confidences are worth."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from evaluation.scans.sheet import TrueTable

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from contracts.documents import Block, Table, Word
    from evaluation.scans.sheet import Written

__all__ = [
    "Reliability",
    "cells_in_place",
    "distance",
    "fitted",
    "judged_words",
    "plain",
    "reliability",
    "said",
    "spoken",
]

_NEAR = 0.34
_STEPS = (0.0, 0.3, 0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.95, 0.98, 1.0001)


def plain(text: str) -> str:
    """NFC, every run of white space as one space."""
    return " ".join(unicodedata.normalize("NFC", text).split())


def said(written: Sequence[Written]) -> str:
    """The text of a page as it was drawn, in reading order."""
    return plain(" ".join(part.text if isinstance(part, TrueTable) else part for part in written))


def spoken(blocks: Sequence[Block]) -> str:
    """The text of a page as it was read, in reading order."""
    parts: list[str] = []
    for block in blocks:
        if block.table is not None:
            parts.append(_table_text(block.table))
        else:
            parts += [block.label, block.text]
    return plain(" ".join(parts))


def _table_text(table: Table) -> str:
    parts = []
    for cell in table.cells:
        parts += [cell.text, *(_table_text(inner) for inner in cell.tables)]
    return " ".join(parts)


def distance(read: str, true: str) -> int:
    """Least number of insertions, deletions and replacements that make ``true`` of ``read`` (Levenshtein 1966)."""
    return int(_table_of(read, true)[-1, -1])


def _table_of(read: str, true: str) -> npt.NDArray[np.int32]:
    """Distances of all prefixes: ``len(true) + 1`` rows, ``len(read) + 1`` columns."""
    a = np.array([ord(char) for char in read], dtype=np.int32)
    steps = np.arange(len(a) + 1, dtype=np.int32)
    table = np.empty((len(true) + 1, len(a) + 1), dtype=np.int32)
    table[0] = steps
    for i, char in enumerate(true, 1):
        above = table[i - 1]
        row = above + 1
        row[1:] = np.minimum(row[1:], above[:-1] + (a != ord(char)))
        # An insertion costs one more than the place to its left: a running minimum of value - place.
        table[i] = np.minimum.accumulate(row - steps) + steps
    return table


def _matched(read: str, true: str) -> list[int]:
    """For each character of ``read`` the place in ``true`` that it stands for, -1 where it is wrong."""
    table = _table_of(read, true)
    out = [-1] * len(read)
    i, j = len(true), len(read)
    while i and j:
        here = table[i, j]
        if read[j - 1] == true[i - 1] and here == table[i - 1, j - 1]:
            i, j = i - 1, j - 1
            out[j] = i
        elif here == table[i - 1, j - 1] + 1:
            i, j = i - 1, j - 1
        elif here == table[i - 1, j] + 1:
            i -= 1
        else:
            j -= 1
    return out


def judged_words(words: Sequence[Word], true: str) -> list[tuple[float, bool]]:
    """Each word's confidence, and whether it is right: all its characters stand side by side in the truth.

    Args:
        words: In reading order.
        true: The page's text.
    """
    flat_true = "".join(true.split())
    texts = ["".join(word.text.split()) for word in words]
    places = _matched("".join(texts), flat_true)
    out: list[tuple[float, bool]] = []
    at = 0
    for word, text in zip(words, texts, strict=True):
        own = places[at : at + len(text)]
        at += len(text)
        if own:
            right = own[0] >= 0 and own == list(range(own[0], own[0] + len(own)))
            out.append((word.confidence, right))
    return out


@dataclass(frozen=True, slots=True)
class Reliability:
    """Words whose confidence lies in one step: how many, mean confidence, share that is right."""

    low: float
    high: float
    words: int
    said: float
    right: float


def reliability(judged: Sequence[tuple[float, bool]]) -> tuple[list[Reliability], float]:
    """Steps of confidence with what is right in each, and the expected calibration error.

    The error is the mean of the absolute difference between said and right over the steps, weighted by their words (Naeini et al., AAAI 2015).
    """
    steps: list[Reliability] = []
    for low, high in pairwise(_STEPS):
        own = [(c, r) for c, r in judged if low <= c < high]
        if own:
            mean = sum(c for c, _ in own) / len(own)
            right = sum(r for _, r in own) / len(own)
            steps.append(Reliability(low, min(high, 1.0), len(own), mean, right))
    total = sum(step.words for step in steps)
    error = sum(step.words * abs(step.said - step.right) for step in steps) / max(1, total)
    return steps, error


def fitted(judged: Sequence[tuple[float, bool]], least: int = 40) -> list[tuple[float, float]]:
    """Knots of a monotone calibration: pools of words, merged until the share that is right rises.

    Isotonic regression by pooling adjacent violators (Ayer et al. 1955) over pools of at least ``least`` words.

    Args:
        judged: The engine's confidence (0 to 100) and whether the word is right.
        least: Words that make a pool.
    """
    pools: list[list[float]] = []
    for confidence, right in sorted(judged):
        if pools and (pools[-1][2] < least or pools[-1][0] / pools[-1][2] == confidence):
            last = pools[-1]
            pools[-1] = [last[0] + confidence, last[1] + right, last[2] + 1]
        else:
            pools.append([confidence, float(right), 1])
    merged: list[list[float]] = []
    for pool in pools:
        merged.append(pool)
        while len(merged) > 1 and merged[-2][1] / merged[-2][2] >= merged[-1][1] / merged[-1][2]:
            upper = merged.pop()
            merged[-1] = [a + b for a, b in zip(merged[-1], upper, strict=True)]
    return [(round(said / words, 1), round(right / words, 3)) for said, right, words in merged]


def cells_in_place(blocks: Sequence[Block], written: Sequence[Written]) -> tuple[int, int]:
    """Filled cells of the drawn tables that stand in the same row and column of a read one, and all of them.

    A cell counts where at most a third of its characters are wrong: which letters are is another figure.
    """
    tables = [block.table for block in blocks if block.table is not None]
    placed = total = 0
    for part in written:
        if isinstance(part, TrueTable):
            filled = sum(1 for cell in part.cells if cell.text)
            placed += max((_alike(table, part) for table in tables), default=0)
            total += filled
    return placed, total


def _alike(table: Table, true: TrueTable) -> int:
    read = {(cell.row, cell.column): "".join(plain(cell.text).split()) for cell in table.cells}
    count = 0
    for cell in true.cells:
        text = "".join(plain(cell.text).split())
        found = read.get((cell.row, cell.column), "")
        if text and found and distance(found, text) <= max(_NEAR * len(text), 0.5):
            count += 1
    return count
