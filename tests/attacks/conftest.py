"""A drive under attack: a small installation whose owner, readers and intruders the tests play."""

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
  비밀: [{allow: group:board}]
"""
PEOPLE = """\
realm: plant
users:
  kim: {groups: [board]}
  lee: {groups: [staff]}
groups:
  board: {groups: [staff]}
  staff: {}
"""


class _Unheard:
    def record(self, *_arguments: Any) -> None:
        """The audit log has tests of its own."""


@dataclass
class Drive:
    """One home folder, one drive; every call starts from what is stored, as a command does."""

    home: Path
    root: Path
    options: dict[str, Any] = field(default_factory=dict)
    source_options: dict[str, Any] = field(default_factory=dict)

    def settings(self) -> Settings:
        """Hashed vectors, one parse process, no cache of the directory."""
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
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
        return target

    def acl(self, text: str) -> Path:
        """The lists."""
        return self.write("acl.yaml", text)

    def source(self, kit: Kit) -> SourceSettings:
        """The drive as a source."""
        known = kit.catalog.sources.get("drive")
        if known is not None:
            return SourceSettings.model_validate(dict(known.config))
        values = {"name": "drive", "root": self.root, **self.source_options}
        return add_source(kit.catalog, SourceSettings.model_validate(values), origin="path")

    @contextlib.contextmanager
    def kit(self) -> Iterator[Kit]:
        """The stores and tools, opened."""
        with open_kit(self.settings()) as kit:
            yield kit

    def ingest(self, **options: Any) -> RunSummary:
        """One content run."""
        with self.kit() as kit:
            return source_run(kit, self.source(kit)).content(**options)

    def sync(self) -> RunSummary:
        """One permission run."""
        with self.kit() as kit:
            return source_run(kit, self.source(kit)).permissions()

    def alert(self) -> str:
        """What an operator is told."""
        with self.kit() as kit:
            record = kit.catalog.sources.get("drive")
            return record.alert if record else ""

    def hits(self, query: str, reader: str, **options: Any) -> list[Hit]:
        """What a reader finds; only hits that hold one of the words count."""
        with self.kit() as kit:
            return hits_of(kit, query, reader, **options)

    def found(self, query: str, reader: str, **options: Any) -> list[str]:
        """Paths of the documents that a reader finds, sorted."""
        return sorted({hit.path for hit in self.hits(query, reader, **options)})


def hits_of(kit: Kit, query: str, reader: str, **options: Any) -> list[Hit]:
    """Search with the parts of an open kit."""
    searcher = Searcher(
        kit.index,
        kit.embedder,
        kit.analyzer,  # type: ignore[arg-type]
        open_access(kit.settings, kit.catalog),
        _Unheard(),
        kit.settings.search,
    )
    options = {"top": 100, **options}
    found = searcher.search(SearchRequest(query=query, reader=reader, **options)).hits
    words = query.split()
    return [hit for hit in found if any(word in f"{hit.title} {hit.text}" for word in words)]


@pytest.fixture
def find():
    """``hits_of``, for tests that keep a kit open."""
    return hits_of


@pytest.fixture
def drive(tmp_path: Path) -> Drive:
    """Everybody of staff reads the drive; ``비밀`` is the board's."""
    root = tmp_path / "drive"
    root.mkdir()
    (root / "acl.yaml").write_text(ACL, encoding="utf-8")
    (root / "directory.yaml").write_text(PEOPLE, encoding="utf-8")
    return Drive(tmp_path / "home", root)


@pytest.fixture
def posix(tmp_path: Path) -> Drive:
    """A drive with the file system's own permissions, as people reach it through an exported share."""
    root = tmp_path / "drive"
    root.mkdir(mode=0o755)
    options = {"acl": {"kind": "posix", "above_root": False}}
    return Drive(tmp_path / "home", root, source_options=options)
