"""How many pages of a version were recognised, so that they can be counted without reading each page's figures."""

from __future__ import annotations

import json

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

_NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
_PAGE = 1000
_quality = sa.table(
    "quality",
    sa.column("version_id", sa.Text()),
    sa.column("pages", sa.Text()),
    sa.column("recognised", _NUMBER),
)


def upgrade() -> None:
    """Add the column and fill it from the stored pages."""
    with op.batch_alter_table("quality", recreate="auto") as batch:
        batch.add_column(
            sa.Column("recognised", _NUMBER, nullable=False, server_default=sa.text("0"))
        )
    connection = op.get_bind()
    query = sa.select(_quality.c.version_id, _quality.c.pages).order_by(_quality.c.version_id)
    last = ""
    while rows := connection.execute(query.where(_quality.c.version_id > last).limit(_PAGE)).all():
        last = rows[-1].version_id
        for version_id, pages in rows:
            count = sum(1 for p in json.loads(pages) if p.get("ocr_confidence_mean") is not None)
            if count:
                where = _quality.c.version_id == version_id
                connection.execute(sa.update(_quality).where(where).values(recognised=count))


def downgrade() -> None:
    """Drop it."""
    with op.batch_alter_table("quality") as batch:
        batch.drop_column("recognised")
