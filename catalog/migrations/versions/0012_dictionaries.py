"""Versions of the dictionary of synonyms."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None

_TEXT = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")
_NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Create the table."""
    op.create_table(
        "dictionaries",
        sa.Column("version", _NUMBER, autoincrement=False, nullable=False),
        sa.Column("at", _TEXT, nullable=False),
        sa.Column("author", _TEXT, nullable=False),
        sa.Column("note", _TEXT, nullable=False),
        sa.Column("text", _TEXT, nullable=False),
        sa.PrimaryKeyConstraint("version", name="pk_dictionaries"),
    )


def downgrade() -> None:
    """Drop it."""
    op.drop_table("dictionaries")
