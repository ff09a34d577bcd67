"""A real OpenLDAP server, asked live."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from contracts.errors import UnknownReaderError

TODAY = (datetime.now(UTC) - datetime(1970, 1, 1, tzinfo=UTC)).days


def groups(reader):
    """Names of groups among the principals."""
    found = (p for p in reader.principals if p.startswith("group:"))
    return {p.removeprefix("group:").removesuffix("@hanbit") for p in found}


def test_a_posix_account_has_its_numbers_and_groups(tree, open_directory):
    tree.person("kim", uidNumber=1001, gidNumber=100)
    tree.add(f"cn=users,{tree.groups}", "posixGroup", gidNumber=100)
    tree.add(f"cn=qa,{tree.groups}", "posixGroup", gidNumber=200, memberUid=["lee", "kim"])
    tree.add(f"cn=sales,{tree.groups}", "posixGroup", gidNumber=300, memberUid=["lee", "Kim"])
    directory = open_directory(tree)
    found = directory.reader("kim")
    assert found.principals == {
        "user:kim@hanbit",
        "uid:1001@hanbit",
        "gid:100@hanbit",
        "gid:200@hanbit",
        "group:users@hanbit",
        "group:qa@hanbit",
        "everyone@hanbit",
    }
    (entry,) = tree.entries("(uid=kim)", "entryUUID")
    identity = entry["attributes"]["entryUUID"][0]
    assert found.account == {"uid:1001@hanbit", f"uuid:{identity}@hanbit"}
    for principal in found.account:
        assert directory.account(principal).principals == found.principals
    assert directory.account("uid:1001@elsewhere") is None
    with pytest.raises(UnknownReaderError):
        directory.account("uid:1002@hanbit")
    directory.refresh()
    tree.stop()
    assert directory.reader("kim") == found


def test_groups_of_groups_are_followed_and_cycles_end(tree, open_directory):
    kim = tree.person("kim")
    inner = tree.group("inner", [kim])
    tree.add(f"cn=unique,{tree.groups}", "groupOfUniqueNames", uniqueMember=[inner])
    outer = tree.group("outer", [f"cn=unique,{tree.groups}"])
    tree.add(f"cn=posix,{tree.groups}", "posixGroup", gidNumber=7, memberUid=["kim"])
    tree.group("around", [f"cn=posix,{tree.groups}", outer])
    tree.change(inner, member=[kim, f"cn=around,{tree.groups}", inner])
    directory = open_directory(tree)
    found = directory.reader("kim")
    assert groups(found) == {"inner", "unique", "outer", "posix", "around"}
    assert groups(directory.group("outer")) == {"inner", "unique", "outer", "around"}
    directory.refresh()
    tree.stop()
    assert directory.reader("kim") == found
    assert groups(directory.group("outer")) == {"inner", "unique", "outer", "around"}


@pytest.mark.parametrize(
    ("about", "open_account"),
    [
        ({"shadowExpire": -1}, True),
        ({"shadowExpire": TODAY + 1}, True),
        ({"shadowExpire": TODAY}, False),
        ({"shadowExpire": 0}, False),
        ({"shadowExpire": 1}, False),
    ],
)
def test_an_account_is_over_from_the_day_on_that_shadow_names(
    tree, open_directory, about, open_account
):
    tree.person("kim", **about)
    directory = open_directory(tree)
    directory.refresh()
    for _ in ("live", "snapshot"):
        if open_account:
            assert directory.reader("kim")
        else:
            with pytest.raises(UnknownReaderError, match="expired"):
                directory.reader("kim")
        tree.stop()


def test_a_locked_account_is_nobody(tree, open_directory):
    dn = tree.person("kim")
    directory = open_directory(tree)
    tree.close_account(dn)
    with pytest.raises(UnknownReaderError, match="locked"):
        directory.reader("kim")
    tree.change(dn, pwdAccountLockedTime=None)
    assert directory.reader("kim")


@pytest.mark.parametrize(
    "name", ["김하늘", "a*b", "(kim)", "kim\\5c", "o'brien, jr. + #1", '"quoted"; <x> = y', "&|!"]
)
def test_names_with_any_letters_are_looked_up_and_followed(tree, open_directory, name):
    dn = tree.person(name)
    inner = tree.group(f"{name} 그룹", [dn])
    tree.group("바깥", [inner])
    tree.person("decoy")
    directory = open_directory(tree)
    found = directory.reader(name)
    assert f"user:{name}@hanbit" in found.principals
    assert groups(found) == {f"{name} 그룹", "바깥"}
    directory.refresh()
    tree.stop()
    assert directory.reader(name) == found


@pytest.mark.parametrize("name", ["*", "k*", "kim)(uid=*", "\\2a", "kim\\00", "ki m", "kim  "])
def test_no_name_is_a_filter(tree, open_directory, name):
    tree.person("kim")
    tree.group("qa", [])
    directory = open_directory(tree)
    for call in (directory.reader, directory.group):
        with pytest.raises(UnknownReaderError):
            call(name)


def test_a_mail_address_names_whose_it_is_and_nobody_where_two_have_it(tree, open_directory):
    tree.person("kim", mail=["kim@mail.example", "qa@mail.example"])
    tree.person("lee", mail=["qa@mail.example"])
    directory = open_directory(tree)
    assert "user:kim@hanbit" in directory.reader("KIM@mail.example").principals
    with pytest.raises(UnknownReaderError, match="more than one"):
        directory.reader("qa@mail.example")


def test_two_groups_of_one_name_are_named_by_neither(tree, open_directory):
    kim, lee = tree.person("kim"), tree.person("lee")
    tree.add(f"ou=app,{tree.groups}", "organizationalUnit")
    mine = tree.group("admins", [kim])
    tree.add(f"cn=admins,ou=app,{tree.groups}", "groupOfNames", member=[lee])
    tree.group("outer", [mine])
    directory = open_directory(tree)
    directory.refresh()
    for _ in ("live", "snapshot"):
        assert groups(directory.reader("kim")) == {"outer"}
        assert groups(directory.reader("lee")) == set()
        with pytest.raises(UnknownReaderError, match="more than one"):
            directory.group("admins")
        tree.stop()


def test_a_group_whose_members_the_server_works_out_counts(tree, open_directory):
    kim = tree.person("kim", employeeType="engineer")
    tree.person("lee")
    url = f"ldap:///{tree.people}??one?(employeeType=engineer)"
    dynamic = f"cn=engineers,{tree.groups}"
    tree.add(dynamic, "groupOfURLs", memberURL=[url])
    tree.group("outer", [dynamic])
    directory = open_directory(tree)
    directory.refresh()
    assert groups(directory.reader("kim")) == {"engineers", "outer"}
    assert groups(directory.reader("lee")) == set()
    tree.change(kim, employeeType="retired")
    tree.person("park", employeeType="engineer")
    assert groups(directory.reader("kim")) == set()
    assert not directory.refresh().whole
    tree.stop()
    assert groups(directory.reader("kim")) == set()
    assert groups(directory.reader("park")) == {"engineers", "outer"}


def test_a_renamed_folder_takes_its_people_along(tree, open_directory):
    tree.add(f"ou=plant1,{tree.people}", "organizationalUnit")
    place = f"ou=plant1,{tree.people}"
    tree.add(f"uid=kim,{place}", "inetOrgPerson", cn="kim", sn="kim")
    tree.group("qa", [f"uid=kim,{place}"])
    directory = open_directory(tree)
    directory.refresh()
    before = directory.reader("kim")
    assert groups(before) == {"qa"}
    tree.move(place, "ou=plant2")
    assert not directory.refresh().whole
    live = directory.reader("kim")
    assert live.account == before.account
    tree.stop()
    assert directory.reader("kim") == live
