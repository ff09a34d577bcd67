"""Following lists by change times, as a server that shows them truly lets one: Windows does, Samba does not.

The server is Samba; in the place of the change time that it shows stands the one that its file system has, which moves
with a list as that of NTFS does.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from acl_sync.access import readable_scopes
from acl_sync.registry import make_permission_reader
from acl_sync.tracker import ScopeTracker
from catalog.catalog import Catalog
from contracts.documents import SourceItem
from contracts.sources import SourceFolder

pytestmark = pytest.mark.integration

KIM, LEE = "S-1-5-21-1-2-3-1001", "S-1-5-21-1-2-3-1002"
READ, FULL, BELOW, INHERITED = 0x120089, 0x1F01FF, 0x3, 0x10


class Followed:
    """A share whose lists are followed from run to run."""

    def __init__(self, share, tools, catalog):
        self.share, self.tools, self.catalog = share, tools, catalog
        self.reader_sid = share.server.sid("games")
        self.settings = share.settings(acl={"kind": "smb", "share": ("allow Everyone",)})
        self.known = {}

    def protect(self, path, who, flags=0):
        """Let somebody and the reading account in."""
        entries = [("allow", flags, FULL, self.reader_sid)]
        entries += [("allow", flags, READ, sid) for sid in who]
        self.share.client.protect(path, self.tools.descriptor(entries))

    def run(self):
        """One run; how many lists it read."""
        tracker = ScopeTracker(
            "files", make_permission_reader(self.settings), self.catalog, trust_tags=True
        )
        for found in self.share.source().list():
            seen = (self.share.folder / found.path).stat()
            listed = replace(found, access_tag=f"{seen.st_ctime_ns:x}")
            if isinstance(listed, SourceFolder):
                tracker.folder(listed)
            elif isinstance(listed, SourceItem):
                scope, tag = self.known.get(listed.path, ("", ""))
                same = tag == listed.access_tag
                scope = tracker.item(listed, known_scope=scope, same_tag=same)
                tracker.flush()
                self.known[listed.path] = (scope, listed.access_tag)
        tracker.finish()
        return tracker.lists_read

    def may(self, sid):
        """Paths that somebody may read by what is stored."""
        passed = readable_scopes(
            self.catalog.scopes.all("files"), frozenset({f"sid:{sid}", "sid:S-1-1-0"})
        )
        return sorted(path for path, (scope, _) in self.known.items() if scope in passed)


@pytest.fixture
def followed(share, smb_tools, tmp_path):
    """Two folders with two files each, which kim reads; followed once."""
    with Catalog.open("", tmp_path) as catalog:
        made = Followed(share, smb_tools, catalog)
        for folder in ("a", "b"):
            share.client.make(folder)
            made.protect(folder, [KIM], BELOW)
            for name in ("1", "2"):
                share.client.write(f"{folder}/{name}", b"x")
        made.run()
        yield made


ALL = ["a/1", "a/2", "b/1", "b/2"]


def test_an_unchanged_share_costs_no_list_and_a_changed_list_costs_one(followed):
    assert followed.may(KIM) == ALL
    assert followed.run() == 0
    followed.protect("a/1", [LEE])
    assert followed.run() == 1
    assert (followed.may(KIM), followed.may(LEE)) == (ALL[1:], ["a/1"])


def test_files_keep_the_lists_that_they_have_where_only_their_folders_changes(followed):
    """Nothing of the files has changed, so no tag of theirs says anything."""
    followed.protect("a", [LEE], BELOW)
    assert followed.run() == 3
    assert (followed.may(KIM), followed.may(LEE)) == (ALL, [])
    followed.share.client.write("a/3", b"x")
    followed.run()
    assert followed.may(LEE) == ["a/3"]
    assert followed.run() == 0


def test_a_list_that_is_handed_on_to_all_files_is_one_scope_again(followed):
    followed.protect("a", [LEE], BELOW)
    for name in ("1", "2"):
        followed.protect(f"a/{name}", [LEE], INHERITED)
    followed.run()
    assert (followed.may(KIM), followed.may(LEE)) == (ALL[2:], ALL[:2])
    assert {scope for path, (scope, _) in followed.known.items() if path.startswith("a/")} == {
        "files:a"
    }


def test_a_file_of_its_owners_own_does_not_share_what_its_folder_hands_down(followed):
    entries = [("allow", BELOW, FULL, followed.reader_sid), ("allow", BELOW, READ, "S-1-3-0")]
    followed.share.client.protect("a", followed.tools.descriptor(entries))
    followed.share.client.write("a/3", b"x")
    followed.run()
    assert followed.known["a/3"][0].startswith("files:a//")
    assert followed.may(KIM) == ALL
