"""What a change of a scope gives and takes, principal by principal, for the ledger. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from acl_sync.access import passes_gate

if TYPE_CHECKING:
    from contracts.access import AccessScope, Gate, Principal

__all__ = ["ScopeChange", "changes_of"]


@dataclass(frozen=True, slots=True)
class ScopeChange:
    """One principal that a gate of a scope newly lets through (``gained``) or no longer does (``lost``)."""

    scope_id: str
    gate: str
    principal: Principal
    change: str


def changes_of(old: AccessScope | None, new: AccessScope | None) -> list[ScopeChange]:
    """Compare a scope before and after, gate by gate; None stands for a scope that is not there (nobody passes).

    A principal is judged as a reader who has no other principal, so a change that only matters in
    combination (a deny for one group that also takes away what another gives) shows with the group denied.
    Gates that are gone or new count as closed on the other side.
    """
    present = new or old
    if present is None:
        return []
    before, after = _gates(old), _gates(new)
    changes = []
    for gate in dict.fromkeys([*before, *after]):
        named = _named(before.get(gate)) | _named(after.get(gate))
        for principal in sorted(named):
            was, now = _opens(before.get(gate), principal), _opens(after.get(gate), principal)
            if was != now:
                word = "gained" if now else "lost"
                changes.append(ScopeChange(present.scope_id, gate, principal, word))
    return changes


def _gates(scope: AccessScope | None) -> dict[str, Gate]:
    """Gates by name; none of them counts where the scope's list could not be read."""
    if scope is None or not scope.readable:
        return {}
    return {gate.name: gate for gate in scope.gates}


def _named(gate: Gate | None) -> set[Principal]:
    return {entry.principal for entry in gate.entries} if gate else set()


def _opens(gate: Gate | None, principal: Principal) -> bool:
    return gate is not None and passes_gate(gate, frozenset({principal}))
