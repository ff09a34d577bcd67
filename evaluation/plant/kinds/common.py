"""What all kinds share: title blocks, days, forms, choices."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterator, Sequence
from datetime import date
from typing import TypeVar

from evaluation.plant.model import Block, Fact

__all__ = ["TEXT_FORMS", "dotted", "in_turn", "pick", "title_block"]

T = TypeVar("T")

TEXT_FORMS = ("docx", "docx", "hwpx", "hwpx", "pdf")
"""Formats of text documents, by how common they are."""


def dotted(day: date) -> str:
    """A day as Korean offices write it."""
    return f"{day.year}. {day.month}. {day.day}."


def pick(rng: random.Random, values: Sequence[T]) -> T:
    """One of them."""
    return values[rng.randrange(len(values))]


def title_block(pairs: list[tuple[str, str]]) -> Block:
    """A table of labels and values, two pairs a row."""
    rows = []
    for start in range(0, len(pairs), 2):
        row = [cell for pair in pairs[start : start + 2] for cell in pair]
        rows.append(tuple(row + [""] * (4 - len(row))))
    return ("table", tuple(rows))


def in_turn(rng: random.Random, facts: list[Fact]) -> Iterator[Fact]:
    """In an order of chance, kind after kind, so that common kinds do not crowd out the others; scans are few, and go with standards."""
    rng.shuffle(facts)
    by_kind: dict[str, list[Fact]] = defaultdict(list)
    for fact in facts:
        by_kind["standard" if fact.kind == "scan" else fact.kind].append(fact)
    queues = [by_kind[kind] for kind in sorted(by_kind)]
    while queues:
        for queue in queues:
            yield queue.pop()
        queues = [queue for queue in queues if queue]
