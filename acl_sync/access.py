"""The access check. Pure.

Rule: MS-DTYP 2.5.3.2, reduced to the one right that matters here, "read data": entries are looked at in their
stored order and the first that names one of the reader's principals decides; none decides: refused. So an
explicit allow that stands before an inherited deny wins, as it does at the file server. Gates are joined by AND,
and so are the scopes on the way up.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from contracts.access import AccessEntry, AccessScope, Effect, Gate, Principal

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

__all__ = ["Decision", "deciding_entry", "explain", "passes_gate", "readable_scopes"]


@dataclass(frozen=True, slots=True)
class Decision:
    """Why a gate lets a reader through or not; ``entry`` None: no entry names the reader."""

    scope: AccessScope
    gate: Gate | None
    entry: AccessEntry | None
    allowed: bool


def deciding_entry(gate: Gate, principals: frozenset[Principal]) -> AccessEntry | None:
    """The first entry that names one of the principals, or None."""
    return next((entry for entry in gate.entries if entry.principal in principals), None)


def passes_gate(gate: Gate, principals: frozenset[Principal]) -> bool:
    """Whether the gate lets the reader through; an empty gate lets nobody through."""
    entry = deciding_entry(gate, principals)
    return entry is not None and entry.effect is Effect.ALLOW


def readable_scopes(
    scopes: Iterable[AccessScope], principals: frozenset[Principal]
) -> frozenset[str]:
    """Ids of the scopes that the reader passes, parents included.

    A scope whose parent is not among ``scopes``, or whose parents form a cycle, is not readable.
    """
    by_id = {scope.scope_id: scope for scope in scopes}
    known: dict[str, bool] = {}
    for scope_id in by_id:
        _settle(scope_id, by_id, principals, known)
    return frozenset(scope_id for scope_id, readable in known.items() if readable)


def _settle(
    scope_id: str,
    by_id: Mapping[str, AccessScope],
    principals: frozenset[Principal],
    known: dict[str, bool],
) -> None:
    """Settle a scope and those above it, without recursion: folders nest deeper than the stack."""
    way: list[AccessScope] = []
    at: str | None = scope_id
    while at is not None and at not in known:
        scope = by_id.get(at)
        known[at] = False  # until shown otherwise: ends cycles and missing parents
        if scope is None:
            break
        way.append(scope)
        at = scope.parent_id
    above = True if at is None else known[at]
    for scope in reversed(way):
        above = above and scope.readable and all(passes_gate(g, principals) for g in scope.gates)
        known[scope.scope_id] = above


def explain(
    scope_id: str, scopes: Mapping[str, AccessScope], principals: frozenset[Principal]
) -> list[Decision]:
    """Every gate on the way from the outermost scope to this one, with the entry that decides it."""
    way: list[AccessScope] = []
    at: str | None = scope_id
    while at is not None and at in scopes and scopes[at] not in way:
        way.append(scopes[at])
        at = scopes[at].parent_id
    decisions: list[Decision] = []
    for scope in reversed(way):
        if not scope.readable:
            decisions.append(Decision(scope, None, None, allowed=False))
        for gate in scope.gates:
            entry = deciding_entry(gate, principals)
            allowed = entry is not None and entry.effect is Effect.ALLOW
            decisions.append(Decision(scope, gate, entry, allowed))
    return decisions
