"""The running program's own source, for those who use it over a network (AGPL-3.0, section 13)."""

from __future__ import annotations

import io
import zipfile
from functools import cache
from importlib.metadata import PackageNotFoundError, distribution
from importlib.util import find_spec
from pathlib import Path

__all__ = ["source_archive"]

_PACKAGES = (
    "acl_sync",
    "app",
    "catalog",
    "contracts",
    "dashboard",
    "evaluation",
    "ingest",
    "metadata",
    "parsers",
    "search",
    "seoga_client",
)
_BESIDE = (
    "LICENSE",
    "NOTICE",
    "README.md",
    "pyproject.toml",
    "constraints.txt",
    "constraints-build.txt",
    "constraints-dev.txt",
)


@cache
def source_archive() -> bytes:
    """Every file of our packages as they are installed, with licence and notice, as a zip archive."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in _PACKAGES:
            found = find_spec(name)
            if found is None or found.origin is None:
                continue
            folder = Path(found.origin).parent
            for file in sorted(folder.rglob("*")):
                if file.is_file() and "__pycache__" not in file.parts:
                    archive.write(file, f"{name}/{file.relative_to(folder).as_posix()}")
        for name, text in _beside():
            archive.writestr(name, text)
    return buffer.getvalue()


def _beside() -> list[tuple[str, str]]:
    """Files beside the packages: in a checkout its root, else the installed distribution's licences."""
    import contracts

    root = Path(str(contracts.__file__)).parent.parent
    found = [(n, (root / n).read_text(encoding="utf-8")) for n in _BESIDE if (root / n).is_file()]
    if found:
        return found
    try:
        files = distribution("seoga").files or []
    except PackageNotFoundError:
        return []
    return [(f.name, f.read_text(encoding="utf-8")) for f in files if f.name in _BESIDE]
