"""Runs of the evaluation with their figures; none is ever changed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import sqlalchemy as sa

from catalog.database import Database
from catalog.ops_tables import evaluations
from catalog.text import from_json, to_json
from catalog.times import utc_now

__all__ = ["GATE", "GOLDEN", "Evaluation", "EvaluationStore"]

GOLDEN, GATE = "golden", "gate"
"""Kinds: ``seoga eval run`` over a golden set, ``seoga eval gate`` against a baseline."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluation:
    """One run.

    Attributes:
        seq: Its number, from 1; 0 before it is stored.
        at: When, UTC text; "": now.
        kind: ``golden`` or ``gate``.
        name: File name of the golden set, or of the baseline.
        digest: Hex SHA-256 of that file: figures of other questions are another thing.
        questions: How many were asked.
        made_with: Embedder and analyzer, or "".
        figures: Name of the figure → value; shares are 0 to 1.
    """

    seq: int = 0
    at: str = ""
    kind: str
    name: str
    digest: str
    questions: int
    made_with: str = ""
    figures: Mapping[str, float] = field(default_factory=dict)


class EvaluationStore:
    """One row a run."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, record: Evaluation) -> int:
        """Store a run; returns its number."""
        with self._database.write() as connection:
            last = connection.scalar(sa.select(sa.func.max(evaluations.c.seq))) or 0
            row = {name: getattr(record, name) for name in Evaluation.__slots__}
            row |= {
                "seq": last + 1,
                "at": record.at or utc_now(),
                "figures": to_json(dict(record.figures)),
            }
            connection.execute(sa.insert(evaluations), row)
        return int(last) + 1

    def newest(
        self, *, kind: str = "", name: str = "", before: int = 0, limit: int = 50
    ) -> list[Evaluation]:
        """Runs, the newest first.

        Args:
            kind: Of this kind alone; "": of all.
            name: Of this file alone; "": of all.
            before: Only those before this number; 0: from the newest.
            limit: At most so many.
        """
        query = sa.select(evaluations).order_by(evaluations.c.seq.desc()).limit(limit)
        if kind:
            query = query.where(evaluations.c.kind == kind)
        if name:
            query = query.where(evaluations.c.name == name)
        if before:
            query = query.where(evaluations.c.seq < before)
        with self._database.read() as connection:
            return [_record(row) for row in connection.execute(query).mappings()]

    def names(self) -> list[tuple[str, str]]:
        """Every kind with its files, by name."""
        columns = (evaluations.c.kind, evaluations.c.name)
        with self._database.read() as connection:
            found = connection.execute(sa.select(*columns).distinct().order_by(*columns))
            return [(kind, name) for kind, name in found]


def _record(row: sa.RowMapping) -> Evaluation:
    values: dict[str, Any] = dict(row)
    return Evaluation(**{**values, "figures": from_json(values["figures"], dict[str, float])})
