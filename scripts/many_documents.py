"""A folder's list is changed above many documents: effective with the next query, without an index write.

Prints documents, seconds and what was written, and ends with exit status 1 where anything forbidden shows.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import sys
import tempfile
import time
from pathlib import Path

from app.sources import add_source
from app.wiring import open_access, open_kit, open_searcher, source_run
from contracts.search import SearchRequest
from contracts.settings import Settings, SourceSettings, load_settings
from ingest.kit import Kit

DIRECTORY = """\
realm: plant
users: {kim: {groups: [quality]}, lee: {groups: [staff]}}
groups: {quality: {groups: [staff]}, staff: {}}
"""
OPEN = 'realm: plant\nfolders: {"": [{allow: group:staff}]}\n'
CLOSED = 'realm: plant\nfolders: {"": [{allow: group:staff}], 기록: [{allow: group:quality}]}\n'


def main() -> int:
    """Make the drive, ingest it, take the folder away, give it back."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--documents", type=int, default=20_000)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="seoga-many-") as folder:
        drive, home = Path(folder) / "drive", Path(folder) / "home"
        make(drive, options.documents)
        settings = hashed(home)
        with open_kit(settings) as kit:
            source = SourceSettings(name="drive", root=drive)
            add_source(kit.catalog, source, origin="path")
            started = time.monotonic()
            work = source_run(kit, source).content().work
            spent = time.monotonic() - started
            print(
                f"ingested {work['documents']} documents in {spent:.1f} s ({work['documents'] / spent:.0f}/s)"
            )
            before = found(settings, "lee")
            written = index_digest(home)
            away = change(kit, source, drive, CLOSED)
            after = found(settings, "lee")
            others = found(settings, "kim")
            same = index_digest(home) == written
            back = change(kit, source, drive, OPEN)
            again = found(settings, "lee")
            view = open_access(settings, kit.catalog).filter_for("lee")
    print(
        f"scan that noticed: {away:.2f} s; index files {'unchanged' if same else 'CHANGED'}; parsed 0"
    )
    print(
        f"hits for lee before {before}, after {after}, given back ({back:.2f} s) {again}; for kim {others}"
    )
    print(f"scopes that lee passes: {len(view.scopes)}")
    fine = before and not after and others and again and same
    print("folder list above many documents: " + ("as it should be" if fine else "WRONG"))
    return 0 if fine else 1


def hashed(home: Path) -> Settings:
    """Settings with hashed vectors."""
    environ = {**os.environ, "SEOGA_HOME": str(home), "SEOGA_EMBEDDER__ENGINE": "hash"}
    return load_settings(environ)


def make(drive: Path, documents: int) -> None:
    """Text files below one folder, a hundred in each of its folders."""
    for number in range(documents):
        folder = drive / "기록" / f"{number // 100:04}"
        if number % 100 == 0:
            folder.mkdir(parents=True)
        (folder / f"점검-{number:06}.txt").write_text(
            f"설비 점검 기록 {number}\n이상 없음\n", encoding="utf-8"
        )
    (drive / "acl.yaml").write_text(OPEN, encoding="utf-8")
    (drive / "directory.yaml").write_text(DIRECTORY, encoding="utf-8")


def change(kit: Kit, source: SourceSettings, drive: Path, lists: str) -> float:
    """Write other lists and follow them; seconds of the permission run."""
    (drive / "acl.yaml").write_text(lists, encoding="utf-8")
    started = time.monotonic()
    summary = source_run(kit, source).permissions()
    if summary.work["parsed"]:
        raise SystemExit("a permission run parsed something")
    return time.monotonic() - started


def found(settings: Settings, reader: str) -> int:
    """Hits of one query."""
    with open_searcher(settings, "cli") as searcher:
        request = SearchRequest(query="설비 점검 기록", reader=reader, top=50)
        return len(searcher.search(request).hits)


def index_digest(home: Path) -> str:
    """Digest of the index's files."""
    digest = hashlib.sha256()
    for file in sorted((home / "index").rglob("*")):
        if file.is_file() and not file.name.endswith("-shm"):
            digest.update(f"{file.name} {file.stat().st_size}".encode())
            digest.update(file.read_bytes())
    return digest.hexdigest()


if __name__ == "__main__":
    sys.exit(main())
