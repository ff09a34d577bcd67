"""Cold start: the help, the first search of a fresh process, and an API that answers."""

from __future__ import annotations

import os
import socket
import statistics
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

from performance.machine import spent

__all__ = ["LIMITS", "run"]

LIMITS = {"help": 0.3, "search": 1.5, "api": 3.0}
"""Seconds, by the clock."""

_SEOGA = (sys.executable, "-c", "from app.cli import main; main()")
_ROOT = Path(__file__).resolve().parent.parent.parent
_TOKEN = "a-token-of-the-bench"  # noqa: S105  of this bench only
_PATIENCE = 60.0


def run(work: Path, rounds: int) -> dict[str, Any]:
    """Ingest the example drive, then start fresh processes; medians of the rounds, seconds."""
    home, share = work / "home", work / "share"
    environ = {**os.environ, "SEOGA_HOME": str(home), "SEOGA_API_TOKEN": _TOKEN}
    if not share.exists():
        maker = _ROOT / "examples/make_share.py"
        subprocess.run([sys.executable, maker, share], check=True, capture_output=True)
    ingest = [*_SEOGA, "ingest", str(share), "--name", "share"]
    subprocess.run(ingest, env=environ, check=True, capture_output=True)
    asked = [*_SEOGA, "search", "브라켓 균열 불량의 근본 원인", "--as", "kim", "--json"]
    found: dict[str, Any] = {}
    for name, command in (("help", [*_SEOGA, "--help"]), ("search", asked)):
        taken = [spent(lambda c=command: _quiet(c, environ)) for _ in range(rounds)]
        found[name] = {
            "seconds": statistics.median(one["wall"] for one in taken),
            "cpu": statistics.median(one["children"] for one in taken),
            "limit": LIMITS[name],
        }
    ready = [_ready(environ) for _ in range(rounds)]
    found["api"] = {"seconds": statistics.median(ready), "limit": LIMITS["api"]}
    return found


def _quiet(command: list[str], environ: dict[str, str]) -> None:
    subprocess.run(command, env=environ, check=True, capture_output=True)


def _ready(environ: dict[str, str]) -> float:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    started = time.monotonic()
    command = [*_SEOGA, "serve", "--port", str(port)]
    with subprocess.Popen(command, env=environ, stdout=subprocess.DEVNULL) as process:
        try:
            while time.monotonic() - started < _PATIENCE:
                try:
                    url = f"http://127.0.0.1:{port}/v1/health"
                    with urllib.request.urlopen(url, timeout=1):
                        return time.monotonic() - started
                except (urllib.error.URLError, ConnectionError):
                    time.sleep(0.02)
        finally:
            process.terminate()
    raise SystemExit(f"the API did not answer within {_PATIENCE:.0f} s")
