"""What listing a mailbox costs: ``python scripts/bench_mailbox.py [--mails N ...]``, over a real Dovecot.

Prints a line for each size and listing (the first, and again with what was kept): mails, seconds of wall and of CPU
time, commands that the server got, and the peak memory of the listing process. The mails are small and lie in one folder.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import logging
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from contracts.settings import SourceSettings
from ingest.sources.registry import make_source

SERVERS = Path(__file__).parents[1] / "tests" / "servers_dovecot.py"
BATCH = 500
_MEGABYTE = 1024


class _Commands(logging.Handler):
    """Counts what imaplib sends."""

    count = 0

    def emit(self, record: logging.LogRecord) -> None:
        self.count += record.getMessage().startswith("> ")


def list_once(values: dict[str, Any], kept: str) -> None:
    """List everything; one JSON object of what it took."""
    source = make_source(SourceSettings(**values), Path(kept))
    source.check()
    commands, log = _Commands(), logging.getLogger("imapclient")
    log.setLevel(logging.DEBUG)
    log.propagate = False
    log.addHandler(commands)
    logging.getLogger("imapclient.imaplib").setLevel(logging.DEBUG)
    wall, cpu = time.monotonic(), time.process_time()
    found = sum(hasattr(entry, "locator") for entry in source.list())
    told = {
        "mails": found,
        "wall_s": round(time.monotonic() - wall, 2),
        "cpu_s": round(time.process_time() - cpu, 2),
        "commands": commands.count,
        "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // _MEGABYTE,
    }
    print(json.dumps(told))


def main() -> None:
    """Start a server, fill a mailbox, list it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mails", type=int, nargs="+", default=[1_000, 10_000])
    parser.add_argument("--list", nargs=2, metavar=("SETTINGS", "KEPT"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.list:
        list_once(json.loads(options.list[0]), options.list[1])
        return
    spec = importlib.util.spec_from_file_location("seoga_servers_dovecot", SERVERS)
    if spec is None or spec.loader is None:
        sys.exit(f"{SERVERS} is not there")
    servers = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(servers)
    with servers.running() as server:
        for mails in options.mails:
            measure(server, mails)


def measure(server: Any, mails: int) -> None:
    """One mailbox of this size, listed twice, each time in a process of its own."""
    user = server.user()
    with server.login(user) as client:
        for first in range(0, mails, BATCH):
            client.multiappend(
                "INBOX", [letter(n) for n in range(first, min(first + BATCH, mails))]
            )
    values = json.dumps(server.settings(user), default=str)
    with tempfile.TemporaryDirectory() as kept:
        for which in ("first", "again"):
            command = [sys.executable, __file__, "--list", values, kept]
            told = subprocess.run(command, capture_output=True, text=True, check=True).stdout
            print(which, told.strip(), flush=True)


def letter(number: int) -> bytes:
    """A small mail."""
    head = (
        f"Message-ID: <{number}@plant.example>\r\nSubject: weekly report {number}\r\nFrom: a@b\r\n"
    )
    return f"{head}\r\nreport {number}\r\n".encode()


if __name__ == "__main__":
    main()
