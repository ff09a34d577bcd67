"""The access check: MS-DTYP 2.5.3.2 over ordered entries, gates and scopes joined by AND."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acl_sync.access import explain, passes_gate, readable_scopes
from acl_sync.diff import changes_of
from contracts.access import AccessEntry, AccessScope, Effect, Gate

NAMES = ["user:kim", "group:qa", "group:staff", "everyone"]


@pytest.mark.parametrize(
    ("entries", "principals", "passes"),
    [
        ((), {"user:kim"}, False),  # an empty list grants nothing
        (("+user:kim",), {"user:kim"}, True),
        (("+user:lee",), {"user:kim"}, False),
        (("-user:kim", "+everyone"), {"user:kim", "everyone"}, False),
        (("+user:kim", "-everyone"), {"user:kim", "everyone"}, True),  # explicit allow first
        (("-group:qa", "+group:staff"), {"group:qa", "group:staff"}, False),
        (("+group:staff", "-group:qa"), {"group:qa", "group:staff"}, True),
        (("+everyone",), set(), False),  # nobody has no principal
    ],
)
def test_the_first_entry_that_names_the_reader_decides(gate, entries, principals, passes):
    assert passes_gate(gate(*entries), frozenset(principals)) is passes


def test_all_gates_must_let_through(gate, scope):
    both = scope("a", gate("+group:staff", name="share"), gate("+group:qa"))
    assert readable_scopes([both], frozenset({"group:staff"})) == frozenset()
    assert readable_scopes([both], frozenset({"group:staff", "group:qa"})) == {"a"}


def test_every_scope_above_must_let_through(gate, scope):
    scopes = [
        scope("root", gate("+everyone")),
        scope("folder", gate("+group:qa"), parent="root"),
        scope("file", gate("+everyone"), parent="folder"),
    ]
    assert readable_scopes(scopes, frozenset({"everyone"})) == {"root"}
    assert readable_scopes(scopes, frozenset({"everyone", "group:qa"})) == {
        "root",
        "folder",
        "file",
    }


def test_unreadable_lists_missing_parents_and_cycles_let_nobody_through(gate, scope):
    everyone = gate("+everyone")
    scopes = [
        scope("unreadable", everyone, readable=False),
        scope("below", everyone, parent="unreadable"),
        scope("orphan", everyone, parent="nowhere"),
        scope("chicken", everyone, parent="egg"),
        scope("egg", everyone, parent="chicken"),
        scope("self", everyone, parent="self"),
        scope("fine", everyone),
    ]
    assert readable_scopes(scopes, frozenset({"everyone"})) == {"fine"}


def test_folders_nest_deeper_than_the_stack(gate, scope):
    everyone = gate("+everyone")
    chain = [scope("0", everyone)]
    chain += [scope(str(n), everyone, parent=str(n - 1)) for n in range(1, 5000)]
    assert len(readable_scopes(reversed(chain), frozenset({"everyone"}))) == 5000


def test_explain_names_gate_and_entry(gate, scope):
    scopes = {
        "root": scope("root", gate("+everyone", name="search /")),
        "file": scope("file", gate("-user:kim", "+everyone"), parent="root"),
    }
    decisions = explain("file", scopes, frozenset({"user:kim", "everyone"}))
    assert [(d.scope.scope_id, d.allowed) for d in decisions] == [("root", True), ("file", False)]
    assert decisions[1].entry == AccessEntry(Effect.DENY, "user:kim")


def test_explain_says_that_a_list_could_not_be_read_and_ends_in_cycles(gate, scope):
    scopes = {
        "a": scope("a", gate("+everyone"), parent="b", readable=False),
        "b": scope("b", gate("+user:lee"), parent="a"),
    }
    decisions = explain("a", scopes, frozenset({"everyone"}))
    assert [d.allowed for d in decisions] == [False, False, True]
    assert decisions[0].entry is None
    assert decisions[1].gate is None
    assert explain("nowhere", scopes, frozenset()) == []


entry = st.builds(AccessEntry, st.sampled_from(Effect), st.sampled_from(NAMES))
a_gate = st.builds(Gate, st.just("read"), st.lists(entry, max_size=5).map(tuple))
principals = st.frozensets(st.sampled_from(NAMES))


@given(a_gate, principals)
def test_denying_somebody_first_shuts_them_out_and_nobody_else(gate, who):
    shut = Gate(gate.name, (AccessEntry(Effect.DENY, "user:kim"), *gate.entries))
    expected = False if "user:kim" in who else passes_gate(gate, who)
    assert passes_gate(shut, who) is expected


@given(st.lists(a_gate, max_size=4), principals)
def test_another_gate_never_lets_more_through(gates, who):
    for number in range(len(gates)):
        fewer = AccessScope(scope_id="x", source="s", key="x", gates=tuple(gates[:number]))
        more = AccessScope(scope_id="x", source="s", key="x", gates=tuple(gates[: number + 1]))
        assert readable_scopes([more], who) <= readable_scopes([fewer], who)


@given(a_gate, a_gate)
def test_the_ledger_tells_every_principal_whose_own_access_changes(before, after):
    old = AccessScope(scope_id="x", source="s", key="x", gates=(before,))
    new = AccessScope(scope_id="x", source="s", key="x", gates=(after,))
    told = {change.principal: change.change for change in changes_of(old, new)}
    for name in NAMES:
        was, now = (passes_gate(g, frozenset({name})) for g in (before, after))
        assert told.get(name) == (None if was == now else "gained" if now else "lost")


def test_the_ledger_of_new_gone_and_unreadable_scopes(gate, scope):
    shown = scope("a", gate("+user:kim", "-user:lee"))
    assert [(c.principal, c.change) for c in changes_of(None, shown)] == [("user:kim", "gained")]
    assert [(c.principal, c.change) for c in changes_of(shown, None)] == [("user:kim", "lost")]
    dark = scope("a", gate("+user:kim"), readable=False)
    assert [(c.principal, c.change) for c in changes_of(shown, dark)] == [("user:kim", "lost")]
    assert changes_of(None, None) == []


def test_the_ledger_compares_gate_by_gate(gate, scope):
    share = gate("+everyone", name="share")
    before = scope("a", share, gate("+group:staff"))
    after = scope("a", share, gate("+group:staff", "+user:lee"))
    assert [(c.gate, c.principal, c.change) for c in changes_of(before, after)] == [
        ("read", "user:lee", "gained")
    ]
    shut = scope("a", gate(name="share"), gate("+group:staff"))
    assert [(c.gate, c.principal, c.change) for c in changes_of(before, shut)] == [
        ("share", "everyone", "lost")
    ]
