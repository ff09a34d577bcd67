"""The same over SMB, on a real Samba.

Whether a server's change time tells of its lists is for the probe to find out. Samba shows the last write in its place, so
there every pass reads every list; what that costs is printed, and only what was found to hold is asked for.
"""

from __future__ import annotations

import importlib.util
import shutil
import tempfile
import time
from pathlib import Path
from typing import Any

from app.controls import decide
from app.wiring import permission_reader
from contracts.settings import SourceSettings
from ingest.kit import Kit
from ingest.sources.registry import make_source
from proofs.drives import fill, installation
from proofs.rescan import CHANGED, compare, followed

__all__ = ["run"]

ROOT = Path(__file__).resolve().parents[2]
EVERYONE, FULL, BELOW = "S-1-1-0", 0x1F01FF, 0x3
FOLDER = "기록"


def run(*, files: int) -> bool:
    """Share so many files; prints figures, says whether what holds on this server is kept."""
    samba = _servers()
    server = samba.new_file_server()
    try:
        server.share("drive", server.folder / "drive")
        client = server.client("drive")
        client.protect("", samba.descriptor([("allow", BELOW, FULL, EVERYONE)]))
        fill(server.folder / "drive", FOLDER, files)
        (server.folder / "password").write_text(f"{server.password}\n", encoding="utf-8")
        values = {
            "kind": "smb",
            "root": None,
            "url": f"smb://{server.host}:{server.port}/drive",
            "user": server.administrator,
            "password_file": server.folder / "password",
            "acl": {"kind": "smb", "share": ("allow Everyone",)},
        }
        with tempfile.TemporaryDirectory(prefix="seoga-rescan-smb-") as scratch:
            home = Path(scratch) / "home"
            with installation(home, server.folder / "drive", **values) as (kit, source):
                fine = _passes(kit, source, client, samba)
        client.close()
    finally:
        server.stop()
        shutil.rmtree(server.folder)
    return fine


def _passes(kit: Kit, source: SourceSettings, client: Any, samba: Any) -> bool:
    started = time.monotonic()
    first = followed(kit, source)
    tells = permission_reader(source, decide(kit.catalog, source)).tags_tell
    tells = tells and make_source(source).probe().change_time
    print(
        f"share: {first['listed']} files and {first['folders']} folders, {first['lists_read']} lists read at first in "
        f"{time.monotonic() - started:.0f} s; its change time {'tells' if tells else 'does not tell'} of lists"
    )
    for number in range(CHANGED):
        path = f"{FOLDER}/00000/점검-{number:06}.txt"
        client.protect(path, samba.descriptor([("allow", 0, FULL, f"S-1-5-21-1-2-3-{number}")]))
    started = time.monotonic()
    scan = followed(kit, source)
    print(
        f"{CHANGED} changed lists: {scan['lists_read']} read, {scan['scopes_changed']} scopes changed, "
        f"{time.monotonic() - started:.0f} s"
    )
    if tells:
        return compare(kit, source, "unchanged share") and scan["lists_read"] == CHANGED
    compare(kit, source, "unchanged share, every list read", rounds=1)
    return scan["scopes_changed"] == CHANGED


def _servers() -> Any:
    """``tests/servers_samba.py``, which is no module of a package."""
    path = ROOT / "tests/servers_samba.py"
    spec = importlib.util.spec_from_file_location("seoga_servers_samba", path)
    if spec is None or spec.loader is None:
        raise SystemExit(f"{path} cannot be loaded")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
