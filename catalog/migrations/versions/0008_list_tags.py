"""What a folder's list was read under: an unchanged one is not read again."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column."""
    column: sa.Column[str] = sa.Column("tag", sa.Text(), nullable=False, server_default="")
    op.add_column("scopes", column)


def downgrade() -> None:
    """Drop it."""
    op.drop_column("scopes", "tag")
