"""A catalog brings its tables up to date by itself, or says why it cannot."""

from __future__ import annotations

import os
import signal
import warnings

import pytest
import sqlalchemy as sa
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory

from catalog import migrate
from catalog.catalog import Catalog
from catalog.database import open_database
from catalog.tables import metadata
from contracts.errors import ConfigError


def config(connection: sa.Connection | None = None) -> Config:
    made = Config()
    made.set_main_option("script_location", str(migrate.MIGRATIONS))
    made.attributes["connection"] = connection
    return made


def drift(connection: sa.Connection) -> list[object]:
    with warnings.catch_warnings():
        # SQLAlchemy does not read indexes over expressions back from SQLite; their DDL is compared below.
        warnings.filterwarnings("ignore", message="Skipped unsupported reflection")
        warnings.filterwarnings("ignore", message="autogenerate skipping metadata-specified")
        return compare_metadata(MigrationContext.configure(connection), metadata)


def ddl(connection: sa.Connection) -> set[str]:
    """Every statement in SQLite's own schema table, white space and quotes aside."""
    query = sa.text("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL")
    return {" ".join(text.replace('"', "").split()) for text in connection.execute(query).scalars()}


def test_a_new_sqlite_catalog_has_exactly_the_tables_of_the_code(tmp_path):
    Catalog.open("", tmp_path / "migrated").close()
    migrated = open_database("", tmp_path / "migrated")
    with migrated.read() as connection:
        assert drift(connection) == []
        found = ddl(connection)
    created = open_database("", tmp_path / "created")
    with created.transaction() as connection:
        metadata.create_all(connection)
        wanted = ddl(connection)
    assert {line for line in found if "alembic_version" not in line} == wanted
    migrated.close()
    created.close()


@pytest.mark.integration
def test_a_new_postgresql_catalog_has_exactly_the_tables_of_the_code(postgres, tmp_path):
    name = postgres.create()
    Catalog.open(postgres.url(name), tmp_path).close()
    database = open_database(postgres.url(name), tmp_path)
    with database.read() as connection:
        assert drift(connection) == []
    database.close()


def test_the_code_asks_for_the_newest_revision():
    assert ScriptDirectory.from_config(config()).get_heads() == [migrate.HEAD_REVISION]


@pytest.mark.parametrize("url", ["", "postgresql"])
def test_a_migration_can_be_taken_back_and_made_again(url, tmp_path, request):
    if url:
        server = request.getfixturevalue("postgres")
        url = server.url(server.create())
    database = open_database(url, tmp_path)
    migrate.migrate(database)
    with database.transaction() as connection:
        command.downgrade(config(connection), "base")
        assert sa.inspect(connection).get_table_names() == ["alembic_version"]
    migrate.migrate(database)
    with database.read() as connection:
        assert drift(connection) == []
    database.close()


@pytest.mark.parametrize("url", ["", "postgresql"])
def test_pages_recognised_before_they_were_counted_are_counted(url, tmp_path, request):
    if url:
        server = request.getfixturevalue("postgres")
        url = server.url(server.create())
    database = open_database(url, tmp_path)
    migrate.migrate(database)
    pages = '[{"page":1,"ocr_confidence_mean":0.9},{"page":2,"ocr_confidence_mean":null},{"page":3,"ocr_confidence_mean":0.5}]'
    with database.transaction() as connection:
        command.downgrade(config(connection), "0002")
        statement = sa.text("INSERT INTO quality VALUES (:v, 'C', 0.5, '[]', :pages)")
        connection.execute(statement, [{"v": "a", "pages": pages}, {"v": "b", "pages": "[]"}])
    migrate.migrate(database)
    with database.read() as connection:
        found = connection.execute(sa.text("SELECT version_id, recognised FROM quality")).all()
    assert sorted(tuple(row) for row in found) == [("a", 2), ("b", 0)]
    database.close()


def test_a_catalog_of_a_newer_seoga_is_left_alone(tmp_path):
    with Catalog.open("", tmp_path) as catalog:
        catalog.meta.set("kept", "yes")
        with catalog._database.transaction() as connection:
            connection.execute(sa.text("UPDATE alembic_version SET version_num = '9999'"))
    with pytest.raises(ConfigError, match=r"revision 9999.*newer"):
        Catalog.open("", tmp_path)
    database = open_database("", tmp_path)
    with database.read() as connection:
        assert connection.execute(sa.text("SELECT value FROM meta")).scalar() == "yes"
    database.close()


def test_a_killed_migration_leaves_nothing_half_done(tmp_path):
    child = os.fork()
    if child == 0:
        database = open_database("", tmp_path)
        with database.transaction() as connection:
            migrate._upgrade(connection, None)
            os.kill(os.getpid(), signal.SIGKILL)
    assert os.WTERMSIG(os.waitpid(child, 0)[1]) == signal.SIGKILL
    database = open_database("", tmp_path)
    with database.read() as connection:
        assert sa.inspect(connection).get_table_names() == []
    database.close()
    with Catalog.open("", tmp_path) as catalog:
        assert catalog.items.count("any") == 0


def test_processes_that_open_a_new_catalog_at_once_migrate_it_once(tmp_path):
    children = []
    for _ in range(4):
        child = os.fork()
        if child == 0:
            status = 1
            try:
                with Catalog.open("", tmp_path) as catalog:
                    catalog.outbox.add([str(os.getpid())])
                status = 0
            finally:
                os._exit(status)
        children.append(child)
    assert [os.waitpid(child, 0)[1] for child in children] == [0] * 4
    with Catalog.open("", tmp_path) as catalog:
        assert catalog.outbox.count() == 4
