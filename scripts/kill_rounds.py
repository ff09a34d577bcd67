"""Kill an ingest at random points, finish it, and compare with an undisturbed one.

Prints one line a round, and ends with exit status 1 where any state differs.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import psutil
from dump_state import State, difference


def main() -> int:
    """Run the rounds."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("share", type=Path)
    parser.add_argument("--rounds", type=int, default=30)
    parser.add_argument("--seed", type=int, default=20261129)
    options = parser.parse_args()
    dice = random.Random(options.seed)
    with tempfile.TemporaryDirectory(prefix="seoga-kill-") as folder:
        undisturbed = Path(folder) / "undisturbed"
        started = time.monotonic()
        ingest(undisturbed, options.share)
        whole = time.monotonic() - started
        expected = state(undisturbed)
        print(f"undisturbed: {len(expected['documents'])} documents, {whole:.1f} s")
        wrong = 0
        for number in range(1, options.rounds + 1):
            home = Path(folder) / f"round-{number}"
            killed = False
            while not killed:  # an ingest that had ended by then was not killed: draw again
                shutil.rmtree(home, ignore_errors=True)
                after = dice.uniform(0.2, whole)
                killed = kill_after(home, options.share, after)
            ingest(home, options.share)
            found = state(home)
            told = difference(expected, found)
            same = not told
            wrong += not same
            verdict = "equal" if same else "DIFFERS"
            print(f"round {number:2}: killed after {after:5.1f} s: {verdict}", flush=True)
            if not same:
                print(told)
        print(
            f"kill -9: {options.rounds - wrong} of {options.rounds} rounds equal the undisturbed run"
        )
    return 1 if wrong else 0


def environment(home: Path) -> dict[str, str]:
    """Hashed vectors: the embedder is not what is tried here."""
    return {**os.environ, "SEOGA_HOME": str(home), "SEOGA_EMBEDDER__ENGINE": "hash"}


def command(share: Path) -> list[str]:
    """The ingest, as a person would start it."""
    return [
        str(Path(sys.executable).with_name("seoga")),
        "ingest",
        str(share),
        "--name",
        "share",
        "--json",
    ]


def ingest(home: Path, share: Path) -> None:
    """An ingest to the end."""
    subprocess.run(command(share), env=environment(home), check=True, stdout=subprocess.DEVNULL)


def kill_after(home: Path, share: Path, seconds: float) -> bool:
    """Start an ingest and kill its main process; its parse processes must end by themselves.

    Returns:
        Whether it was still running.
    """
    process = subprocess.Popen(
        command(share), env=environment(home), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    time.sleep(seconds)
    children = (
        psutil.Process(process.pid).children(recursive=True) if process.poll() is None else []
    )
    process.send_signal(signal.SIGKILL)
    ended = process.wait()
    _, alive = psutil.wait_procs(children, timeout=30)
    if alive:
        raise SystemExit(f"{len(alive)} parse processes outlive their parent")
    return ended == -signal.SIGKILL


def state(home: Path) -> State:
    """Everything that the installation holds, without what depends on the clock or the number of runs."""
    done = subprocess.run(
        [sys.executable, Path(__file__).with_name("dump_state.py")],
        env=environment(home),
        check=True,
        capture_output=True,
    )
    return dict(json.loads(done.stdout))


if __name__ == "__main__":
    sys.exit(main())
