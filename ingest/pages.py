"""Recognised pages as blobs, so that an interrupted scan goes on where it stopped, on whichever machine.

``pages/<content sha256>/<configuration>/…`` holds a blob a page, the file itself in parts where others recognise it, and
the items that it is read for. All of it goes when the parse is stored.
"""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

from contracts.outcomes import OutcomeKind
from parsers.pages import PageFolder, pages_in

if TYPE_CHECKING:
    from collections.abc import Collection
    from pathlib import Path

    from catalog.records import ItemRecord
    from contracts.ports import BlobStore
    from ingest.kit import Kit

__all__ = ["ItemPages", "sweep_pages"]

_PREFIX = "pages/"
_PART = 8 << 20
_PAGE, _OWNER, _CONTENT = "page-", "item-", "part-"


class ItemPages:
    """Pages of one item and of what is inside it; a :class:`parsers.slices.PageKeeper`.

    Args:
        blobs: Keeps them.
        spool: Folder on this machine.
        fingerprint: Of the parse configuration.
        item_id: The item.
    """

    def __init__(self, blobs: BlobStore, spool: Path, fingerprint: str, item_id: int) -> None:
        self._blobs = blobs
        self._spool = spool
        self._fingerprint = fingerprint
        self._item_id = item_id
        self._kept: dict[str, set[int]] = {}

    def folder(self, sha256: str) -> Path:
        """On this machine; it outlives a process that is killed."""
        return self._spool / f"pages-{sha256[:32]}-{self._fingerprint[:8]}"

    def fetch(self, sha256: str, pages: Collection[int] | None = None) -> None:
        """Bring pages that are blobs into the folder: all, or these."""
        kept = self._kept.setdefault(sha256, set())
        there = {number for number, _ in pages_in(self.folder(sha256))}
        lying = PageFolder(self.folder(sha256))
        for number in self.stored(sha256):
            kept.add(number)
            if number not in there and (pages is None or number in pages):
                data = self._blobs.get(self._key(sha256, f"{_PAGE}{number}"))
                if data is not None:
                    lying.put(number, data)

    def stored(self, sha256: str) -> set[int]:
        """Pages that are blobs."""
        prefix = self._key(sha256, _PAGE)
        return {int(key.removeprefix(prefix)) for key in self._blobs.keys(prefix)}

    def keep(self, sha256: str) -> None:
        """Store what is new in the folder."""
        kept = self._kept.setdefault(sha256, set())
        new = [(n, path) for n, path in pages_in(self.folder(sha256)) if n not in kept]
        if new:
            self._own(sha256)
        for number, path in new:
            self._blobs.put(self._key(sha256, f"{_PAGE}{number}"), path.read_bytes())
            kept.add(number)

    def forget(self, sha256: str, number: int) -> None:
        """Remove one page, in the folder and among the blobs."""
        PageFolder(self.folder(sha256)).remove(number)
        self._blobs.delete([self._key(sha256, f"{_PAGE}{number}")])
        self._kept.setdefault(sha256, set()).discard(number)

    def lend(self, sha256: str, path: Path) -> None:
        """Store the file in parts, with its pages so far."""
        self._own(sha256)
        with path.open("rb") as file:
            number = 0
            while part := file.read(_PART):
                self._blobs.put(self._key(sha256, f"{_CONTENT}{number:05}"), part)
                number += 1
        self.keep(sha256)

    def borrow(self, sha256: str, target: Path) -> bool:
        """Write the lent file to ``target``; whether it is there."""
        found = False
        with target.open("wb") as file:
            for key in sorted(self._blobs.keys(self._key(sha256, _CONTENT))):
                part = self._blobs.get(key)
                if part is None:
                    return False
                file.write(part)
                found = True
        return found

    def drop(self, sha256: str) -> None:
        """Remove folder and blobs."""
        folder = self.folder(sha256)
        if folder.exists() or sha256 in self._kept:
            shutil.rmtree(folder, ignore_errors=True)
            self._blobs.delete(list(self._blobs.keys(self._key(sha256, ""))))

    def _own(self, sha256: str) -> None:
        self._blobs.put(self._key(sha256, f"{_OWNER}{self._item_id}"), b"")

    def _key(self, sha256: str, name: str) -> str:
        return f"{_PREFIX}{sha256}/{self._fingerprint}/{name}"


def sweep_pages(kit: Kit) -> int:
    """Remove pages that nobody reads any more: of items that are gone, or done by now.

    Returns:
        Blobs removed.
    """
    keys: dict[str, list[str]] = {}
    owners: dict[str, set[int]] = {}
    for key in kit.blobs.keys(_PREFIX):
        content, name = key.rsplit("/", 1)
        keys.setdefault(content, []).append(key)
        if name.startswith(_OWNER):
            owners.setdefault(content, set()).add(int(name.removeprefix(_OWNER)))
    items = kit.catalog.items.get_many({n for numbers in owners.values() for n in numbers})
    wanted = {number for number, item in items.items() if _wanted(kit, item)}
    idle = [
        key
        for content, found in keys.items()
        if not owners.get(content, set()) & wanted
        or not content.endswith(f"/{kit.parse_fingerprint}")
        for key in found
    ]
    kit.blobs.delete(idle)
    return len(idle)


def _wanted(kit: Kit, item: ItemRecord) -> bool:
    """Whether the item is still to be read, now or when what failed is tried again."""
    if item.state == "deleted":
        return False
    if item.processed.partition(":")[0] != kit.fingerprint:
        return True
    outcome = kit.catalog.outcomes.get(item.document_id)
    return outcome is not None and outcome.outcome.kind is OutcomeKind.FAILED
