"""Whom the principals of access lists stand for, as all configured directories know them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.wiring import PeopleNow

if TYPE_CHECKING:
    from collections.abc import Iterable

    from acl_sync.who import Who
    from catalog.catalog import Catalog
    from contracts.access import Principal
    from contracts.settings import Settings
    from contracts.sources import PermissionReader

__all__ = ["PeopleTold", "unknown_names"]

_SHOWN = 5


class PeopleTold(PeopleNow):
    """Everyone whom the configured directories know, and whom principals stand for."""

    def who(self, principals: Iterable[Principal]) -> Who:
        """What the directories say of principals."""
        return self._now().who(principals)


def unknown_names(settings: Settings, catalog: Catalog, permissions: PermissionReader) -> str:
    """Names in lists written by hand that no directory knows, in one line; "" where there are none."""
    from acl_sync.yaml_lists import YamlPermissionReader

    if not isinstance(permissions, YamlPermissionReader):
        return ""
    unknown = sorted(PeopleTold(settings, catalog).who(permissions.named()).orphans)
    if not unknown:
        return ""
    shown = ", ".join(unknown[:_SHOWN]) + (" …" if len(unknown) > _SHOWN else "")
    return f"아무 디렉터리도 모르는 이름이 목록에 있습니다 (names that no directory knows): {shown}"
