"""Bring a database's tables up to date."""

from __future__ import annotations

from pathlib import Path

import sqlalchemy as sa

from catalog.database import Database
from contracts.errors import ConfigError

__all__ = ["HEAD_REVISION", "MIGRATIONS", "migrate"]

HEAD_REVISION = "0014"
"""The newest revision in ``migrations/versions``: what this code needs."""

MIGRATIONS = Path(__file__).parent / "migrations"


def migrate(database: Database) -> None:
    """Apply the revisions that are missing, in one transaction; other processes wait meanwhile.

    Raises:
        ConfigError: the tables are of a newer Seoga.
        CatalogUnavailableError: the database cannot be reached or written to now.
    """
    with database.read() as connection:
        if _revision(connection) == HEAD_REVISION:
            return
    with database.transaction() as connection:
        revision = _revision(connection)
        if revision != HEAD_REVISION:
            _upgrade(connection, revision)


def _revision(connection: sa.Connection) -> str | None:
    if not sa.inspect(connection).has_table("alembic_version"):
        return None
    return connection.execute(sa.text("SELECT version_num FROM alembic_version")).scalar()


def _upgrade(connection: sa.Connection, revision: str | None) -> None:
    # Imported here: a database that is up to date, the usual case, needs no Alembic.
    from alembic import command
    from alembic.config import Config
    from alembic.script import ScriptDirectory

    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    known = {script.revision for script in ScriptDirectory.from_config(config).walk_revisions()}
    if revision is not None and revision not in known:
        msg = f"the catalog is at revision {revision}, this Seoga knows {HEAD_REVISION}"
        raise ConfigError(msg, advice="install the Seoga that wrote it, or a newer one")
    config.attributes["connection"] = connection
    command.upgrade(config, "head")
