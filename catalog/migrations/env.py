"""Alembic's entry point; :mod:`catalog.migrate` hands over the connection of its transaction."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import context

from catalog.tables import metadata

connection: sa.Connection = context.config.attributes["connection"]
# Both databases undo DDL in a rollback, so a migration that is killed leaves nothing behind.
context.configure(
    connection=connection,
    target_metadata=metadata,
    transactional_ddl=True,
    render_as_batch=connection.dialect.name == "sqlite",
)
with context.begin_transaction():
    context.run_migrations()
