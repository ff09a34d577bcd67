"""Whom principals stand for, for people to read; those that no directory knows are orphans."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from acl_sync.directory import KeepsSnapshot, KnowsNames
from contracts.errors import DirectoryDownError, UnknownReaderError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from acl_sync.directory import RealmDirectory
    from contracts.access import Principal

__all__ = ["WELL_KNOWN", "TellsWho", "Who", "is_everyone", "who_are"]

WELL_KNOWN = {
    "S-1-1-0": "Everyone",
    "S-1-5-2": "Network",
    "S-1-5-7": "Anonymous",
    "S-1-5-11": "Authenticated Users",
    "S-1-5-15": "This Organization",
    "S-1-5-18": "Local System",
    "S-1-5-19": "Local Service",
    "S-1-5-20": "Network Service",
    "S-1-5-32-544": "Administrators",
    "S-1-5-32-545": "Users",
    "S-1-5-32-546": "Guests",
}
"""MS-DTYP 2.4.2.4; those that lists of shares hold."""

_EVERYONE = frozenset({"sid:S-1-1-0", "sid:S-1-5-11"})


@runtime_checkable
class TellsWho(Protocol):
    """A directory that knows whom its principals stand for, closed accounts included."""

    def who(self, principals: Iterable[Principal]) -> dict[Principal, str]:
        """Names of those that it knows; what is of another realm, or unknown, is left out."""
        ...


@dataclass(frozen=True, slots=True)
class Who:
    """What directories say of principals.

    Attributes:
        names: Whom each stands for.
        orphans: Those that no directory knows.
        unasked: Those that nothing is known of since a directory does not answer.
    """

    names: dict[Principal, str] = field(default_factory=dict)
    orphans: frozenset[Principal] = frozenset()
    unasked: frozenset[Principal] = frozenset()


def is_everyone(principal: Principal) -> bool:
    """Whether it stands for everybody who may sign in at all."""
    return principal in _EVERYONE or principal.startswith("everyone@")


def who_are(directories: Sequence[RealmDirectory], principals: Iterable[Principal]) -> Who:
    """Ask every directory."""
    wanted = frozenset(principals)
    names = {p: _plain(p) for p in wanted if is_everyone(p) or _well_known(p)}
    down = False
    for directory in directories:
        left = sorted(wanted - names.keys())
        try:
            if isinstance(directory, KeepsSnapshot):
                directory.check()
            names |= _asked(directory, left)
        except DirectoryDownError:
            down = True
    left = sorted(wanted - names.keys())
    nobody = frozenset(left)
    return Who(names, frozenset() if down else nobody, nobody if down else frozenset())


def _asked(directory: RealmDirectory, principals: list[Principal]) -> dict[Principal, str]:
    if isinstance(directory, TellsWho):
        return directory.who(principals)
    found: dict[Principal, str] = {}
    if isinstance(directory, KnowsNames):
        sids = [p.removeprefix("sid:") for p in principals if p.startswith("sid:")]
        found = {f"sid:{sid}": name for sid, name in directory.names(sids).items()}
    for principal in principals:
        kind, _, name = principal.partition(":")
        if kind in {"user", "group"} and name.endswith(f"@{directory.realm}"):
            try:
                (directory.reader if kind == "user" else directory.group)(name)
            except UnknownReaderError:
                continue
            found[principal] = name
    return found


def _well_known(principal: Principal) -> bool:
    return principal.removeprefix("sid:") in WELL_KNOWN


def _plain(principal: Principal) -> str:
    sid = principal.removeprefix("sid:")
    return WELL_KNOWN.get(sid) or f"모두 ({principal})"
