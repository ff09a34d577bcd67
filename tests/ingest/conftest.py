"""A small installation over a folder: ingest it, and search it as somebody."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from app.sources import add_source
from app.wiring import open_access, open_kit, source_run
from contracts.search import Hit, SearchRequest
from contracts.settings import Settings, SourceSettings
from ingest.kit import Kit
from ingest.runs import RunSummary
from search.service import Searcher

ACL = """\
realm: plant
folders:
  "": [{allow: group:staff}]
"""
DIRECTORY = """\
realm: plant
users:
  kim: {name: 김, groups: [quality]}
  lee: {name: 이, groups: [staff]}
groups:
  quality: {name: 품질, groups: [staff]}
  staff: {name: 직원}
"""


class _Unheard:
    def record(self, *_arguments: Any) -> None:
        """The audit log has tests of its own."""


@dataclass
class Installation:
    """One home folder and one drive; ``kit`` stays open between calls, as in a service."""

    home: Path
    drive: Path
    options: dict[str, Any] = field(default_factory=dict)
    source_options: dict[str, Any] = field(default_factory=dict)

    def settings(self) -> Settings:
        """Small and quick: hashed vectors, one parse process, no cache of the directory."""
        values: dict[str, Any] = {
            "home": self.home,
            "embedder": {"engine": "hash"},
            "parse": {"workers": 1, "timeout_seconds": 30},
            "directory": {"cache_seconds": 0},
            **self.options,
        }
        return Settings.model_validate(values)

    def write(self, path: str, text: str) -> Path:
        """A text file on the drive."""
        target = self.drive / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
        return target

    @contextlib.contextmanager
    def kit(self) -> Iterator[Kit]:
        """The stores and tools, opened."""
        with open_kit(self.settings()) as kit:
            yield kit

    def source(self, kit: Kit) -> SourceSettings:
        """The drive as a source."""
        known = kit.catalog.sources.get("drive")
        if known is not None:
            return SourceSettings.model_validate(dict(known.config))
        values = {"name": "drive", "root": self.drive, **self.source_options}
        return add_source(kit.catalog, SourceSettings.model_validate(values), origin="path")

    def ingest(self, **options: Any) -> RunSummary:
        """One content run in a process state of its own."""
        with self.kit() as kit:
            return source_run(kit, self.source(kit)).content(**options)

    def scan(self) -> RunSummary:
        """One permission run."""
        with self.kit() as kit:
            return source_run(kit, self.source(kit)).permissions()

    def hits(self, query: str, reader: str = "kim", **options: Any) -> tuple[Hit, ...]:
        """Search."""
        with self.kit() as kit:
            return hits_of(kit, query, reader, **options)

    def paths(self, query: str, reader: str = "kim", **options: Any) -> list[str]:
        """Paths of the documents that a search finds, sorted."""
        return sorted({hit.path for hit in self.hits(query, reader, **options)})


def hits_of(kit: Kit, query: str, reader: str = "kim", **options: Any) -> tuple[Hit, ...]:
    """Search with the parts of an open kit; only hits that hold one of the words count."""
    searcher = Searcher(
        kit.index,
        kit.embedder,
        kit.analyzer,  # type: ignore[arg-type]
        open_access(kit.settings, kit.catalog),
        _Unheard(),
        kit.settings.search,
    )
    request = SearchRequest(query=query, reader=reader, top=50, **options)
    found = searcher.search(request).hits
    words = query.split()
    return tuple(hit for hit in found if any(word in f"{hit.title} {hit.text}" for word in words))


@pytest.fixture
def installation(tmp_path: Path) -> Installation:
    """An empty drive with everybody of staff allowed."""
    drive = tmp_path / "drive"
    drive.mkdir()
    (drive / "acl.yaml").write_text(ACL, encoding="utf-8")
    (drive / "directory.yaml").write_text(DIRECTORY, encoding="utf-8")
    return Installation(tmp_path / "home", drive)
