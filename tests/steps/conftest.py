"""An installation whose content work is done task by task, in any order."""

from __future__ import annotations

import contextlib
import importlib.util
import random
import secrets
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from app.sources import add_source
from app.steps import step_kit
from app.wiring import open_kit, source_run
from catalog.task_rows import TaskFilter
from contracts.settings import Settings, SourceSettings
from contracts.tasks import TaskKind, TaskRecord, TaskRequest, TaskState
from ingest.kit import Kit
from ingest.steps import BATCHED, STEPS

ROOT = Path(__file__).resolve().parents[2]
ACL = """\
realm: plant
folders:
  "": [{allow: group:staff}]
  경영: [{allow: group:board}]
"""


@dataclass
class Installation:
    """One home folder over one drive."""

    home: Path
    drive: Path
    options: dict[str, Any] = field(default_factory=dict)

    def settings(self) -> Settings:
        """Small and quick: hashed vectors, one parse process."""
        values: dict[str, Any] = {
            "home": self.home,
            "embedder": {"engine": "hash"},
            "parse": {"workers": 1},
            "directory": {"cache_seconds": 0},
            **self.options,
        }
        return Settings.model_validate(values)

    @contextlib.contextmanager
    def kit(self) -> Iterator[Kit]:
        """The stores and tools, opened."""
        with open_kit(self.settings()) as kit:
            yield kit

    def source(self, kit: Kit) -> SourceSettings:
        """The drive as a source."""
        known = kit.catalog.sources.get("drive")
        if known is not None:
            return SourceSettings.model_validate(dict(known.config))
        values = SourceSettings.model_validate({"name": "drive", "root": self.drive})
        return add_source(kit.catalog, values, origin="path")

    def ingest(self, **options: Any) -> None:
        """By the pipeline."""
        with self.kit() as kit:
            source_run(kit, self.source(kit)).content(**options)

    def write(self, path: str, content: str | bytes) -> Path:
        """A file on the drive."""
        target = self.drive / path
        target.parent.mkdir(parents=True, exist_ok=True)
        data = content.encode() if isinstance(content, str) else content
        target.write_bytes(data)
        return target


class Driver:
    """A worker without a broker: takes what waits, in the order of the dice."""

    def __init__(self, kit: Kit, seed: int = 0) -> None:
        self.kit = kit
        self.step = step_kit(kit)
        self.dice = random.Random(seed)  # noqa: S311  an order, no secret
        self.claims = 0
        self.between: Callable[[TaskRecord], None] = lambda _task: None

    def ask(self, kind: TaskKind = TaskKind.SCAN, **payload: str) -> TaskRequest:
        """Ask for a task about the source."""
        request = TaskRequest(
            key=f"{kind}:drive:{secrets.token_hex(8)}", kind=kind, source="drive", payload=payload
        )
        self.kit.catalog.tasks.request_many([request])
        return request

    def waiting(self, kind: TaskKind | None = None) -> list[TaskRecord]:
        """Tasks that wait."""
        which = TaskFilter(state=TaskState.QUEUED, kind=kind)
        return self.kit.catalog.tasks.list(which, limit=10_000)

    def claim(self, task: TaskRecord) -> TaskRecord | None:
        """Claim as a worker of its own."""
        self.claims += 1
        return self.kit.catalog.tasks.claim(task.request.key, f"w{self.claims}", 60)

    def do(self, task: TaskRecord, others: int = 0) -> None:
        """Claim a task, with some others of its kind where they are done in batches, and do them."""
        claimed = self.claim(task)
        assert claimed is not None
        batch = [claimed]
        if others and task.request.kind in BATCHED:
            batch += self.kit.catalog.tasks.claim_more(
                task.request.kind, claimed.worker, 60, limit=others, budget=10**9
            )
        self.between(claimed)
        STEPS[task.request.kind](self.step, batch)
        for one in batch:
            after = self.kit.catalog.tasks.get(one.request.key)
            assert after is not None
            assert after.state is not TaskState.RUNNING, after

    def run(self, kinds: set[TaskKind] | None = None, others: int = 4) -> int:
        """Do what waits, and what follows from it; how many claims it took."""
        before = self.claims
        while waiting := [t for t in self.waiting() if not kinds or t.request.kind in kinds]:
            self.do(self.dice.choice(waiting), self.dice.randint(0, others))
        return self.claims - before


@pytest.fixture
def drive(tmp_path: Path) -> Path:
    """An empty drive, open to everybody of staff."""
    drive = tmp_path / "drive"
    drive.mkdir()
    (drive / "acl.yaml").write_text(ACL, encoding="utf-8")
    return drive


@pytest.fixture
def pair(tmp_path: Path, drive: Path) -> tuple[Installation, Installation]:
    """Two homes over one drive: one for the pipeline, one for the steps."""
    return Installation(tmp_path / "whole", drive), Installation(tmp_path / "steps", drive)


@pytest.fixture(scope="session")
def driver() -> type[Driver]:
    """The worker, to be made over an open kit."""
    return Driver


@pytest.fixture(scope="session")
def installation() -> type[Installation]:
    """To be made of a home folder and a drive."""
    return Installation


def _script(name: str) -> Any:
    """A module of ``scripts``, which is no package."""
    path = ROOT / "scripts" / f"{name}.py"
    spec = importlib.util.spec_from_file_location(f"seoga_scripts_{name}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def unequal() -> Callable[[Installation, Installation], str]:
    """How the states of two installations differ; "" where they do not."""
    dump = _script("dump_state")

    def compare(left: Installation, right: Installation) -> str:
        return str(dump.difference(dump.state(left.settings()), dump.state(right.settings())))

    return compare


@pytest.fixture(scope="session")
def share(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The example drive."""
    target = tmp_path_factory.mktemp("share") / "drive"
    subprocess.run(
        [sys.executable, str(ROOT / "examples" / "make_share.py"), str(target)], check=True
    )
    return target
