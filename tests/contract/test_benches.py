"""Every adapter of a registry has a bench to be tested on, and every bench an adapter."""

from __future__ import annotations

from pathlib import Path

import pytest

from acl_sync.registry import DIRECTORIES, PERMISSION_READERS
from ingest.blob_registry import BLOB_STORES
from ingest.queue.registry import QUEUES
from ingest.sources.registry import SOURCES

BUILDERS = Path(__file__).with_name("builders")
ADAPTERS = {
    "source": [entry.kind for entry in SOURCES],
    "permission_reader": [entry.name for entry in PERMISSION_READERS],
    "directory": [entry.name for entry in DIRECTORIES],
    "blobs": [entry.name for entry in BLOB_STORES],
    "queue": [entry.name for entry in QUEUES],
}


def test_benches_and_adapters_are_the_same():
    wanted = {f"{port}_{name}.py" for port, names in ADAPTERS.items() for name in names}
    assert {path.name for path in BUILDERS.glob("*.py")} == wanted


def test_an_adapter_without_a_bench_fails_with_what_to_add(make_bench):
    with pytest.raises(pytest.fail.Exception, match=r"builders/source_mailbox\.py"):
        make_bench("source", "mailbox")


@pytest.mark.parametrize(
    "entry",
    [*PERMISSION_READERS, *DIRECTORIES, *BLOB_STORES, *QUEUES],
    ids=lambda entry: entry.where,
)
def test_what_a_line_of_a_registry_names_is_there(entry):
    assert callable(entry.load())
