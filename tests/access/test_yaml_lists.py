"""acl.yaml and directory.yaml, and the directories together."""

from __future__ import annotations

import unicodedata

import pytest

from acl_sync.access import readable_scopes
from acl_sync.directory import CombinedDirectory
from acl_sync.directory_yaml import YamlDirectory
from acl_sync.local_accounts import LocalAccounts
from acl_sync.yaml_lists import YamlPermissionReader
from contracts.documents import SourceItem
from contracts.errors import ConfigError, UnknownReaderError
from contracts.sources import SourceFolder

LISTS = """\
realm: plant
folders:
  "": [{allow: group:staff}]
  품질: [{deny: user:choi}, {allow: group:quality}]
  품질/공개: {inherit: true, entries: [{allow: group:sales}]}
  빈폴더: []
files:
  품질/기밀.pdf: [{allow: user:kim}]
  품질/추가.pdf: {inherit: true, entries: [{allow: user:lee}]}
"""


def item(path: str) -> SourceItem:
    return SourceItem(source="s", object_id="1", path=path, locator="", size=0, modified_ns=0)


@pytest.fixture
def reader(tmp_path):
    def build(text: str = LISTS) -> YamlPermissionReader:
        file = tmp_path / "acl.yaml"
        file.write_text(text, encoding="utf-8")
        return YamlPermissionReader("s", file)

    return build


def reads(reader, path: str, *who: str) -> bool:
    scope = reader.item(item(path))
    return scope.scope_id in readable_scopes([scope], frozenset(f"{w}@plant" for w in who))


@pytest.mark.parametrize(
    ("path", "who", "expected"),
    [
        ("a.txt", ("group:staff",), True),
        ("깊은/곳/a.txt", ("group:staff",), True),
        ("품질/a.txt", ("group:staff",), False),  # the nearer list replaces
        ("품질/a.txt", ("group:quality",), True),
        ("품질/a.txt", ("user:choi", "group:quality"), False),
        ("품질/공개/a.txt", ("group:sales",), True),
        ("품질/공개/a.txt", ("group:quality",), True),  # inherited
        ("품질/공개/a.txt", ("user:choi", "group:sales"), True),  # explicit allow, inherited deny
        ("빈폴더/a.txt", ("group:staff",), False),  # an empty list: nobody
        ("품질/기밀.pdf", ("user:kim",), True),
        ("품질/기밀.pdf", ("group:quality",), False),
        ("품질/추가.pdf", ("user:lee",), True),
        ("품질/추가.pdf", ("group:quality",), True),
        ("품질보증/a.txt", ("group:quality",), False),  # another folder whose name begins alike
        ("품질보증/a.txt", ("group:staff",), True),
    ],
)
def test_the_nearest_list_decides(reader, path, who, expected):
    assert reads(reader(), path, *who) is expected


def test_no_list_at_all_means_nobody(reader):
    assert not reads(reader("realm: plant\n"), "a.txt", "everyone", "group:staff")


def test_a_share_gate_is_joined_by_and(reader):
    lists = reader("realm: plant\nshare: [{allow: group:a}]\nfolders: {'': [{allow: everyone}]}\n")
    assert not reads(lists, "a.txt", "everyone")
    assert reads(lists, "a.txt", "everyone", "group:a")


def test_decomposed_names_are_the_same_folder(reader):
    path = unicodedata.normalize("NFD", "품질/a.txt")
    assert reads(reader(), path, "group:quality")
    assert not reads(reader(), path, "group:staff")


def test_documents_of_a_folder_share_its_scope_and_a_new_list_moves_none(reader):
    before = reader()
    folder = before.folder(SourceFolder(path="품질/x", object_id="1", access_tag=""))
    assert before.item(item("품질/x/b.txt")) == folder
    after = reader(LISTS.replace("품질/공개", "품질/x"))
    assert after.item(item("품질/x/b.txt")).scope_id == folder.scope_id
    assert after.item(item("품질/x/b.txt")).gates != folder.gates


@pytest.mark.parametrize(
    "text",
    [
        "- a\n",
        "folders: [1]\n",
        "folders: {'': {allow: x}}\nother: 1\n",
        "folders: {'': [allow]}\n",
        "folders: {'': [{grant: user:kim}]}\n",
        "folders: {'': [{allow: kim}]}\n",
        "folders: {'': [{allow: 'user:'}]}\n",
        "folders: {'': 'x'}\n",
        "a: [unclosed\n",
    ],
)
def test_a_list_that_cannot_be_understood_is_an_error(reader, text):
    with pytest.raises(ConfigError, match=r"acl\.yaml"):
        reader(text)


def test_a_list_that_everybody_may_write_is_not_trusted(reader, tmp_path):
    reader()
    (tmp_path / "acl.yaml").chmod(0o666)
    with pytest.raises(ConfigError, match="chmod"):
        YamlPermissionReader("s", tmp_path / "acl.yaml")


@pytest.fixture
def directory(tmp_path):
    file = tmp_path / "directory.yaml"
    file.write_text(
        "realm: plant\n"
        "users:\n"
        "  kim: {groups: [quality]}\n"
        "  off: {groups: [staff], disabled: true}\n"
        "  past: {groups: [staff], expires: 2020-01-01}\n"
        "  odd: {groups: [staff], expires: soon}\n"
        "  root: {groups: [staff]}\n"
        "groups:\n"
        "  quality: {groups: [staff]}\n"
        "  staff: {groups: [all]}\n"
        "  all: {groups: [quality]}\n",  # a cycle
        encoding="utf-8",
    )
    return YamlDirectory(file)


def test_groups_nest_and_cycles_end(directory):
    assert directory.reader("kim").principals == {
        "user:kim@plant",
        "everyone@plant",
        "group:quality@plant",
        "group:staff@plant",
        "group:all@plant",
    }
    assert directory.reader("kim@plant").principals == directory.reader("kim").principals


@pytest.mark.parametrize("name", ["off", "past", "odd", "nobody-here", "", "kim@elsewhere"])
def test_disabled_expired_and_unknown_people_are_nobody(directory, name):
    with pytest.raises(UnknownReaderError):
        directory.reader(name)


def test_a_changed_directory_counts_at_once(directory, tmp_path):
    assert "group:quality@plant" in directory.reader("kim").principals
    (tmp_path / "directory.yaml").write_text("realm: plant\nusers: {kim: {}}\ngroups: {}\n")
    assert directory.reader("kim").principals == {"user:kim@plant", "everyone@plant"}


def test_a_group_stands_for_a_mere_member(directory):
    assert "user:kim@plant" not in directory.group("quality").principals
    assert "group:staff@plant" in directory.group("quality").principals
    with pytest.raises(UnknownReaderError):
        directory.group("none")


def test_a_name_known_twice_must_be_qualified(directory):
    both = CombinedDirectory([directory, LocalAccounts()])
    assert {"root@local", f"kim@{directory.realm}"} <= set(both.people())
    with pytest.raises(UnknownReaderError, match=r"root@plant, root@local"):
        both.reader("root")
    assert "uid:0@local" in both.reader("root@local").principals
    assert "user:root@plant" in both.reader("root@plant").principals


def test_answers_are_kept_for_the_cache_time_only(directory, tmp_path):
    now = [0.0]
    combined = CombinedDirectory([directory], cache_seconds=60, clock=lambda: now[0])
    combined.reader("kim")
    (tmp_path / "directory.yaml").write_text("realm: plant\nusers: {}\ngroups: {}\n")
    now[0] = 59.0
    assert combined.reader("kim").name == "kim"
    now[0] = 60.0
    with pytest.raises(UnknownReaderError):
        combined.reader("kim")


def test_local_accounts_and_groups():
    accounts = LocalAccounts()
    assert "gid:0@local" in accounts.reader("root").principals
    assert accounts.group("root").principals == {"gid:0@local", "everyone@local"}
    for call in (accounts.reader, accounts.group):
        with pytest.raises(UnknownReaderError):
            call("no-such-name-here")
