"""What a change of a scope gives and takes, principal by principal, for the ledger. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from acl_sync.access import passes_gate

if TYPE_CHECKING:
    from contracts.access import AccessScope, Principal

__all__ = ["ScopeChange", "changes_of"]


@dataclass(frozen=True, slots=True)
class ScopeChange:
    """One principal that a scope's own gates newly let through (``gained``) or no longer do (``lost``)."""

    scope_id: str
    principal: Principal
    change: str


def changes_of(old: AccessScope | None, new: AccessScope | None) -> list[ScopeChange]:
    """Compare a scope before and after; None stands for a scope that is not there (nobody passes).

    A principal is judged as a reader who has no other principal, so a change that only matters in
    combination (a deny for one group that also takes away what another gives) shows with the group denied.
    """
    present = new or old
    if present is None:
        return []
    changes = []
    for principal in sorted(_named(old) | _named(new)):
        before, after = _lets_through(old, principal), _lets_through(new, principal)
        if before != after:
            word = "gained" if after else "lost"
            changes.append(ScopeChange(present.scope_id, principal, word))
    return changes


def _named(scope: AccessScope | None) -> set[Principal]:
    if scope is None:
        return set()
    return {entry.principal for gate in scope.gates for entry in gate.entries}


def _lets_through(scope: AccessScope | None, principal: Principal) -> bool:
    if scope is None or not scope.readable:
        return False
    alone = frozenset({principal})
    return all(passes_gate(gate, alone) for gate in scope.gates)
