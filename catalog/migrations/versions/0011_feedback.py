"""What readers say of what they were shown."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None

_TEXT = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")
_NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Create the table."""
    op.create_table(
        "feedback",
        sa.Column("seq", _NUMBER, autoincrement=False, nullable=False),
        sa.Column("at", _TEXT, nullable=False),
        sa.Column("kind", _TEXT, nullable=False),
        sa.Column("reader", _TEXT, nullable=False),
        sa.Column("query", _TEXT, nullable=False),
        sa.Column("document_id", _TEXT, nullable=False),
        sa.Column("chunk_id", _TEXT, nullable=False),
        sa.Column("note", _TEXT, nullable=False),
        sa.Column("via", _TEXT, nullable=False),
        sa.Column("settled_by", _TEXT, nullable=False),
        sa.Column("verdict", _TEXT, nullable=False),
        sa.PrimaryKeyConstraint("seq", name="pk_feedback"),
    )
    op.create_index("ix_feedback_kind", "feedback", ["kind", "settled_by", "seq"])


def downgrade() -> None:
    """Drop it."""
    op.drop_table("feedback")
