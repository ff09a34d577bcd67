"""Every index backend of the registry, opened on an empty home.

A backend that needs a service brings a fixture ``<name>_index_settings`` that returns its ``IndexSettings``.
"""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from contracts.settings import IndexSettings
from search.backends.registry import BACKENDS, make_index

_BUILDERS = Path(__file__).with_name("index_builders.py")


@pytest.fixture(scope="session")
def build():
    """The module of builders."""
    spec = importlib.util.spec_from_file_location("seoga_index_builders", _BUILDERS)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def _backend(name):
    """A backend that needs a server is tested where servers are started: ``make test-distributed``."""
    marks = () if name == "embedded" else (pytest.mark.distributed,)
    return pytest.param(name, marks=marks)


@pytest.fixture(params=[_backend(entry.name) for entry in BACKENDS])
def settings(request):
    """Settings of each backend."""
    name = f"{request.param}_index_settings"
    if request._fixturemanager.getfixturedefs(name, request.node):
        return request.getfixturevalue(name)
    return IndexSettings(backend=request.param)


@pytest.fixture
def open_index(settings, tmp_path, build):
    """Opens the index of this test; what was opened is closed at the end."""
    opened = []

    def open_it(fingerprint="test", dimension=build.DIMENSION):
        opened.append(make_index(settings, tmp_path, dimension, fingerprint))
        return opened[-1]

    yield open_it
    for index in opened:
        index.close()


@pytest.fixture
def index(open_index):
    """An empty index."""
    return open_index()


@pytest.fixture
def worker(settings, tmp_path):
    """The command of a process that publishes generations to the index of this test."""
    root = str(Path(__file__).parents[3])
    return SimpleNamespace(
        command=lambda document_id, rounds, compact="": [
            sys.executable,
            str(_BUILDERS),
            settings.model_dump_json(),
            str(tmp_path),
            document_id,
            str(rounds),
            compact,
        ],
        environment={"PYTHONPATH": root, "PATH": "/usr/bin:/bin"},
    )
