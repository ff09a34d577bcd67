"""acl.yaml and directory.yaml, as people write them wrongly and as intruders would."""

from __future__ import annotations

import os
import unicodedata

import pytest

from acl_sync.access import readable_scopes
from acl_sync.directory import CombinedDirectory
from acl_sync.directory_yaml import YamlDirectory
from acl_sync.yaml_lists import YamlPermissionReader
from contracts.documents import SourceItem
from contracts.errors import ConfigError, DirectoryDownError, UnknownReaderError

STRANGER = 61077


def reads(tmp_path, lists: str, path: str, *who: str) -> bool:
    file = tmp_path / "acl.yaml"
    file.write_text(lists, encoding="utf-8")
    reader = YamlPermissionReader("s", file)
    listed = SourceItem(source="s", object_id="1", path=path, locator="", size=0, modified_ns=0)
    scope = reader.item(listed)
    return scope.scope_id in readable_scopes([scope], frozenset(f"{w}@plant" for w in who))


@pytest.mark.parametrize(
    ("lists", "path", "who"),
    [
        # names that YAML takes for numbers, booleans or dates are the names of folders
        ("'': [{allow: everyone}]\n  no: []", "no/a.txt", "everyone"),
        ("'': [{allow: everyone}]\n  0777: []", "0777/a.txt", "everyone"),
        ("'': [{allow: everyone}]\n  1_000: []", "1_000/a.txt", "everyone"),
        ("'': [{allow: everyone}]\n  12:30: []", "12:30/a.txt", "everyone"),
        ("'': [{allow: everyone}]\n  ~: []", "~/a.txt", "everyone"),
        ("'': [{allow: everyone}]\n  2024.10: []", "2024.10/a.txt", "everyone"),
        ("'': [{allow: everyone}]\n  품질/: []", "품질/a.txt", "everyone"),
        # a deny counts however its name is written
        (
            f"'': [{{deny: 'group:{unicodedata.normalize('NFD', '협력사')}'}}, {{allow: everyone}}]",
            "a.txt",
            "group:협력사 everyone",
        ),
        ("'': [{deny: user:choi@plant}, {allow: everyone}]", "a.txt", "user:choi everyone"),
        ("'': [{deny: group:1e3}, {allow: everyone}]", "a.txt", "group:1e3 everyone"),
        ("'': [{allow: everyone}]\nshare: []", "a.txt", "everyone"),
        ("'': [{allow: everyone}]\nshare:", "a.txt", "everyone"),
        ("'': [{allow: everyone}]\n  품질:", "품질/a.txt", "everyone"),
        ("'': [{allow: everyone}]\n  품질: {inherit: no, entries: []}", "품질/a.txt", "everyone"),
    ],
)
def test_what_is_closed_in_writing_is_closed(tmp_path, lists, path, who):
    assert not reads(tmp_path, f"realm: plant\nfolders:\n  {lists}\n", path, *who.split())


@pytest.mark.parametrize(
    "lists",
    [
        "folders: {품질: [], 품질: [{allow: everyone}]}",
        "folders: {품질: [], 품질/: [{allow: everyone}]}",
        "folders: {'': [], '/': [{allow: everyone}]}",
        f"folders: {{품질: [], {unicodedata.normalize('NFD', '품질')}: [{{allow: everyone}}]}}",
        "folders: {a: []}\nfolders: {a: [{allow: everyone}]}",
        "files: {a.txt: [], a.txt: [{allow: everyone}]}",
        "folders: {'': [{deny: user:a, deny: user:b}]}",
        "base: &b {품질: []}\nfolders: {<<: *b}",
        "folders: {<<: {품질: []}}",
        "folders: {../other: []}",
        "folders: {품질/./8D: []}",
        "folders: {품질//8D: []}",
        "folders: {품질: {inherit: maybe}}",
        "folders: {품질: {inhert: true, entries: []}}",
        "folders: {'': [{allow: 'user: kim'}]}",
        "folders: {'': [{Deny: user:kim}]}",
        "folders: {[a]: []}",
        "folders: &f {a: *f}",
        "share: {allow: everyone}",
        f"folders: {'[' * 3000}",
    ],
)
def test_a_list_that_can_be_read_in_two_ways_is_refused(tmp_path, lists):
    with pytest.raises(ConfigError, match=r"acl\.yaml"):
        reads(tmp_path, f"realm: plant\n{lists}\n", "a.txt")


def test_lists_of_somebody_else_are_not_followed(tmp_path):
    """On a share that many may write to, anybody can put a file where none was, or another one in its place."""
    file = tmp_path / "acl.yaml"
    file.write_text("folders: {'': [{allow: everyone}]}", encoding="utf-8")
    YamlPermissionReader("s", file)
    os.chown(file, STRANGER, STRANGER)
    with pytest.raises(ConfigError, match="chown"):
        YamlPermissionReader("s", file)
    os.chown(tmp_path, STRANGER, STRANGER)  # now it is the folder's owner
    YamlPermissionReader("s", file)


def test_a_link_of_somebody_else_is_not_followed(tmp_path):
    (tmp_path / "kept.yaml").write_text("folders: {'': [{allow: everyone}]}", encoding="utf-8")
    link = tmp_path / "acl.yaml"
    link.symlink_to("kept.yaml")
    YamlPermissionReader("s", link)
    os.chown(link, STRANGER, STRANGER, follow_symlinks=False)
    with pytest.raises(ConfigError, match="chown"):
        YamlPermissionReader("s", link)


def test_lists_that_a_group_may_write_are_not_followed(tmp_path):
    file = tmp_path / "acl.yaml"
    file.write_text("folders: {'': [{allow: everyone}]}", encoding="utf-8")
    file.chmod(0o664)
    YamlPermissionReader("s", file)  # this account's own group
    os.chown(file, -1, STRANGER)
    with pytest.raises(ConfigError, match="chmod g-w"):
        YamlPermissionReader("s", file)


@pytest.mark.parametrize("kind", ["fifo", "folder", "missing"])
def test_what_is_no_file_is_refused_at_once(tmp_path, kind):
    file = tmp_path / "acl.yaml"
    if kind == "fifo":
        os.mkfifo(file)
    elif kind == "folder":
        file.mkdir()
    with pytest.raises(ConfigError, match=r"acl\.yaml"):
        YamlPermissionReader("s", file)


def people(tmp_path, text: str, name: str = "directory.yaml") -> YamlDirectory:
    file = tmp_path / name
    file.write_text(text, encoding="utf-8")
    return YamlDirectory(file)


@pytest.mark.parametrize(
    "text",
    [
        "users: {kim: {}}",  # no realm: nobody's principals may be guessed
        "realm: plant\nusers: [kim]",
        "realm: plant\nusers: {kim: [staff]}\ngroups: {staff: {}}",
        "realm: plant\nusers: {kim: {groups: staff}}\ngroups: {staff: {}}",
        "realm: plant\nusers: {kim: {groups: [[staff]]}}",
        "realm: plant\nusers: {kim: {}}\ngroups: {staff: [all]}",
        "realm: plant\nusers: {kim: {disabled: true}, kim: {}}",
        "realm: plant\nusers: {kim: {disable: true}}",  # misspelt: the account would stay open
        "realm: plant\nusers: {kim: {disabled: perhaps}}",
        "realm: a@plant\nusers: {kim: {}}",
        "realm: plant\nuser: {kim: {}}",
        "- realm",
        "\x00",
    ],
)
def test_a_directory_that_cannot_be_understood_knows_nobody(tmp_path, text):
    with pytest.raises(DirectoryDownError):
        people(tmp_path, text).reader("kim")


@pytest.mark.parametrize("expires", ["2026-02-30", "2020-01-01", "2999-12-31 10:00:00", "soon"])
def test_an_account_with_an_odd_last_day_is_closed_and_others_stay(tmp_path, expires):
    directory = people(
        tmp_path,
        f"realm: plant\nusers: {{kim: {{expires: {expires}}}, 1001: {{groups: [no]}}}}\ngroups: {{no: }}",
    )
    with pytest.raises(UnknownReaderError):
        directory.reader("kim")
    assert "group:no@plant" in directory.reader("1001").principals


def test_a_directory_that_is_gone_leaves_no_name_to_another_person(tmp_path):
    """Where kim is known twice the name must be qualified; with one directory down it would mean the other kim."""
    plant = people(tmp_path, "realm: plant\nusers: {kim: {}}", "plant.yaml")
    office = people(tmp_path, "realm: office\nusers: {kim: {}, lee: {}}", "office.yaml")
    both = CombinedDirectory([plant, office], cache_seconds=0)
    with pytest.raises(UnknownReaderError, match="kim@plant, kim@office"):
        both.reader("kim")
    (tmp_path / "plant.yaml").unlink()
    for name in ("kim", "lee", "nobody"):
        with pytest.raises(DirectoryDownError):
            both.reader(name)
    assert both.reader("kim@office").realm == "office"


def test_a_second_directory_cannot_make_members_of_the_first_ones_groups(tmp_path):
    first = people(tmp_path, "realm: plant\nusers: {kim: {}}\ngroups: {board: {}}", "first.yaml")
    rogue = people(
        tmp_path,
        "realm: plant\nusers: {mallory: {groups: [board]}}\ngroups: {board: {}}",
        "rogue.yaml",
    )
    with pytest.raises(ConfigError, match="realm"):
        CombinedDirectory([first, rogue], cache_seconds=0).reader("mallory")
