"""All tables of the first release."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

_TEXT = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")
_NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
_HEAD = 500


def upgrade() -> None:
    """Create them."""
    _create_sources()
    _create_documents()
    _create_access()
    _create_findings()
    _create_runs()


def downgrade() -> None:
    """Drop them."""
    for table in (
        "meta",
        "counters",
        "sources",
        "items",
        "documents",
        "versions",
        "codes",
        "scopes",
        "overlay",
        "outbox",
        "principals",
        "ledger",
        "outcomes",
        "quality",
        "conflicts",
        "verdicts",
        "runs",
        "queries",
    ):
        op.drop_table(table)


def _create_sources() -> None:
    op.create_table(
        "meta",
        _text("key"),
        _text("value"),
        sa.PrimaryKeyConstraint("key", name="pk_meta"),
    )
    op.create_table(
        "counters",
        _text("name"),
        _number("value"),
        sa.PrimaryKeyConstraint("name", name="pk_counters"),
    )
    op.create_table(
        "sources",
        _text("name"),
        _text("kind"),
        _text("config"),
        _text("origin"),
        _flag("paused"),
        _text("last_content_run"),
        _text("last_permission_run"),
        _text("alert"),
        sa.PrimaryKeyConstraint("name", name="pk_sources"),
    )
    op.create_table(
        "items",
        _number("item_id"),
        _text("source"),
        _text("object_id"),
        _text("path"),
        _text("locator"),
        _number("size"),
        _number("modified_ns"),
        _number("changed_ns", nullable=True),
        _text("access_tag"),
        _text("content_sha256"),
        _text("document_id"),
        _text("scope_id"),
        _text("state"),
        _text("processed"),
        _number("content_checked_ns"),
        _text("seen_run"),
        sa.PrimaryKeyConstraint("item_id", name="pk_items"),
    )
    op.create_index("ix_items_object", "items", ["source", _head("object_id")])
    op.create_index("ix_items_path", "items", ["source", _head("path")])
    op.create_index("ix_items_todo", "items", ["source", "state", "processed", "item_id"])


def _create_documents() -> None:
    op.create_table(
        "documents",
        _text("document_id"),
        _text("source"),
        _number("item_id"),
        _text("parent_id"),
        _text("member_path"),
        _text("path"),
        _number("ordinal"),
        _text("version_id"),
        _text("state"),
        _flag("stale"),
        _text("scope_id"),
        _text("created_at"),
        sa.PrimaryKeyConstraint("document_id", name="pk_documents"),
    )
    op.create_index("ix_documents_item", "documents", ["item_id"])
    op.create_index("ix_documents_parent", "documents", ["parent_id"])
    op.create_index("ix_documents_version", "documents", ["version_id"])
    op.create_index("ix_documents_scope", "documents", [_head("scope_id")])
    op.create_table(
        "versions",
        _text("version_id"),
        _text("document_id"),
        _text("content_sha256"),
        _text("format"),
        _text("parse_key"),
        _text("config_fingerprint"),
        _text("authority"),
        _text("family_digest"),
        _text("metadata"),
        _text("title"),
        _text("document_number"),
        _text("family"),
        _text("revision"),
        _text("status"),
        _text("effective_date", nullable=True),
        _text("document_type"),
        _text("department"),
        _text("security_level"),
        _text("language"),
        _number("chunks"),
        _text("created_at"),
        sa.PrimaryKeyConstraint("version_id", name="pk_versions"),
    )
    op.create_index("ix_versions_content", "versions", ["content_sha256"])
    op.create_index("ix_versions_document", "versions", ["document_id"])
    op.create_index("ix_versions_family", "versions", ["family_digest"])
    op.create_index("ix_versions_parse", "versions", ["parse_key"])
    op.create_table(
        "codes",
        _text("version_id"),
        _number("position"),
        _text("kind"),
        _text("canonical"),
        _text("raw"),
        _text("place"),
        _flag("known"),
        sa.PrimaryKeyConstraint("version_id", "position", name="pk_codes"),
    )
    op.create_index("ix_codes_canonical", "codes", [_head("canonical")])


def _create_access() -> None:
    op.create_table(
        "scopes",
        _text("scope_digest"),
        _text("scope_id"),
        _text("source"),
        _text("key"),
        _text("parent_id", nullable=True),
        _text("gates"),
        _flag("readable"),
        _text("groups"),
        _number("epoch"),
        sa.PrimaryKeyConstraint("scope_digest", name="pk_scopes"),
    )
    op.create_index("ix_scopes_source", "scopes", ["source"])
    op.create_table(
        "overlay",
        _text("document_id"),
        _text("reason"),
        sa.PrimaryKeyConstraint("document_id", "reason", name="pk_overlay"),
    )
    op.create_table(
        "outbox",
        _text("document_id"),
        _number("place"),
        _number("seq"),
        sa.PrimaryKeyConstraint("document_id", name="pk_outbox"),
    )
    op.create_index("ix_outbox_place", "outbox", ["place"])
    op.create_index("ix_outbox_seq", "outbox", ["seq"])
    op.create_table(
        "principals",
        _text("name"),
        _text("principals"),
        _number("generation"),
        _text("resolved_at"),
        sa.PrimaryKeyConstraint("name", name="pk_principals"),
    )
    op.create_table(
        "ledger",
        _number("seq"),
        _text("at_seen"),
        _text("effective_at"),
        _text("source"),
        _text("scope_id"),
        _text("document_id"),
        _text("principal"),
        _text("change"),
        _text("detail"),
        sa.PrimaryKeyConstraint("seq", name="pk_ledger"),
    )
    op.create_index("ix_ledger_document", "ledger", ["document_id"])
    op.create_index("ix_ledger_principal", "ledger", [_head("principal")])
    op.create_index("ix_ledger_scope", "ledger", [_head("scope_id")])


def _create_findings() -> None:
    op.create_table(
        "outcomes",
        _number("seq"),
        _text("subject"),
        _text("document_id"),
        _text("source"),
        _text("path"),
        _text("member_path"),
        _text("kind"),
        _text("failure"),
        _text("reason"),
        _text("warnings"),
        _text("run_id"),
        _text("at"),
        _real("seconds"),
        _real("peak_mb"),
        _text("format"),
        _number("size"),
        sa.PrimaryKeyConstraint("seq", name="pk_outcomes"),
    )
    op.create_index("ix_outcomes_kind", "outcomes", ["source", "kind", "failure"])
    op.create_index("ux_outcomes_subject", "outcomes", ["subject"], unique=True)
    op.create_table(
        "quality",
        _text("version_id"),
        _text("grade"),
        _real("confidence"),
        _text("reasons"),
        _text("pages"),
        sa.PrimaryKeyConstraint("version_id", name="pk_quality"),
    )
    op.create_index("ix_quality_grade", "quality", ["grade", "confidence"])
    op.create_table(
        "conflicts",
        _text("document_id"),
        _text("field"),
        _text("evidence"),
        _text("state"),
        _text("verdict"),
        _text("by"),
        _text("at"),
        sa.PrimaryKeyConstraint("document_id", "field", name="pk_conflicts"),
    )
    op.create_index("ix_conflicts_state", "conflicts", ["state", "at"])
    op.create_table(
        "verdicts",
        _text("version_id"),
        _text("document_id"),
        _text("verdict"),
        _text("note"),
        _text("by"),
        _text("at"),
        sa.PrimaryKeyConstraint("version_id", name="pk_verdicts"),
    )
    op.create_index("ix_verdicts_document", "verdicts", ["document_id"])


def _create_runs() -> None:
    op.create_table(
        "runs",
        _text("run_id"),
        _text("kind"),
        _text("source"),
        _text("started_at"),
        _text("finished_at"),
        _text("state"),
        _text("counts"),
        _text("message"),
        _number("pid"),
        _real("pid_started"),
        _text("host"),
        _text("heartbeat_at"),
        sa.PrimaryKeyConstraint("run_id", name="pk_runs"),
    )
    op.create_index("ix_runs_source", "runs", ["source", "kind", "run_id"])
    running = sa.text("state = 'running'")
    op.create_index(
        "ux_runs_lease",
        "runs",
        ["kind", "source"],
        unique=True,
        sqlite_where=running,
        postgresql_where=running,
    )
    op.create_table(
        "queries",
        _number("seq"),
        _text("at"),
        _text("reader"),
        _text("query"),
        _text("filters"),
        _text("document_ids"),
        _real("took_ms"),
        _text("channel"),
        _text("digest"),
        sa.PrimaryKeyConstraint("seq", name="pk_queries"),
    )


def _text(name: str, *, nullable: bool = False) -> sa.Column[str]:
    return sa.Column(name, _TEXT, nullable=nullable)


def _number(name: str, *, nullable: bool = False) -> sa.Column[int]:
    return sa.Column(name, _NUMBER, nullable=nullable, autoincrement=False)


def _flag(name: str) -> sa.Column[bool]:
    return sa.Column(name, sa.Boolean(), nullable=False)


def _real(name: str) -> sa.Column[float]:
    return sa.Column(name, sa.Double(), nullable=False)


def _head(name: str) -> sa.TextClause:
    return sa.text(f"substr({name}, 1, {_HEAD})")
