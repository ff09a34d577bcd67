"""A folder above many documents is taken away, and one is moved under other permissions: how soon it shows.

Printed: detection (from the change until the catalog knows of it), effect (until the first search that shows none) and
catch-up (until the run has ended and nothing waits), in seconds from the change.
"""

from __future__ import annotations

import os
import tempfile
import threading
import time
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Self

from app.wiring import source_run
from contracts.settings import SourceSettings
from ingest.following import UNREAD
from ingest.kit import Kit
from ingest.runs import RunSummary
from proofs.drives import BELOW, Searches, fill, index_digest, installation, owner, stranger

__all__ = ["run"]

FOLDER, CLOSED = "기록", "비공개"
QUERY = "점검"


@dataclass
class Watch:
    """Searches without pause, as a reader, while something else goes on.

    Attributes:
        gone: When a search first showed none, monotonic; 0.0: none did.
        noticed: When the catalog first had another access epoch.
        late: Passages shown by a search that began after the catalog had noticed.
        asked: Searches made.
    """

    kit: Kit
    reader: str
    gone: float = 0.0
    noticed: float = 0.0
    late: int = 0
    asked: int = 0
    _stop: threading.Event = field(default_factory=threading.Event)

    def __enter__(self) -> Self:
        self._epoch = self.kit.catalog.scopes.epoch()
        self._thread = threading.Thread(target=self._watch)
        self._thread.start()
        return self

    def __exit__(self, *_problem: object) -> None:
        self._stop.set()
        self._thread.join()

    def _watch(self) -> None:
        searches = Searches(self.kit)
        while not self._stop.is_set():
            knew = self.kit.catalog.scopes.epoch() != self._epoch
            if knew and not self.noticed:
                self.noticed = time.monotonic()
            hits = searches.hits(QUERY, self.reader)
            self.asked += 1
            if knew:
                self.late += len(hits)
            if not hits and not self.gone:
                self.gone = time.monotonic()


def run(*, documents: int) -> bool:
    """Make the drive, ingest it, take away, give back, move; prints figures, says whether all is as promised."""
    with tempfile.TemporaryDirectory(prefix="seoga-revocation-") as scratch:
        Path(scratch).chmod(0o755)
        root, home = Path(scratch) / "drive", Path(scratch) / "home"
        fill(root, FOLDER, documents)
        (root / CLOSED).mkdir(mode=0o700)
        with installation(home, root) as (kit, source):
            started = time.monotonic()
            work = source_run(kit, source).content().work
            spent = time.monotonic() - started
            print(f"ingested {work['documents']} documents in {spent:.0f} s")
            source_run(kit, source).permissions()
            fine = _taken_away(kit, source, root, home)
            fine &= _given_back(kit, source, root, home)
            fine &= _moved(kit, source, root)
            return _written_and_taken_away(kit, source, root) and fine


def _taken_away(kit: Kit, source: SourceSettings, root: Path, home: Path) -> bool:
    searches, written = Searches(kit), index_digest(home)
    before = len(searches.hits(QUERY, stranger()))
    with Watch(kit, stranger()) as watch:
        changed = time.monotonic()
        (root / FOLDER).chmod(0o700)
        summary = source_run(kit, source).permissions()
        ended = time.monotonic()
        while not watch.gone and time.monotonic() < ended + 30:
            time.sleep(0.01)
    same = index_digest(home) == written
    print(
        f"taken away: detection {watch.noticed - changed:.2f} s, effect {watch.gone - changed:.2f} s, "
        f"catch-up {ended - changed:.2f} s; {summary.scan['lists_read']} lists read, "
        f"{summary.work['parsed']} parsed, index files {'unchanged' if same else 'CHANGED'}"
    )
    after, others = len(searches.hits(QUERY, stranger())), len(searches.hits(QUERY, owner()))
    print(
        f"   passages before {before}, after {after}, for the owner {others}; "
        f"shown by searches that began after it was noticed: {watch.late} (of {watch.asked} searches)"
    )
    good = watch.gone and watch.noticed and not watch.late and not after
    return bool(good and before and others and same and _nothing_parsed(summary))


def _given_back(kit: Kit, source: SourceSettings, root: Path, home: Path) -> bool:
    written = index_digest(home)
    (root / FOLDER).chmod(0o755)
    started = time.monotonic()
    summary = source_run(kit, source).permissions()
    spent = time.monotonic() - started
    again = len(Searches(kit).hits(QUERY, stranger()))
    same = index_digest(home) == written
    print(
        f"given back: {spent:.2f} s, passages {again}, index files {'unchanged' if same else 'CHANGED'}"
    )
    return bool(again and same and _nothing_parsed(summary))


def _moved(kit: Kit, source: SourceSettings, root: Path) -> bool:
    """A folder comes under another one that only its owner may enter."""
    searches = Searches(kit)
    query = "번호5"  # of the first folder
    before = [len(searches.hits(query, who)) for who in (stranger(), owner())]
    (root / FOLDER / "00000").rename(root / CLOSED / "00000")
    during: list[int] = []

    class Looking:
        """The index, looked at before each change of its rows: what hides the documents stands by then."""

        def __getattr__(self, name: str) -> object:
            return getattr(kit.index, name)

        def update_rows(self, rows: object) -> None:
            """As the index does."""
            during.extend(len(searches.hits(query, who)) for who in (stranger(), owner()))
            kit.index.update_rows(rows)  # type: ignore[arg-type]

    started = time.monotonic()
    summary = source_run(replace(kit, index=Looking()), source).permissions()
    spent = time.monotonic() - started
    after = [len(searches.hits(query, who)) for who in (stranger(), owner())]
    print(
        f"moved a folder of {min(BELOW, summary.scan['moved'])} documents under other permissions: {spent:.2f} s; "
        f"passages for a stranger and for the owner before {before}, until the index was refreshed {during[:2]}, after {after}"
    )
    hidden = bool(during) and not any(during)
    return bool(before == [1, 1] and hidden and after == [0, 1] and _nothing_parsed(summary))


def _written_and_taken_away(kit: Kit, source: SourceSettings, root: Path) -> bool:
    """Every file is written to, then the folder is taken away and given back before any has been read anew.

    What the index shows of them is from before the lists changed, so it stays hidden from everybody.
    """
    searches = Searches(kit)
    query = f"번호{BELOW + 5}"  # of the second folder, which has not been moved
    shown = [len(searches.hits(query, who)) for who in (stranger(), owner())]
    for path in sorted((root / FOLDER).rglob("*.txt")):
        os.utime(path)
    spent: list[float] = []
    parsed = True
    for mode in (0o700, 0o755):
        (root / FOLDER).chmod(mode)
        started = time.monotonic()
        summary = source_run(kit, source).permissions()
        spent.append(time.monotonic() - started)
        shown += [len(searches.hits(query, who)) for who in (stranger(), owner())]
        parsed &= _nothing_parsed(summary)
    hidden = len(kit.catalog.overlay.with_reason(UNREAD))
    print(
        f"all written to, none read since: taken away in {spent[0]:.2f} s, given back in {spent[1]:.2f} s; "
        f"{hidden} documents hidden until they are read, passages shown before and after {shown}"
    )
    return parsed and hidden > 0 and shown == [1, 1, 0, 0, 0, 0]


def _nothing_parsed(summary: RunSummary) -> bool:
    return not summary.work["parsed"] and not summary.work["items"]
