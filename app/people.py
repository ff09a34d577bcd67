"""Who people are, and whom the principals of access lists stand for, as all configured directories know them now."""

from __future__ import annotations

from typing import TYPE_CHECKING

from contracts.settings import SourceSettings

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from acl_sync.directory import CombinedDirectory
    from acl_sync.who import Who
    from catalog.catalog import Catalog
    from contracts.access import Principal, Reader
    from contracts.settings import Settings
    from contracts.sources import PermissionReader

__all__ = ["PeopleNow", "unknown_names"]

_SHOWN = 5


class PeopleNow:
    """Everyone whom the configured directories know now: a source that was first read while a service runs counts, too."""

    def __init__(self, settings: Settings, catalog: Catalog) -> None:
        self._settings = settings.directory
        self._catalog = catalog
        self._made: tuple[tuple[Path, ...], CombinedDirectory] | None = None

    def reader(self, name: str) -> Reader:
        """See :class:`contracts.sources.Directory`."""
        return self._now().reader(name)

    def group(self, name: str) -> Reader:
        """See :class:`contracts.sources.Directory`."""
        return self._now().group(name)

    def names(self, principals: Iterable[Principal]) -> dict[Principal, str]:
        """What SIDs stand for, for people to read."""
        return self._now().names(principals)

    def people(self) -> list[str]:
        """Everybody whom the directories list, as ``NAME@realm``."""
        return self._now().people()

    def who(self, principals: Iterable[Principal]) -> Who:
        """What the directories say of principals."""
        return self._now().who(principals)

    def reasons(self, name: str) -> dict[str, str]:
        """Why each directory says that a name is nobody, by realm."""
        return self._now().reasons(name)

    def _now(self) -> CombinedDirectory:
        from acl_sync.directory import CombinedDirectory
        from acl_sync.identity_map import IdentityMap
        from acl_sync.registry import DirectoryOptions, make_directories

        roots = self._roots()
        if self._made is None or self._made[0] != roots:
            options = DirectoryOptions(settings=self._settings, roots=roots, catalog=self._catalog)
            cache_seconds = self._settings.cache_seconds
            directories = make_directories(options)
            map_file = self._settings.identity_map
            self._made = (
                roots,
                CombinedDirectory(
                    directories,
                    cache_seconds=cache_seconds,
                    identities=IdentityMap(map_file) if map_file else None,
                ),
            )
        return self._made[1]

    def _roots(self) -> tuple[Path, ...]:
        from app.controls import controls_of

        roots = []
        for record in self._catalog.sources.list():
            source = SourceSettings.model_validate(dict(record.config))
            source = source.resolved()
            controls = controls_of(self._catalog, source)
            if controls is not None and controls.people:
                roots.append(source.folder)
        return tuple(roots)


def unknown_names(settings: Settings, catalog: Catalog, permissions: PermissionReader) -> str:
    """Names in lists written by hand that no directory knows, in one line; "" where there are none."""
    from acl_sync.yaml_lists import YamlPermissionReader

    if not isinstance(permissions, YamlPermissionReader):
        return ""
    unknown = sorted(PeopleNow(settings, catalog).who(permissions.named()).orphans)
    if not unknown:
        return ""
    shown = ", ".join(unknown[:_SHOWN]) + (" …" if len(unknown) > _SHOWN else "")
    return f"아무 디렉터리도 모르는 이름이 목록에 있습니다 (names that no directory knows): {shown}"
