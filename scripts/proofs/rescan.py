"""What it costs to follow the permissions of a share on which nothing, or little, has changed.

A bare listing is the source's own, with the object ids and tags that any scan needs, and nothing done with it. Seconds
are of the processor, so that they can be compared while the machine does other things.
"""

from __future__ import annotations

import statistics
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from app.wiring import source_run
from contracts.settings import SourceSettings
from ingest.kit import Kit
from ingest.sources.registry import make_source
from proofs.drives import fill, installation

__all__ = ["CHANGED", "MOST", "compare", "followed", "follower", "lister", "run"]

MOST = 2.0
"""A pass over an unchanged share, as a multiple of a bare listing."""

CHANGED, ROUNDS = 10, 5
FOLDER = "기록"


def run(*, files: int) -> bool:
    """Make a folder source of so many files; prints figures, says whether the promises are kept."""
    with tempfile.TemporaryDirectory(prefix="seoga-rescan-") as scratch:
        Path(scratch).chmod(0o755)
        root = Path(scratch) / "drive"
        fill(root, FOLDER, files)
        with installation(Path(scratch) / "home", root) as (kit, source):
            # a permission run finds the files; their content is nothing to it
            first = followed(kit, source)
            print(
                f"folder source: {first['listed']} files and {first['folders']} folders, "
                f"{first['lists_read']} lists read at first"
            )
            bare, whole = lister(source), follower(kit, source)
            fine = compare(bare, whole, "unchanged folder source")
            for number, path in enumerate(_some(root)):
                path.chmod(0o750 if number % 2 else 0o600)
            scan = followed(kit, source)
            print(
                f"{CHANGED} changed lists: {scan['lists_read']} read, {scan['scopes_changed']} scopes changed"
            )
            fine &= scan["lists_read"] == CHANGED
            return compare(bare, whole, "unchanged again") and fine


def lister(source: SourceSettings) -> Callable[[], int]:
    """Lists a source, and counts what is there."""
    return lambda: sum(1 for _ in make_source(source).list())


def follower(kit: Kit, source: SourceSettings) -> Callable[[], int]:
    """Follows a source's permissions, and counts the lists that it reads."""
    return lambda: followed(kit, source)["lists_read"]


def compare(
    bare_listing: Callable[[], int],
    whole_pass: Callable[[], int],
    label: str,
    *,
    rounds: int = ROUNDS,
) -> bool:
    """Passes over an unchanged source against bare listings of it, in turn; prints both."""
    passes: list[float] = []
    listings: list[float] = []
    read = 0
    for _ in range(rounds):
        started = time.process_time()
        listed = bare_listing()
        listings.append(time.process_time() - started)
        started = time.process_time()
        read += whole_pass()
        passes.append(time.process_time() - started)
    bare, whole = statistics.median(listings), statistics.median(passes)
    print(
        f"{label}: {listed} objects; bare listing {bare:.2f} s, pass {whole:.2f} s "
        f"({whole / bare:.2f} times), {read} lists read in {rounds} passes"
    )
    return whole <= MOST * bare and not read


def followed(kit: Kit, source: SourceSettings) -> Counter[str]:
    """Counts of a permission run."""
    return source_run(kit, source).permissions().scan


def _some(root: Path) -> list[Path]:
    """Files and folders, the folders at odd places."""
    folders = sorted((root / FOLDER).iterdir())
    files = sorted(folders[0].iterdir())
    return [pair for both in zip(files, folders[1:], strict=False) for pair in both][:CHANGED]
