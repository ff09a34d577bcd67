"""The faults: each disturbs a running installation at one moment and takes back what a machine would take back."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from dataclasses import dataclass

import psutil

from harness.disk import SmallDisk
from harness.installation import Installation
from harness.services import Services

__all__ = ["FAULTS", "Scene"]

_CHILDREN_SECONDS = 30.0


@dataclass(frozen=True, slots=True)
class Scene:
    """What a fault can lay hands on."""

    services: Services
    installation: Installation
    disk: SmallDisk
    dice: random.Random


def worker(scene: Scene) -> str:
    """Kill -9 of one worker: of its whole process tree, or of the main process, whose children must follow."""
    victim = scene.dice.choice(scene.installation.workers)
    if scene.dice.random() < 0.5:  # noqa: PLR2004  half and half
        victim.kill()
        return "worker with its children"
    children = [psutil.Process(pid) for pid in victim.kill_main() if psutil.pid_exists(pid)]
    _, alive = psutil.wait_procs(children, timeout=_CHILDREN_SECONDS)
    if alive:
        raise RuntimeError(f"{len(alive)} child processes outlive their worker")
    return "worker alone"


def redis(scene: Scene) -> str:
    """Kill -9 of Redis, and its restart on the append-only file."""
    scene.services.redis.kill()
    _pause(scene, 0.5, 2.0)
    scene.services.redis.start()
    return "redis"


def opensearch(scene: Scene) -> str:
    """Kill -9 of OpenSearch, and its restart."""
    scene.services.opensearch.kill()
    scene.services.opensearch.start()
    return "opensearch"


def postgres(scene: Scene) -> str:
    """Immediate stop of PostgreSQL, and its restart."""
    scene.services.postgres.stop_immediately()
    _pause(scene, 0.5, 2.0)
    scene.services.postgres.start()
    return "postgres"


def connections(scene: Scene) -> str:
    """All connections reset; in two of three rounds nothing goes through for some seconds, either."""
    proxies = scene.services.proxies
    way = scene.dice.choice(("cut", "refused", "silent"))
    for proxy in proxies:
        if way == "cut":
            proxy.cut()
        elif way == "refused":
            proxy.refuse()
        else:
            proxy.swallow()
    if way != "cut":
        _pause(scene, 1.0, 4.0)
    for proxy in proxies:
        proxy.pass_on()
        if way == "silent":
            proxy.cut()
    return f"connections {way}"


def disk(scene: Scene) -> str:
    """The blob store's disk is full for some seconds."""
    scene.disk.fill()
    _pause(scene, 2.0, 5.0)
    scene.disk.free()
    return "disk full"


def _pause(scene: Scene, least: float, most: float) -> None:
    time.sleep(scene.dice.uniform(least, most))


FAULTS: dict[str, Callable[[Scene], str]] = {
    "worker": worker,
    "redis": redis,
    "opensearch": opensearch,
    "postgres": postgres,
    "connections": connections,
    "disk": disk,
}
"""Name → what it does to a scene; returns what exactly was done."""
