"""OpenSearch for tests; loaded by ``tests/conftest.py``. Tests that use it carry the marker ``distributed``."""

from __future__ import annotations

import importlib.util
import json
import os
import secrets
import sys
import urllib.request
from pathlib import Path

import pytest

from contracts.settings import IndexSettings

_STARTER = Path(__file__).parent.parent / "scripts" / "opensearch_server.py"


@pytest.fixture(scope="session")
def opensearch_starter():
    """The module that starts servers: ``OpenSearchServer`` and ``serving``."""
    spec = importlib.util.spec_from_file_location("seoga_opensearch_server", _STARTER)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def opensearch_url(opensearch_starter):
    """The address of an OpenSearch server of this test session.

    ``SEOGA_TEST_OPENSEARCH`` names one that runs already: a server takes seconds to start and a gigabyte.
    """
    running = os.environ.get("SEOGA_TEST_OPENSEARCH")
    if running:
        yield running
        return
    with opensearch_starter.serving(heap="768m") as server:
        yield server.url


@pytest.fixture
def opensearch_index_settings(opensearch_url):
    """Settings of an index of this test's own, in several shards; removed at the end."""
    settings = IndexSettings(
        backend="opensearch",
        url=opensearch_url,
        name=f"test_{secrets.token_hex(4)}",
        shards=2,
    )
    yield settings
    names = _call("GET", f"{opensearch_url}/_alias?filter_path=*")
    for name in json.loads(names):
        if name.startswith(f"{settings.name}-"):
            _call("DELETE", f"{opensearch_url}/{name}")
    _call("DELETE", f"{opensearch_url}/_index_template/{settings.name}*")


def _call(method: str, address: str) -> bytes:
    request = urllib.request.Request(address, method=method)  # noqa: S310  loopback
    with urllib.request.urlopen(request, timeout=60) as answer:  # noqa: S310
        return answer.read()
