"""Keys that mails of one conversation share; filled as mails are enriched anew."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None

_TEXT = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")
_NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Create the table."""
    op.create_table(
        "threads",
        sa.Column("version_id", _TEXT, nullable=False),
        sa.Column("position", _NUMBER, nullable=False, autoincrement=False),
        sa.Column("key", _TEXT, nullable=False),
        sa.PrimaryKeyConstraint("version_id", "position", name="pk_threads"),
    )
    op.create_index("ix_threads_key", "threads", [sa.text("substr(key, 1, 500)")])


def downgrade() -> None:
    """Drop it."""
    op.drop_table("threads")
