"""Catalogs on every database that a catalog can be on."""

from __future__ import annotations

import shutil

import pytest

from catalog.catalog import Catalog


@pytest.fixture(scope="session")
def sqlite_template(tmp_path_factory):
    """A home folder with an empty, migrated catalog."""
    home = tmp_path_factory.mktemp("catalog")
    Catalog.open("", home).close()
    return home


@pytest.fixture(scope="session")
def postgres_template(postgres, tmp_path_factory):
    """The name of a PostgreSQL database with an empty, migrated catalog."""
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
    name = server.create(template=request.getfixturevalue("postgres_template"))
    with Catalog.open(server.url(name), tmp_path) as opened:
        yield opened
    server.drop(name)
