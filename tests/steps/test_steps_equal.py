"""Task by task, in any order and however often: the same state as the pipeline leaves."""

from __future__ import annotations

import functools
import secrets

import pytest

pytestmark = pytest.mark.timeout(600)


@pytest.fixture(scope="module")
def differs(tmp_path_factory, share, installation, unequal):
    """How an installation over the example drive differs from what the pipeline leaves."""
    whole = installation(tmp_path_factory.mktemp("whole") / "home", share)
    whole.ingest()
    return functools.partial(unequal, whole)


def test_any_order_of_tasks_ends_like_the_pipeline(tmp_path, share, differs, installation, driver):
    seed = secrets.randbelow(1_000_000)
    steps = installation(tmp_path / "home", share)
    with steps.kit() as kit:
        steps.source(kit)
        worker = driver(kit, seed)
        worker.ask()
        assert worker.run() > 40
    assert differs(steps) == "", f"seed {seed}"
