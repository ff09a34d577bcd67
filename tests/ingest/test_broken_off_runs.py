"""A run that breaks off because the catalog's server went down holds up nobody when it is back."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import pytest

from catalog.catalog import Catalog
from contracts.errors import CatalogUnavailableError, LeaseLostError
from ingest.lease import end_run


@pytest.fixture
def server():
    """A PostgreSQL that may be stopped."""
    sys.path.append(str(Path(__file__).resolve().parents[2] / "scripts"))
    from harness.postgres import PostgresProcess

    with PostgresProcess() as process:
        yield process


@pytest.mark.integration
def test_a_run_that_could_not_be_ended_is_ended_when_the_catalog_answers_again(server, tmp_path):
    url = server.url(server.create())
    with Catalog.open(url, tmp_path) as catalog:
        run = catalog.runs.start("content", "drive")
        server.stop_immediately()
        with pytest.raises(CatalogUnavailableError):
            catalog.runs.heartbeat(run.run_id)
        end_run(catalog, run.run_id, "failed", counts={"listed": 3}, message="server gone")
        server.start()
        end = time.monotonic() + 20
        while True:
            try:
                catalog.runs.start("content", "drive")
                break
            except LeaseLostError:
                assert time.monotonic() < end, "the run that broke off holds its source"
                time.sleep(0.1)
        ended = catalog.runs.get(run.run_id)
        assert (ended.state, ended.counts, ended.message) == (
            "failed",
            {"listed": 3},
            "server gone",
        )
