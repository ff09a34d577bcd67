"""Work that is handed over between processes."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

_TEXT = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")
_NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Create the table."""
    op.create_table(
        "tasks",
        _text("key"),
        _text("kind"),
        _text("source"),
        _text("subject"),
        _number("size"),
        _text("payload"),
        _text("state"),
        _number("attempts"),
        _number("completions"),
        _text("worker"),
        _text("lease_until"),
        _text("not_before"),
        _text("failure"),
        _text("detail"),
        _text("enqueued_at"),
        _text("finished_at"),
        _text("rung_at"),
        sa.PrimaryKeyConstraint("key", name="pk_tasks"),
    )
    op.create_index("ix_tasks_next", "tasks", ["state", "kind", "size", "enqueued_at"])
    op.create_index("ix_tasks_subject", "tasks", ["source", "subject", "state"])


def downgrade() -> None:
    """Drop it."""
    op.drop_table("tasks")


def _text(name: str) -> sa.Column[str]:
    return sa.Column(name, _TEXT, nullable=False)


def _number(name: str) -> sa.Column[int]:
    return sa.Column(name, _NUMBER, nullable=False, autoincrement=False)
