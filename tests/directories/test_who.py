"""Whom the principals of lists stand for: closed accounts are known, strangers are orphans."""

from __future__ import annotations

import pytest

from acl_sync.who import who_are


def test_the_domain_knows_its_accounts_and_groups_whatever_their_state(domain, open_directory):
    kim, qa = domain.person("kim"), domain.group("품질")
    domain.close_account(kim)
    directory = open_directory(domain)
    directory.refresh()
    known = {
        f"sid:{domain.sid(kim)}": "kim",
        f"sid:{domain.sid(qa)}": "품질",
        "user:kim@other": "kim",
        "group:품질@other": "품질",
        "sid:S-1-5-32-545": "Users",
    }
    orphans = {
        "sid:S-1-5-21-1-2-3-1104",
        "user:lee@other",
        "group:kim@other",
        "user:품질@other",
        "group:Qa@other",
        "user:kim@plant",
        "uid:1001@hanbit",
    }
    found = who_are([directory], {*known, *orphans})
    assert {p: found.names.get(p) for p in known} == known
    assert found.orphans == orphans
    domain.stop()
    found = who_are([directory], {*known, *orphans})
    assert found.unasked
    assert directory.who({*known, *orphans}) == known


def test_the_tree_knows_names_and_numbers(tree, open_directory):
    tree.close_account(tree.person("kim", uidNumber=1001, gidNumber=100))
    tree.person("lee", uidNumber=1002, gidNumber=200)
    tree.add(f"cn=qa,{tree.groups}", "posixGroup", gidNumber=100, memberUid=["kim"])
    directory = open_directory(tree)
    directory.refresh()
    known = {
        "user:kim@hanbit": "kim",
        "uid:1001@hanbit": "kim",
        "uid:1002@hanbit": "lee",
        "gid:100@hanbit": "qa",
        "gid:200@hanbit": "gid:200@hanbit",
        "group:qa@hanbit": "qa",
    }
    orphans = {
        "uid:1003@hanbit",
        "gid:300@hanbit",
        "user:qa@hanbit",
        "group:*@hanbit",
        "uid:1001@x",
    }
    for _ in ("live", "snapshot"):
        assert directory.who({*known, *orphans}) == known
        tree.stop()


@pytest.mark.parametrize("count", [3, 120])
def test_many_are_asked_in_few_questions(domain, open_directory, count):
    names = [f"p{number}" for number in range(3)]
    sids = {f"sid:{domain.sid(domain.person(name))}": name for name in names}
    strangers = {f"sid:S-1-5-21-1-2-3-{number}" for number in range(count)}
    assert open_directory(domain).who({*sids, *strangers}) == sids
