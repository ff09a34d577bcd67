"""The same over SMB, on a real Samba.

Windows moves an object's change time with its list; Samba shows the last write in that place, so over Samba as it is every
pass reads every list: what that costs is printed for a tenth of the files. Then the promise: the same server, with the
change time of its file system, which does move, in the place of the one that it shows.
"""

from __future__ import annotations

import importlib.util
import shutil
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from app.controls import decide
from app.wiring import permission_reader
from contracts.settings import SourceSettings
from contracts.sources import ListProblem, Skipped
from ingest.kit import Kit
from ingest.runs import SourceRun
from ingest.sources.registry import make_source
from proofs.drives import fill, installation
from proofs.notified import tells_of
from proofs.rescan import CHANGED, compare, followed, follower, lister

__all__ = ["run"]

ROOT = Path(__file__).resolve().parents[2]
EVERYONE, FULL, BELOW = "S-1-1-0", 0x1F01FF, 0x3
FOLDER = "기록"


def run(*, files: int) -> bool:
    """Share so many files; prints figures, says whether the promises are kept."""
    samba = _servers()
    server = samba.new_file_server()
    (server.folder / "password").write_text(f"{server.password}\n", encoding="utf-8")
    try:
        for name in ("as-it-is", "truly"):  # before anybody is connected
            server.share(name, server.folder / name)
        as_it_is = _Share(server, samba, "as-it-is", max(files // 10, 200)).followed(_as_it_is)
        return _Share(server, samba, "truly", files).followed(_truly) and as_it_is
    finally:
        server.stop()
        shutil.rmtree(server.folder)


class _Share:
    """A share of the server with files, open to everyone."""

    def __init__(self, server: Any, samba: Any, name: str, files: int) -> None:
        self.folder = server.folder / name
        self._samba, self._server, self._name = samba, server, name
        self.client = server.client(name)
        self.client.protect("", samba.descriptor([("allow", BELOW, FULL, EVERYONE)]))
        fill(self.folder, FOLDER, files)
        self._values = {
            "kind": "smb",
            "root": None,
            "url": f"smb://{server.host}:{server.port}/{name}",
            "user": server.administrator,
            "password_file": server.folder / "password",
            "acl": {"kind": "smb", "share": ("allow Everyone",)},
        }

    def followed(self, how: Any) -> bool:
        """Follow it, as ``how`` says."""
        with (
            tempfile.TemporaryDirectory(prefix="seoga-rescan-smb-") as scratch,
            installation(Path(scratch) / "home", self.folder, **self._values) as opened,
        ):
            fine: bool = how(self, *opened)
        self.client.close()
        return fine

    def watched(self) -> None:
        """Print of which changes whoever watches the share is told."""
        (self.folder / "위.txt").write_text("위\n", encoding="utf-8")
        deep = f"{FOLDER}/00000/점검-000000.txt"
        told = [
            f"{where} {'told' if tells_of(self._server, self._name, partial(self._close, path)) else 'NOT told'}"
            for where, path in (("in the folder that is watched", "위.txt"), ("below it", deep))
        ]
        print(f"a watch over the whole share, when a list changes: {', '.join(told)}")

    def _close(self, path: str) -> None:
        sid = "S-1-5-21-1-2-3-2000"
        self.client.protect(path, self._samba.descriptor([("allow", 0, FULL, sid)]))

    def change(self) -> None:
        """Give ten files other lists."""
        for number in range(CHANGED):
            path = f"{FOLDER}/{number // 100:05}/점검-{number:06}.txt"
            sid = f"S-1-5-21-1-2-3-{1000 + number}"
            self.client.protect(path, self._samba.descriptor([("allow", 0, FULL, sid)]))


def _as_it_is(share: _Share, kit: Kit, source: SourceSettings) -> bool:
    """Whoever asks this server for change times must read every list."""
    started = time.monotonic()
    first = followed(kit, source)
    tells = permission_reader(source, decide(kit.catalog, source)).tags_tell
    print(
        f"share as it is: {first['listed']} files, {first['lists_read']} lists read at first in "
        f"{time.monotonic() - started:.1f} s; its change time {'tells' if tells else 'does not tell'} of lists"
    )
    share.change()
    scan = followed(kit, source)
    print(
        f"{CHANGED} changed lists: {scan['lists_read']} read, {scan['scopes_changed']} scopes changed"
    )
    compare(lister(source), follower(kit, source), "unchanged, as it is")
    share.watched()
    return scan["scopes_changed"] == CHANGED


def _truly(share: _Share, kit: Kit, source: SourceSettings) -> bool:
    """What is promised where change times move with lists."""

    def follow() -> Counter[str]:
        permissions = permission_reader(source, decide(kit.catalog, source))
        listed: Any = _WithChangeTimes(make_source(source), share.folder)
        return SourceRun(kit, source, listed, permissions, trust_tags=True).permissions().scan

    started = time.monotonic()
    first = follow()
    print(
        f"share with true change times: {first['listed']} files, {first['lists_read']} lists read at first in "
        f"{time.monotonic() - started:.1f} s"
    )
    share.change()
    scan = follow()
    print(
        f"{CHANGED} changed lists: {scan['lists_read']} read, {scan['scopes_changed']} scopes changed"
    )

    def bare() -> int:
        return sum(1 for _ in _WithChangeTimes(make_source(source), share.folder).list())

    kept = compare(bare, lambda: follow()["lists_read"], "unchanged share")
    return kept and scan["lists_read"] == CHANGED


class _WithChangeTimes:
    """A source whose tags are the change times of the server's file system, as NTFS shows them."""

    def __init__(self, source: Any, folder: Path) -> None:
        self._source, self._folder = source, folder

    def __getattr__(self, name: str) -> Any:
        return getattr(self._source, name)

    def list(self) -> Iterator[Any]:
        """As the source lists."""
        for found in self._source.list():
            if isinstance(found, (Skipped, ListProblem)):
                yield found
            else:
                seen = (self._folder / found.path).stat()
                yield replace(found, access_tag=f"{seen.st_ctime_ns:x}")


def _servers() -> Any:
    """``tests/servers_samba.py``, which is no module of a package."""
    path = ROOT / "tests/servers_samba.py"
    spec = importlib.util.spec_from_file_location("seoga_servers_samba", path)
    if spec is None or spec.loader is None:
        raise SystemExit(f"{path} cannot be loaded")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
