"""Kill workers that do an ingest task by task, at random moments, and compare with the pipeline's state.

Two workers work at once, in random order and with short leases; each is killed and started anew, again and again. Prints
one line a round, and ends with exit status 1 where any state differs.
"""

from __future__ import annotations

import argparse
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from dump_state import difference
from kill_rounds import environment, ingest, state


def main() -> int:
    """Run the rounds."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("share", type=Path)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--kills", type=int, default=3, help="kills a round")
    parser.add_argument("--seed", type=int, default=20261130)
    options = parser.parse_args()
    dice = random.Random(options.seed)
    wrong = 0
    with tempfile.TemporaryDirectory(prefix="seoga-steps-") as folder:
        whole = Path(folder) / "pipeline"
        ingest(whole, options.share)
        expected = state(whole)
        print(f"pipeline: {len(expected['documents'])} documents", flush=True)
        for number in range(1, options.rounds + 1):
            home = Path(folder) / f"round-{number}"
            if start(home, 0, "--ask", str(options.share)).wait() != 0:
                raise SystemExit("the source could not be asked for")
            kills = disturbed(home, dice, options.kills)
            told = difference(expected, state(home))
            wrong += bool(told)
            print(f"round {number:2}: {kills} kills: {'DIFFERS' if told else 'equal'}", flush=True)
            if told:
                print(told)
    print(f"steps: {options.rounds - wrong} of {options.rounds} rounds equal the pipeline's state")
    return 1 if wrong else 0


def start(home: Path, seed: int, *more: str) -> subprocess.Popen[bytes]:
    """A worker; its lease is short, so that what a dead one held is soon taken up."""
    driver = str(Path(__file__).with_name("step_driver.py"))
    command = [sys.executable, driver, "--seed", str(seed), "--lease", "3", *more]
    return subprocess.Popen(command, env=environment(home), stdout=subprocess.DEVNULL)


def disturbed(home: Path, dice: random.Random, most: int) -> int:
    """Work to the end with two workers, killing one after the other; how many kills met a running one."""
    kills = 0
    workers = [start(home, dice.getrandbits(31)) for _ in range(2)]
    while kills < most:
        time.sleep(dice.uniform(0.5, 6.0))
        victim = dice.randrange(2)
        workers[victim].send_signal(signal.SIGKILL)
        if workers[victim].wait() != -signal.SIGKILL:
            break  # it had nothing left to do
        kills += 1
        workers[victim] = start(home, dice.getrandbits(31))
    for worker in workers:
        if worker.wait() != 0:
            raise SystemExit(f"a worker ended with status {worker.returncode}")
    last = start(
        home, dice.getrandbits(31)
    )  # what the last of them asked for after the other had ended
    if last.wait() != 0:
        raise SystemExit(f"a worker ended with status {last.returncode}")
    return kills


if __name__ == "__main__":
    sys.exit(main())
