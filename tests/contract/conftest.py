"""Catalogs on every database that a catalog can be on."""

from __future__ import annotations

import shutil

import pytest
from psycopg import sql

from catalog.catalog import Catalog
from catalog.tables import metadata


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
