"""A folder of a Samba share as a source under test."""

from __future__ import annotations

import atexit
import importlib.util
import shutil
import stat
import sys
from itertools import count
from pathlib import Path
from types import SimpleNamespace

from hypothesis import strategies as st

from contracts.errors import SeogaError
from contracts.settings import SourceSettings
from ingest.sources.registry import make_source

MARKER = ".seoga-root"
EVERYONE, FULL, FOR_ALL_BELOW = "S-1-1-0", 0x1F01FF, 0x3
READER = "games"
"""Any account of this machine that is not root's."""
_SERVERS = Path(__file__).parents[2] / "servers_samba.py"
# builders are loaded anew for each bench; the server is one for the whole process
_shared = sys.modules.setdefault(
    "seoga_smb_benches", SimpleNamespace(server=None, numbers=count(1))
)


def server():
    """The file server of this process, with the share ``drive`` and one reader."""
    if _shared.server is None:
        spec = importlib.util.spec_from_file_location("seoga_servers_samba", _SERVERS)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        made = module.new_file_server()
        atexit.register(lambda: (made.drive.close(), made.stop(), shutil.rmtree(made.folder)))
        made.share("drive", made.folder / "drive")
        made.add_user(READER)
        made.drive = made.client("drive")
        made.descriptor = module.descriptor
        everyone = ("allow", FOR_ALL_BELOW, FULL, EVERYONE)
        made.drive.protect("", module.descriptor([everyone]))
        (made.folder / "password").write_text(f"{made.password}\n", encoding="utf-8")
        _shared.server = made
    return _shared.server


def bench(folder):
    """A bench over a folder of the share."""
    return SmbBench(folder)


class SmbBench:
    """See ``tests/contract/test_source.py``."""

    # what Windows takes for a name, no two of which it takes for one; lock and system files are others' tests
    names = st.one_of(
        st.sampled_from(["a", "a!", "a-", "a.b", "a0", "aa", "Z", "가", "\uffee", "\U00010000"]),
        st.text(
            st.characters(
                codec="utf-8", exclude_categories=["Cc"], exclude_characters='"*/:<>?\\|'
            ),
            min_size=1,
            max_size=4,
        ),
    ).filter(
        lambda name: (
            name[-1] not in ". "
            and not name.startswith(("~$", "._"))
            and name not in {".git", ".svn"}
            and (name == "Z" or name == name.lower() == name.upper().lower() != "z")
        )
    )

    def __init__(self, folder):
        self.folder = folder
        self.server = server()
        self.name = f"bench-{next(_shared.numbers)}"
        self.root = self.server.folder / "drive" / self.name
        self.server.drive.make(self.name)

    def source(self, **options):
        """An adapter over what is there now."""
        return make_source(SourceSettings(**self.values(**options)))

    def values(self, **options):
        """Settings of the source."""
        address = f"smb://{self.server.host}:{self.server.port}/drive/{self.name}"
        return {
            "name": "drive",
            "kind": "smb",
            "url": address,
            "user": READER,
            "password_file": self.server.folder / "password",
            "timeout_seconds": 20,
            **options,
        }

    def put(self, path, data=b"x"):
        """An object, in folders that are made where missing."""
        if "/" in path:
            self.folder_at(path.rpartition("/")[0])
        self.server.drive.write(f"{self.name}/{path}", data)

    def folder_at(self, path):
        """An empty folder."""
        self.server.drive.make(f"{self.name}/{path}")

    def replace(self, path, data):
        """Another object takes the place of the one at the path, as editors save."""
        self.put(f"{path}.new", data)
        self.server.drive.replace(f"{self.name}/{path}.new", f"{self.name}/{path}")

    def move(self, path, to):
        """Rename an object or a folder."""
        self.server.drive.rename(f"{self.name}/{path}", f"{self.name}/{to}")

    def remove(self, path):
        """Remove an object."""
        self.server.drive.remove(f"{self.name}/{path}")

    def lead_away(self, path):
        """What is at the path is now a link of the server's to the like of it outside; objects there hold ``secret``."""
        target = self._at(path)
        away = self.folder / "outside"
        shutil.move(target, away)
        for held in (away, *away.rglob("*")):
            if held.is_file():
                held.write_bytes(b"secret")
        target.symlink_to(away)

    def no_documents(self):
        """Make things that are no documents; their paths."""
        self.put("~$memo.docx")
        self.put("Thumbs.db")
        self.put("sub/b.db")
        self.move("sub", "$RECYCLE.BIN")
        self._at("here").symlink_to(".")  # such a link is followed by the server itself
        return {"~$memo.docx", "Thumbs.db", "$RECYCLE.BIN", "here"}

    def spoilt(self):
        """What may be wrong with a root, each as an adapter."""
        self.put("file")
        self.folder_at("empty")
        self.put("bare/a.txt")
        place = self.values()["url"]
        host = f"{self.server.host}:{self.server.port}"
        wrong = self.folder / "wrong"
        wrong.write_text("wrong")
        return {
            "unreachable": self.source(url=f"{place}/missing"),
            "empty": self.source(url=f"{place}/empty"),
            "without its marker": self.source(url=f"{place}/bare", marker=MARKER),
            "a file": self.source(url=f"{place}/file"),
            "below a file": self.source(url=f"{place}/file/x"),
            "no such share": self.source(url=f"smb://{host}/missing"),
            "nobody listens": self.source(url="smb://127.0.0.1:9/drive"),
            "no such host": self.source(url="smb://files.invalid/drive"),
            "a wrong password": self.source(password_file=wrong),
        }

    def marked(self):
        """An adapter over a root that has its marker."""
        self.put(MARKER)
        return self.source(marker=MARKER)

    def without_rights(self, path, call):
        """The result of ``call()``, or the exception, where the account has no rights on the path."""
        target = self._at(path)
        mode = stat.S_IMODE(target.stat().st_mode)
        target.chmod(0)
        try:
            return call()
        except SeogaError as problem:
            return problem
        finally:
            target.chmod(mode)

    def snapshot(self):
        """Everything that a visitor could have changed: names, kinds, rights, owners, times, bytes."""
        found = {}
        for path in (self.root, *self.root.rglob("*")):
            seen = path.lstat()
            data = path.read_bytes() if stat.S_ISREG(seen.st_mode) else b""
            times = (seen.st_mtime_ns, seen.st_ctime_ns)
            found[str(path)] = (seen.st_ino, seen.st_mode, seen.st_uid, seen.st_nlink, *times, data)
        return found

    def close(self):
        """Let the server forget it."""
        shutil.rmtree(self.root)

    def _at(self, path):
        return self.root / path
