"""Several directories as one. A bare name must mean one person: where two directories know it, it must be qualified."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Protocol

from contracts.errors import ConfigError, DirectoryDownError, UnknownReaderError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from contracts.access import Reader

__all__ = ["CombinedDirectory", "RealmDirectory"]


class RealmDirectory(Protocol):
    """A directory of one realm."""

    @property
    def realm(self) -> str:
        """Its realm."""
        ...

    def reader(self, name: str) -> Reader:
        """See :class:`contracts.sources.Directory`."""
        ...

    def group(self, name: str) -> Reader:
        """See :class:`contracts.sources.Directory`."""
        ...


class CombinedDirectory:
    """See :class:`contracts.sources.Directory`.

    Args:
        directories: One a realm.
        cache_seconds: How long an answer serves; 0: never.
        clock: Seconds, monotonic.
    """

    def __init__(
        self,
        directories: Sequence[RealmDirectory],
        *,
        cache_seconds: float = 60.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._directories = tuple(directories)
        self._cache_seconds = cache_seconds
        self._clock = clock
        self._cache: dict[tuple[str, str], tuple[float, Reader]] = {}

    def reader(self, name: str) -> Reader:
        """Resolve a user.

        Raises:
            UnknownReaderError: nobody of that name, or more than one.
            DirectoryDownError: a directory that might know the name does not answer.
            ConfigError: two directories claim the same realm.
        """
        return self._resolve("reader", name)

    def group(self, name: str) -> Reader:
        """Resolve a group.

        Raises:
            UnknownReaderError: no group of that name, or more than one.
        """
        return self._resolve("group", name)

    def _resolve(self, kind: str, name: str) -> Reader:
        kept = self._cache.get((kind, name))
        if kept is not None and self._clock() - kept[0] < self._cache_seconds:
            return kept[1]
        self._cache.pop((kind, name), None)
        found: list[tuple[str, Reader]] = []
        down: DirectoryDownError | None = None
        realms: list[str] = []
        for directory in self._directories:
            try:
                realms.append(directory.realm)
                found.append((directory.realm, getattr(directory, kind)(name)))
            except UnknownReaderError:
                continue
            except DirectoryDownError as problem:
                down = problem
        if repeated := {realm for realm in realms if realms.count(realm) > 1}:
            # else one of them could make people members of the other's groups
            raise ConfigError(
                f"두 디렉터리가 같은 realm 을 씁니다 (two directories claim one realm): {', '.join(repeated)}"
            )
        if down is not None and not any(name.endswith(f"@{realm}") for realm, _ in found):
            raise down  # whoever it is, the other directory might know another one of that name
        if not found:
            raise UnknownReaderError(
                f"{name}: 알 수 없는 사용자 또는 그룹입니다 (unknown)",
                advice="directory.yaml 또는 계정을 확인하세요 (check directory.yaml or the accounts)",
            )
        if len(found) > 1:
            choices = ", ".join(f"{name}@{realm}" for realm, _ in found)
            raise UnknownReaderError(
                f"{name}: 여러 디렉터리에 있습니다 (in more than one directory)", advice=choices
            )
        self._cache[kind, name] = (self._clock(), found[0][1])
        return found[0][1]
