"""Accounts of one person in several realms, joined by what never changes."""

from __future__ import annotations

import os

import pytest
import yaml

from acl_sync.directory import CombinedDirectory
from acl_sync.directory_yaml import YamlDirectory
from acl_sync.identity_map import IdentityMap
from acl_sync.local_accounts import LocalAccounts
from contracts.errors import DirectoryDownError, UnknownReaderError


@pytest.fixture
def write_map(tmp_path):
    """Write the file; returns the map over it."""
    file = tmp_path / "identities.yaml"

    def write(*people):
        file.write_text(yaml.safe_dump({"people": list(people)}, allow_unicode=True))
        return IdentityMap(file)

    return write


@pytest.fixture
def both(domain, tree, open_directory):
    """Kim and Lee in both directories, under the same names."""
    ad = {name: domain.person(name) for name in ("kim", "lee")}
    posix = {
        name: tree.person(name, uidNumber=number, gidNumber=100)
        for name, number in (("kim", 1001), ("lee", 1002))
    }
    domain.group("qa", list(ad.values()))
    tree.group("staff", list(posix.values()))
    return ad, posix, [open_directory(domain), open_directory(tree)]


def in_both(reader):
    return {"group:qa@other", "group:staff@hanbit"} <= reader.principals


def test_joined_accounts_are_one_person_from_either_side(domain, both, write_map):
    ad, _, directories = both
    sid = domain.sid(ad["kim"])
    people = write_map(
        {"sid": sid, "uid": "1001@hanbit", "mailbox": "kim@mail.example", "oidc": "sub-117"}
    )
    combined = CombinedDirectory(directories, cache_seconds=0, identities=people)
    seen = [combined.reader(name) for name in ("kim@other", "kim@hanbit", "kim", "oidc:sub-117")]
    for reader in seen:
        assert in_both(reader)
        assert {f"sid:{sid}", "uid:1001@hanbit", "user:kim@mail.example"} <= reader.principals
        assert reader.principals == seen[0].principals
        assert reader.account == seen[0].account


def test_equal_names_join_nobody(both, write_map):
    _, _, directories = both
    for identities in (None, write_map()):
        combined = CombinedDirectory(directories, cache_seconds=0, identities=identities)
        for name in ("lee@other", "lee@hanbit"):
            assert not in_both(combined.reader(name))
        with pytest.raises(UnknownReaderError, match="more than one"):
            combined.reader("lee")
        for name in ("oidc:sub-117", "oidc:", "oidc:lee"):
            with pytest.raises(UnknownReaderError):
                combined.reader(name)


def test_an_account_that_is_closed_drops_alone(domain, tree, both, write_map):
    ad, posix, directories = both
    people = write_map({"sid": domain.sid(ad["kim"]), "uid": "1001@hanbit", "oidc": "sub-117"})
    combined = CombinedDirectory(directories, cache_seconds=0, identities=people)
    tree.close_account(posix["kim"])
    for name in ("kim@other", "oidc:sub-117"):
        found = combined.reader(name)
        assert "group:qa@other" in found.principals
        assert not {p for p in found.principals if p.endswith("@hanbit")}
    with pytest.raises(UnknownReaderError):
        combined.reader("kim@hanbit")
    domain.close_account(ad["kim"])
    for name in ("kim@other", "kim@hanbit", "kim", "oidc:sub-117"):
        with pytest.raises(UnknownReaderError):
            combined.reader(name)
    tree.change(posix["kim"], pwdAccountLockedTime=None)
    assert not {p for p in combined.reader("oidc:sub-117").principals if p.endswith("@other")}


def test_a_renamed_account_stays_joined_and_its_old_name_joins_nobody(
    domain, tree, both, write_map
):
    ad, _, directories = both
    people = write_map({"sid": domain.sid(ad["kim"]), "uid": "1001@hanbit"})
    combined = CombinedDirectory(directories, cache_seconds=0, identities=people)
    domain.change(ad["kim"], sAMAccountName="kim.haneul")
    domain.person("kim2", sAMAccountName="kim")
    assert in_both(combined.reader("kim.haneul"))
    assert not in_both(combined.reader("kim@other"))
    assert "user:kim.haneul@other" in combined.reader("kim@hanbit").principals
    assert tree.running


def test_a_group_s_id_in_the_map_makes_nobody_anybody(domain, both, write_map):
    """The map joins accounts; that somebody is in a group is no identity."""
    _, _, directories = both
    (group,) = domain.entries("(sAMAccountName=qa)")
    people = write_map({"sid": domain.sid(group["dn"]), "uid": "1002@hanbit"})
    combined = CombinedDirectory(directories, cache_seconds=0, identities=people)
    assert not in_both(combined.reader("kim@other"))
    assert not in_both(combined.reader("lee@hanbit"))


def test_a_joined_directory_that_is_down_closes_the_person(domain, tree, both, write_map):
    """Who is in which of its groups is not known, and one of them may be denied."""
    ad, _, directories = both
    people = write_map({"sid": domain.sid(ad["kim"]), "uid": "1001@hanbit"})
    combined = CombinedDirectory(directories, cache_seconds=0, identities=people)
    assert in_both(combined.reader("kim@other"))
    tree.stop()
    with pytest.raises(DirectoryDownError):
        combined.reader("kim@other")
    assert combined.reader("lee@other")


def test_accounts_of_this_machine_and_of_directory_yaml_are_joined_too(tmp_path, write_map):
    file = tmp_path / "directory.yaml"
    file.write_text("realm: p\nusers: {kim: {groups: [qa]}}\ngroups: {qa: {}}\n")
    people = write_map(
        {
            "uid": f"{os.getuid()}@local",
            "user": ["kim@p"],
            "uuid": f"{'0' * 8}-0000-0000-0000-{'0' * 12}@x",
        }
    )
    combined = CombinedDirectory(
        [LocalAccounts(), YamlDirectory(file)], cache_seconds=0, identities=people
    )
    assert {f"uid:{os.getuid()}@local", "group:qa@p"} <= combined.reader("kim").principals


@pytest.mark.parametrize(
    "text",
    [
        "",
        "people: {}\n",
        "persons: []\n",
        "people: [kim]\n",
        "people:\n- {sid: S-1-5-21-1-2-3-4}\n",
        "people:\n- {sid: S-1-5-21-1-2-3-4, name: kim}\n",
        "people:\n- {sid: kim, uid: 1@p}\n",
        "people:\n- {sid: S-1-5-21-1-2-3-4, uid: '1001'}\n",
        "people:\n- {sid: S-1-5-21-1-2-3-4, uid: kim@p}\n",
        "people:\n- {sid: S-1-5-21-1-2-3-4, mailbox: kim}\n",
        "people:\n- {sid: S-1-5-21-1-2-3-4, uid: [1@p, [2@p]]}\n",
        "people:\n- {sid: S-1-5-21-1-2-3-4, uid: 1@p}\n- {sid: S-1-5-21-1-2-3-4, uid: 2@p}\n",
        "people:\n- {sid: S-1-5-21-1-2-3-4, sid: S-1-5-21-1-2-3-5, uid: 1@p}\n",
    ],
)
def test_a_map_that_is_not_as_documented_lets_nobody_be_anybody(tmp_path, text):
    people = tmp_path / "directory.yaml"
    people.write_text("realm: p\nusers: {kim: {}}\n")
    file = tmp_path / "identities.yaml"
    file.write_text(text)
    combined = CombinedDirectory(
        [YamlDirectory(people)], cache_seconds=0, identities=IdentityMap(file)
    )
    with pytest.raises(DirectoryDownError, match="identity map"):
        combined.reader("kim")
    file.write_text("people: []\n")
    assert combined.reader("kim")
    file.chmod(0o666)
    with pytest.raises(DirectoryDownError, match="identity map"):
        combined.reader("kim")
    file.unlink()
    with pytest.raises(DirectoryDownError, match="identity map"):
        combined.reader("kim")
