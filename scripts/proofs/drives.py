"""Drives of many small files, and installations that search them."""

from __future__ import annotations

import contextlib
import getpass
import hashlib
import os
import pwd
from collections.abc import Iterator
from pathlib import Path

from app.sources import add_source
from app.wiring import open_access, open_kit
from contracts.search import Hit, SearchRequest
from contracts.settings import Settings, SourceSettings
from ingest.kit import Kit
from search.service import Searcher

__all__ = ["Searches", "fill", "index_digest", "installation", "owner", "stranger"]

BELOW = 100
"""Files in one folder."""

_ALONE = "nobody"


class Unheard:
    """An audit that keeps nothing: it is another matter here."""

    def record(self, *_arguments: object) -> None:
        """Nothing."""


class Searches:
    """Searches an open installation as people do: whoever asks is looked up each time."""

    def __init__(self, kit: Kit) -> None:
        self._kit = kit

    def hits(self, query: str, reader: str, top: int = 50) -> list[Hit]:
        """Passages that a reader is shown and that hold a word of the query."""
        kit = self._kit
        access = open_access(kit.settings, kit.catalog)
        parts = (kit.index, kit.embedder, kit.analyzer, access, Unheard(), kit.settings.search)
        found = Searcher(*parts).search(SearchRequest(query=query, reader=reader, top=top)).hits
        return [hit for hit in found if any(word in hit.text.split() for word in query.split())]


def fill(root: Path, folder: str, files: int, *, first: int = 0) -> None:
    """Text files below a folder that everybody may read, a hundred in each of its folders."""
    root.mkdir(mode=0o755, exist_ok=True)
    for number in range(files):
        below = root / folder / f"{number // BELOW:05}"
        if number % BELOW == 0:
            below.mkdir(parents=True)
        path = below / f"점검-{number:06}.txt"
        path.write_text(f"설비 점검 기록 번호{first + number} 이상 없음\n", encoding="utf-8")
    for path, _folders, names in os.walk(root):
        os.chmod(path, 0o755)  # noqa: PTH101, S103  of what os.walk gives; everybody may read
        for name in names:
            os.chmod(os.path.join(path, name), 0o644)  # noqa: PTH101, PTH118


@contextlib.contextmanager
def installation(home: Path, place: Path, **source: object) -> Iterator[tuple[Kit, SourceSettings]]:
    """An installation with hashed vectors and one folder source, whose file system's permissions count."""
    values = {"home": home, "embedder": {"engine": "hash"}}
    acl = {"kind": "posix", "above_root": False}
    settings = SourceSettings.model_validate({"name": "drive", "root": place, "acl": acl, **source})
    with open_kit(Settings.model_validate(values)) as kit:
        yield kit, add_source(kit.catalog, settings, origin="path")


def owner() -> str:
    """The account that these files belong to, as a reader."""
    return getpass.getuser()


def stranger() -> str:
    """Another account of this machine, which is in none of the owner's groups."""
    pwd.getpwnam(_ALONE)
    return _ALONE


def index_digest(home: Path) -> str:
    """Digest of the index's files."""
    digest = hashlib.sha256()
    for file in sorted((home / "index").rglob("*")):
        if file.is_file() and not file.name.endswith("-shm"):
            digest.update(f"{file.name} {file.stat().st_size}".encode())
            digest.update(file.read_bytes())
    return digest.hexdigest()
