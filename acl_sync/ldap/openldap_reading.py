"""OpenLDAP and its like, copied: whole, then what ``modifyTimestamp`` says has changed, with a list of all that is there.

A deleted entry leaves no trace, and a renamed folder changes the names below it without touching them: so every pass
reads id and name of everything, and all of those that changed.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from acl_sync.ldap.openldap_entries import (
    GROUPS,
    attributes,
    entry_of,
    id_attribute,
    normal_dn,
    user_attribute,
)
from acl_sync.ldap.reading import Changes, ServerState
from contracts.errors import DirectoryDownError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from acl_sync.ldap.session import Session
    from catalog.people import DirectoryEntry, DirectorySnapshot
    from contracts.settings import LdapSettings

__all__ = ["OpenLdapReading"]

_OVERLAP = timedelta(hours=1)
"""Changes that reach this server late from another one still carry the time of that one."""

_TIME = "%Y%m%d%H%M%SZ"
_BATCH = 50


class OpenLdapReading:
    """See :class:`acl_sync.ldap.reading.Reading`.

    Args:
        settings: Of the directory.
        now: The time.
    """

    def __init__(self, settings: LdapSettings, now: Callable[[], datetime]) -> None:
        self._settings = settings
        self._now = now
        self._wanted = f"(|{GROUPS}({user_attribute(settings)}=*))"

    def state(self, session: Session) -> ServerState:
        """The server's address, and now."""
        if session.base(self._settings.base, ("objectClass",)) is None:
            raise DirectoryDownError(
                f"{session.address}: {self._settings.base} 이(가) 없거나 볼 수 없습니다 (is not there, or may not be seen)",
                advice="directory.ldap 의 base 와 user 를 확인하세요 (check base and user)",
            )
        return ServerState(str(session.address), self._now().strftime(_TIME))

    def follows(self, known: DirectorySnapshot, state: ServerState) -> bool:
        """Whether time has gone on."""
        return bool(known.cursor) and known.cursor <= state.cursor

    def everything(self, session: Session) -> Iterator[DirectoryEntry]:
        """People and groups below ``base``."""
        found = session.search(self._settings.base, self._wanted, attributes(self._settings))
        for one in found:
            entry = entry_of(one, self._settings)
            if entry is not None:
                yield entry

    def changes(
        self, session: Session, known: DirectorySnapshot, places: dict[str, str]
    ) -> Changes:
        """What changed since the last pass, was renamed, is new, or is gone."""
        identity = id_attribute(self._settings)
        there: dict[str, str] = {}
        for found in session.search(self._settings.base, self._wanted, (identity,)):
            there[found.text(identity).lower()] = found.dn
        since = datetime.strptime(known.cursor, _TIME) - _OVERLAP  # noqa: DTZ007  both are UTC
        # a group whose members the server works out changes without being touched
        moved_on = f"(|(modifyTimestamp>={since.strftime(_TIME)})(objectClass=groupOfURLs))"
        wanted = f"(&{moved_on}{self._wanted})"
        changed: dict[str, DirectoryEntry] = {}
        for one in session.search(self._settings.base, wanted, attributes(self._settings)):
            entry = entry_of(one, self._settings)
            if entry is not None:
                changed[entry.entry_id] = entry
        for entry_id, dn in there.items():
            known_as = places.get(entry_id, "")
            if entry_id in changed or known_as == dn:
                continue
            if normal_dn(known_as) != normal_dn(dn):
                one_there = session.base(dn, attributes(self._settings))
                entry = entry_of(one_there, self._settings) if one_there else None
                if entry is not None:
                    changed[entry_id] = entry
        return Changes(tuple(changed.values()), frozenset(places.keys() - there.keys()))
