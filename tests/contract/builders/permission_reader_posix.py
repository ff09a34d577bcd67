"""A folder tree with modes and access lists."""

from __future__ import annotations

import os
import stat
import subprocess
import time

from acl_sync.registry import make_permission_reader
from contracts.settings import SourceSettings
from ingest.sources.registry import make_source

ONE, STRANGER, GROUP = 61001, 61002, 62001
TICK = 0.02
"""Seconds after which a change time is surely another one."""


def bench(folder):
    """A bench over ``folder/root``."""
    return PosixBench(folder)


class PosixBench:
    """See ``tests/contract/test_permission_reader.py``."""

    one = frozenset({f"uid:{ONE}@local", f"gid:{GROUP}@local", "everyone@local"})
    stranger = frozenset({f"uid:{STRANGER}@local", "gid:62999@local", "everyone@local"})

    def __init__(self, folder):
        self.root = folder / "root"
        self.root.mkdir(mode=0o755)
        self._settings = SourceSettings(name="drive", root=self.root, acl={"kind": "posix"})

    def source(self):
        """Lists what is there."""
        return make_source(self._settings)

    def reader(self):
        """Reads the lists of what is there."""
        return make_permission_reader(self._settings)

    def put(self, path):
        """An item, in folders that are made where missing."""
        target = self.root / path
        target.parent.mkdir(mode=0o755, parents=True, exist_ok=True)
        target.write_bytes(b"x")
        target.chmod(0o644)

    def allow(self, path, who):
        """Let ``everyone``, ``one`` or ``nobody`` read an item, or what is below a folder."""
        target = self.root / path
        right = "rx" if target.is_dir() else "r"
        self._acl("-b", target)
        target.chmod({"everyone": 0o755, "one": 0o700, "nobody": 0o000}[who])
        if who == "one":
            self._acl("-m", target, f"u:{ONE}:{right}")
        elif target.is_file():
            target.chmod(target.stat().st_mode & 0o666)

    def say_nothing(self, path):
        """The nearest thing to no list at all: a mode that grants nothing."""
        (self.root / path).chmod(0)

    def hide_list(self, path):
        """From now on the list of this item cannot be read."""
        (self.root / path).unlink()

    def changes(self, path):
        """Ways to change the list of an item: what is done, and a call that does it."""
        target = self.root / path
        return {
            "others may not read": lambda: target.chmod(0o640),
            "nobody may read": lambda: target.chmod(0o000),
            "all may again": lambda: target.chmod(0o644),
            "another owner": lambda: os.chown(target, ONE, -1),
            "another group": lambda: os.chown(target, -1, GROUP),
            "a named user": lambda: self._acl("-m", target, f"u:{ONE}:r"),
            "another named user": lambda: self._acl("-m", target, f"u:{STRANGER}:r", f"-x u:{ONE}"),
            "a named group": lambda: self._acl("-m", target, f"g:{GROUP}:r"),
            "the mask": lambda: self._acl("-m", target, "m::-"),
            "no list": lambda: self._acl("-b", target),
        }

    def wait(self):
        """Let the clock of the file system move on."""
        time.sleep(TICK)

    def close(self):
        """Let the folders be removed."""
        for path in (self.root, *self.root.rglob("*")):
            if stat.S_ISDIR(path.lstat().st_mode):
                path.chmod(0o700)

    def _acl(self, option, target, *entries):
        command = ["setfacl", option]
        for entry in entries:
            command += entry.split()
        subprocess.run([*command, "--", os.fsencode(target)], check=True)
