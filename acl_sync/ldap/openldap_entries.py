"""Entries of OpenLDAP and its like, and what of them matters here. Pure.

Rules: RFC 4519 (groupOfNames, groupOfUniqueNames), RFC 2307 (posixAccount, shadowAccount, posixGroup), RFC 4530
(entryUUID), draft-behera-ldap-password-policy (pwdAccountLockedTime).
"""

from __future__ import annotations

import re
import unicodedata
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from acl_sync.ldap.found import folded
from catalog.people import GROUP, PERSON, DirectoryEntry
from catalog.times import utc_text

if TYPE_CHECKING:
    from acl_sync.ldap.session import Entry
    from contracts.settings import LdapSettings

__all__ = [
    "GROUPS",
    "MEMBERS",
    "attributes",
    "entry_of",
    "group_keys",
    "id_attribute",
    "normal_dn",
    "person_keys",
    "user_attribute",
]

_GROUP_CLASSES = (
    "groupOfNames",
    "groupOfUniqueNames",
    "posixGroup",
    "groupOfMembers",
    "groupOfURLs",
)
GROUPS = "(|" + "".join(f"(objectClass={name})" for name in _GROUP_CLASSES) + ")"
_GROUP = {name.lower() for name in _GROUP_CLASSES}
_LISTS = ("member", "uniqueMember")
MEMBERS = (*_LISTS, "memberUid")
_ESCAPE = re.compile(rb"\\([0-9a-fA-F]{2}|.)", re.DOTALL)
_SPECIAL = re.compile(r'[\\"+;#<>]')
_TOKEN = re.compile(r'\\[0-9a-fA-F]{2}|\\.|"(?:\\.|[^"\\])*"|[,;+]|[^\\",;+]+|.', re.DOTALL)
_SEPARATORS = {",": ",", ";": ",", "+": "+"}
_UNIQUE_ID = re.compile(r"#'[01]*'B$")
_DAY = timedelta(days=1)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_TRUE = "TRUE"


def user_attribute(settings: LdapSettings) -> str:
    """What a person is named by."""
    return settings.user_attribute or "uid"


def id_attribute(settings: LdapSettings) -> str:
    """What never changes."""
    return settings.id_attribute or "entryUUID"


def attributes(settings: LdapSettings) -> tuple[str, ...]:
    """What is read of people and groups."""
    return (
        "objectClass",
        id_attribute(settings),
        user_attribute(settings),
        "mail",
        "cn",
        "uidNumber",
        "gidNumber",
        *MEMBERS,
        "memberOf",
        "shadowExpire",
        "pwdAccountLockedTime",
        "nsAccountLock",
    )


def person_keys(name: str, settings: LdapSettings) -> tuple[str, ...]:
    """What somebody is looked up by who is asked for as ``name``."""
    keys = (f"name:{folded(name)}",)
    return (*keys, f"at:{folded(name)}") if "@" in name and not settings.user_attribute else keys


def group_keys(name: str) -> tuple[str, ...]:
    """What a group is looked up by."""
    return (f"group:{folded(name)}",)


def normal_dn(dn: str) -> str:
    """One spelling of a distinguished name, for comparison (RFC 4514, RFC 4518)."""
    if not _SPECIAL.search(dn):  # nearly all
        pairs = (part.partition("=") for part in dn.split(","))
        return ",".join(f"{kind.strip().lower()}={_spaced(value)}" for kind, _, value in pairs)
    spelled, piece = "", b""
    for token in _TOKEN.findall(dn):
        if token in _SEPARATORS:
            spelled += _pair(piece) + _SEPARATORS[token]
            piece = b""
        elif token.startswith('"'):
            piece += _unescaped(token[1:-1])
        else:
            piece += _unescaped(token)
    return spelled + _pair(piece)


def entry_of(found: Entry, settings: LdapSettings) -> DirectoryEntry | None:
    """The entry, or None where it is neither a person nor a group."""
    entry_id = found.text(id_attribute(settings)).lower()
    if not entry_id:
        return None
    if {name.lower() for name in found.texts("objectClass")} & _GROUP:
        return _group(found, entry_id, settings.name)
    return _person(found, entry_id, settings)


def _person(found: Entry, entry_id: str, settings: LdapSettings) -> DirectoryEntry | None:
    names = [_composed(name) for name in found.texts(user_attribute(settings))]
    if not names:
        return None
    number, group = found.text("uidNumber"), found.text("gidNumber")
    realm = settings.name
    return DirectoryEntry(
        entry_id=entry_id,
        kind=PERSON,
        name=names[0],
        dn=found.dn,
        principals=(
            *(f"user:{name}@{realm}" for name in names),
            *((f"uid:{number}@{realm}",) if number else ()),
            *((f"gid:{group}@{realm}",) if group else ()),
        ),
        disabled=_disabled(found),
        ends=_ends(found),
        keys=(
            f"uuid:{entry_id}",
            *((f"uid:{number}",) if number else ()),
            *(f"name:{folded(name)}" for name in names),
            *(f"at:{folded(mail)}" for mail in found.texts("mail")),
        ),
        outer=(f"gid:{group}",) if group else (),
        stands=(f"member:{normal_dn(found.dn)}", *(f"memberuid:{name}" for name in names)),
    )


def _group(found: Entry, entry_id: str, realm: str) -> DirectoryEntry | None:
    names = [_composed(name) for name in found.texts("cn")]
    if not names:
        return None
    number = found.text("gidNumber")
    listed = (_UNIQUE_ID.sub("", dn) for name in _LISTS for dn in found.texts(name))
    return DirectoryEntry(
        entry_id=entry_id,
        kind=GROUP,
        name=names[0],
        dn=found.dn,
        principals=(
            *(f"group:{name}@{realm}" for name in names),
            *((f"gid:{number}@{realm}",) if number else ()),
        ),
        keys=(
            f"uuid:{entry_id}",
            *((f"gid:{number}",) if number else ()),
            *(f"group:{folded(name)}" for name in names),
        ),
        inside=(
            *(f"member:{normal_dn(dn)}" for dn in listed),
            *(f"memberuid:{_composed(name)}" for name in found.texts("memberUid")),
        ),
        stands=(f"member:{normal_dn(found.dn)}",),
    )


def _disabled(found: Entry) -> str:
    if found.text("pwdAccountLockedTime") or found.text("nsAccountLock").upper() == _TRUE:
        return "잠기거나 사용 중지된 계정입니다 (the account is locked or disabled)"
    return ""


def _ends(found: Entry) -> str:
    """``shadowExpire``: days since 1970 from which on the account is over, as ``shadow(5)`` says; below 0: never."""
    days = found.number("shadowExpire", -1)
    if days < 0:
        return ""
    try:
        return utc_text(_EPOCH + days * _DAY)
    except OverflowError:
        return ""


def _unescaped(text: str) -> bytes:
    def plain(match: re.Match[bytes]) -> bytes:
        code = match[1]
        return bytes([int(code, 16)]) if len(code) > 1 else code

    return _ESCAPE.sub(plain, text.encode("utf-8", "surrogatepass"))


def _pair(piece: bytes) -> str:
    kind, _, value = piece.decode("utf-8", "replace").partition("=")
    for special in ("\\", ",", "+"):
        value = value.replace(special, f"\\{special}")
    return f"{kind.strip().lower()}={_spaced(value)}"


def _spaced(text: str) -> str:
    return " ".join(folded(text).split())


def _composed(text: str) -> str:
    return unicodedata.normalize("NFC", text)
