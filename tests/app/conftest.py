"""The command as a person starts it, for an installation of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="session")
def ingested() -> Callable[..., Run]:
    """``ingested(root, **settings)``: ingests ``root/drive`` and gives ``seoga(*words)`` for it."""

    def make(root: Path, **settings: str) -> Run:
        own = {"SEOGA_HOME": str(root / "home"), "SEOGA_EMBEDDER__ENGINE": "hash", **settings}

        def run(*words: str) -> subprocess.CompletedProcess[str]:
            return subprocess.run(
                [sys.executable, "-c", "from app.cli import main; main()", *words],
                env={**os.environ, **own},
                capture_output=True,
                text=True,
                check=False,
                timeout=100,
            )

        assert run("ingest", str(root / "drive"), "--name", "drive", "--json").returncode == 0
        return run

    return make
