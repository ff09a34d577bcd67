"""How well each version was read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import sqlalchemy as sa

from catalog.database import Database
from catalog.records import QualityRecord
from catalog.statements import batches, upsert
from catalog.tables import documents, quality
from catalog.text import from_json, to_json
from contracts.documents import PageQuality, Quality

__all__ = ["QualityStore"]


class QualityStore:
    """One row a version."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def put(self, version_id: str, found: Quality) -> None:
        """Store or replace."""
        self.put_many({version_id: found})

    def put_many(self, found: Mapping[str, Quality]) -> None:
        """Store or replace, by version, all in one transaction."""
        rows = [
            {
                "version_id": version_id,
                "grade": one.grade,
                "confidence": _confidence(one),
                "reasons": to_json(one.reasons),
                "pages": to_json(one.pages),
                "recognised": _recognised(one),
            }
            for version_id, one in found.items()
        ]
        with self._database.write() as connection:
            for batch in batches(rows):
                upsert(connection, quality, batch)

    def get(self, version_id: str) -> Quality | None:
        """The quality of a version."""
        query = sa.select(quality).where(quality.c.version_id == version_id)
        with self._database.read() as connection:
            row = connection.execute(query).first()
        return _quality(row.grade, row.reasons, row.pages) if row else None

    def grades(self, version_ids: Iterable[str]) -> dict[str, str]:
        """Grades by version."""
        found: dict[str, str] = {}
        with self._database.read() as connection:
            for batch in batches(version_ids):
                query = sa.select(quality.c.version_id, quality.c.grade)
                rows = connection.execute(query.where(quality.c.version_id.in_(batch)))
                found.update((row.version_id, row.grade) for row in rows)
        return found

    def worst(self, limit: int) -> list[QualityRecord]:
        """Published versions of live documents: the worst grade first, then the least certain page."""
        query = (
            sa.select(quality, documents.c.document_id)
            .join(documents, documents.c.version_id == quality.c.version_id)
            .where(documents.c.state == "live")
            .order_by(quality.c.grade.desc(), quality.c.confidence, quality.c.version_id)
            .limit(limit)
        )
        with self._database.read() as connection:
            return [
                QualityRecord(
                    version_id=row.version_id,
                    document_id=row.document_id,
                    quality=_quality(row.grade, row.reasons, row.pages),
                )
                for row in connection.execute(query)
            ]

    def counts(self) -> dict[str, int]:
        """Published versions of live documents by grade."""
        query = (
            sa.select(quality.c.grade, sa.func.count().label("n"))
            .join(documents, documents.c.version_id == quality.c.version_id)
            .where(documents.c.state == "live")
            .group_by(quality.c.grade)
            .order_by(quality.c.grade)
        )
        with self._database.read() as connection:
            return {row.grade: row.n for row in connection.execute(query)}

    def recognised(self) -> int:
        """Recognised pages of all published versions of live documents."""
        query = (
            sa.select(sa.func.sum(quality.c.recognised))
            .join(documents, documents.c.version_id == quality.c.version_id)
            .where(documents.c.state == "live", quality.c.recognised > 0)
        )
        with self._database.read() as connection:
            return int(connection.execute(query).scalar_one() or 0)


def _recognised(found: Quality) -> int:
    return sum(1 for page in found.pages if page.ocr_confidence_mean is not None)


def _confidence(found: Quality) -> float:
    """The least certain tenth of any recognised page, 0 to 1; 1 where nothing was recognised."""
    lows = [page.ocr_confidence_p10 for page in found.pages if page.ocr_confidence_p10 is not None]
    return min(lows, default=1.0)


def _quality(grade: str, reasons: str, pages: str) -> Quality:
    return Quality(
        grade=grade,
        reasons=from_json(reasons, tuple[str, ...]),
        pages=from_json(pages, tuple[PageQuality, ...]),
    )
