"""Zip packages with fixed times, and office packages brought to the same bytes whenever they are made."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Sequence

__all__ = ["HEAD", "fixed_zip", "settled"]

HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
STAMP = "2025-12-31T00:00:00Z"
_MOMENT = (2025, 12, 31, 0, 0, 0)
_TIMES = re.compile(rb"(<dcterms:(?:created|modified)[^>]*>)[^<]*(<)")


def fixed_zip(parts: Sequence[tuple[str, bytes | str]]) -> bytes:
    """A zip archive with fixed times; an entry named ``mimetype`` is stored, as OCF wants it."""
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as archive:
        for name, content in parts:
            info = zipfile.ZipInfo(name, _MOMENT)
            info.compress_type = zipfile.ZIP_STORED if name == "mimetype" else zipfile.ZIP_DEFLATED
            info.external_attr = 0o644 << 16
            archive.writestr(info, content)
    return target.getvalue()


def settled(package: bytes) -> bytes:
    """An office package with the times of its parts and properties fixed, embedded workbooks included."""
    parts: list[tuple[str, bytes | str]] = []
    with zipfile.ZipFile(io.BytesIO(package)) as archive:
        for name in archive.namelist():
            content = archive.read(name)
            if name.endswith(".xlsx"):
                content = settled(content)
            if name == "docProps/core.xml":
                content = _TIMES.sub(rb"\g<1>" + STAMP.encode() + rb"\g<2>", content)
            parts.append((name, content))
    return fixed_zip(parts)
