"""By which key somebody came in: sessions end with it. Everybody logs in anew, once."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None

_TEXT = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")


def upgrade() -> None:
    """Make the table of sessions anew, with the column."""
    op.drop_table("sessions")
    op.create_table("sessions", *_columns(), sa.Column("mark", _TEXT, nullable=False), _key())


def downgrade() -> None:
    """Make it anew without."""
    op.drop_table("sessions")
    op.create_table("sessions", *_columns(), _key())


def _columns() -> list[sa.Column[str]]:
    names = ("digest", "reader", "caller", "csrf", "created_at", "expires_at")
    return [sa.Column(name, _TEXT, nullable=False) for name in names]


def _key() -> sa.PrimaryKeyConstraint:
    return sa.PrimaryKeyConstraint("digest", name="pk_sessions")
