"""Active Directory, copied: whole, then by ``uSNChanged`` of the controller that was read (MS-ADTS 3.1.1.1.9).

Update numbers are of one controller: where another answers, or the same one after it was restored (its
``invocationId`` is new then), everything is read again. Members are known by GUID, so renamed and moved ones stay
what they are.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from ldap3.protocol.microsoft import extended_dn_control, show_deleted_control

from acl_sync.ldap.ad_entries import (
    FOREIGNERS,
    GROUP_ATTRIBUTES,
    GROUPS,
    MEMBER,
    PEOPLE,
    Domain,
    entry_of,
    is_within,
    member_of,
    person_attributes,
    plain_dn,
)
from acl_sync.ldap.ad_live import domain_facts
from acl_sync.ldap.reading import Changes, ServerState
from acl_sync.ldap.sids import guid_text
from catalog.people import PERSON, DirectoryEntry
from contracts.errors import DirectoryDownError

if TYPE_CHECKING:
    from acl_sync.ldap.session import Entry, Session
    from catalog.people import DirectorySnapshot
    from contracts.settings import LdapSettings

__all__ = ["DOMAIN", "AdReading"]

DOMAIN = "domain"
"""Kind and key of the entry that holds the domain's short name."""

_ANY = "(|(&(objectClass=user)(!(objectClass=computer)))(objectClass=group)(objectClass=foreignSecurityPrincipal))"
_RANGE = re.compile(rf"{MEMBER};range=(\d+)-(\d+|\*)")


class AdReading:
    """See :class:`acl_sync.ldap.reading.Reading`.

    Args:
        settings: Of the directory.
        members_at_once: Members asked for at once; 0: as many as the server gives (1,500 by default, MS-ADTS 3.1.1.3.4.6).
    """

    def __init__(self, settings: LdapSettings, *, members_at_once: int = 0) -> None:
        self._settings = settings
        self._member = f"{MEMBER};range=0-{members_at_once - 1}" if members_at_once else MEMBER

    def state(self, session: Session) -> ServerState:
        """``invocationId`` and ``highestCommittedUSN`` of the controller."""
        root = session.base("", ("dsServiceName", "highestCommittedUSN"))
        service = root.text("dsServiceName") if root else ""
        about = session.base(service, ("invocationId",)) if service else None
        server = guid_text(about.raw("invocationId")) if about else ""
        if root is None or not server:
            raise DirectoryDownError(
                f"{session.address}: invocationId 를 읽을 수 없습니다 (cannot be read)",
                advice="Active Directory 인지, 수집 계정이 읽을 수 있는지 확인하세요 (is it AD, may the account read it?)",
            )
        return ServerState(server, root.text("highestCommittedUSN"))

    def follows(self, known: DirectorySnapshot, state: ServerState) -> bool:
        """Whether the controller has not gone back behind what was read of it."""
        return known.cursor.isdigit() and int(known.cursor) <= int(state.cursor or -1)

    def everything(self, session: Session) -> Iterator[DirectoryEntry]:
        """People below ``base``; groups and foreign accounts of the whole domain."""
        domain = domain_facts(session, self._settings)
        yield DirectoryEntry(
            entry_id=DOMAIN, kind=DOMAIN, name=domain.short, dn=domain.root, keys=(DOMAIN,)
        )
        people = session.search(
            self._settings.base, PEOPLE, person_attributes(self._settings, computed=False)
        )
        for found in people:
            entry = entry_of(found, domain)
            if entry is not None:
                yield entry
        controls = [_extended()]
        wanted = f"(|{GROUPS}{FOREIGNERS})"
        attributes = (*GROUP_ATTRIBUTES, self._member)
        for found in session.search(domain.root, wanted, attributes, controls):
            entry = self._entry(session, found, domain)
            if entry is not None:
                yield entry

    def changes(
        self, session: Session, known: DirectorySnapshot, places: dict[str, str]
    ) -> Changes:
        """By update number; deleted entries are seen as tombstones, or by their absence where those are not shown."""
        domain = domain_facts(session, self._settings)
        wanted = f"(&(uSNChanged>={int(known.cursor) + 1}){_ANY})"
        attributes = dict.fromkeys(
            (
                *person_attributes(self._settings, computed=False),
                *GROUP_ATTRIBUTES,
                self._member,
            )
        )
        controls = [_extended(), show_deleted_control(criticality=True)]
        entries: list[DirectoryEntry] = []
        gone: set[str] = set()
        for found in session.search(domain.root, wanted, attributes, controls):
            entry = self._entry(session, found, domain)
            if entry is None:
                gone.add(guid_text(found.raw("objectGUID")))
            else:
                entries.append(entry)
        if not self._sees_deleted(session, domain):
            ids = {
                guid_text(found.raw("objectGUID"))
                for found in session.search(domain.root, _ANY, ("objectGUID",))
            }
            gone |= places.keys() - ids - {DOMAIN}
        return Changes(tuple(entries), frozenset(gone & places.keys()))

    def _entry(self, session: Session, found: Entry, domain: Domain) -> DirectoryEntry | None:
        members = tuple(self._members(session, found))
        entry = entry_of(found, domain, tuple(key for key in members if key))
        outside = entry and entry.kind == PERSON and not is_within(entry.dn, self._settings.base)
        return None if outside else entry

    def _members(self, session: Session, found: Entry) -> Iterator[str]:
        """Keys of all members, however many answers they come in."""
        at: Entry | None = found
        while at is not None:
            ranged = next((name for name in at.values if _RANGE.fullmatch(name)), MEMBER)
            yield from map(member_of, at.texts(ranged))
            match = _RANGE.fullmatch(ranged)
            if match is None or match[2] == "*":
                return
            following = f"{MEMBER};range={int(match[2]) + 1}-*"
            at = session.base(plain_dn(found.dn), (following,), [_extended()])

    def _sees_deleted(self, session: Session, domain: Domain) -> bool:
        """Whether tombstones are shown to this account: by default they are to administrators alone."""
        place = f"CN=Deleted Objects,{domain.root}"
        controls = [show_deleted_control(criticality=True)]
        found = session.search(place, f"(&(isDeleted=TRUE){_ANY})", ("objectGUID",), controls)
        return next(iter(found), None) is not None


def _extended() -> object:
    """Members with GUID and SID, as text (MS-ADTS 3.1.1.3.4.1.5)."""
    return extended_dn_control(criticality=True, hex_format=False)
