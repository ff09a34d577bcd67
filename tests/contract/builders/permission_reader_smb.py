"""A folder of a Samba share with security descriptors; the account that reads it is an ordinary one."""

from __future__ import annotations

import importlib.util
import time
import unicodedata
from pathlib import Path

from acl_sync.registry import make_permission_reader
from contracts.settings import SourceSettings
from ingest.sources.registry import make_source

ONE, OTHER, GROUP = "S-1-5-21-1-2-3-1001", "S-1-5-21-1-2-3-1002", "S-1-5-21-1-2-3-2001"
EVERYONE, OWNER_RIGHTS = "S-1-1-0", "S-1-3-4"
FULL, READ, WRITE, READ_LIST = 0x1F01FF, 0x120089, 0x000116, 0x020080
HANDED_DOWN, INHERITED = 0x3, 0x10
TICK = 0.02
"""Seconds after which a change time is surely another one."""


def bench(folder):
    """A bench over a folder of the share."""
    path = Path(__file__).with_name("source_smb.py")
    spec = importlib.util.spec_from_file_location("seoga_source_smb", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return SmbListsBench(module.bench(folder), module.READER)


class SmbListsBench:
    """See ``tests/contract/test_permission_reader.py``."""

    one = frozenset({f"sid:{ONE}", f"sid:{GROUP}", f"sid:{EVERYONE}"})
    stranger = frozenset({f"sid:{OTHER}", f"sid:{EVERYONE}"})
    # no backslash, colon, control character or byte that is no text: Windows has no such names
    traps = (
        "a",
        "b",
        "a#1",
        "a%2F",
        unicodedata.normalize("NFC", "품질"),
        unicodedata.normalize("NFD", "품질"),
        "a b",
    )

    def __init__(self, drive, reader):
        self._drive = drive
        self._server = drive.server
        self._reader_sid = self._server.sid(reader)
        acl = {"kind": "smb", "share": ("allow Everyone",)}
        self._settings = SourceSettings(**drive.values(acl=acl))
        self._say("", "everyone")

    def source(self):
        """Lists what is there."""
        return make_source(self._settings)

    def reader(self):
        """Reads the lists of what is there."""
        return make_permission_reader(self._settings)

    def put(self, path):
        """An item, in folders that are made where missing; its list is what its folder hands down."""
        self._drive.put(path)

    def allow(self, path, who):
        """Let ``everyone``, ``one`` or ``nobody`` read an item, or what is below a folder, as the Explorer does."""
        self._say(path, who)
        for below in sorted((self._drive.root / path).rglob("*")):
            self._say(str(below.relative_to(self._drive.root)), who, INHERITED)

    def say_nothing(self, path):
        """An empty list; its owner may always look at it."""
        self._protect(path, [], owner=self._reader_sid)

    def hide_list(self, path):
        """From now on the list of this item cannot be read."""
        self._protect(
            path, [("deny", 0, READ_LIST, self._reader_sid), ("allow", 0, FULL, EVERYONE)]
        )

    def changes(self, path):
        """Ways to change the list of an item: what is done, and a call that does it."""
        all_read = ("allow", 0, READ, EVERYONE)
        look = ("allow", 0, READ_LIST, self._reader_sid)
        lists = {
            "one may read": [("allow", 0, READ, ONE), look],
            "one may not read": [("deny", 0, READ, ONE), all_read, look],
            "in another order": [all_read, ("deny", 0, READ, ONE), look],
            "a group": [("allow", 0, READ, GROUP), look],
            "write only": [("allow", 0, WRITE, GROUP), look],
            "the owner": [("allow", 0, READ, OWNER_RIGHTS), look],
            "nobody": [look],
        }
        ways = {
            what: lambda entries=entries: self._protect(path, entries)
            for what, entries in lists.items()
        }
        ways["another owner"] = lambda: self._protect(path, lists["the owner"], owner=ONE)
        return ways

    def wait(self):
        """Let the clock of the file system move on."""
        time.sleep(TICK)

    def close(self):
        """Let the server forget it."""
        self._drive.close()

    def _say(self, path, who, flags=0):
        target = self._drive.root / path
        if target.is_dir():
            flags |= HANDED_DOWN
        entries = [("allow", flags, FULL, self._reader_sid)]
        if who != "nobody":
            entries.append(("allow", flags, FULL, {"everyone": EVERYONE, "one": ONE}[who]))
        self._protect(path, entries)

    def _protect(self, path, entries, owner=""):
        place = f"{self._drive.name}/{path}" if path else self._drive.name
        self._server.drive.protect(place, self._server.descriptor(entries, owner))
