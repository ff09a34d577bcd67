"""The plant: one seed gives one company, whose things are numbered and can be counted on without end."""

from __future__ import annotations

import random
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cached_property

from evaluation.plant.attributes import PROCESSES, Process
from evaluation.plant.people import Person, Rights, make_people
from evaluation.plant.words import MACHINES, PARTS, PLANTS, SUPPLIERS, Name, machine_names

__all__ = ["COMPANY", "YEAR", "Machine", "Part", "World"]

COMPANY = "세움오토텍"
YEAR = 2025
_LETTERS = "BCDFGHJKLMNPRSTVX"


@dataclass(frozen=True, slots=True)
class Part:
    """A part of one vehicle project: its names, and its number."""

    names: Name
    number: str
    process: Process
    plant: int
    line: int


@dataclass(frozen=True, slots=True)
class Machine:
    """A machine: its tag, such as ``PRS-07``, and its names."""

    tag: str
    names: Name
    plant: int
    line: int


class World:
    """Everything that documents speak of.

    Args:
        seed: The same one gives the same world.
        documents: Size of the drive, for the number of people.
    """

    def __init__(self, seed: int, documents: int) -> None:
        self.seed = seed
        self.documents = documents

    def rng(self, *what: object) -> random.Random:
        """Chance of one thing, apart from all others."""
        return random.Random("/".join(map(str, (self.seed, *what))))  # noqa: S311  a simulation

    @cached_property
    def people(self) -> tuple[Person, ...]:
        """Everybody."""
        return make_people(self.rng("people"), min(400, 40 + self.documents // 20))

    @cached_property
    def rights(self) -> Rights:
        """Who may read what."""
        return Rights(self.people)

    def staff(self, group: str) -> tuple[Person, ...]:
        """People who are in a group now."""
        return tuple(p for p in self.people if group in p.groups and not p.left)

    @cached_property
    def _projects(self) -> tuple[str, ...]:
        codes = [f"{a}{b}{n}" for a in _LETTERS for b in _LETTERS for n in range(1, 10) if a != b]
        self.rng("projects").shuffle(codes)
        return tuple(codes)

    def project(self, number: int) -> str:
        """Code of a vehicle project, such as ``KR3``."""
        turn, place = divmod(number, len(self._projects))
        return f"{self._projects[place]}{_LETTERS[turn - 1] if turn else ''}"

    def part(self, number: int) -> Part:
        """A part; all differ."""
        rng = self.rng("part", number)
        order = list(range(len(PARTS)))
        self.rng("parts", number // len(PARTS)).shuffle(order)
        base = PARTS[order[number % len(PARTS)]]
        code = self.project(number // 6)
        names = Name(f"{code} {base.formal}", f"{code} 차종 {base.plain}", f"{code} {base.english}")
        process = PROCESSES[(number * 3 + number // len(PROCESSES)) % len(PROCESSES)]
        return Part(
            names,
            f"{code}-{52000 + number * 7}",
            process,
            number % len(PLANTS),
            1 + rng.randrange(6),
        )

    def machine(self, number: int) -> Machine:
        """A machine; all differ, each the only one of its kind on its line."""
        kinds = list(MACHINES)
        kind = kinds[number % len(kinds)]
        turn = number // len(kinds)
        plant, line = turn % len(PLANTS), 1 + turn // len(PLANTS)
        tag = f"{kind}-{turn + 1:02d}"
        return Machine(tag, machine_names(tag, plant, line), plant, line)

    def supplier(self, number: int) -> str:
        """A supplier."""
        return SUPPLIERS[number % len(SUPPLIERS)]

    def day(self, rng: random.Random, first: int = 1, last: int = 12) -> date:
        """A working day of the year, between two months."""
        start = date(YEAR, first, 1)
        end = date(YEAR, 12, 24) if last == 12 else date(YEAR, last + 1, 1)
        day = start + timedelta(days=rng.randrange((end - start).days))
        return day - timedelta(days=max(0, day.weekday() - 4))
