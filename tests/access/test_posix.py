"""POSIX modes and access lists as gates; the kernel itself is asked who may read."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from acl_sync.access import passes_gate, readable_scopes
from acl_sync.posix import READ, SEARCH, PosixPermissionReader, posix_gate
from contracts.documents import SourceItem
from contracts.settings import SourceSettings
from contracts.sources import SourceFolder
from ingest.sources.filesystem import FilesystemSource

OWNER, GROUP, OTHER = 61001, 62001, 61002


def principals(uid: int, *gids: int) -> frozenset[str]:
    return frozenset({f"uid:{uid}@local", "everyone@local", *(f"gid:{gid}@local" for gid in gids)})


def kernel_says(path: Path, uid: int, *gids: int) -> bool:
    """Open the file as that user, with those groups."""
    command = [
        "setpriv",
        f"--reuid={uid}",
        f"--regid={gids[0]}",
        f"--groups={','.join(map(str, gids))}",
    ]
    done = subprocess.run([*command, "cat", str(path)], capture_output=True, check=False)
    return done.returncode == 0


@pytest.fixture
def share(tmp_path):
    """A folder that everybody can get to; the tests change owners, so they run as root."""
    assert os.geteuid() == 0, "these tests change owners: run them as root"
    for folder in (tmp_path, *tmp_path.parents):
        mode = folder.stat().st_mode
        if not mode & 0o001:  # the sticky bit of /tmp stays
            folder.chmod(mode & 0o7777 | 0o055)
    folder = tmp_path / "share"
    folder.mkdir(mode=0o755)
    return folder


def listed(share: Path) -> tuple[list[SourceFolder], dict[str, SourceItem]]:
    source = FilesystemSource(SourceSettings(name="s", root=share))
    found = list(source.list())
    folders = [f for f in found if isinstance(f, SourceFolder)]
    return folders, {f.path: f for f in found if isinstance(f, SourceItem)}


def ours_says(share: Path, path: str, who: frozenset[str]) -> bool:
    reader = PosixPermissionReader("s", share, "local", above_root=True)
    folders, items = listed(share)
    scopes = [reader.folder(folder) for folder in folders]
    mine = reader.item(items[path])
    return mine.scope_id in readable_scopes([*scopes, mine], who)


@pytest.mark.parametrize(
    "mode", [0o600, 0o640, 0o644, 0o604, 0o040, 0o004, 0o044, 0o060, 0o000, 0o620]
)
@pytest.mark.parametrize(
    ("uid", "gids"),
    [
        (OWNER, (GROUP,)),
        (OTHER, (GROUP,)),
        (OTHER, (62999,)),
        (OTHER, (62999, GROUP)),
        (OWNER, (62999,)),
    ],
)
def test_modes_as_the_kernel_decides(share, mode, uid, gids):
    file = share / "a.txt"
    file.write_text("x")
    os.chown(file, OWNER, GROUP)
    file.chmod(mode)
    assert ours_says(share, "a.txt", principals(uid, *gids)) is kernel_says(file, uid, *gids)


@pytest.mark.parametrize(
    "entries",
    [
        "u:61002:r",
        "u:61002:-,o::r",
        "g:62002:r",
        "g:62002:-,o::r",
        "g:62002:r,m::-",
        "u:61002:r,m::-",
        "g:62001:-,g:62002:r",
        "u:61002:w,g:62002:r",
        "g::-,g:62002:r",
        "o::-",
    ],
)
@pytest.mark.parametrize(
    ("uid", "gids"),
    [(OWNER, (GROUP,)), (OTHER, (62002,)), (OTHER, (62001, 62002)), (61003, (62999,))],
)
def test_access_lists_as_the_kernel_decides(share, entries, uid, gids):
    file = share / "a.txt"
    file.write_text("x")
    os.chown(file, OWNER, GROUP)
    file.chmod(0o640)
    subprocess.run(
        ["setfacl", "-n" if "m::" in entries else "-k", "-m", entries, str(file)], check=True
    )
    assert ours_says(share, "a.txt", principals(uid, *gids)) is kernel_says(file, uid, *gids)


@pytest.mark.parametrize("mode", [0o755, 0o750, 0o700, 0o711, 0o744])
@pytest.mark.parametrize(("uid", "gids"), [(OWNER, (GROUP,)), (OTHER, (GROUP,)), (OTHER, (62999,))])
def test_search_permission_on_every_parent_as_the_kernel_decides(share, mode, uid, gids):
    folder = share / "a" / "b"
    folder.mkdir(parents=True)
    file = folder / "x.txt"
    file.write_text("x")
    os.chown(share / "a", OWNER, GROUP)
    (share / "a").chmod(mode)
    assert ours_says(share, "a/b/x.txt", principals(uid, *gids)) is kernel_says(file, uid, *gids)


def test_folders_above_the_root_count_unless_the_root_is_an_exported_share(share):
    file = share / "a.txt"
    file.write_text("x")
    share.parent.chmod(0o700)
    who = principals(OTHER, GROUP)
    assert ours_says(share, "a.txt", who) is False
    reader = PosixPermissionReader("s", share, "local", above_root=False)
    folders, items = listed(share)
    scopes = [reader.folder(folder) for folder in folders]
    mine = reader.item(items["a.txt"])
    assert mine.scope_id in readable_scopes([*scopes, mine], who)
    share.parent.chmod(0o755)


def test_the_superuser_is_shown_nothing_beyond_its_own_entries(share):
    file = share / "a.txt"
    file.write_text("x")
    os.chown(file, OWNER, GROUP)
    file.chmod(0o600)
    assert ours_says(share, "a.txt", principals(0, 0)) is False


def test_files_with_equal_lists_share_a_scope(share):
    for name in ("a.txt", "b.txt", "c.txt"):
        (share / name).write_text("x")
    (share / "c.txt").chmod(0o600)
    reader = PosixPermissionReader("s", share, "local", above_root=False)
    _, items = listed(share)
    scopes = {name: reader.item(item).scope_id for name, item in items.items()}
    assert scopes["a.txt"] == scopes["b.txt"] != scopes["c.txt"]


def test_something_that_vanished_is_unreadable_for_everybody(share):
    reader = PosixPermissionReader("s", share, "local", above_root=False)
    gone = SourceItem(
        source="s", object_id="1", path="gone.txt", locator="", size=0, modified_ns=0, access_tag=""
    )
    assert reader.item(gone).readable is False


@pytest.mark.parametrize("value", [b"\x01\x00\x00\x00", b"\x02\x00\x00\x00\x01", b"\x02"])
def test_a_malformed_list_is_an_error_not_a_guess(share, value):
    with pytest.raises(ValueError, match="access list"):
        posix_gate(os.lstat(share), value, READ, "read", "local")


def test_search_and_read_are_different_rights(share):
    share.chmod(0o711)
    seen = os.lstat(share)
    who = principals(OTHER, GROUP)
    assert passes_gate(posix_gate(seen, b"", SEARCH, "search", "local"), who)
    assert not passes_gate(posix_gate(seen, b"", READ, "read", "local"), who)
