"""Disturb a distributed installation at random moments, and compare what it holds in the end with an undisturbed one.

Every round starts two workers and the scheduler on an empty database, Redis and OpenSearch, ingests two small drives,
changes them (edits, moves, deletions, permissions), and strikes once. Nobody helps: what ends is started again, as a
container engine would, and nothing else is done. Prints one line a round and a table; exit status 1 where any state
differs from the undisturbed one, or a round did not come to rest.
"""

from __future__ import annotations

import argparse
import contextlib
import random
import signal
import statistics
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

from dump_state import difference
from harness.drive import Drive
from harness.kinds import FAULTS
from harness.rounds import Round, Stage, Stuck
from harness.services import services

_TITLES = {
    "worker": "worker kill -9",
    "redis": "Redis kill -9, restart",
    "opensearch": "OpenSearch kill -9, restart",
    "postgres": "PostgreSQL immediate stop, restart",
    "connections": "connections cut",
    "disk": "disk full on the blob store",
}


@dataclass(slots=True)
class Tally:
    """What the rounds of one fault showed."""

    rounds: int = 0
    equal: int = 0
    outages: list[float] = field(default_factory=list)
    delays: list[float] = field(default_factory=list)
    restarts: int = 0
    failures: int = 0


def main() -> int:
    """Run the rounds."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=20, help="of each fault")
    parser.add_argument("--only", action="append", choices=sorted(FAULTS))
    parser.add_argument("--seed", type=int, default=20261130)
    parser.add_argument("--files", type=int, default=12, help="generated files to ingest")
    parser.add_argument("--pages", type=int, default=0, help="pages of a scan to be recognised")
    parser.add_argument("--keep", type=Path, help="folder for what is left of rounds that failed")
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that what was started ends, too
    kinds = options.only or list(FAULTS)
    dice = random.Random(options.seed)
    started = time.monotonic()
    with contextlib.ExitStack() as stack:
        made = stack.enter_context(tempfile.TemporaryDirectory(prefix="seoga-faults-"))
        folder = options.keep or Path(made)
        folder.chmod(0o755)
        drive = Drive(Path(made) / "drives", files=options.files, pages=options.pages)
        servers = stack.enter_context(services(heap="512m"))
        stage = Stage(servers, drive, folder)
        calm = stage.play("undisturbed")
        print(
            f"undisturbed: {len(calm.state['documents'])} documents, begun after {calm.begun:.1f} s, "
            f"ingested in {calm.first:.1f} s, changes in {calm.second:.1f} s, end in {calm.stopping:.1f} s",
            flush=True,
        )
        tallies = _rounds(stage, calm, kinds, options.rounds, dice)
    _table(tallies)
    print(f"{time.monotonic() - started:.0f} s, seed {options.seed}")
    return 0 if all(tally.equal == tally.rounds for tally in tallies.values()) else 1


def _rounds(
    stage: Stage, calm: Round, kinds: list[str], rounds: int, dice: random.Random
) -> dict[str, Tally]:
    tallies = {kind: Tally() for kind in kinds}
    for number in range(1, rounds + 1):
        for kind in kinds:
            at = dice.uniform(0.0, calm.first + calm.second)
            half = int(at >= calm.first)
            moment = at - calm.first if half else at
            name = f"{kind}-{number}"
            own = random.Random(dice.random())
            _one(stage, calm, tallies[kind], (name, kind, moment, half, own))
    return tallies


def _one(
    stage: Stage,
    calm: Round,
    tally: Tally,
    drawn: tuple[str, str, float, int, random.Random],
) -> None:
    name, kind, moment, half, own = drawn
    tally.rounds += 1
    head = f"{name:15} at {moment:5.1f} s of the {('first', 'second')[half]} half"
    try:
        found = stage.play(name, FAULTS[kind], moment, half, own)
    except Stuck as stuck:
        print(f"{head}: STUCK\n{stuck}", flush=True)
        return
    told = difference(calm.state, found.state)
    delay = found.second - calm.second if half else found.first - calm.first
    tally.equal += not told
    tally.outages.append(found.outage)
    tally.delays.append(delay)
    tally.restarts += found.restarts
    tally.failures += found.failures
    verdict = "DIFFERS" if told else "equal"
    print(
        f"{head}: {verdict}; {found.what}, outage {found.outage:.1f} s, {delay:+.1f} s, "
        f"failed tries {found.failures}, restarts {found.restarts}, end in {found.stopping:.1f} s",
        flush=True,
    )
    if told:
        print(told, flush=True)


def _table(tallies: dict[str, Tally]) -> None:
    print(
        "\n| fault | rounds | equal to undisturbed | outage, median s | longer than undisturbed, median (most) s "
        "| tries that failed | processes started again |\n|---|---|---|---|---|---|---|"
    )
    for kind, tally in tallies.items():
        outage = statistics.median(tally.outages) if tally.outages else 0.0
        delay = statistics.median(tally.delays) if tally.delays else 0.0
        most = max(tally.delays, default=0.0)
        print(
            f"| {_TITLES[kind]} | {tally.rounds} | {tally.equal} | {outage:.1f} | {delay:.1f} ({most:.1f}) "
            f"| {tally.failures} | {tally.restarts} |"
        )


if __name__ == "__main__":
    sys.exit(main())
