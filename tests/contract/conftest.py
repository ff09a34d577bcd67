"""Catalogs on every database that a catalog can be on; benches for the adapters of the registries."""

from __future__ import annotations

import importlib.util
import itertools
import shutil
from pathlib import Path

import pytest
from psycopg import sql

from catalog.catalog import Catalog
from catalog.tables import metadata

_BUILDERS = Path(__file__).with_name("builders")


@pytest.fixture
def make_bench(tmp_path, request):
    """``make_bench("source", "filesystem")``: a fresh bench of an adapter, in a folder of its own.

    An adapter is tested on what its bench sets up: ``bench(folder)`` of ``builders/<port>_<name>.py``. What a
    bench must offer stands in the suite of its port. Fixtures that the module names in ``SERVERS`` are handed on.
    """
    for folder in (tmp_path, *tmp_path.parents):
        mode = folder.stat().st_mode
        if not mode & 0o001:  # accounts without rights of their own must get to the bench
            folder.chmod(mode & 0o7777 | 0o055)
    numbers = itertools.count()
    opened = []

    def make(port, name):
        path = _BUILDERS / f"{port}_{name}.py"
        if not path.is_file():
            pytest.fail(
                f"the registry has the {port} adapter {name!r}, but nothing to test it on: "
                f"add tests/contract/builders/{path.name} with a function bench(folder)",
                pytrace=False,
            )
        folder = tmp_path / f"{port}-{next(numbers)}"
        folder.mkdir(mode=0o755)
        module = load_builder(path)
        servers = [request.getfixturevalue(name) for name in getattr(module, "SERVERS", ())]
        opened.append(module.bench(folder, *servers))
        return opened[-1]

    yield make
    for bench in opened:
        close = getattr(bench, "close", None)
        if close is not None:
            close()


def load_builder(path):
    """The module of a bench; in importlib mode it is in no package."""
    spec = importlib.util.spec_from_file_location(f"seoga_bench_{path.stem}", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def sqlite_template(tmp_path_factory):
    """A home folder with an empty, migrated catalog."""
    home = tmp_path_factory.mktemp("catalog")
    Catalog.open("", home).close()
    return home


@pytest.fixture(scope="session")
def postgres_catalog(postgres, tmp_path_factory):
    """The name of a PostgreSQL database with a migrated catalog, emptied for each test."""
    name = postgres.create()
    Catalog.open(postgres.url(name), tmp_path_factory.mktemp("home")).close()
    return name


@pytest.fixture(
    params=["sqlite", pytest.param("postgresql", marks=pytest.mark.integration)],
)
def catalog(request, tmp_path):
    """An empty catalog on each kind of database."""
    if request.param == "sqlite":
        template = request.getfixturevalue("sqlite_template")
        shutil.copy(template / "catalog.db", tmp_path / "catalog.db")
        with Catalog.open("", tmp_path) as opened:
            yield opened
        return
    server = request.getfixturevalue("postgres")
    name = request.getfixturevalue("postgres_catalog")
    with server.connect(name) as connection:
        for table in metadata.tables:  # a new database each time would cost half a second
            connection.execute(sql.SQL("DELETE FROM {}").format(sql.Identifier(table)))
    with Catalog.open(server.url(name), tmp_path) as opened:
        yield opened
