"""Snapshots of directories: who is in which group, for while no server answers."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None

_TEXT = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")
_NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Create the tables."""
    op.create_table(
        "directory_snapshots",
        sa.Column("realm", _TEXT, nullable=False),
        sa.Column("generation", _NUMBER, nullable=False),
        sa.Column("building", _NUMBER, nullable=False),
        sa.Column("server", _TEXT, nullable=False),
        sa.Column("cursor", _TEXT, nullable=False),
        sa.Column("refreshed_at", _TEXT, nullable=False),
        sa.Column("full_at", _TEXT, nullable=False),
        sa.Column("problem", _TEXT, nullable=False),
        sa.PrimaryKeyConstraint("realm", name="pk_directory_snapshots"),
    )
    op.create_table(
        "directory_entries",
        sa.Column("realm", _TEXT, nullable=False),
        sa.Column("generation", _NUMBER, autoincrement=False, nullable=False),
        sa.Column("entry_id", _TEXT, nullable=False),
        sa.Column("kind", _TEXT, nullable=False),
        sa.Column("dn", _TEXT, nullable=False),
        sa.Column("body", _TEXT, nullable=False),
        sa.PrimaryKeyConstraint("realm", "generation", "entry_id", name="pk_directory_entries"),
    )
    op.create_table(
        "directory_links",
        sa.Column("realm", _TEXT, nullable=False),
        sa.Column("generation", _NUMBER, autoincrement=False, nullable=False),
        sa.Column("key", _TEXT, nullable=False),
        sa.Column("entry_id", _TEXT, nullable=False),
        sa.PrimaryKeyConstraint(
            "realm", "generation", "key", "entry_id", name="pk_directory_links"
        ),
    )
    op.create_index(
        "ix_directory_links_entry", "directory_links", ["realm", "generation", "entry_id"]
    )


def downgrade() -> None:
    """Drop them."""
    for table in ("directory_links", "directory_entries", "directory_snapshots"):
        op.drop_table(table)
