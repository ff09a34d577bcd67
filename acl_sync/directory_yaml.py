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

import unicodedata
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from acl_sync.control_files import ControlFile, switch
from contracts.access import Reader
from contracts.errors import ConfigError, DirectoryDownError, UnknownReaderError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from acl_sync.registry import DirectoryOptions

__all__ = ["YamlDirectory", "open_directories"]

_FILE = "directory.yaml"
_ABOUT = {"name", "mail", "title", "department"}
_USER = _ABOUT | {"groups", "disabled", "expires"}
_GROUP = _ABOUT | {"groups"}


def open_directories(options: DirectoryOptions) -> list[YamlDirectory]:
    """One directory a file: those that are named, and ``directory.yaml`` at the roots where it counts."""
    beside = (root / _FILE for root in options.roots)
    return [YamlDirectory(file) for file in dict.fromkeys((*options.settings.files, *beside))]


@dataclass(frozen=True, slots=True)
class _People:
    """What a file says: users who may read, with their groups; groups with those that they belong to; names of all."""

    realm: str
    users: dict[str, tuple[str, ...]] = field(default_factory=dict)
    groups: dict[str, tuple[str, ...]] = field(default_factory=dict)
    expires: dict[str, str] = field(default_factory=dict)
    shown: dict[str, str] = field(default_factory=dict)


class YamlDirectory:
    """See :class:`contracts.sources.Directory`; the file is read anew when it has changed.

    A file that cannot be read, or not be understood, knows nobody: its directory counts as down.

    Args:
        path: The file.
    """

    def __init__(self, path: Path) -> None:
        self._file = ControlFile(path, _parse)

    @property
    def realm(self) -> str:
        """Realm of its users and groups.

        Raises:
            DirectoryDownError: the file cannot be used.
        """
        return self._people().realm

    def reader(self, name: str) -> Reader:
        """Resolve a user, as ``kim`` or ``kim@realm``."""
        people = self._people()
        account = _composed(name).removesuffix(f"@{people.realm}")
        if account not in people.users or _expired(people.expires.get(account, "")):
            raise UnknownReaderError(
                f"{name}: 디렉터리에 없거나 사용 중지된 사용자입니다 (unknown or disabled)"
            )
        groups = _closure(people, people.users[account])
        found = _reader(name, people.realm, {f"user:{account}", *groups})
        return replace(found, account=frozenset({f"user:{account}@{people.realm}"}))

    def account(self, principal: str) -> Reader | None:
        """See :class:`acl_sync.directory.FindsAccounts`; names are ids here."""
        kind, _, name = principal.partition(":")
        return self.reader(name) if kind == "user" and name.endswith(f"@{self.realm}") else None

    def group(self, name: str) -> Reader:
        """What a mere member of this group may name itself by."""
        people = self._people()
        group = _composed(name).removesuffix(f"@{people.realm}")
        if group not in people.groups:
            raise UnknownReaderError(f"{name}: 디렉터리에 없는 그룹입니다 (unknown group)")
        return _reader(name, people.realm, _closure(people, (group,)))

    def people(self) -> list[str]:
        """See :class:`acl_sync.directory.ListsPeople`."""
        people = self._people()
        return [n for n in people.users if not _expired(people.expires.get(n, ""))]

    def who(self, principals: Iterable[str]) -> dict[str, str]:
        """See :class:`acl_sync.who.TellsWho`."""
        people = self._people()
        asked = ((p, p.removesuffix(f"@{people.realm}")) for p in principals)
        return {p: people.shown[name] for p, name in asked if name != p and name in people.shown}

    def _people(self) -> _People:
        try:
            return self._file.now()
        except (OSError, ConfigError) as problem:
            raise DirectoryDownError(
                f"디렉터리를 읽을 수 없습니다 (the directory cannot be read): {problem}",
                advice=str(self._file.path),
            ) from problem


def _reader(name: str, realm: str, principals: set[str]) -> Reader:
    qualified = frozenset(f"{principal}@{realm}" for principal in (*principals, "everyone"))
    return Reader(name=name, principals=qualified, realm=realm)


def _closure(people: _People, groups: tuple[str, ...]) -> set[str]:
    found: set[str] = set()
    waiting = list(groups)
    while waiting:
        group = waiting.pop()
        if f"group:{group}" not in found and group in people.groups:
            found.add(f"group:{group}")
            waiting += people.groups[group]
    return found


def _parse(values: dict[str, Any]) -> _People:
    """What the file says.

    Raises:
        ConfigError: it is not as documented; nothing in it is guessed at.
    """
    realm = values.get("realm")
    if not isinstance(realm, str) or not realm.strip() or "@" in realm:
        raise ConfigError("realm: 이름이 필요합니다 (is needed)")
    if unknown := values.keys() - {"realm", "users", "groups"}:
        raise ConfigError(f"모르는 항목 (unknown): {', '.join(sorted(unknown))}")
    people = _People(realm)
    for name, about in _entries(values, "users", _USER).items():
        disabled = switch(about.get("disabled", ""))
        if disabled is None:
            raise ConfigError(f"users.{name}.disabled: true 또는 false (must be one of them)")
        people.shown[f"user:{name}"] = str(about.get("name") or name)
        if not disabled:
            people.users[name] = _names(about.get("groups"), f"users.{name}.groups")
            people.expires[name] = str(about.get("expires", ""))
    for name, about in _entries(values, "groups", _GROUP).items():
        people.groups[name] = _names(about.get("groups"), f"groups.{name}.groups")
        people.shown[f"group:{name}"] = str(about.get("name") or name)
    return people


def _entries(values: dict[str, Any], where: str, known: set[str]) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {}
    listed = values.get(where) or {}
    if not isinstance(listed, dict):
        raise ConfigError(f"{where}: 이름별 항목이어야 합니다 (must map names to entries)")
    for name, about in listed.items():
        key = _composed(name)
        if key in found or not key:
            raise ConfigError(f"{where}: {name!r} 이름이 두 번 나옵니다 (stands there twice)")
        if not isinstance(about or {}, dict) or (about or {}).keys() - known:
            raise ConfigError(f"{where}.{name}: {', '.join(sorted(known))} 만 쓸 수 있습니다")
        found[key] = about or {}
    return found


def _names(values: Any, where: str) -> tuple[str, ...]:
    if not isinstance(values or [], list) or not all(isinstance(v, str) for v in values or []):
        raise ConfigError(f"{where}: 이름의 목록이어야 합니다 (must be a list of names)")
    return tuple(_composed(value) for value in values or [])


def _composed(name: str) -> str:
    """Compare names as composed Unicode, as access lists do."""
    return unicodedata.normalize("NFC", name)


def _expired(value: str) -> bool:
    if not value:
        return False
    try:
        last = date.fromisoformat(value)
    except ValueError:
        return True  # a date that cannot be read does not keep an account open
    return last < datetime.now().astimezone().date()
