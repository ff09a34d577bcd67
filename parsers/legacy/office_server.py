"""LibreOffice as a long-lived converter, in a process of its own.

Started by :mod:`parsers.legacy.converter` by its path: nothing of ours is imported. Reads one JSON line a job on standard
input (``{"source": path, "target": path, "format": "docx"}``) and answers one line (``{"done": true}``). LibreOffice is
loaded into this process through LibreOfficeKit, its C interface (``LibreOfficeKit.h``): the first job costs a second, the
others a tenth. Macros do not run and links are not followed: the profile says so, and the kit loads without macros.
"""

from __future__ import annotations

import ctypes
import json
import os
import sys
from pathlib import Path
from typing import Any

__all__ = ["PROFILE", "main"]

_LIBRARIES = ("libmergedlo.so", "libsofficeapp.so")
# Places in the kit's and the document's tables of functions, behind the size of the table.
_KIT_LOAD = 4
_DOCUMENT_DESTROY, _DOCUMENT_SAVE = 1, 2
PROFILE = """<?xml version="1.0" encoding="UTF-8"?>
<oor:items xmlns:oor="http://openoffice.org/2001/registry" xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">
<item oor:path="/org.openoffice.Office.Common/Security/Scripting"><prop oor:name="DisableMacrosExecution" oor:op="fuse"><value>true</value></prop></item>
<item oor:path="/org.openoffice.Office.Common/Security/Scripting"><prop oor:name="MacroSecurityLevel" oor:op="fuse"><value>3</value></prop></item>
<item oor:path="/org.openoffice.Office.Common/Security/Scripting"><prop oor:name="BlockUntrustedRefererLinks" oor:op="fuse"><value>true</value></prop></item>
<item oor:path="/org.openoffice.Office.Common/Security/Scripting"><prop oor:name="DisableActiveContent" oor:op="fuse"><value>true</value></prop></item>
<item oor:path="/org.openoffice.Office.Writer/Content/Update"><prop oor:name="Link" oor:op="fuse"><value>0</value></prop></item>
<item oor:path="/org.openoffice.Office.Calc/Content/Update"><prop oor:name="Link" oor:op="fuse"><value>2</value></prop></item>
<item oor:path="/org.openoffice.Inet/Settings"><prop oor:name="ooInetProxyType" oor:op="fuse"><value>2</value></prop></item>
<item oor:path="/org.openoffice.Inet/Settings"><prop oor:name="ooInetHTTPProxyName" oor:op="fuse"><value>127.0.0.1</value></prop></item>
<item oor:path="/org.openoffice.Inet/Settings"><prop oor:name="ooInetHTTPProxyPort" oor:op="fuse"><value>9</value></prop></item>
<item oor:path="/org.openoffice.Inet/Settings"><prop oor:name="ooInetHTTPSProxyName" oor:op="fuse"><value>127.0.0.1</value></prop></item>
<item oor:path="/org.openoffice.Inet/Settings"><prop oor:name="ooInetHTTPSProxyPort" oor:op="fuse"><value>9</value></prop></item>
<item oor:path="/org.openoffice.Inet/Settings"><prop oor:name="ooInetNoProxy" oor:op="fuse"><value></value></prop></item>
</oor:items>
"""
"""Macros off, links not updated, and every web address leads to a closed port."""


def main() -> int:
    """Serve jobs until standard input ends."""
    program, profile = Path(sys.argv[1]), Path(sys.argv[2])
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)  # LibreOffice prints there
    kit = _Kit(program, profile)
    answers.write(json.dumps({"done": True}) + "\n")
    answers.flush()
    for line in sys.stdin:
        job = json.loads(line)
        done = kit.convert(Path(job["source"]), Path(job["target"]), job["format"])
        answers.write(json.dumps({"done": done}) + "\n")
        answers.flush()
    # Its own way out runs destructors that have been seen to hang.
    os._exit(0)


class _Kit:
    """LibreOfficeKit, loaded.

    Args:
        program: LibreOffice's ``program`` folder.
        profile: A folder of its own for its settings.
    """

    def __init__(self, program: Path, profile: Path) -> None:
        user = profile / "user"
        user.mkdir(parents=True, exist_ok=True)
        (user / "registrymodifications.xcu").write_text(PROFILE, encoding="utf-8")
        path = next(p for p in (program / name for name in _LIBRARIES) if p.exists())
        library = ctypes.CDLL(str(path))
        hook = library.libreofficekit_hook_2
        hook.restype, hook.argtypes = ctypes.c_void_p, [ctypes.c_char_p, ctypes.c_char_p]
        self._kit = hook(os.fsencode(program), profile.as_uri().encode())
        if not self._kit:
            sys.exit(1)
        self._load = _function(
            self._kit, _KIT_LOAD, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_char_p
        )

    def convert(self, source: Path, target: Path, format_name: str) -> bool:
        """Load a file and save it in another format; False where either fails."""
        document = self._load(self._kit, source.as_uri().encode(), b"Batch=true")
        if not document:
            return False
        save = _function(
            document,
            _DOCUMENT_SAVE,
            ctypes.c_int,
            ctypes.c_char_p,
            ctypes.c_char_p,
            ctypes.c_char_p,
        )
        saved = save(document, target.as_uri().encode(), format_name.encode(), None)
        _function(document, _DOCUMENT_DESTROY, None)(document)
        return bool(saved) and target.exists()


def _function(owner: int, place: int, result: Any, *arguments: Any) -> Any:
    """A function of an object whose first field points to its table of functions."""
    table = ctypes.cast(owner, ctypes.POINTER(ctypes.c_void_p))[0]
    address = ctypes.cast(table, ctypes.POINTER(ctypes.c_void_p))[place]
    return ctypes.CFUNCTYPE(result, ctypes.c_void_p, *arguments)(address)


if __name__ == "__main__":
    sys.exit(main())
