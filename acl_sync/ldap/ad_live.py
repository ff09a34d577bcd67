"""Active Directory, asked now.

The groups of an account are its ``tokenGroups``: nested ones, the primary one, those of the domain and of the server
that answers, as Windows puts them into a token (MS-ADTS 3.1.1.4.5.19). Groups that hold an account of another domain
are found from the object that stands for it (``foreignSecurityPrincipal``) upwards.
"""

from __future__ import annotations

import contextlib
import uuid
from datetime import timedelta
from typing import TYPE_CHECKING

from acl_sync.ldap.ad_entries import (
    FOREIGNERS,
    GROUP_ATTRIBUTES,
    GROUPS,
    PEOPLE,
    Domain,
    account_of,
    entry_of,
    group_keys,
    person_attributes,
    person_keys,
    root_of,
)
from acl_sync.ldap.found import (
    Found,
    chosen,
    folded,
    known_name,
    plain_names,
    told,
    unknown,
)
from acl_sync.ldap.live import Lookups, any_of, safe
from acl_sync.ldap.sids import sid_bytes, sid_text
from contracts.errors import DirectoryDownError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from acl_sync.ldap.session import Entry, Session
    from catalog.people import DirectoryEntry
    from contracts.access import Principal
    from contracts.settings import LdapSettings

__all__ = ["ActiveDirectory", "domain_facts"]

_DOMAIN_SID = "S-1-5-21-"


class ActiveDirectory(Lookups):
    """Live lookups in one domain.

    Args:
        settings: Of the directory.
        client: Sessions with its controllers.
        now: The time.
    """

    def person(self, name: str) -> Found:
        r"""Somebody by a name: ``kim``, ``kim@plant``, ``kim@plant.example``, ``PLANT\kim``, a mail address.

        Raises:
            UnknownReaderError: nobody, more than one, or an account that may not sign in.
            DirectoryDownError: no server answers.
        """
        plain = known_name(name, self._settings.name)

        def work(session: Session) -> Found:
            domain = domain_facts(session, self._settings)
            keys = person_keys(plain, domain)
            if not keys:
                raise unknown(name)
            return self._person(session, domain, keys, plain, name)

        return self._client.run(work)

    def account(self, key: str) -> Found:
        """Somebody by ``sid:S-1-5-…`` or ``uuid:…``.

        Raises:
            UnknownReaderError: nobody, or an account that may not sign in.
            DirectoryDownError: no server answers.
        """

        def work(session: Session) -> Found:
            domain = domain_facts(session, self._settings)
            return self._person(session, domain, (key,), key, key)

        return self._client.run(work)

    def group(self, name: str) -> Found:
        """A group by its name or SID, with the groups that it is in.

        Raises:
            UnknownReaderError: none of that name.
            DirectoryDownError: no server answers.
        """
        plain = known_name(name, self._settings.name)

        def work(session: Session) -> Found:
            domain = domain_facts(session, self._settings)
            keys = group_keys(plain, domain)
            if not keys:
                raise unknown(name)
            account = account_of(plain, domain)
            wanted = (
                f"(&{GROUPS}(|(sAMAccountName={safe(account)}){''.join(_sid_filters([account]))}))"
            )
            found = session.search(domain.root, wanted, GROUP_ATTRIBUTES)
            entries = [e for e in _entries(found, domain) if set(keys) & set(e.keys)]
            entry = chosen(entries, name, None)
            return Found(entry=entry, groups=self._above(session, domain, [entry.dn]))

        return self._client.run(work)

    def strangers(self, found: Found) -> tuple[DirectoryEntry, ...]:
        """Groups of this domain that somebody of another one is in.

        Raises:
            DirectoryDownError: no server answers.
        """

        def work(session: Session) -> tuple[DirectoryEntry, ...]:
            domain = domain_facts(session, self._settings)
            sids = sorted(sid for sid in found.all_sids if sid.startswith(_DOMAIN_SID))
            start = [found.entry.dn, *(group.dn for group in found.groups)]
            for wanted in any_of(_sid_filters(sids), FOREIGNERS):
                start += [e.dn for e in session.search(domain.root, wanted, ("objectSid",))]
            return self._above(session, domain, start)

        return self._client.run(work)

    def names(self, sids: Iterable[str]) -> dict[str, str]:
        """Names of accounts and groups of this domain, by SID.

        Raises:
            DirectoryDownError: no server answers.
        """

        def work(session: Session) -> dict[str, str]:
            known: dict[str, str] = {}
            attributes = ("objectSid", "sAMAccountName")
            for wanted in any_of(_sid_filters(sorted(set(sids)))):
                for entry in session.search(root_of(self._settings.base), wanted, attributes):
                    if name := entry.text("sAMAccountName"):
                        known[sid_text(entry.raw("objectSid"))] = name
            return known

        return self._client.run(work)

    def who(self, principals: frozenset[Principal]) -> dict[Principal, str]:
        """Names of those whom principals stand for, whatever their state.

        Raises:
            DirectoryDownError: no server answers.
        """
        sids = plain_names(principals, "sid")
        accounts = [*plain_names(principals, "user"), *plain_names(principals, "group")]

        def work(session: Session) -> dict[Principal, str]:
            domain = domain_facts(session, self._settings)
            attributes = dict.fromkeys(
                (*person_attributes(self._settings, computed=False), *GROUP_ATTRIBUTES)
            )
            entries: list[DirectoryEntry] = []
            for wanted in any_of(f"(sAMAccountName={safe(name)})" for name in accounts):
                found = session.search(domain.root, wanted, attributes)
                entries += _entries(found, domain)
            return told(entries, principals)

        named = {f"sid:{sid}": name for sid, name in self.names(sids).items()}
        return named | (self._client.run(work) if accounts else {})

    def _person(
        self, session: Session, domain: Domain, keys: tuple[str, ...], plain: str, name: str
    ) -> Found:
        wanted = f"(&{PEOPLE}(|{self._person_filter(plain, keys, domain)}))"
        attributes = person_attributes(self._settings, computed=True)
        found = session.search(self._settings.base, wanted, attributes)
        entries = [e for e in _entries(found, domain) if set(keys) & set(e.keys)]
        entry = chosen(entries, name, self._now())
        token = session.base(entry.dn, ("tokenGroups",))
        if token is None:
            raise unknown(name)
        sids = {sid_text(raw) for raw in token.values.get("tokengroups", ())}
        if not sids:  # everybody has a primary group: it was not shown
            raise DirectoryDownError(
                f"{session.address}: tokenGroups 를 읽을 수 없습니다 (cannot be read)",
                advice="수집 계정을 Windows Authorization Access Group 에 넣으세요 (add the account to it)",
            )
        groups = self._by_sid(session, domain, sids)
        return Found(entry=entry, groups=groups, sids=frozenset(sids))

    def _person_filter(self, plain: str, keys: tuple[str, ...], domain: Domain) -> str:
        (key,) = keys
        if key.startswith("sid:"):
            return "".join(_sid_filters([key.removeprefix("sid:")]))
        if key.startswith("uuid:"):
            return _guid_filter(key.removeprefix("uuid:"))
        if self._settings.user_attribute:
            return f"({self._settings.user_attribute}={safe(plain)})"
        if key.startswith("name:"):
            return f"(sAMAccountName={safe(account_of(plain, domain))})"
        parts = [f"(userPrincipalName={safe(plain)})", f"(mail={safe(plain)})"]
        account, _, suffix = plain.rpartition("@")
        if folded(suffix) == folded(domain.dns_name):
            parts.append(f"(sAMAccountName={safe(account)})")
        return "".join(parts)

    def _by_sid(
        self, session: Session, domain: Domain, sids: Iterable[str]
    ) -> tuple[DirectoryEntry, ...]:
        groups: list[DirectoryEntry] = []
        for wanted in any_of(_sid_filters(sorted(sids)), GROUPS):
            groups += _entries(session.search(domain.root, wanted, GROUP_ATTRIBUTES), domain)
        return tuple(groups)

    def _above(
        self, session: Session, domain: Domain, start: Iterable[str]
    ) -> tuple[DirectoryEntry, ...]:
        """Every group that lists one of these entries, or a group that does."""
        groups: dict[str, DirectoryEntry] = {}
        waiting = list(dict.fromkeys(start))
        while waiting:
            newly: list[str] = []
            for wanted in any_of([f"(member={safe(dn)})" for dn in waiting], GROUPS):
                found = session.search(domain.root, wanted, GROUP_ATTRIBUTES)
                for group in _entries(found, domain):
                    if group.entry_id not in groups:
                        groups[group.entry_id] = group
                        newly.append(group.dn)
            waiting = newly
        return tuple(groups.values())


def domain_facts(session: Session, settings: LdapSettings) -> Domain:
    """What the domain says of itself: its short name, and how long accounts stay locked.

    Raises:
        DirectoryDownError: the account may not read it, or ``base`` is no place of this server.
    """
    kept = session.facts.get(settings.name)
    if isinstance(kept, Domain):
        return kept
    root = root_of(settings.base)
    about = session.base(root, ("lockoutDuration",))
    place = session.base("", ("configurationNamingContext",))
    if about is None or place is None:
        raise DirectoryDownError(
            f"{session.address}: {root} 이(가) 없습니다 (is not there)",
            advice="directory.ldap 의 base 를 확인하세요 (check base)",
        )
    partitions = f"CN=Partitions,{place.text('configurationNamingContext')}"
    named = list(session.search(partitions, f"(nCName={safe(root)})", ("nETBIOSName",)))
    # an interval of 100 ns units, below zero; the least number, and 0: until somebody unlocks
    units = -about.number("lockoutDuration")
    seconds = units / 10_000_000
    forever = units <= 0 or seconds > timedelta(days=36500).total_seconds()
    domain = Domain(
        settings=settings,
        root=root,
        lockout=None if forever else timedelta(seconds=seconds),
        short=named[0].text("nETBIOSName") if named else "",
    )
    session.facts[settings.name] = domain
    return domain


def _entries(found: Iterable[Entry], domain: Domain) -> list[DirectoryEntry]:
    made = (entry_of(one, domain) for one in found)
    return [entry for entry in made if entry is not None]


def _sid_filters(sids: Iterable[str]) -> Iterator[str]:
    """A filter for each of those that are SIDs."""
    for sid in sids:
        with contextlib.suppress(ValueError, OverflowError):
            yield f"(objectSid={_octets(sid_bytes(sid))})"


def _guid_filter(text: str) -> str:
    try:
        return f"(objectGUID={_octets(uuid.UUID(text).bytes_le)})"
    except ValueError:
        return ""


def _octets(raw: bytes) -> str:
    """Bytes in a filter (RFC 4515 3)."""
    return "".join(f"\\{byte:02x}" for byte in raw)
