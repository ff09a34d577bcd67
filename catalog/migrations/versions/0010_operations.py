"""The dashboard: sessions, draws of samples, what happened to documents, blocks of verdicts, and indexes of its lists."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None

_TEXT = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")
_NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
_INDEXES = {
    "ix_outcomes_source": ("outcomes", ["source", "seq"]),
    "ix_outcomes_class": ("outcomes", ["failure", "department", "seq"]),
    "ix_outcomes_ended": ("outcomes", ["kind", "seq"]),
    "ix_outcomes_format": ("outcomes", ["format", "kind", "seq"]),
    "ix_outcomes_department": ("outcomes", ["department", "kind", "seq"]),
    "ix_queries_at": ("queries", ["at"]),
    "ix_queries_took": ("queries", ["took_ms", "seq"]),
    "ix_queries_channel": ("queries", ["channel", "seq"]),
    "ix_ledger_source": ("ledger", ["source", "seq"]),
}


def upgrade() -> None:
    """Create the tables, the columns, and the indexes."""
    op.add_column("outcomes", sa.Column("department", _TEXT, nullable=False, server_default=""))
    op.add_column("page_verdicts", sa.Column("blocks", _TEXT, nullable=False, server_default=""))
    published = (
        "SELECT v.department FROM documents d JOIN versions v ON v.version_id = d.version_id "
        "WHERE d.document_id = outcomes.document_id"
    )
    op.execute(f"UPDATE outcomes SET department = COALESCE(({published}), '')")  # noqa: S608  no value in it
    op.create_table(
        "sessions",
        sa.Column("digest", _TEXT, nullable=False),
        sa.Column("reader", _TEXT, nullable=False),
        sa.Column("caller", _TEXT, nullable=False),
        sa.Column("csrf", _TEXT, nullable=False),
        sa.Column("created_at", _TEXT, nullable=False),
        sa.Column("expires_at", _TEXT, nullable=False),
        sa.PrimaryKeyConstraint("digest", name="pk_sessions"),
    )
    op.create_table(
        "events",
        sa.Column("seq", _NUMBER, autoincrement=False, nullable=False),
        sa.Column("at", _TEXT, nullable=False),
        sa.Column("document_id", _TEXT, nullable=False),
        sa.Column("kind", _TEXT, nullable=False),
        sa.Column("detail", _TEXT, nullable=False),
        sa.PrimaryKeyConstraint("seq", name="pk_events"),
    )
    op.create_index("ix_events_document", "events", ["document_id", "seq"])
    op.create_table(
        "draws",
        sa.Column("draw", _NUMBER, autoincrement=False, nullable=False),
        sa.Column("place", _NUMBER, autoincrement=False, nullable=False),
        sa.Column("version_id", _TEXT, nullable=False),
        sa.Column("document_id", _TEXT, nullable=False),
        sa.Column("page", _NUMBER, nullable=False),
        sa.Column("stratum", _TEXT, nullable=False),
        sa.Column("by", _TEXT, nullable=False),
        sa.Column("at", _TEXT, nullable=False),
        sa.PrimaryKeyConstraint("draw", "place", name="pk_draws"),
    )
    op.create_index("ix_draws_document", "draws", ["document_id"])
    for name, (table, columns) in _INDEXES.items():
        op.create_index(name, table, columns)
    op.create_index(
        "ix_queries_empty",
        "queries",
        ["seq"],
        sqlite_where=sa.text("document_ids = '[]'"),
        postgresql_where=sa.text("document_ids = '[]'"),
    )


def downgrade() -> None:
    """Drop them."""
    op.drop_index("ix_queries_empty", "queries")
    for name, (table, _columns) in _INDEXES.items():
        op.drop_index(name, table)
    for table in ("draws", "events", "sessions"):
        op.drop_table(table)
    op.drop_column("page_verdicts", "blocks")
    op.drop_column("outcomes", "department")
