"""Who is the same person in several realms: joined by ids that never change, never by equal names.

::

    people:
      - sid: S-1-5-21-1004336348-1177238915-682003330-1107
        uid: 1001@hanbit
        mailbox: kim@mail.plant.example
        oidc: https://id.plant.example/|8c1f…

Further keys: ``uuid`` (entryUUID, objectGUID: ``…@realm``) and ``user`` (of realms whose names are ids:
``directory.yaml``). Whoever is not in the file is nobody but themselves.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from acl_sync.control_files import ControlFile
from contracts.access import Principal
from contracts.errors import ConfigError, DirectoryDownError

__all__ = ["Identity", "IdentityMap"]

_SID = re.compile(r"S-1-\d+(-\d+){1,15}")
_QUALIFIED = re.compile(r"[^@\s]+(@[^@\s]+)*@[a-z0-9][a-z0-9._-]*")
_FORMS = {
    "sid": (_SID, "sid:{}"),
    "uid": (re.compile(r"\d+@[a-z0-9][a-z0-9._-]*"), "uid:{}"),
    "uuid": (
        re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}@[a-z0-9][a-z0-9._-]*"),
        "uuid:{}",
    ),
    "user": (_QUALIFIED, "user:{}"),
    "mailbox": (_QUALIFIED, "user:{}"),
    "oidc": (re.compile(r"\S+"), "oidc:{}"),
}


@dataclass(frozen=True, slots=True)
class Identity:
    """One person.

    Attributes:
        accounts: What their accounts in directories are known by: looked up each time.
        mailboxes: Mailboxes, which no directory answers for: they hold while one of the accounts does.
    """

    accounts: tuple[Principal, ...]
    mailboxes: tuple[Principal, ...]


class IdentityMap:
    """The file, read anew when it has changed.

    Args:
        path: The file.
    """

    def __init__(self, path: Path) -> None:
        self._file = ControlFile(path, _parse)

    def of(self, account: frozenset[Principal]) -> Identity | None:
        """The person whom one of these ids is of, or None.

        Raises:
            DirectoryDownError: the file cannot be used: who is who is not known.
        """
        known = self._known()
        found = {id(person): person for key in account if (person := known.get(key))}
        if len(found) > 1:
            raise DirectoryDownError(
                f"{self._file.path}: 한 계정이 두 사람의 것입니다 (one account belongs to two people): "
                f"{', '.join(sorted(account & known.keys()))}"
            )
        return next(iter(found.values()), None)

    def _known(self) -> dict[Principal, Identity]:
        try:
            return self._file.now()
        except (OSError, ConfigError) as problem:
            raise DirectoryDownError(
                f"신원 연결 파일을 쓸 수 없습니다 (the identity map cannot be used): {problem}",
                advice=str(self._file.path),
            ) from problem


def _parse(values: dict[str, Any]) -> dict[Principal, Identity]:
    """People by each of their ids.

    Raises:
        ConfigError: the file is not as documented; nothing in it is guessed at.
    """
    if unknown := values.keys() - {"people"}:
        raise ConfigError(f"모르는 항목 (unknown): {', '.join(sorted(unknown))}")
    listed = values.get("people", "")
    if listed != "" and not isinstance(listed, list):
        raise ConfigError("people: 목록이어야 합니다 (must be a list)")
    known: dict[Principal, Identity] = {}
    for number, about in enumerate(listed or [], start=1):
        ids = _ids(about, f"people[{number}]")
        accounts = tuple(
            p for key, principals in ids.items() if key != "mailbox" for p in principals
        )
        person = Identity(accounts, tuple(ids.get("mailbox", ())))
        for principal in dict.fromkeys((*accounts, *person.mailboxes)):
            if principal in known:
                raise ConfigError(f"{principal}: 두 사람에게 있습니다 (stands for two people)")
            known[principal] = person
    return known


def _ids(about: Any, where: str) -> dict[str, list[Principal]]:
    if not isinstance(about, dict) or about.keys() - _FORMS.keys():
        raise ConfigError(f"{where}: {', '.join(_FORMS)} 만 쓸 수 있습니다 (only these)")
    ids: dict[str, list[Principal]] = {}
    for key, value in about.items():
        pattern, form = _FORMS[key]
        for one in value if isinstance(value, list) else [value]:
            if not isinstance(one, str) or not pattern.fullmatch(one):
                raise ConfigError(f"{where}.{key}: {one!r} 의 꼴이 다릅니다 (is not of its form)")
            ids.setdefault(key, []).append(form.format(one))
    if sum(map(len, ids.values())) < 2:  # noqa: PLR2004  one id joins nothing
        raise ConfigError(f"{where}: 둘 이상이어야 잇습니다 (needs two or more)")
    return ids
