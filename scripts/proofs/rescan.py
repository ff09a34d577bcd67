"""What it costs to follow the permissions of a share on which nothing, or little, has changed.

A bare listing is the source's own: it signs in, finds every folder and file with the object ids, sizes, times and tags
that any scan needs, and does nothing with them. A pass does the same, compares it with the catalog, and signs in once
more to read lists. Seconds are of this process's processor time, so that they can be compared while the machine does
other things; those by the clock, in which a server answers, stand beside them. Medians of the rounds.
"""

from __future__ import annotations

import tempfile
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from statistics import median as _median

from app.wiring import source_run
from contracts.settings import SourceSettings
from ingest.kit import Kit
from ingest.sources.registry import make_source
from proofs.drives import fill, installation

__all__ = ["CHANGED", "LEAST", "MOST", "compare", "followed", "follower", "lister", "run"]

MOST = 2.0
"""A pass over an unchanged share, as a multiple of a bare listing; promised for shares, and for ``LEAST`` files."""

LEAST = 100_000
"""Objects from which the multiple is judged: over fewer, signing in and the moment's noise weigh as much as the files. It is always printed."""

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
            fine = compare(bare, whole, "unchanged folder source", promised=False)
            for number, path in enumerate(_some(root)):
                path.chmod(0o750 if number % 2 else 0o600)
            scan = followed(kit, source)
            print(
                f"{CHANGED} changed lists: {scan['lists_read']} read, {scan['scopes_changed']} scopes changed"
            )
            fine &= scan["lists_read"] == CHANGED
            return compare(bare, whole, "unchanged again", promised=False) and fine


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
    promised: bool = True,
) -> bool:
    """Passes over an unchanged source against bare listings of it, in turn; prints both.

    Args:
        bare_listing: Lists the source, and counts what is there.
        whole_pass: Follows it, and counts the lists read.
        label: What is printed before the figures.
        rounds: Of each.
        promised: Whether ``MOST`` is promised for this source. For a folder it is not: its listing alone got twice as fast.

    Returns:
        Whether no list was read, and the multiple is kept where it is promised.
    """
    passes: list[_Spent] = []
    listings: list[_Spent] = []
    read = 0
    for _ in range(rounds):
        listed, spent = _measured(bare_listing)
        listings.append(spent)
        lists, spent = _measured(whole_pass)
        passes.append(spent)
        read += lists
    bare, whole = (_median([s.processor for s in spent]) for spent in (listings, passes))
    bare_clock, whole_clock = (_median([s.clock for s in spent]) for spent in (listings, passes))
    print(
        f"{label}: {listed} objects; bare listing {bare:.2f} s of the processor ({bare_clock:.2f} s by the clock), "
        f"pass {whole:.2f} s ({whole_clock:.2f} s): {whole / bare:.2f} times ({whole_clock / bare_clock:.2f} times), "
        f"{read} lists read in {rounds} passes"
    )
    judged = promised and listed >= LEAST
    return not read and (whole <= MOST * bare or not judged)


@dataclass(frozen=True, slots=True)
class _Spent:
    processor: float
    clock: float


def _measured(call: Callable[[], int]) -> tuple[int, _Spent]:
    processor, clock = time.process_time(), time.monotonic()
    result = call()
    return result, _Spent(time.process_time() - processor, time.monotonic() - clock)


def followed(kit: Kit, source: SourceSettings) -> Counter[str]:
    """Counts of a permission run."""
    return source_run(kit, source).permissions().scan


def _some(root: Path) -> list[Path]:
    """Files and folders, the folders at odd places."""
    folders = sorted((root / FOLDER).iterdir())
    files = sorted(folders[0].iterdir())
    return [pair for both in zip(files, folders[1:], strict=False) for pair in both][:CHANGED]
