"""On which machine figures were measured, and how busy it was."""

from __future__ import annotations

import os
import platform
import resource
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import psutil

__all__ = ["cpu_seconds", "described", "spent"]


def described() -> dict[str, Any]:
    """Processor, cores, memory, system, and the load when this was asked."""
    model = platform.machine()
    for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
        if line.startswith("model name"):
            model = line.partition(":")[2].strip()
            break
    return {
        "processor": model,
        "cores": len(os.sched_getaffinity(0)),
        "memory_gb": round(psutil.virtual_memory().total / 1e9),
        "system": f"Linux {platform.release().partition('-')[0]}",
        "python": platform.python_version(),
        "load": round(os.getloadavg()[0], 1),
        "day": datetime.now(UTC).date().isoformat(),
    }


def cpu_seconds(who: int) -> float:
    """Processor time of this process, or of its children that have ended (``resource.RUSAGE_…``)."""
    used = resource.getrusage(who)
    return used.ru_utime + used.ru_stime


def spent(work: Callable[[], Any]) -> dict[str, float]:
    """Seconds by the clock and of the processor, of this process and of the children that ended meanwhile."""
    before = [cpu_seconds(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    started = time.monotonic()
    work()
    wall = time.monotonic() - started
    after = [cpu_seconds(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return {"wall": wall, "cpu": after[0] - before[0], "children": after[1] - before[1]}
