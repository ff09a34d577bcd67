"""People and groups written by hand: ``directory.yaml``, for drives without a directory server.

::

    realm: hanbit
    users:
      kim: {name: 김하늘, groups: [quality]}
      park: {name: 박도윤, groups: [sales], disabled: true}
    groups:
      quality: {name: 품질보증팀, groups: [staff]}   # members of quality are members of staff
      staff: {}
"""

from __future__ import annotations

from datetime import UTC, date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

from acl_sync.yaml_lists import trusted_file
from contracts.access import Reader
from contracts.errors import ConfigError, UnknownReaderError

if TYPE_CHECKING:
    from acl_sync.registry import DirectoryOptions

__all__ = ["YamlDirectory", "open_directories"]

_FILE = "directory.yaml"


def open_directories(options: DirectoryOptions) -> list[YamlDirectory]:
    """One directory a file: those that are named, and ``directory.yaml`` at the roots that have one."""
    beside = (root / _FILE for root in options.roots)
    files = (*options.settings.files, *(file for file in beside if file.exists()))
    return [YamlDirectory(file) for file in dict.fromkeys(files)]


class YamlDirectory:
    """See :class:`contracts.ports.Directory`; the file is read anew when it has changed.

    Args:
        path: The file.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._seen: tuple[int, int] | None = None
        self._values: dict[str, Any] = {}

    @property
    def realm(self) -> str:
        """Realm of its users and groups."""
        return str(self._read().get("realm") or "local")

    def reader(self, name: str) -> Reader:
        """Resolve a user, as ``kim`` or ``kim@realm``."""
        values = self._read()
        realm = self.realm
        account = name.removesuffix(f"@{realm}")
        user = (values.get("users") or {}).get(account)
        if not isinstance(user, dict) or user.get("disabled") or _expired(user.get("expires")):
            raise UnknownReaderError(
                f"{name}: 디렉터리에 없거나 사용 중지된 사용자입니다 (unknown or disabled)"
            )
        groups = self._closure(user.get("groups") or [])
        principals = {f"user:{account}@{realm}", f"everyone@{realm}"}
        principals |= {f"group:{group}@{realm}" for group in groups}
        return Reader(name=name, principals=frozenset(principals), realm=realm)

    def group(self, name: str) -> Reader:
        """What a mere member of this group may name itself by."""
        realm = self.realm
        group = name.removesuffix(f"@{realm}")
        if group not in (self._read().get("groups") or {}):
            raise UnknownReaderError(f"{name}: 디렉터리에 없는 그룹입니다 (unknown group)")
        principals = {f"group:{found}@{realm}" for found in self._closure([group])}
        return Reader(
            name=name, principals=frozenset({*principals, f"everyone@{realm}"}), realm=realm
        )

    def _closure(self, groups: list[Any]) -> set[str]:
        known = self._read().get("groups") or {}
        found: set[str] = set()
        waiting = [str(group) for group in groups]
        while waiting:
            group = waiting.pop()
            if group in found or group not in known:
                continue
            found.add(group)
            waiting += [str(outer) for outer in (known[group] or {}).get("groups") or []]
        return found

    def _read(self) -> dict[str, Any]:
        try:
            status = self._path.stat()
            seen = (status.st_mtime_ns, status.st_ino)
            if seen != self._seen:
                if reason := trusted_file(self._path):
                    raise ConfigError(f"{self._path}: {reason}")
                values = yaml.safe_load(self._path.read_text(encoding="utf-8"))
                if not isinstance(values, dict):
                    raise ConfigError(
                        f"{self._path}: realm, users, groups 가 필요합니다 (are needed)"
                    )
                self._values, self._seen = values, seen
        except (OSError, UnicodeDecodeError, yaml.YAMLError) as problem:
            raise ConfigError(f"{self._path}: {problem}") from problem
        return self._values


def _expired(value: Any) -> bool:
    if value is None:
        return False
    try:
        last = value if isinstance(value, date) else date.fromisoformat(str(value))
    except ValueError:
        return True  # a date that cannot be read does not keep an account open
    return last < datetime.now(UTC).date()
