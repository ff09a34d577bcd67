"""Runs of the evaluation, so that their figures can be looked at over time."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None

_TEXT = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")
_NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Create the table."""
    op.create_table(
        "evaluations",
        sa.Column("seq", _NUMBER, autoincrement=False, nullable=False),
        sa.Column("at", _TEXT, nullable=False),
        sa.Column("kind", _TEXT, nullable=False),
        sa.Column("name", _TEXT, nullable=False),
        sa.Column("digest", _TEXT, nullable=False),
        sa.Column("questions", _NUMBER, nullable=False),
        sa.Column("made_with", _TEXT, nullable=False),
        sa.Column("figures", _TEXT, nullable=False),
        sa.PrimaryKeyConstraint("seq", name="pk_evaluations"),
    )
    op.create_index("ix_evaluations_name", "evaluations", ["kind", "name", "seq"])


def downgrade() -> None:
    """Drop it."""
    op.drop_table("evaluations")
