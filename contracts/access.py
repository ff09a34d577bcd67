"""Who may read what: principals, entries, gates and scopes (design §3 and §5)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

__all__ = [
    "AccessEntry",
    "AccessScope",
    "Effect",
    "Gate",
    "Principal",
    "Reader",
    "plain_scope_id",
    "restricted_scope_id",
]

Principal = str
"""Typed, with a realm: ``sid:S-1-5-…``, ``user:kim@plant``, ``group:qa@plant``, ``everyone@plant``."""


class Effect(StrEnum):
    """What an entry does for those whom it names."""

    ALLOW = "allow"
    DENY = "deny"


@dataclass(frozen=True, slots=True)
class AccessEntry:
    """One entry over "read data", in its source's order.

    Attributes:
        effect: Allow or deny.
        principal: Whom it names.
        inherited: Handed down from a container (kept for explanations; the order decides).
        label: How the source writes the entry, for explanations.
    """

    effect: Effect
    principal: Principal
    inherited: bool = False
    label: str = ""


@dataclass(frozen=True, slots=True)
class Gate:
    """An ordered list of entries; the first that names one of the reader's principals decides.

    An empty gate lets nobody through (MS-DTYP 2.5.3.2: an empty DACL grants nothing).

    Attributes:
        name: What it stands for: ``share``, ``search`` (a folder on the way), ``read``.
        entries: In the source's order.
    """

    name: str
    entries: tuple[AccessEntry, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class AccessScope:
    """The object whose own entries decide for the documents below it.

    A reader passes a scope when every one of its gates, and those of every scope above it, let the reader
    through. So a change of a folder's list is a change of one scope.

    Attributes:
        scope_id: Stable id, ``<source>:<key>``.
        source: Name of the source.
        key: Path of the object within the source, with a suffix where several lists share it.
        parent_id: The scope above it, or None.
        gates: Joined by AND. No gates and ``readable`` true: the scope adds nothing to its parent's.
        readable: False when the list could not be read: nobody passes.
        groups: Names for display only.
    """

    scope_id: str
    source: str
    key: str
    parent_id: str | None = None
    gates: tuple[Gate, ...] = ()
    readable: bool = True
    groups: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Reader:
    """A person (or service) as the directory knows them now.

    Attributes:
        name: As the query named them.
        principals: Everything that entries may name them by, groups included.
        realm: Realm of the directory that knows them, or "".
        account: What names this account alone and never changes or passes on: ``sid:…``, ``uid:N@realm``,
            ``uuid:…@realm``; what an identity map joins accounts by.
    """

    name: str
    principals: frozenset[Principal]
    realm: str = ""
    account: frozenset[Principal] = frozenset()


_RESTRICTED = "|unlocked"


def restricted_scope_id(scope_id: str) -> str:
    """Id of the scope that is another one with a gate before it, for what was unlocked; "" stays nobody's."""
    return f"{scope_id}{_RESTRICTED}" if scope_id else ""


def plain_scope_id(scope_id: str) -> str:
    """The scope without that gate."""
    return scope_id.removesuffix(_RESTRICTED)
