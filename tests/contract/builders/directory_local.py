"""Accounts of a machine: ``passwd``, ``group`` and ``shadow`` of a folder that a process of its own is confined to."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from datetime import date
from pathlib import Path
from types import SimpleNamespace

from contracts.access import Reader
from contracts.errors import UnknownReaderError

FIRST = 5000


def bench(folder):
    """A bench over ``folder/etc``."""
    return LocalBench(folder)


class LocalBench:
    """See ``tests/contract/test_directory.py``.

    The C library reads the accounts of ``/etc``: the adapter answers from a process whose root is the folder.
    """

    realm = "local"
    nests = (
        False  # the machine itself hands down the outer groups of people, as SSSD and winbind do
    )

    def __init__(self, folder):
        self._etc = folder / "etc"
        self._etc.mkdir()
        (self._etc / "nsswitch.conf").write_text("passwd: files\ngroup: files\nshadow: files\n")
        self._numbers = {}
        self._process = None

    def write(self, users, groups):
        """From now on these people and groups exist."""
        members = {name: set() for name in groups}
        accounts, secrets = [], []
        for name, about in users.items():
            number = self._number(f"user:{name}")
            if about.get("disabled"):  # usermod --expiredate 1, as its manual says
                expires = "1"
            else:
                until = about.get("expires")
                expires = str((until - date(1970, 1, 1)).days + 1) if until else ""
            accounts.append(f"{name}:x:{number}:{number}::/:/bin/sh\n")
            secrets.append(f"{name}:!:19000:0:99999:7::{expires}:\n")
            waiting = list(about.get("groups", ()))
            while waiting:
                group = waiting.pop()
                if group in groups and name not in members[group]:
                    members[group].add(name)
                    waiting += groups[group]
        lines = [
            f"{name}:x:{self._number(f'group:{name}')}:{','.join(sorted(inside))}\n"
            for name, inside in members.items()
        ]
        for file, text in (("shadow", secrets), ("passwd", accounts), ("group", lines)):
            (self._etc / file).write_text("".join(text), encoding="utf-8")

    def directory(self):
        """The adapter, as if it ran on that machine."""
        if self._process is None:
            confined = [] if os.geteuid() == 0 else ["unshare", "--map-root-user"]
            self._process = subprocess.Popen(
                [*confined, sys.executable, __file__, str(self._etc.parent)],
                env={"PYTHONPATH": str(Path(__file__).parents[3]), "PATH": "/usr/bin:/bin"},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
            )
        return _Asked(self._process, self.realm)

    def person(self, name):
        """What entries may name this person alone by; everybody has a group of their own."""
        number = self._number(f"user:{name}")
        return {f"uid:{number}@local", f"gid:{number}@local"}

    def group(self, name):
        """What entries may name this group by."""
        return {f"gid:{self._number(f'group:{name}')}@local"}

    def break_down(self):
        """From now on the directory cannot be asked."""
        for file in ("passwd", "group", "shadow"):
            (self._etc / file).unlink()

    def close(self):
        """End the process."""
        if self._process is not None:
            self._process.stdin.close()
            self._process.wait()
            self._process.stdout.close()

    def _number(self, name):
        return self._numbers.setdefault(name, FIRST + len(self._numbers))


class _Asked:
    """The adapter in the other process."""

    def __init__(self, process, realm):
        self._process = process
        self.realm = realm

    def reader(self, name):
        return self._ask("reader", name)

    def group(self, name):
        return self._ask("group", name)

    def _ask(self, call, name):
        self._process.stdin.write(json.dumps([call, name]) + "\n")
        self._process.stdin.flush()
        answer = json.loads(self._process.stdout.readline())
        if "unknown" in answer:
            raise UnknownReaderError(answer["unknown"])
        return Reader(
            name=answer["name"],
            principals=frozenset(answer["principals"]),
            realm=answer["realm"],
        )


def serve(root):
    """Answer from the accounts below ``root``."""
    from acl_sync.registry import DIRECTORIES, DirectoryOptions

    (entry,) = [entry for entry in DIRECTORIES if entry.name == "local"]
    settings = SimpleNamespace(local_accounts=True)  # the real ones take half a second to import
    (made,) = entry.load()(DirectoryOptions(settings=settings))
    os.chroot(root)
    os.chdir("/")
    for line in sys.stdin:
        call, name = json.loads(line)
        try:
            found = getattr(made, call)(name)
        except UnknownReaderError as problem:
            answer = {"unknown": str(problem)}
        else:
            answer = {
                "name": found.name,
                "realm": found.realm,
                "principals": sorted(found.principals),
            }
        print(json.dumps(answer), flush=True)  # noqa: T201


if __name__ == "__main__":
    serve(sys.argv[1])
