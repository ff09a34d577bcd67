"""Who copies access lists, and who knows people. A new one is one module and one line here."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, cast

from contracts.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from acl_sync.directory import RealmDirectory
    from catalog.catalog import Catalog
    from contracts.settings import DirectorySettings, SourceSettings
    from contracts.sources import PermissionReader

__all__ = [
    "DIRECTORIES",
    "PERMISSION_READERS",
    "DirectoryEntry",
    "DirectoryOptions",
    "PermissionReaderEntry",
    "make_directories",
    "make_permission_reader",
]

_ACL_FILE = "acl.yaml"


@dataclass(frozen=True, slots=True)
class PermissionReaderEntry:
    """A permission reader, imported only when it is first needed.

    Attributes:
        name: Registry name, as in ``acl.kind``.
        where: ``module:function``; the function takes ``SourceSettings``.
    """

    name: str
    where: str

    def load(self) -> Callable[[SourceSettings], PermissionReader]:
        """Import the module; returns what makes the reader."""
        return cast("Callable[[SourceSettings], PermissionReader]", _named(self.where))


@dataclass(frozen=True, slots=True, kw_only=True)
class DirectoryOptions:
    """What directories are made from.

    Attributes:
        settings: Which files and services answer.
        roots: Roots of the configured folder sources: a directory may lie beside the documents.
        catalog: Where snapshots are kept; None: none are.
    """

    settings: DirectorySettings
    roots: tuple[Path, ...] = ()
    catalog: Catalog | None = None


@dataclass(frozen=True, slots=True)
class DirectoryEntry:
    """A kind of directory, imported only when it is first needed.

    Attributes:
        name: Registry name.
        where: ``module:function``; the function takes ``DirectoryOptions`` and returns one directory a realm,
            none where nothing of its kind is configured.
        server: Asks a server of ``[[directory.ldap]]`` of this name's kind: left alone where there is none, since
            its library costs every fresh process time.
    """

    name: str
    where: str
    server: bool = False

    def wanted(self, options: DirectoryOptions) -> bool:
        """Whether it can have anybody with these options."""
        kinds = {ldap.kind for ldap in options.settings.ldap}
        return not self.server or self.name in kinds

    def load(self) -> Callable[[DirectoryOptions], Sequence[RealmDirectory]]:
        """Import the module; returns what makes the directories."""
        return cast(
            "Callable[[DirectoryOptions], Sequence[RealmDirectory]]",
            _named(self.where),
        )


PERMISSION_READERS: tuple[PermissionReaderEntry, ...] = (
    PermissionReaderEntry("posix", "acl_sync.posix:open_reader"),
    PermissionReaderEntry("yaml", "acl_sync.yaml_lists:open_reader"),
    PermissionReaderEntry("smb", "acl_sync.smb.reader:open_reader"),
    PermissionReaderEntry("imap", "acl_sync.imap:open_reader"),
)

DIRECTORIES: tuple[DirectoryEntry, ...] = (
    DirectoryEntry("yaml", "acl_sync.directory_yaml:open_directories"),
    DirectoryEntry("local", "acl_sync.local_accounts:open_directories"),
    DirectoryEntry("ad", "acl_sync.ldap.opening:open_ad", server=True),
    DirectoryEntry("openldap", "acl_sync.ldap.opening:open_openldap", server=True),
)


def make_permission_reader(settings: SourceSettings) -> PermissionReader:
    """Whoever copies a source's access lists; ``auto``: ``acl.yaml`` where one is named or lies at the root.

    Raises:
        ConfigError: no such reader, or its lists cannot be read.
    """
    kind = settings.acl.kind
    if kind == "auto":
        kind = _usual(settings)
    for entry in PERMISSION_READERS:
        if entry.name == kind:
            return entry.load()(settings)
    raise ConfigError(
        f"source {settings.name}: acl.kind: there is no {kind!r}",
        advice=f"use one of auto, {', '.join(entry.name for entry in PERMISSION_READERS)}",
    )


def _usual(settings: SourceSettings) -> str:
    if settings.acl.file or (settings.is_folder and (settings.folder / _ACL_FILE).exists()):
        return "yaml"
    return "posix" if settings.is_folder else settings.kind


def make_directories(options: DirectoryOptions) -> list[RealmDirectory]:
    """Every configured directory, in the order of the registry.

    Raises:
        ConfigError: one is configured wrongly.
    """
    wanted = (entry for entry in DIRECTORIES if entry.wanted(options))
    return [directory for entry in wanted for directory in entry.load()(options)]


def _named(where: str) -> object:
    module, _, name = where.partition(":")
    return getattr(import_module(module), name)
