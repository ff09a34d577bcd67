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
    from contracts.settings import BlobSettings

__all__ = ["BLOB_STORES", "BlobStoreEntry", "make_blobs"]


@dataclass(frozen=True, slots=True)
class BlobStoreEntry:
    """A blob store, imported only when it is first needed.

    Attributes:
        name: Registry name.
        schemes: Beginnings of ``blobs.url`` that name it, without ``://``.
        where: ``module:function``; the function takes the settings and the home folder of the installation.
    """

    name: str
    schemes: tuple[str, ...]
    where: str

    def load(self) -> Callable[[BlobSettings, Path], BlobStore]:
        """Import the module; returns what makes the store."""
        module, _, name = self.where.partition(":")
        return cast(
            "Callable[[BlobSettings, Path], BlobStore]", getattr(import_module(module), name)
        )


BLOB_STORES: tuple[BlobStoreEntry, ...] = (
    BlobStoreEntry("folder", ("", "file"), "ingest.blobs:open_blobs"),
    BlobStoreEntry("s3", ("s3",), "ingest.blobs_s3:open_blobs"),
)


def make_blobs(settings: BlobSettings, home: Path) -> BlobStore:
    """Open the blob store that ``blobs.url`` names; a folder is made where there is none.

    Raises:
        ConfigError: no such store, or it cannot be used as the settings stand.
        BlobsUnavailableError: it does not answer.
    """
    scheme, found, _ = settings.url.partition("://")
    for entry in BLOB_STORES:
        if (scheme if found else settings.url) in entry.schemes:
            return entry.load()(settings, home)
    raise ConfigError(
        f"blobs.url: there is no store for {settings.url!r}",
        advice="empty (a folder below the home folder), file:///FOLDER or s3://BUCKET/PREFIX",
    )
