"""Builders of scopes."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from contracts.access import AccessEntry, AccessScope, Effect, Gate


@pytest.fixture
def gate() -> Callable[..., Gate]:
    """``gate("+group:a", "-user:b")``: entries in order, ``+`` allows and ``-`` denies."""

    def build(*entries: str, name: str = "read") -> Gate:
        effects = {"+": Effect.ALLOW, "-": Effect.DENY}
        return Gate(name, tuple(AccessEntry(effects[e[0]], e[1:]) for e in entries))

    return build


@pytest.fixture
def scope() -> Callable[..., AccessScope]:
    """``scope("id", gate, parent="up")``."""

    def build(scope_id: str, *gates: Gate, parent: str | None = None, readable: bool = True):
        return AccessScope(
            scope_id=scope_id,
            source="s",
            key=scope_id,
            parent_id=parent,
            gates=gates,
            readable=readable,
        )

    return build
