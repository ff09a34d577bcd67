"""Items that other benches measure: each is called as its own command, with its peak of memory and its processor time."""

from __future__ import annotations

import contextlib
import os
import subprocess
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import psutil

__all__ = ["call"]

_ROOT = Path(__file__).resolve().parent.parent.parent
_LOOK = 0.1
_LINES = 60


def call(command: Sequence[str | Path]) -> dict[str, Any]:
    """Run a bench; its last lines, its exit status, and the most memory that it and its processes held at once."""
    environ = {**os.environ, "PYTHONPATH": f"{_ROOT}:{_ROOT / 'scripts'}"}
    began = time.monotonic()
    with subprocess.Popen(
        [str(word) for word in command],
        cwd=_ROOT,
        env=environ,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as process:
        watch = _Watch(process.pid)
        watch.start()
        assert process.stdout is not None  # noqa: S101  a pipe
        lines = process.stdout.read().splitlines()
    watch.done.set()
    watch.join()
    return {
        "command": " ".join(_shown(word) for word in command),
        "exit": process.returncode,
        "seconds": time.monotonic() - began,
        "peak_mb": watch.peak / 1e6,
        "largest_process_mb": watch.largest / 1e6,
        "output": lines[-_LINES:],
    }


def _shown(word: str | Path) -> str:
    text = str(word).replace(f"{_ROOT}/", "")
    return "python" if text.endswith("bin/python") else text


class _Watch(threading.Thread):
    """Sums the memory that a process and its children hold to themselves (USS), ten times a second."""

    def __init__(self, pid: int) -> None:
        super().__init__(daemon=True)
        self._pid = pid
        self.peak = 0
        self.largest = 0
        self.done = threading.Event()

    def run(self) -> None:
        """Until ``done`` is set."""
        while not self.done.wait(_LOOK):
            held = []
            with contextlib.suppress(psutil.Error):
                root = psutil.Process(self._pid)
                for process in (root, *root.children(recursive=True)):
                    with contextlib.suppress(psutil.Error):
                        held.append(process.memory_full_info().uss)
            self.peak = max(self.peak, sum(held))
            self.largest = max([self.largest, *held])
