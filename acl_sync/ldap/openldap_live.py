"""OpenLDAP and its like, asked now: groups that list somebody, and the groups that list those."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from acl_sync.ldap.found import (
    Found,
    chosen,
    known_name,
    plain_names,
    told,
    unambiguous,
)
from acl_sync.ldap.live import Lookups, any_of, safe
from acl_sync.ldap.openldap_entries import (
    GROUPS,
    MEMBERS,
    attributes,
    entry_of,
    group_keys,
    id_attribute,
    person_keys,
    user_attribute,
)
from catalog.people import GROUP, PERSON

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from acl_sync.ldap.client import LdapClient
    from acl_sync.ldap.session import Entry, Session
    from catalog.people import DirectoryEntry
    from contracts.access import Principal
    from contracts.settings import LdapSettings

__all__ = ["OpenLdap"]

_WORKED_OUT = "(|(objectClass=groupOfURLs)(!(|(member=*)(uniqueMember=*)(memberUid=*))))"


class OpenLdap(Lookups):
    """Live lookups in one tree.

    Args:
        settings: Of the directory.
        client: Sessions with its servers.
        now: The time.
    """

    def __init__(
        self,
        settings: LdapSettings,
        client: LdapClient,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        super().__init__(settings, client, now)
        # members are not read: a group may have very many, and the server is asked who lists whom
        self._attributes = tuple(a for a in attributes(settings) if a not in MEMBERS)

    def person(self, name: str) -> Found:
        """Somebody by ``uid`` or mail address (or what ``user_attribute`` says).

        Raises:
            UnknownReaderError: nobody, more than one, or an account that may not sign in.
            DirectoryDownError: no server answers.
        """
        plain = known_name(name, self._settings.name)
        keys = person_keys(plain, self._settings)
        wanted = f"({user_attribute(self._settings)}={safe(plain)})"
        if len(keys) > 1:
            wanted = f"(|{wanted}(mail={safe(plain)}))"
        return self._client.run(lambda session: self._person(session, wanted, keys, name))

    def account(self, key: str) -> Found:
        """Somebody by ``uid:N`` or ``uuid:…``.

        Raises:
            UnknownReaderError: nobody, or an account that may not sign in.
            DirectoryDownError: no server answers.
        """
        kind, _, value = key.partition(":")
        attribute = {"uid": "uidNumber", "uuid": id_attribute(self._settings)}.get(kind)
        if attribute is None:
            return Found(entry=chosen((), key, None))
        wanted = f"({attribute}={safe(value)})"
        return self._client.run(lambda session: self._person(session, wanted, (key,), key))

    def group(self, name: str) -> Found:
        """A group by its name, with the groups that it is in.

        Raises:
            UnknownReaderError: none of that name, or more than one.
            DirectoryDownError: no server answers.
        """
        plain = known_name(name, self._settings.name)

        def work(session: Session) -> Found:
            keys = set(group_keys(plain))
            found = self._search(session, f"(&{GROUPS}(cn={safe(plain)}))")
            groups = [(r, e) for r, e in found if e.kind == GROUP and keys & set(e.keys)]
            entry = chosen([e for _, e in groups], name, None)
            return Found(entry=entry, groups=self._above(session, _listing(entry.dn), groups))

        return self._client.run(work)

    def strangers(self, found: Found) -> tuple[DirectoryEntry, ...]:  # noqa: ARG002  see LivePeople
        """None: nothing here stands for accounts of other directories."""
        return ()

    def names(self, sids: Iterable[str]) -> dict[str, str]:  # noqa: ARG002  see LivePeople
        """None: nobody has a SID here."""
        return {}

    def who(self, principals: frozenset[Principal]) -> dict[Principal, str]:
        """Names of those whom principals stand for, whatever their state.

        Raises:
            DirectoryDownError: no server answers.
        """
        named = {
            "user": user_attribute(self._settings),
            "group": "cn",
            "uid": "uidNumber",
            "gid": "gidNumber",
        }
        filters = [
            f"({attribute}={safe(name)})"
            for kind, attribute in named.items()
            for name in plain_names(principals, kind)
        ]

        def work(session: Session) -> dict[Principal, str]:
            entries = [
                entry for wanted in any_of(filters) for _, entry in self._search(session, wanted)
            ]
            return told(entries, principals)

        return self._client.run(work)

    def _person(self, session: Session, wanted: str, keys: tuple[str, ...], name: str) -> Found:
        found = self._search(session, wanted)
        people = [(r, e) for r, e in found if e.kind == PERSON and set(keys) & set(e.keys)]
        entry = chosen([e for _, e in people], name, self._now())
        raw = next(r for r, e in people if e.entry_id == entry.entry_id)
        names = raw.texts(user_attribute(self._settings))
        start = _listing(entry.dn)
        start += [f"(&(objectClass=posixGroup)(memberUid={safe(uid)}))" for uid in names]
        if gid := raw.text("gidNumber"):
            start.append(f"(&(objectClass=posixGroup)(gidNumber={safe(gid)}))")
        return Found(entry=entry, groups=self._above(session, start, people))

    def _above(
        self, session: Session, start: list[str], members: list[tuple[Entry, DirectoryEntry]]
    ) -> tuple[DirectoryEntry, ...]:
        """Every group that one of these filters finds, that lists such a group, or that members are told to be in."""
        groups: dict[str, DirectoryEntry] = {}
        waiting, below = start, members
        while waiting:
            found = [
                pair for wanted in any_of(waiting, GROUPS) for pair in self._search(session, wanted)
            ]
            listed = {entry.dn for _, entry in found} | {entry.dn for entry in groups.values()}
            told_of = {place for raw, _ in below for place in raw.texts("memberOf")} - listed
            found += [pair for place in sorted(told_of) for pair in self._dynamic(session, place)]
            below = []
            for raw, entry in found:
                if entry.kind == GROUP and entry.entry_id not in groups:
                    groups[entry.entry_id] = entry
                    below.append((raw, entry))
            waiting = [part for _, entry in below for part in _listing(entry.dn)]
        return self._named_once(session, groups)

    def _dynamic(self, session: Session, place: str) -> list[tuple[Entry, DirectoryEntry]]:
        """A group whose members the server works out, and tells in ``memberOf`` alone; one with a list is believed its list."""
        found = session.base(place, self._attributes, wanted=_WORKED_OUT)
        entry = entry_of(found, self._settings) if found else None
        return [(found, entry)] if found and entry else []

    def _named_once(
        self, session: Session, groups: dict[str, DirectoryEntry]
    ) -> tuple[DirectoryEntry, ...]:
        """The groups; a name that several groups of the tree share names none of them."""
        names = sorted({entry.name for entry in groups.values()})
        same: list[DirectoryEntry] = []
        for wanted in any_of([f"(cn={safe(name)})" for name in names], GROUPS):
            same += [e for _, e in self._search(session, wanted)]
        return unambiguous(groups.values(), same)

    def _search(self, session: Session, wanted: str) -> list[tuple[Entry, DirectoryEntry]]:
        found = session.search(self._settings.base, wanted, self._attributes)
        pairs = ((one, entry_of(one, self._settings)) for one in found)
        return [(one, entry) for one, entry in pairs if entry is not None]


def _listing(dn: str) -> list[str]:
    """Filters of the groups that list an entry, each over an attribute that servers have indexed, or over few entries."""
    place = safe(dn)
    return [f"(member={place})", f"(&(objectClass=groupOfUniqueNames)(uniqueMember={place}))"]
