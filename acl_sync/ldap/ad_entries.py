"""Entries of Active Directory, and what of them matters here. Pure.

Rules: MS-ADTS 3.1.1.4.5.17 (msDS-User-Account-Control-Computed), MS-SAMR 2.2.1.13 (userAccountControl), MS-ADA1 to
MS-ADA3 (attributes).
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING

from acl_sync.ldap.found import NEVER, folded
from acl_sync.ldap.sids import domain_of, guid_text, moment_of, sid_text
from catalog.people import FOREIGN, GROUP, PERSON, DirectoryEntry
from catalog.times import utc_text

if TYPE_CHECKING:
    from acl_sync.ldap.session import Entry
    from contracts.settings import LdapSettings

__all__ = [
    "FOREIGNERS",
    "GROUPS",
    "GROUP_ATTRIBUTES",
    "MEMBER",
    "PEOPLE",
    "Domain",
    "account_of",
    "entry_of",
    "group_keys",
    "is_within",
    "member_of",
    "person_attributes",
    "person_keys",
    "root_of",
    "sid_key",
]

PEOPLE = "(&(objectClass=user)(!(objectClass=computer)))"
GROUPS = "(&(objectClass=group)(groupType:1.2.840.113556.1.4.803:=2147483648))"
"""Security groups: those for mail only give nobody a right."""
FOREIGNERS = "(objectClass=foreignSecurityPrincipal)"
MEMBER = "member"

COMPUTED = "msDS-User-Account-Control-Computed"
_ID = ("objectClass", "objectGUID", "objectSid", "sIDHistory", "sAMAccountName", "isDeleted")
GROUP_ATTRIBUTES = (*_ID, "groupType")
_DISABLED = 0x2
_LOCKED = 0x10
_SECURITY = 0x8000_0000

_EXTENDED = re.compile(r"^<GUID=([0-9a-fA-F-]+)>;(?:<SID=([^>]+)>;)?")


@dataclass(frozen=True, slots=True, kw_only=True)
class Domain:
    """What entries are read with.

    Attributes:
        settings: Of the directory.
        root: Distinguished name of the domain.
        lockout: How long a locked account stays so; None: until somebody unlocks it.
        short: NetBIOS name, or "" where it cannot be read.
    """

    settings: LdapSettings
    root: str
    lockout: timedelta | None = None
    short: str = ""

    @property
    def dns_name(self) -> str:
        """``plant.example``, which names without a suffix of their own end with."""
        parts = (part.partition("=") for part in self.root.split(","))
        return ".".join(value.strip() for _, _, value in parts)


def root_of(base: str) -> str:
    """The domain that a folder of it is of: what is left from the first ``DC=`` on."""
    found = re.search(r"(?:^|,)\s*(DC=.*)$", base, re.IGNORECASE)
    return found[1] if found else base


def is_within(dn: str, base: str) -> bool:
    """Whether an entry is ``base`` or below it."""
    one, other = (re.sub(r"\s*,\s*", ",", folded(text)) for text in (plain_dn(dn), base))
    return one == other or one.endswith(f",{other}")


def plain_dn(dn: str) -> str:
    """The name without the ids that the extended form puts before it (MS-ADTS 3.1.1.3.4.1.5)."""
    return _EXTENDED.sub("", dn)


def member_of(value: str) -> str:
    """Key of a value of ``member`` in the extended form."""
    found = _EXTENDED.match(value)
    return f"member:{found[1].lower()}" if found else ""


def person_attributes(settings: LdapSettings, *, computed: bool) -> tuple[str, ...]:
    """What is read of people; ``computed``: with what the server works out for each."""
    wanted = ("userPrincipalName", "mail", "userAccountControl", "accountExpires", "lockoutTime")
    named = (settings.user_attribute,) if settings.user_attribute else ()
    return (*_ID, *wanted, "primaryGroupID", *named, *((COMPUTED,) if computed else ()))


def entry_of(found: Entry, domain: Domain, inside: tuple[str, ...] = ()) -> DirectoryEntry | None:
    """The entry, or None where it is neither a person, nor a security group, nor foreign, or deleted."""
    classes = {name.lower() for name in found.texts("objectClass")}
    entry_id = guid_text(found.raw("objectGUID"))
    if not entry_id or found.text("isDeleted").upper() == "TRUE":
        return None
    if "foreignsecurityprincipal" in classes:
        return _foreign(found, entry_id)
    if "group" in classes:
        return _group(found, entry_id, domain, inside)
    if "user" in classes and "computer" not in classes:
        return _person(found, entry_id, domain)
    return None


def person_keys(name: str, domain: Domain) -> tuple[str, ...]:
    """What somebody is looked up by who is asked for as ``name``; none: nobody of this domain."""
    if domain.settings.user_attribute:
        return (f"name:{folded(name)}",)
    if "@" in name:
        return (f"at:{folded(name)}",)
    account = account_of(name, domain)
    return (f"name:{folded(account)}",) if account else ()


def group_keys(name: str, domain: Domain) -> tuple[str, ...]:
    """What a group is looked up by; none: no group of this domain."""
    account = account_of(name, domain)
    return (f"group:{folded(account)}", sid_key(account)) if account else ()


def account_of(name: str, domain: Domain) -> str:
    r"""``kim`` of ``PLANT\kim`` and of ``kim``; "" where another domain is named."""
    short, backslash, account = name.rpartition("\\")
    here = {folded(domain.short), folded(domain.dns_name)} - {""}
    return account if not backslash or folded(short) in here else ""


def sid_key(sid: str) -> str:
    """What an account or group is looked up by its SID by."""
    return f"sid:{sid}"


def _person(found: Entry, entry_id: str, domain: Domain) -> DirectoryEntry:
    account = _composed(found.text("sAMAccountName"))
    sids = _sids(found)
    settings = domain.settings
    names = found.texts(settings.user_attribute) if settings.user_attribute else (account,)
    dotted = (f"{account}@{domain.dns_name}", found.text("userPrincipalName"), found.text("mail"))
    ends = moment_of(found.number("accountExpires"))
    primary = found.number("primaryGroupID")
    return DirectoryEntry(
        entry_id=entry_id,
        kind=PERSON,
        name=account,
        dn=plain_dn(found.dn),
        principals=(
            f"user:{account}@{settings.name}",
            *(f"sid:{sid}" for sid in sids),
        ),
        sids=sids,
        disabled=_disabled(found),
        ends=utc_text(ends) if ends else "",
        locked_until=_locked_until(found, domain),
        keys=(
            f"uuid:{entry_id}",
            *(sid_key(sid) for sid in sids[:1]),
            *(f"name:{folded(name)}" for name in names if name),
            *(f"at:{folded(name)}" for name in dict.fromkeys(dotted) if "@" in name),
        ),
        outer=(sid_key(f"{domain_of(sids[0])}-{primary}"),) if primary and sids else (),
        stands=(f"member:{entry_id}",),
    )


def _group(
    found: Entry, entry_id: str, domain: Domain, inside: tuple[str, ...]
) -> DirectoryEntry | None:
    if not found.number("groupType") & _SECURITY:
        return None
    name = _composed(found.text("sAMAccountName"))
    sids = _sids(found)
    return DirectoryEntry(
        entry_id=entry_id,
        kind=GROUP,
        name=name,
        dn=plain_dn(found.dn),
        principals=(f"group:{name}@{domain.settings.name}", *(f"sid:{sid}" for sid in sids)),
        sids=sids,
        keys=(
            f"uuid:{entry_id}",
            f"group:{folded(name)}",
            *(sid_key(sid) for sid in sids[:1]),
        ),
        inside=inside,
        stands=(f"member:{entry_id}",),
    )


def _foreign(found: Entry, entry_id: str) -> DirectoryEntry:
    sids = _sids(found)
    return DirectoryEntry(
        entry_id=entry_id,
        kind=FOREIGN,
        name=sids[0] if sids else "",
        dn=plain_dn(found.dn),
        sids=sids,
        keys=tuple(f"foreign:{sid}" for sid in sids),
        stands=(f"member:{entry_id}",),
    )


def _sids(found: Entry) -> tuple[str, ...]:
    raw = (found.raw("objectSid"), *found.values.get("sidhistory", ()))
    return tuple(sid for sid in map(sid_text, raw) if sid)


def _disabled(found: Entry) -> str:
    if not found.raw("userAccountControl"):
        return "계정의 상태를 읽을 수 없습니다 (userAccountControl cannot be read)"
    if found.number("userAccountControl") & _DISABLED:
        return "사용 중지된 계정입니다 (the account is disabled)"
    return ""


def _locked_until(found: Entry, domain: Domain) -> str:
    if found.raw(COMPUTED):
        return NEVER if found.number(COMPUTED) & _LOCKED else ""
    since = moment_of(found.number("lockoutTime"))
    if since is None:
        return ""
    return NEVER if domain.lockout is None else utc_text(since + domain.lockout)


def _composed(text: str) -> str:
    return unicodedata.normalize("NFC", text)
