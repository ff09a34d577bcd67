"""NFSv4 access lists, from bytes that these tests build by RFC 7530 and RFC 4506: no NFSv4 server can run here."""

from __future__ import annotations

import os
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acl_sync.access import passes_gate
from acl_sync.nfs4 import EXECUTE, READ_DATA, Nfs4Entry, nfs4_gate, read_nfs4_list
from acl_sync.posix import PosixPermissionReader
from contracts.documents import SourceItem

ALLOW, DENY, AUDIT = 0, 1, 2
INHERIT_ONLY, GROUP, INHERITED = 0x08, 0x40, 0x80
WRITE = 0x2
OWNER, OWNING = 1000, 100
MEMBERS = {"uid:1000@r", "uid:1001@r", "gid:100@r", "gid:101@r", "user:kim@plant", "group:qa@plant"}


def xdr(*entries):
    """``nfsace4 acl<>``: a count, then type, flag, mask and the name as counted bytes padded to four."""
    parts = [struct.pack(">I", len(entries))]
    for kind, flags, mask, who in entries:
        name = who.encode()
        parts.append(struct.pack(">IIII", kind, flags, mask, len(name)))
        parts.append(name + b"\0" * (-len(name) % 4))
    return b"".join(parts)


def reads(entries, *principals, right=READ_DATA):
    gate = nfs4_gate(
        read_nfs4_list(xdr(*entries)), right, "read", owner=OWNER, group=OWNING, realm="r"
    )
    return passes_gate(gate, frozenset({*principals, "everyone@r"}))


def test_a_list_is_decoded_as_it_is_written():
    entries = (
        (ALLOW, GROUP, 0x120081, "품질@plant.example"),
        (DENY, 0, 1, "OWNER@"),
        (AUDIT, 0x30, 1, "EVERYONE@"),
    )
    assert read_nfs4_list(xdr(*entries)) == tuple(Nfs4Entry(*entry) for entry in entries)
    assert read_nfs4_list(xdr()) == ()


WHOLE = xdr((ALLOW, 0, 1, "OWNER@"), (DENY, 0, 1, "kim@plant"))


@pytest.mark.parametrize(
    "value",
    [
        *(WHOLE[:cut] for cut in range(len(WHOLE))),
        WHOLE + b"\0\0\0\0",
        xdr((4, 0, 1, "OWNER@")),
        struct.pack(">IIIII", 1, 0, 0, 1, 2) + b"\xff\xfe\0\0",
        struct.pack(">IIIII", 1, 0, 0, 1, 0xFFFFFFFF),
    ],
)
def test_what_is_malformed_is_an_error(value):
    with pytest.raises(ValueError):  # noqa: PT011  which one does not matter
        read_nfs4_list(value)


@pytest.mark.parametrize(
    ("entries", "principals", "may"),
    [
        ([], ("uid:1000@r",), False),
        ([(ALLOW, 0, 1, "OWNER@")], ("uid:1000@r",), True),
        ([(ALLOW, 0, 1, "OWNER@")], ("uid:1001@r",), False),
        ([(ALLOW, GROUP, 1, "GROUP@")], ("uid:1001@r", "gid:100@r"), True),
        ([(ALLOW, 0, 1, "EVERYONE@")], ("uid:1001@r",), True),
        ([(DENY, 0, 1, "1001"), (ALLOW, 0, 1, "EVERYONE@")], ("uid:1001@r",), False),
        ([(ALLOW, 0, 1, "EVERYONE@"), (DENY, 0, 1, "1001")], ("uid:1001@r",), True),
        ([(DENY, 0, WRITE, "EVERYONE@"), (ALLOW, 0, 1, "EVERYONE@")], ("uid:1001@r",), True),
        ([(ALLOW, 0, WRITE, "EVERYONE@")], ("uid:1001@r",), False),
        ([(ALLOW, INHERIT_ONLY, 1, "EVERYONE@")], ("uid:1001@r",), False),
        ([(DENY, INHERIT_ONLY, 1, "EVERYONE@"), (ALLOW, 0, 1, "EVERYONE@")], (), True),
        ([(AUDIT, 0, 1, "EVERYONE@"), (ALLOW, GROUP, 1, "101")], ("gid:101@r",), True),
        ([(ALLOW, 0, 1, "101")], ("gid:101@r",), False),
        ([(ALLOW, GROUP, 1, "qa@plant")], ("group:qa@plant",), True),
        ([(ALLOW, 0, 1, "qa@plant")], ("group:qa@plant",), False),
        ([(ALLOW, 0, 1, "AUTHENTICATED@")], (), True),
        ([(ALLOW, 0, 1, "ANONYMOUS@")], (), False),
        ([(DENY, 0, 1, "ANONYMOUS@"), (ALLOW, 0, 1, "EVERYONE@")], (), True),
        ([(ALLOW, 0, 1, "INTERACTIVE@")], (), False),
        ([(DENY, 0, 1, "DIALUP@"), (ALLOW, 0, 1, "EVERYONE@")], (), False),
        ([(ALLOW, 0, 1, "nobody knows")], (), False),
    ],
)
def test_who_may_read(entries, principals, may):
    assert reads(entries, *principals) is may


def test_to_enter_a_folder_is_another_right_than_to_list_it():
    assert reads([(ALLOW, 0, EXECUTE, "EVERYONE@")], right=EXECUTE)
    assert not reads([(ALLOW, 0, READ_DATA, "EVERYONE@")], right=EXECUTE)


def test_an_explanation_names_the_entry_as_it_is_written():
    gate = nfs4_gate(
        (Nfs4Entry(ALLOW, INHERITED | GROUP, 1, "qa@plant"),),
        READ_DATA,
        "read",
        owner=1,
        group=1,
        realm="r",
    )
    (entry,) = gate.entries
    assert (entry.label, entry.inherited, entry.principal) == (
        "allow qa@plant",
        True,
        "group:qa@plant",
    )


ENTRIES = st.lists(
    st.tuples(
        st.sampled_from([ALLOW, DENY, AUDIT, 3]),
        st.sampled_from([0, GROUP, INHERIT_ONLY, INHERITED, GROUP | INHERIT_ONLY]),
        st.integers(0, 0x3F),
        st.sampled_from(
            ["OWNER@", "GROUP@", "EVERYONE@", "1000", "1001", "100", "101", "kim@plant", "qa@plant"]
        ),
    ),
    max_size=8,
)


def named(flags, who):
    """Whom an entry names, in the words of the RFC."""
    special = {"OWNER@": "uid:1000@r", "GROUP@": "gid:100@r", "EVERYONE@": "everyone@r"}
    if who in special:
        return special[who]
    group = flags & GROUP
    return (
        f"{'gid' if group else 'uid'}:{who}@r"
        if who.isdigit()
        else f"{'group' if group else 'user'}:{who}"
    )


def by_the_standard(entries, requester, wanted):
    """RFC 7530, 6.2.1: all bits at once, entry by entry, until all are allowed or one is denied."""
    left = wanted
    for kind, flags, mask, who in entries:
        if kind > DENY or flags & INHERIT_ONLY or named(flags, who) not in requester:
            continue
        if kind == DENY and left & mask:
            return False
        if kind == ALLOW:
            left &= ~mask
        if not left:
            return True
    return False


@given(ENTRIES, st.sets(st.sampled_from(sorted(MEMBERS))), st.sampled_from([READ_DATA, EXECUTE]))
def test_a_gate_decides_as_the_standard_does(entries, principals, right):
    requester = {*principals, "everyone@r"}
    assert reads(entries, *principals, right=right) is by_the_standard(entries, requester, right)


@given(st.binary(max_size=80))
def test_any_bytes_are_a_list_or_an_error(value):
    try:
        entries = read_nfs4_list(value)
    except ValueError:
        return
    assert len(entries) <= len(value) // 16


@pytest.fixture
def mount(tmp_path, monkeypatch):
    """A folder with a file whose lists a stand-in for the mount's attribute gives; the rest is real."""
    (tmp_path / "a.txt").write_text("글", encoding="utf-8")
    (tmp_path / "a.txt").chmod(0o644)
    lists = {}
    real = os.getxattr

    def getxattr(path, attribute, *, follow_symlinks=True):
        if attribute == "system.nfs4_acl" and path in lists:
            return lists[path]
        return real(path, attribute, follow_symlinks=follow_symlinks)

    monkeypatch.setattr(os, "getxattr", getxattr)
    lists[str(tmp_path)] = xdr((ALLOW, 0, EXECUTE, "EVERYONE@"))
    return tmp_path, lists


def gate_of(root):
    reader = PosixPermissionReader("s", root, "r", above_root=False)
    item = SourceItem(source="s", object_id="1", path="a.txt", locator="", size=1, modified_ns=1)
    return reader.item(item)


def test_on_a_mount_of_nfsv4_its_list_decides_and_not_the_mode(mount):
    root, lists = mount
    lists[str(root / "a.txt")] = xdr((ALLOW, GROUP, READ_DATA, "qa@plant"))
    scope = gate_of(root)
    assert not passes_gate(scope.gates[0], frozenset({"everyone@r"}))
    assert passes_gate(scope.gates[0], frozenset({"group:qa@plant"}))
    lists[str(root / "a.txt")] = xdr((ALLOW, GROUP, READ_DATA, "qa@plant"))[:-1]
    assert gate_of(root).readable is False
    del lists[str(root / "a.txt")]
    assert passes_gate(gate_of(root).gates[0], frozenset({"everyone@r"})), "no list: the mode"


def test_elsewhere_the_mode_decides(mount):
    root, lists = mount
    lists[str(root / "a.txt")] = xdr((DENY, 0, READ_DATA, "EVERYONE@"))
    del lists[str(root)]
    assert passes_gate(gate_of(root).gates[0], frozenset({"everyone@r"}))
