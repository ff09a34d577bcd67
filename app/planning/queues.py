"""Queues in a row with measured service times: where the first one overflows, and how long documents wait.

A document passes every station in turn; each has so many servers and a first-come, first-served queue, as Celery's queues
have with a prefetch of one. Times between arrivals and times of service are exponential, so a station alone is the M/M/c
queue, whose formulas (Erlang C; Gross and Harris, *Fundamentals of Queueing Theory*, §2.3) the tests compare it with.
"""

from __future__ import annotations

import heapq
import math
import random
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = [
    "Lags",
    "Passage",
    "Station",
    "bottleneck",
    "erlang_c",
    "mean_wait",
    "permission_lags",
    "simulate",
]


@dataclass(frozen=True, slots=True)
class Station:
    """One kind of work.

    Attributes:
        name: Of the queue, or of what takes one at a time.
        servers: Workers.
        seconds: Of one document, on average.
    """

    name: str
    servers: int
    seconds: float

    @property
    def limit(self) -> float:
        """Documents a second, at most."""
        return self.servers / self.seconds if self.seconds else math.inf


@dataclass(frozen=True, slots=True)
class Passage:
    """What a simulation showed.

    Attributes:
        utilisation: Share of the time that a station's servers worked, by name.
        waits: Mean seconds in a station's queue, by name.
        p95: Seconds from arrival to the end for 95 of 100 documents.
    """

    utilisation: dict[str, float]
    waits: dict[str, float]
    p95: float


@dataclass(frozen=True, slots=True)
class Lags:
    """Seconds until 95 of 100 changed access lists are followed.

    Attributes:
        taken: What a list takes away is taken away when its run comes to it.
        given: What it gives is given at the end of that run.
        cycle: From the start of a run to the start of the next.
    """

    taken: float
    given: float
    cycle: float


def bottleneck(stations: Sequence[Station]) -> Station:
    """The station that limits all."""
    return min(stations, key=lambda station: station.limit)


def erlang_c(servers: int, offered: float) -> float:
    """Chance that an arrival of an M/M/c queue waits; ``offered``: arrivals a second times seconds of service, below ``servers``."""
    term, total = 1.0, 1.0
    for number in range(1, servers):
        term *= offered / number
        total += term
    last = term * offered / servers * servers / (servers - offered)
    return last / (total + last)


def mean_wait(station: Station, rate: float) -> float:
    """Mean seconds in the queue of an M/M/c station; infinite where more arrives than it can do."""
    if rate >= station.limit:
        return math.inf
    return erlang_c(station.servers, rate * station.seconds) / (station.limit - rate)


def simulate(
    stations: Sequence[Station], rate: float, documents: int = 20_000, seed: int = 1
) -> Passage:
    """Let documents arrive and pass all stations.

    Args:
        stations: In their order.
        rate: Arrivals a second.
        documents: How many arrive; the first tenth, while queues fill, is not counted.
        seed: Of the random times.
    """
    dice = random.Random(seed)  # noqa: S311  a simulation
    arrivals, now = [], 0.0
    for _ in range(documents):
        now += dice.expovariate(rate)
        arrivals.append(now)
    times, counted = arrivals, documents // 10
    utilisation, waits = {}, {}
    for station in stations:
        times, busy, waited = _pass(station, times, dice, counted)
        # the clock of a station runs from its first arrival to its last end
        utilisation[station.name] = busy / (station.servers * (max(times) - arrivals[0]))
        waits[station.name] = waited
    spent = sorted(end - start for start, end in zip(arrivals, times, strict=True))[counted:]
    return Passage(utilisation, waits, spent[int(len(spent) * 0.95)])


def _pass(
    station: Station, arrivals: Sequence[float], dice: random.Random, counted: int
) -> tuple[list[float], float, float]:
    """Ends in the order of ``arrivals``, seconds of work, mean wait."""
    free = [0.0] * station.servers
    ends = [0.0] * len(arrivals)
    busy = waited = 0.0
    order = sorted(range(len(arrivals)), key=arrivals.__getitem__)
    for place, number in enumerate(order):
        start = max(arrivals[number], heapq.heappop(free))
        work = dice.expovariate(1 / station.seconds) if station.seconds else 0.0
        ends[number] = start + work
        heapq.heappush(free, ends[number])
        busy += work
        if place >= counted:
            waited += start - arrivals[number]
    return ends, busy, waited / (len(arrivals) - counted)


def permission_lags(
    run_seconds: float, period: float, waiting: float, changes: int = 20_000, seed: int = 1
) -> Lags:
    """Follow lists that change at random times and places of a source, in runs one after the other.

    Args:
        run_seconds: Of one run over the source.
        period: Seconds between the starts of runs, unless one takes longer: the next begins when it has ended.
        waiting: Mean seconds that a write waits for the catalog's writer.
        changes: How many lists change.
        seed: Of the random times and places.
    """
    dice = random.Random(seed)  # noqa: S311  a simulation
    cycle = max(period, run_seconds)
    taken, given = [], []
    for _ in range(changes):
        place, time = dice.random(), dice.random() * cycle
        passes = place * run_seconds
        start = 0.0 if time <= passes else cycle  # of the run that will see it
        wait = dice.expovariate(1 / waiting) if waiting else 0.0
        taken.append(start + passes - time + wait)
        given.append(start + run_seconds - time + wait)
    at = int(changes * 0.95)
    return Lags(sorted(taken)[at], sorted(given)[at], cycle)
