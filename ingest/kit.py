"""The stores and tools that a run needs, put together by the wiring."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from ingest.ids import digest, parse_fingerprint
from ingest.unlocking import Unlocker

if TYPE_CHECKING:
    from catalog.catalog import Catalog
    from contracts.ports import BlobStore, Embedder, IndexBackend
    from contracts.settings import Settings
    from metadata.enrich import EnrichRules
    from parsers.pool import ParsePool

__all__ = ["Analysis", "Kit", "configuration"]

_RULES = 3
"""Raised whenever enrichment or chunking would give another result for the same parse."""


class Analysis(Protocol):
    """Text to index terms (:class:`search.analysis.Analyzer`)."""

    @property
    def fingerprint(self) -> str:
        """Changes whenever terms would."""
        ...

    def terms(self, text: str) -> tuple[str, ...]:
        """Terms in order, with repeats."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Kit:
    """Everything that processing an item needs.

    Attributes:
        settings: All settings.
        catalog: The catalog.
        index: The index backend.
        blobs: Parsed documents.
        embedder: Text to vectors.
        analyzer: Text to terms.
        pool: Parse processes.
        rules: Code master and departments.
        rules_tag: Changes with the rules' content.
        spool: Folder for temporary bytes.
    """

    settings: Settings
    catalog: Catalog
    index: IndexBackend
    blobs: BlobStore
    embedder: Embedder
    analyzer: Analysis
    pool: ParsePool
    rules: EnrichRules
    rules_tag: str
    spool: Path

    @property
    def readers(self) -> int:
        """Threads that read items: one more than parse processes, so that none of them waits for a copy."""
        return (self.settings.parse.workers or len(os.sched_getaffinity(0))) + 1

    @property
    def parse_fingerprint(self) -> str:
        """See :func:`ingest.ids.parse_fingerprint`."""
        return _parse_fingerprint(self.settings)

    @property
    def fingerprint(self) -> str:
        """Names the whole configuration; items processed under another one are done again."""
        tag = f"{self.embedder.fingerprint}|{self.analyzer.fingerprint}"
        return configuration(self.settings, self.rules_tag, tag)


def configuration(settings: Settings, rules_tag: str, made_with: str) -> str:
    """Names a whole configuration.

    Args:
        settings: How documents are parsed and chunked.
        rules_tag: Changes with the rules' content.
        made_with: Fingerprints of embedder and analyzer, ``<embedder>|<analyzer>``, as the index keeps them.
    """
    embedder, _, analyzer = made_with.rpartition("|")
    values = {
        "parse": _parse_fingerprint(settings),
        "rules": [_RULES, rules_tag],
        "chunk": settings.chunk.model_dump(mode="json"),
        "embedder": embedder,
        "analyzer": analyzer,
    }
    return digest(json.dumps(values, sort_keys=True))


def _parse_fingerprint(settings: Settings) -> str:
    """A new password or decryption command is a reason to read what was locked again, a describer to look at figures."""
    name = parse_fingerprint(settings.parse, settings.ocr)
    tag = Unlocker(settings.unlock).tag
    name = digest(name, tag) if tag else name
    vision = settings.vision
    # Length, question and model decide what is written; another address of the same model does not.
    asked = (vision.model, vision.prompt, str(vision.max_tokens), str(vision.most_figures))
    return digest(name, "vision", *asked) if vision.url else name
