"""Documents that change while a new index is made beside the one that serves."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

_TEXT = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")
_NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Create the table."""
    op.create_table(
        "changes",
        sa.Column("document_id", _TEXT, nullable=False),
        sa.Column("seq", _NUMBER, nullable=False, autoincrement=False),
        sa.Column("content", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("document_id", name="pk_changes"),
    )
    op.create_index("ix_changes_seq", "changes", ["seq"])


def downgrade() -> None:
    """Drop it."""
    op.drop_table("changes")
