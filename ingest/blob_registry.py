"""Which module keeps blobs. A new store is one module and one line here."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, cast

from contracts.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from contracts.ports import BlobStore

__all__ = ["BLOB_STORES", "BlobStoreEntry", "make_blobs"]


@dataclass(frozen=True, slots=True)
class BlobStoreEntry:
    """A blob store, imported only when it is first needed.

    Attributes:
        name: Registry name.
        where: ``module:function``; the function takes the home folder of the installation.
    """

    name: str
    where: str

    def load(self) -> Callable[[Path], BlobStore]:
        """Import the module; returns what makes the store."""
        module, _, name = self.where.partition(":")
        return cast("Callable[[Path], BlobStore]", getattr(import_module(module), name))


BLOB_STORES: tuple[BlobStoreEntry, ...] = (BlobStoreEntry("folder", "ingest.blobs:open_blobs"),)


def make_blobs(name: str, home: Path) -> BlobStore:
    """Open a blob store, making it where there is none.

    Raises:
        ConfigError: no such store.
    """
    for entry in BLOB_STORES:
        if entry.name == name:
            return entry.load()(home)
    raise ConfigError(
        f"blobs: there is no {name!r}",
        advice=f"use one of {', '.join(entry.name for entry in BLOB_STORES)}",
    )
