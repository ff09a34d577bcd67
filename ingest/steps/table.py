"""Which step does which kind of task."""

from __future__ import annotations

from typing import TYPE_CHECKING

from contracts.tasks import TaskKind
from ingest.steps.embedding import embed
from ingest.steps.indexing import index
from ingest.steps.reading import parse
from ingest.steps.recognising import ocr
from ingest.steps.scanning import acl, scan

if TYPE_CHECKING:
    from ingest.steps.kit import Step

__all__ = ["BATCHED", "STEPS"]

STEPS: dict[TaskKind, Step] = {
    TaskKind.ACL: acl,
    TaskKind.SCAN: scan,
    TaskKind.PARSE: parse,
    TaskKind.OCR: ocr,
    TaskKind.EMBED: embed,
    TaskKind.INDEX: index,
}
BATCHED = frozenset({TaskKind.EMBED, TaskKind.INDEX})
