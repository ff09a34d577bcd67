"""Every table of the catalog. A change here needs a revision in ``catalog/migrations/versions``.

Long texts (paths, scope ids) are indexed by their head, see :mod:`catalog.text`. Numbers of rows come
from ``counters``, not from the database, so that both databases number alike and without gaps.
"""

from __future__ import annotations

import sqlalchemy as sa

from catalog.text import SafeText, head

__all__ = [
    "changes",
    "codes",
    "conflicts",
    "counters",
    "documents",
    "feedback",
    "items",
    "ledger",
    "meta",
    "metadata",
    "outbox",
    "outcomes",
    "overlay",
    "page_verdicts",
    "principals",
    "quality",
    "queries",
    "runs",
    "scopes",
    "sources",
    "tasks",
    "verdicts",
    "versions",
]

metadata = sa.MetaData(
    naming_convention={"pk": "pk_%(table_name)s", "uq": "uq_%(table_name)s_%(column_0_N_name)s"}
)

_NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def _text(name: str) -> sa.Column[str]:
    return sa.Column(name, SafeText(), nullable=False)


def _key(name: str) -> sa.Column[str]:
    return sa.Column(name, SafeText(), primary_key=True)


def _number(name: str) -> sa.Column[int]:
    return sa.Column(name, _NUMBER, nullable=False)


def _number_key(name: str) -> sa.Column[int]:
    return sa.Column(name, _NUMBER, primary_key=True, autoincrement=False)


def _flag(name: str) -> sa.Column[bool]:
    return sa.Column(name, sa.Boolean(), nullable=False)


def _real(name: str) -> sa.Column[float]:
    return sa.Column(name, sa.Double(), nullable=False)


meta = sa.Table("meta", metadata, _key("key"), _text("value"))

counters = sa.Table("counters", metadata, _key("name"), _number("value"))

sources = sa.Table(
    "sources",
    metadata,
    _key("name"),
    _text("kind"),
    _text("config"),
    _text("origin"),
    _flag("paused"),
    _text("last_content_run"),
    _text("last_permission_run"),
    _text("alert"),
)

items = sa.Table(
    "items",
    metadata,
    _number_key("item_id"),
    _text("source"),
    _text("object_id"),
    _text("path"),
    _text("locator"),
    _number("size"),
    _number("modified_ns"),
    sa.Column("changed_ns", _NUMBER, nullable=True),
    _text("access_tag"),
    _text("content_sha256"),
    _text("document_id"),
    _text("scope_id"),
    _text("state"),
    _text("processed"),
    _number("content_checked_ns"),
    _text("seen_run"),
)
sa.Index("ix_items_path", items.c.source, head(items.c.path))
sa.Index("ix_items_object", items.c.source, head(items.c.object_id))
sa.Index("ix_items_todo", items.c.source, items.c.state, items.c.processed, items.c.item_id)

documents = sa.Table(
    "documents",
    metadata,
    _key("document_id"),
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
    sa.Column("restricted", sa.Boolean(), nullable=False, server_default=sa.false()),
)
sa.Index("ix_documents_item", documents.c.item_id)
sa.Index("ix_documents_parent", documents.c.parent_id)
sa.Index("ix_documents_version", documents.c.version_id)
sa.Index("ix_documents_scope", head(documents.c.scope_id))

versions = sa.Table(
    "versions",
    metadata,
    _key("version_id"),
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
    sa.Column("effective_date", SafeText(), nullable=True),
    _text("document_type"),
    _text("department"),
    _text("security_level"),
    _text("language"),
    _number("chunks"),
    _text("created_at"),
)
sa.Index("ix_versions_document", versions.c.document_id)
sa.Index("ix_versions_content", versions.c.content_sha256)
sa.Index("ix_versions_family", versions.c.family_digest)
sa.Index("ix_versions_parse", versions.c.parse_key)

codes = sa.Table(
    "codes",
    metadata,
    _key("version_id"),
    _number_key("position"),
    _text("kind"),
    _text("canonical"),
    _text("raw"),
    _text("place"),
    _flag("known"),
)
sa.Index("ix_codes_canonical", head(codes.c.canonical))

threads = sa.Table(
    "threads",
    metadata,
    _key("version_id"),
    _number_key("position"),
    _text("key"),
)
sa.Index("ix_threads_key", head(threads.c.key))

scopes = sa.Table(
    "scopes",
    metadata,
    _key("scope_digest"),
    _text("scope_id"),
    _text("source"),
    _text("key"),
    sa.Column("parent_id", SafeText(), nullable=True),
    _text("gates"),
    _flag("readable"),
    _text("groups"),
    _number("epoch"),
    sa.Column("tag", SafeText(), nullable=False, server_default=""),
)
sa.Index("ix_scopes_source", scopes.c.source)

overlay = sa.Table("overlay", metadata, _key("document_id"), _key("reason"))

outbox = sa.Table("outbox", metadata, _key("document_id"), _number("place"), _number("seq"))
sa.Index("ix_outbox_place", outbox.c.place)
sa.Index("ix_outbox_seq", outbox.c.seq)

changes = sa.Table("changes", metadata, _key("document_id"), _number("seq"), _flag("content"))
sa.Index("ix_changes_seq", changes.c.seq)

outcomes = sa.Table(
    "outcomes",
    metadata,
    _number_key("seq"),
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
    sa.Column("department", SafeText(), nullable=False, server_default=""),
)
sa.Index("ux_outcomes_subject", outcomes.c.subject, unique=True)
sa.Index("ix_outcomes_kind", outcomes.c.source, outcomes.c.kind, outcomes.c.failure)
sa.Index("ix_outcomes_source", outcomes.c.source, outcomes.c.seq)
sa.Index("ix_outcomes_class", outcomes.c.failure, outcomes.c.department, outcomes.c.seq)
sa.Index("ix_outcomes_ended", outcomes.c.kind, outcomes.c.seq)
sa.Index("ix_outcomes_format", outcomes.c.format, outcomes.c.kind, outcomes.c.seq)
sa.Index("ix_outcomes_department", outcomes.c.department, outcomes.c.kind, outcomes.c.seq)

quality = sa.Table(
    "quality",
    metadata,
    _key("version_id"),
    _text("grade"),
    _real("confidence"),
    _text("reasons"),
    _text("pages"),
    sa.Column("recognised", _NUMBER, nullable=False, server_default=sa.text("0")),
)
sa.Index("ix_quality_grade", quality.c.grade, quality.c.confidence)

runs = sa.Table(
    "runs",
    metadata,
    _key("run_id"),
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
)
sa.Index("ix_runs_source", runs.c.source, runs.c.kind, runs.c.run_id)
sa.Index(
    "ux_runs_lease",
    runs.c.kind,
    runs.c.source,
    unique=True,
    sqlite_where=runs.c.state == "running",
    postgresql_where=runs.c.state == "running",
)

queries = sa.Table(
    "queries",
    metadata,
    _number_key("seq"),
    _text("at"),
    _text("reader"),
    _text("query"),
    _text("filters"),
    _text("document_ids"),
    _real("took_ms"),
    _text("channel"),
    _text("digest"),
)
sa.Index("ix_queries_at", queries.c.at)
sa.Index("ix_queries_took", queries.c.took_ms, queries.c.seq)
sa.Index("ix_queries_channel", queries.c.channel, queries.c.seq)
sa.Index(
    "ix_queries_empty",
    queries.c.seq,
    sqlite_where=sa.text("document_ids = '[]'"),
    postgresql_where=sa.text("document_ids = '[]'"),
)

feedback = sa.Table(
    "feedback",
    metadata,
    _number_key("seq"),
    _text("at"),
    _text("kind"),
    _text("reader"),
    _text("query"),
    _text("document_id"),
    _text("chunk_id"),
    _text("note"),
    _text("via"),
    _text("settled_by"),
    _text("verdict"),
)
sa.Index("ix_feedback_kind", feedback.c.kind, feedback.c.settled_by, feedback.c.seq)

conflicts = sa.Table(
    "conflicts",
    metadata,
    _key("document_id"),
    _key("field"),
    _text("evidence"),
    _text("state"),
    _text("verdict"),
    _text("by"),
    _text("at"),
)
sa.Index("ix_conflicts_state", conflicts.c.state, conflicts.c.at)

verdicts = sa.Table(
    "verdicts",
    metadata,
    _key("version_id"),
    _text("document_id"),
    _text("verdict"),
    _text("note"),
    _text("by"),
    _text("at"),
)
sa.Index("ix_verdicts_document", verdicts.c.document_id)

page_verdicts = sa.Table(
    "page_verdicts",
    metadata,
    _key("version_id"),
    _number_key("page"),
    _key("by"),
    _text("verdict"),
    _text("note"),
    _text("at"),
    sa.Column("blocks", SafeText(), nullable=False, server_default=""),
)

ledger = sa.Table(
    "ledger",
    metadata,
    _number_key("seq"),
    _text("at_seen"),
    _text("effective_at"),
    _text("source"),
    _text("scope_id"),
    _text("document_id"),
    _text("principal"),
    _text("change"),
    _text("detail"),
)
sa.Index("ix_ledger_document", ledger.c.document_id)
sa.Index("ix_ledger_source", ledger.c.source, ledger.c.seq)
sa.Index("ix_ledger_scope", head(ledger.c.scope_id))
sa.Index("ix_ledger_principal", head(ledger.c.principal))

principals = sa.Table(
    "principals",
    metadata,
    _key("name"),
    _text("principals"),
    _number("generation"),
    _text("resolved_at"),
)

tasks = sa.Table(
    "tasks",
    metadata,
    _key("key"),
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
)
sa.Index("ix_tasks_next", tasks.c.state, tasks.c.kind, tasks.c.size, tasks.c.enqueued_at)
sa.Index("ix_tasks_subject", tasks.c.source, tasks.c.subject, tasks.c.state)
