"""Verdicts over single pages of parse samples, one a reviewer."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None

_TEXT = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")
_NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Make the table."""
    op.create_table(
        "page_verdicts",
        sa.Column("version_id", _TEXT, nullable=False),
        sa.Column("page", _NUMBER, autoincrement=False, nullable=False),
        sa.Column("by", _TEXT, nullable=False),
        sa.Column("verdict", _TEXT, nullable=False),
        sa.Column("note", _TEXT, nullable=False),
        sa.Column("at", _TEXT, nullable=False),
        sa.PrimaryKeyConstraint("version_id", "page", "by", name="pk_page_verdicts"),
    )


def downgrade() -> None:
    """Drop it."""
    op.drop_table("page_verdicts")
