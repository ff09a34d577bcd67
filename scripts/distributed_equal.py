"""Ingest a folder twice, embedded and by two workers over PostgreSQL, Redis and OpenSearch, and compare what both hold.

Prints what was compared; exit status 1 where anything differs.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import signal
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from dump_state import State, difference, state
from harness.installation import Installation
from harness.services import services
from harness.watch import look

from contracts.settings import load_settings

ROOT = Path(__file__).resolve().parent.parent
_NAME = "corpus"
_QUEUES = "scan,parse,ocr,embed,index,acl"
_SOURCE = '[[sources]]\nname = "{name}"\nroot = "{root}"\n'


def main() -> int:
    """Run both."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--corpus", type=Path, default=ROOT.parent / "shared/corpus")
    parser.add_argument("--embedder", default="hash", help="embedder.engine, as in seoga.toml")
    parser.add_argument("--workers", type=int, default=2)
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that what was started ends, too
    corpus = options.corpus.resolve()
    if not corpus.is_dir():
        print(f"no corpus at {corpus}: nothing to compare")
        return 1
    config = _SOURCE.format(name=_NAME, root=corpus)
    with tempfile.TemporaryDirectory(prefix="seoga-equal-") as folder:
        Path(folder).chmod(0o755)
        engine = {
            "SEOGA_EMBEDDER__ENGINE": options.embedder,
            # on a busy machine, what takes long must not be what differs
            "SEOGA_PARSE__TIMEOUT_SECONDS": "1800",
        }
        alone = embedded(Path(folder) / "embedded", engine, config)
        spread = distributed(Path(folder) / "distributed", engine, config, options.workers)
    told = difference(alone, spread)
    print(told or "equal in every section")
    return 1 if told else 0


def embedded(home: Path, engine: dict[str, str], config: str) -> State:
    """One process, SQLite, the embedded index, a folder of blobs."""
    with Installation(home, engine, config) as installation:
        started = time.monotonic()
        installation.run("ingest", _NAME, "--json")
        found = state(load_settings(installation.environment))
        report("embedded", found, time.monotonic() - started)
    return found


def distributed(home: Path, engine: dict[str, str], config: str, workers: int) -> State:
    """Worker processes for all queues; ``seoga ingest`` asks and waits."""
    with contextlib.ExitStack() as stack:
        servers = stack.enter_context(services())
        database = servers.fresh()
        environment = {**engine, **servers.environment(database, direct=True)}
        installation = stack.enter_context(Installation(home, environment, config))
        for _ in range(workers):
            installation.start("worker", "--queues", _QUEUES)
        installation.start("beat")
        started = time.monotonic()
        try:
            installation.run("ingest", _NAME, "--json")
            _rest(servers.postgres.url(database))
        except RuntimeError:
            print(installation.logs())
            raise
        spent = time.monotonic() - started
        installation.stop()
        found = state(load_settings(installation.environment))
        report(f"distributed, {workers} workers", found, spent)
    return found


def _rest(url: str, seconds: float = 60.0) -> None:
    end = time.monotonic() + seconds
    while not look(url).idle():
        if time.monotonic() > end:
            raise RuntimeError(f"did not come to rest: {look(url)}")
        time.sleep(0.2)


def report(name: str, found: State, seconds: float) -> None:
    """What there is, in numbers."""
    chunks = sum(len(row["chunks"]) for row in found["index"])
    kinds = Counter(row["kind"] for row in found["outcomes"])
    classes = Counter(row["failure"] for row in found["outcomes"] if row["failure"])
    print(
        f"{name}: {seconds:.1f} s; documents {len(found['documents'])}, versions {len(found['versions'])}, "
        f"chunks {chunks}, scopes {len(found['scopes'])}, parses {len(found['blobs'])}"
    )
    print(f"  outcomes {json.dumps(dict(sorted(kinds.items())))}")
    print(f"  classes {json.dumps(dict(sorted(classes.items())))}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
