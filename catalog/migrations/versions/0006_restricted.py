"""Documents that were locked and opened: a gate stands before their scope."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column."""
    column: sa.Column[bool] = sa.Column(
        "restricted", sa.Boolean(), nullable=False, server_default=sa.false()
    )
    op.add_column("documents", column)


def downgrade() -> None:
    """Drop it."""
    op.drop_column("documents", "restricted")
