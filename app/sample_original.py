"""The original of a sample as a file: an item of its source, or what lies within one."""

from __future__ import annotations

import hashlib
import shutil
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from catalog.catalog import Catalog
    from catalog.records import DocumentRecord, VersionRecord
    from contracts.settings import Settings

__all__ = ["original_file"]


@contextmanager
def original_file(
    settings: Settings, catalog: Catalog, record: DocumentRecord, version: VersionRecord
) -> Iterator[Path | None]:
    """The bytes that were read, for as long as the context lasts.

    Attachments and members of archives are taken out of their container again. None where the item is gone, or holds
    other bytes by now.

    Args:
        settings: Limits of taking apart.
        catalog: Where the item is.
        record: The document.
        version: Its version that was read.
    """
    from app.wiring import source_settings
    from contracts.documents import SourceItem
    from contracts.errors import ItemBusyError, ItemGoneError
    from ingest.sources.registry import make_source

    item = catalog.items.get(record.item_id)
    if item is None:
        yield None
        return
    source = make_source(source_settings(catalog, record.source))
    listed = SourceItem(
        source=item.source, object_id=item.object_id, path=item.path, locator=item.locator,
        size=item.size, modified_ns=item.modified_ns, changed_ns=item.changed_ns,
    )  # fmt: skip
    with tempfile.TemporaryDirectory(prefix="seoga-sample-") as folder:
        content = Path(folder) / "content"
        try:
            with source.fetch(listed) as path:
                shutil.copyfile(path, content)
        except (ItemBusyError, ItemGoneError):
            yield None
            return
        found = content
        if record.member_path:
            _take_out(settings, content, record.member_path, Path(folder))
            found = Path(folder) / version.content_sha256
        yield found if _sha256(found) == version.content_sha256 else None


def _sha256(path: Path) -> str:
    """Of a file's bytes, "" where there is none."""
    if not path.is_file():
        return ""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _take_out(settings: Settings, path: Path, member_path: str, spool: Path) -> None:
    """Parse the containers along a path of names, so that the members' bytes lie in ``spool`` under their SHA-256."""
    from contracts.settings import OcrSettings
    from parsers.pool import ParsePool
    from parsers.tree import Unfolding, children_of

    with ParsePool(settings.parse, OcrSettings(enabled=False)) as pool:
        unfolding = Unfolding(pool, spool)
        node = unfolding.parse_file(path, path.name)
        rest = member_path
        while rest:
            along = [
                c for c in children_of(node) if rest == c.name or rest.startswith(f"{c.name}!/")
            ]
            if not along:
                return
            rest = rest.removeprefix(along[0].name).removeprefix("!/")
            if rest:
                node = unfolding.parse_child(node, along[0])
