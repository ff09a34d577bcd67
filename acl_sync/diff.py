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
    Gates that are gone or new count as closed on the other side; of several gates of one name all must let through.
    """
    present = new or old
    if present is None:
        return []
    before, after = _gates(old), _gates(new)
    changes = []
    for gate in dict.fromkeys([*before, *after]):
        old_gates, new_gates = before.get(gate, []), after.get(gate, [])
        for principal in sorted(_named(old_gates) | _named(new_gates)):
            was, now = _opens(old_gates, principal), _opens(new_gates, principal)
            if was != now:
                word = "gained" if now else "lost"
                changes.append(ScopeChange(present.scope_id, gate, principal, word))
    return changes


def _gates(scope: AccessScope | None) -> dict[str, list[Gate]]:
    """Gates by name; none of them counts where the scope's list could not be read."""
    found: dict[str, list[Gate]] = {}
    if scope is not None and scope.readable:
        for gate in scope.gates:
            found.setdefault(gate.name, []).append(gate)
    return found


def _named(gates: list[Gate]) -> set[Principal]:
    return {entry.principal for gate in gates for entry in gate.entries}


def _opens(gates: list[Gate], principal: Principal) -> bool:
    return bool(gates) and all(passes_gate(gate, frozenset({principal})) for gate in gates)
