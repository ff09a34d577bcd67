"""A folder tree as a source under test."""

from __future__ import annotations

import os
import pickle
import socket
import stat

from hypothesis import strategies as st

from contracts.errors import SeogaError
from contracts.settings import SourceSettings
from ingest.sources.registry import make_source

NOBODY = 65534
MARKER = ".seoga-root"


def bench(folder):
    """A bench over ``folder/root``."""
    return FolderBench(folder)


class FolderBench:
    """See ``tests/contract/test_source.py``."""

    # every byte string without "/" and NUL is a name; lock and system files are others' tests
    names = st.one_of(
        st.sampled_from(
            ["a", "a!", "a-", "a.", "a.b", "a0", "aa", "A", "가", "\uffee", "\U00010000"]
        ),
        st.binary(min_size=1, max_size=6).map(os.fsdecode),
        st.text(st.characters(codec="utf-8"), min_size=1, max_size=4),
    ).filter(
        lambda name: (
            "/" not in name
            and "\0" not in name
            and name not in {".", ".."}
            and not name.startswith(("~$", "._"))
            and name.lower() not in {".git", ".svn"}
            and len(os.fsencode(name)) < 60
        )
    )

    def __init__(self, folder):
        self.folder = folder
        self.root = folder / "root"
        self.root.mkdir(mode=0o755)

    def source(self, **options):
        """An adapter over what is there now."""
        values = {"name": "drive", "kind": "filesystem", "root": self.root, **options}
        return make_source(SourceSettings(**values))

    def put(self, path, data=b"x"):
        """An object, in folders that are made where missing."""
        target = self._at(path)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)

    def folder_at(self, path):
        """An empty folder."""
        self._at(path).mkdir(parents=True, exist_ok=True)

    def replace(self, path, data):
        """Another object takes the place of the one at the path, as editors save."""
        self.put(f"{path}.new", data)
        self._at(f"{path}.new").replace(self._at(path))

    def move(self, path, to):
        """Rename an object or a folder."""
        self._at(path).rename(self._at(to))

    def remove(self, path):
        """Remove an object."""
        self._at(path).unlink()

    def lead_away(self, path):
        """What is at the path is now a link to the like of it outside; objects there hold ``secret``."""
        target = self._at(path)
        away = self.folder / "outside"
        target.rename(away)
        for held in (away, *away.rglob("*")):
            if held.is_file():
                held.write_bytes(b"secret")
        target.symlink_to(away)

    def no_documents(self):
        """Make things that are no documents; their paths."""
        self.put("~$memo.docx")
        self.put("Thumbs.db")
        self._at("link").symlink_to(self.folder)
        self._at("link-to-itself").symlink_to(self._at("link-to-itself"))
        os.mkfifo(self._at("pipe"))
        with socket.socket(socket.AF_UNIX) as server:
            server.bind(os.fspath(self._at("socket")))
        return {"~$memo.docx", "Thumbs.db", "link", "link-to-itself", "pipe", "socket"}

    def spoilt(self):
        """What may be wrong with a root, each as an adapter."""
        missing, file, empty, bare = (self.folder / name for name in "mfeb")
        file.write_bytes(b"x")
        empty.mkdir()
        bare.mkdir()
        (bare / "a.txt").write_bytes(b"x")
        dangling = self.folder / "dangling"
        dangling.symlink_to(missing)
        return {
            "unreachable": self.source(root=missing),
            "empty": self.source(root=empty),
            "without its marker": self.source(root=bare, marker=MARKER),
            "a file": self.source(root=file),
            "a link to nothing": self.source(root=dangling),
            "below a file": self.source(root=file / "x"),
        }

    def marked(self):
        """An adapter over a root that has its marker."""
        self.put(MARKER)
        return self.source(marker=MARKER)

    def without_rights(self, path, call):
        """The result of ``call()``, or the exception, where the account has no rights on the path."""
        self._at(path).chmod(0)
        try:
            return _as_nobody(call)
        finally:
            self._at(path).chmod(0o700)

    def snapshot(self):
        """Everything that a visitor could have changed: names, kinds, rights, owners, times, bytes."""
        found = {}
        for path in (self.root, *self.root.rglob("*")):
            seen = path.lstat()
            data = path.read_bytes() if stat.S_ISREG(seen.st_mode) else b""
            times = (seen.st_mtime_ns, seen.st_ctime_ns)
            found[str(path)] = (seen.st_ino, seen.st_mode, seen.st_uid, seen.st_nlink, *times, data)
        return found

    def _at(self, path):
        return self.root / path


def _as_nobody(call):
    """Run in a child process that has given up its rights; the superuser may read everything."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            if os.geteuid() == 0:
                os.setgroups([])
                os.setresgid(NOBODY, NOBODY, NOBODY)
                os.setresuid(NOBODY, NOBODY, NOBODY)
            try:
                result = call()
            except SeogaError as problem:
                result = problem
            with os.fdopen(writing, "wb") as out:
                pickle.dump(result, out)
        finally:
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as answer:
        data = answer.read()
    os.waitpid(child, 0)
    return pickle.loads(data)  # noqa: S301  from this very process
