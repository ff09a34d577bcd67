"""Windows access lists against the standard, written down here once more as it stands there (MS-DTYP 2.5.3.2, 2.5.3.4).

All branches of what is tested here: ``coverage run --branch --source=acl_sync.nt,acl_sync.access -m pytest
tests/permissions/test_nt_lists.py tests/access/test_access_check.py``, then ``coverage report``.
"""

from __future__ import annotations

import struct

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from acl_sync.access import passes_gate
from acl_sync.nt.descriptors import Ace, AceKind, Descriptor, read_descriptor
from acl_sync.nt.gates import LocalGroups, expand, handed_down, read_gate
from acl_sync.nt.sids import read_sid
from contracts.access import AccessEntry, Effect, Gate

READ_DATA, WRITE_DATA = 0x1, 0x2
GENERIC = {
    0x8000_0000: 0x120089,
    0x4000_0000: 0x120116,
    0x2000_0000: 0x1200A0,
    0x1000_0000: 0x1F01FF,
}
"""What the generic rights of read, write, execute and all mean for a file."""
OBJECT_INHERIT, CONTAINER_INHERIT, NO_PROPAGATE, INHERIT_ONLY, INHERITED = 0x1, 0x2, 0x4, 0x8, 0x10
EVERYONE, CREATOR_OWNER, CREATOR_GROUP, OWNER_RIGHTS = "S-1-1-0", "S-1-3-0", "S-1-3-1", "S-1-3-4"
KIM, LEE, QA, ALL = (f"S-1-5-21-1-2-3-{n}" for n in (1001, 1002, 2001, 513))
ALLOW, DENY = 0x00, 0x01
UNSURE_ALLOWS, UNSURE_DENIES = (0x05, 0x09, 0x0B), (0x06, 0x0A, 0x0C)
SILENT = (0x02, 0x03, 0x04, 0x07, 0x08, 0x0D, 0x0E, 0x0F, 0x10, 0x11, 0x12, 0x13)

sids = st.sampled_from([KIM, LEE, QA, ALL, EVERYONE, CREATOR_OWNER, CREATOR_GROUP, OWNER_RIGHTS])
masks = st.one_of(
    st.sampled_from([0, READ_DATA, WRITE_DATA, 0x120089, 0x120116, 0x1F01FF, 0x20000, *GENERIC]),
    st.integers(0, 0xFFFF_FFFF),
)
flags = st.integers(0, 0x1F)
kinds = st.sampled_from([ALLOW, DENY, *UNSURE_ALLOWS, *UNSURE_DENIES, *SILENT])
aces = st.tuples(kinds, flags, masks, sids)
lists = st.one_of(st.none(), st.lists(aces, max_size=8))
tokens = st.frozensets(st.sampled_from([KIM, LEE, QA, ALL]), min_size=1).map(
    lambda t: t | {EVERYONE}
)


# -- descriptors, built from the specification -----------------------------------------------------


def sid_bytes(sid):
    _, _, authority, *parts = sid.split("-")
    return (
        bytes([1, len(parts)])
        + int(authority, 0).to_bytes(6, "big")
        + b"".join(int(part).to_bytes(4, "little") for part in parts)
    )


def ace_bytes(kind, ace_flags, mask, sid, *, guids=0, condition=b""):
    body = struct.pack("<I", mask)
    if kind in {0x05, 0x06, 0x0B, 0x0C}:
        body += struct.pack("<I", guids) + bytes(16 * guids.bit_count())
    body += sid_bytes(sid) + condition
    return struct.pack("<BBH", kind, ace_flags, 4 + len(body)) + body


def descriptor_bytes(entries, owner=KIM, group=ALL, control=0x8004):
    parts, offsets = b"", []
    for sid in (owner, group):
        offsets.append(20 + len(parts) if sid else 0)
        parts += sid_bytes(sid) if sid else b""
    acl, at = b"", 0
    if entries is not None:
        body = b"".join(ace_bytes(*entry) for entry in entries)
        acl = struct.pack("<BBHHH", 2, 0, 8 + len(body), len(entries), 0) + body
        at = 20 + len(parts)
    return struct.pack("<BBHIIII", 1, 0, control, *offsets, 0, at) + parts + acl


# -- the standard ----------------------------------------------------------------------------------


def mapped(mask):
    """The generic rights of a mask replaced by those that they stand for on a file."""
    for bit, meaning in GENERIC.items():
        if mask & bit:
            mask = (mask & ~bit) | meaning
    return mask


def may_read(entries, token, owner):
    """MS-DTYP 2.5.3.2 for one wanted right; conditional and object entries fail closed."""
    if entries is None:
        return True
    remaining = READ_DATA
    for kind, ace_flags, mask, sid in entries:
        if ace_flags & INHERIT_ONLY:
            continue
        named = sid in token or (sid == OWNER_RIGHTS and owner in token)
        if not named:
            continue
        if kind == ALLOW:
            remaining &= ~mapped(mask)
            if remaining == 0:
                return True
        elif kind in {DENY, *UNSURE_DENIES} and remaining & mapped(mask):
            return False
    return False


def inherited_by_a_file(entries, owner, group):
    """MS-DTYP 2.5.3.4.2 for a new file: entries for objects, without what concerned inheritance only."""
    found = []
    for kind, ace_flags, mask, sid in entries:
        if not ace_flags & OBJECT_INHERIT:
            continue
        child = {CREATOR_OWNER: owner, CREATOR_GROUP: group}.get(sid, sid)
        found.append((kind, INHERITED, mapped(mask), child))
    return found


def passes(gate, token):
    return passes_gate(gate, frozenset(f"sid:{sid}" for sid in token))


@given(lists, tokens, st.sampled_from([KIM, LEE, QA]))
@example([(DENY, INHERITED, 0x1F01FF, KIM), (ALLOW, 0, 0x120089, KIM)], frozenset({KIM}), LEE)
@example([(ALLOW, 0, 0x120089, KIM), (DENY, INHERITED, 0x1F01FF, QA)], frozenset({KIM, QA}), LEE)
@example([(ALLOW, 0, 0x120089, OWNER_RIGHTS)], frozenset({KIM}), KIM)
def test_a_gate_decides_as_the_standard_does(entries, token, owner):
    descriptor = read_descriptor(descriptor_bytes(entries, owner))
    assert passes(read_gate(descriptor), token) == may_read(entries, token, owner)


@given(st.lists(aces, max_size=8), tokens, st.sampled_from([KIM, LEE]), st.sampled_from([QA, ALL]))
@example(
    [(ALLOW, 0x3, 0x120089, QA), (DENY, 0x2, 1, KIM), (DENY, 0xD, 1, LEE)],
    frozenset({LEE, QA}),
    KIM,
    ALL,
)
@example([(ALLOW, 0xB, 0x1F01FF, CREATOR_OWNER)], frozenset({KIM}), KIM, ALL)
def test_what_a_folder_hands_down_is_what_the_standard_makes_for_a_new_file(
    entries, token, owner, group
):
    handed = handed_down(read_descriptor(descriptor_bytes(entries)))
    child = inherited_by_a_file(entries, owner, group)
    if handed is None:
        depends = {CREATOR_OWNER, CREATOR_GROUP, OWNER_RIGHTS} & {e[3] for e in entries}
        assert depends or not [e for e in child if e[0] not in SILENT]
        return
    made = read_gate(read_descriptor(descriptor_bytes(child, owner, group)))
    assert handed.entries == made.entries
    assert passes(handed, token) == may_read(child, token, owner)


def test_no_list_lets_everyone_in_and_an_empty_one_nobody():
    nothing = read_descriptor(descriptor_bytes(None))
    assert nothing.entries is None
    assert passes(read_gate(nothing), {EVERYONE})
    absent = read_descriptor(descriptor_bytes([(ALLOW, 0, 1, KIM)], control=0x8000))
    assert absent.entries is None
    empty = read_descriptor(descriptor_bytes([]))
    assert read_gate(empty) == Gate("read")
    assert handed_down(nothing) is None
    assert handed_down(empty) is None


def test_an_owner_is_none_where_the_descriptor_names_none():
    descriptor = read_descriptor(
        descriptor_bytes([(ALLOW, 0, 1, OWNER_RIGHTS)], owner="", group="")
    )
    assert (descriptor.owner, descriptor.group) == ("", "")
    assert not passes(read_gate(descriptor), {KIM, EVERYONE})


@pytest.mark.parametrize("kind", [0x05, 0x06, 0x0B, 0x0C])
@pytest.mark.parametrize("guids", [0, 1, 2, 3])
def test_an_object_entry_names_whom_it_names_whatever_comes_before(kind, guids):
    body = ace_bytes(kind, 0, 1, KIM, guids=guids)
    data = descriptor_bytes([])[:-8] + struct.pack("<BBHHH", 4, 0, 8 + len(body), 1, 0) + body
    (ace,) = read_descriptor(data).entries
    assert ace.sid == KIM
    assert ace.kind is (AceKind.UNSURE_ALLOW if kind in UNSURE_ALLOWS else AceKind.UNSURE_DENY)


def test_a_condition_is_not_evaluated_and_says_so():
    condition = b"artx" + bytes(12)
    body = ace_bytes(0x0A, 0, 1, KIM, condition=condition) + ace_bytes(
        0x09, 0, 1, LEE, condition=condition
    )
    data = descriptor_bytes([])[:-8] + struct.pack("<BBHHH", 4, 0, 8 + len(body), 2, 0) + body
    gate = read_gate(read_descriptor(data))
    assert [(e.effect, e.principal) for e in gate.entries] == [(Effect.DENY, f"sid:{KIM}")]
    assert "condition" in gate.entries[0].label


# -- bytes that are not what they say --------------------------------------------------------------


@given(lists, st.data())
def test_what_is_cut_off_anywhere_is_refused(entries, data):
    whole = descriptor_bytes(entries)
    cut = data.draw(st.integers(0, len(whole) - 1))
    with pytest.raises(ValueError, match=r"cut off|not a|fewer|SID"):
        read_descriptor(whole[:cut])


@given(st.binary(max_size=120))
@example(struct.pack("<BBHIIII", 1, 0, 0x8004, 0, 0, 0, 0xFFFFFFFF))
def test_any_bytes_are_a_descriptor_or_refused(data):
    try:
        assert isinstance(read_descriptor(data), Descriptor)
    except ValueError:
        return


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"", "cut off"),
        (descriptor_bytes([], control=0x0004), "not a self-relative"),
        (b"\2" + descriptor_bytes([])[1:], "not a self-relative"),
        (descriptor_bytes([(0x14, 0, 1, KIM)]), "unknown type 0x14"),
        (descriptor_bytes([])[:-6] + struct.pack("<HHH", 8, 1, 0), "fewer"),
        (
            descriptor_bytes([])[:-6] + struct.pack("<HHH", 16, 1, 0) + bytes(8),
            "an entry that is cut off",
        ),
        (
            descriptor_bytes([])[:-6]
            + struct.pack("<HHH", 16, 1, 0)
            + struct.pack("<BBHI", 5, 0, 8, 1),
            "an entry that is cut off",
        ),
    ],
)
def test_a_malformed_descriptor_is_refused_with_the_reason(data, why):
    with pytest.raises(ValueError, match=why):
        read_descriptor(data)


@pytest.mark.parametrize("silent", SILENT)
def test_an_entry_without_a_say_in_access_may_hold_anything(silent):
    body = struct.pack("<BBHI", silent, 0, 12, 1) + b"\0\0\0\0"
    data = descriptor_bytes([])[:-8] + struct.pack("<BBHHH", 4, 0, 8 + len(body), 1, 0) + body
    assert read_descriptor(data).entries == ()


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (bytes.fromhex("010100000000000100000000"), "S-1-1-0"),
        (bytes.fromhex("01020000000000052000000020020000"), "S-1-5-32-544"),
        (bytes.fromhex("0100000000000005"), "S-1-5"),
        (bytes.fromhex("0101ffffffffffff01000000"), "S-1-0xffffffffffff-1"),
    ],
)
def test_a_sid_is_written_as_the_standard_writes_it(data, text):
    assert read_sid(data) == text
    assert read_sid(b"xy" + data, 2) == text


@pytest.mark.parametrize(
    "data", [b"", b"\1\1", b"\2" + bytes(20), b"\1\x10" + bytes(80), b"\1\2" + bytes(10)]
)
def test_what_is_no_sid_is_refused(data):
    with pytest.raises(ValueError, match="SID"):
        read_sid(data)


# -- groups of the server's own --------------------------------------------------------------------

USERS, ADMINS, LOCAL = "S-1-5-32-545", "S-1-5-32-544", "S-1-5-21-9-9-9-1000"


def entry(effect, sid):
    return AccessEntry(effect, f"sid:{sid}", label=f"{effect.value} {sid}")


def gates():
    entries = st.builds(
        entry, st.sampled_from(Effect), st.sampled_from([KIM, LEE, QA, USERS, ADMINS, LOCAL])
    )
    return st.lists(entries, max_size=6).map(lambda found: Gate("read", tuple(found)))


members = st.dictionaries(
    st.sampled_from([USERS, ADMINS, LOCAL]), st.frozensets(st.sampled_from([KIM, LEE, QA, ALL]))
)


@given(gates(), members, tokens)
def test_a_local_group_counts_as_its_members_do_at_the_server(gate, groups, token):
    """The server puts the groups into the token; here they are taken out of the list."""
    known = {USERS: frozenset(), ADMINS: frozenset(), LOCAL: frozenset(), **groups}
    at_the_server = token | {group for group, held in known.items() if held & token}
    assert passes(expand(gate, LocalGroups("files", known)), token) == passes(gate, at_the_server)


@given(gates(), members, tokens)
def test_a_group_whose_members_are_unknown_never_lets_more_through(gate, groups, token):
    hidden = LocalGroups("files", dict.fromkeys([USERS, ADMINS, LOCAL]))
    hidden_too = LocalGroups("files", {}, doubtful=(LOCAL,))
    known = {USERS: frozenset(), ADMINS: frozenset(), LOCAL: frozenset(), **groups}
    at_the_server = passes(gate, token | {group for group, held in known.items() if held & token})
    for groups_known in (hidden, hidden_too):
        assert passes(expand(gate, groups_known), token) <= at_the_server


def test_a_built_in_group_of_another_server_is_nobody_here():
    """Readers may be in the group of that SID of their domain controller."""
    gate = expand(Gate("read", (entry(Effect.ALLOW, ADMINS),)), LocalGroups("files", {}))
    assert not passes(gate, {ADMINS, KIM, EVERYONE})
    assert [e.principal for e in gate.entries] == [f"local:{ADMINS}@files"]


def test_an_expanded_entry_shows_the_group_and_its_members_in_its_place():
    gate = Gate(
        "read", (entry(Effect.DENY, LEE), entry(Effect.ALLOW, USERS), entry(Effect.DENY, KIM))
    )
    shown = expand(gate, LocalGroups("files", {USERS: frozenset({QA, ALL})}))
    assert [(e.effect.value, e.principal) for e in shown.entries] == [
        ("deny", f"sid:{LEE}"),
        ("allow", f"local:{USERS}@files"),
        ("allow", f"sid:{QA}"),
        ("allow", f"sid:{ALL}"),
        ("deny", f"sid:{KIM}"),
    ]


def test_an_entry_keeps_where_it_came_from():
    gate = read_gate(
        Descriptor(KIM, ALL, (Ace(AceKind.ALLOW, INHERITED, 1, QA), Ace(AceKind.DENY, 0, 1, LEE)))
    )
    assert [e.inherited for e in gate.entries] == [True, False]
    assert [e.label for e in gate.entries] == [f"allow {QA}", f"deny {LEE}"]
