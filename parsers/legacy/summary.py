"""Properties of compound files (MS-OLEPS), by the names that all parsers use."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import olefile

__all__ = ["ole_properties"]

_NAMES = {
    "title": "title", "author": "author", "last_saved_by": "last_author", "subject": "subject", "keywords": "keywords",
    "comments": "comments", "company": "company", "manager": "manager", "category": "category",
    "creating_application": "application", "create_time": "created", "last_saved_time": "modified",
}  # fmt: skip
_UTF_8, _UTF_16 = 65001, 1200
_NEVER = 1980
"""Years up to here stand for "not set": dates count from 1601."""
_MACROS = ("macros", "_vba_project_cur", "vba", "_vba_project")
_PROBLEMS = (OSError, ValueError, IndexError, KeyError, AttributeError, TypeError, OverflowError)


def ole_properties(ole: olefile.OleFileIO) -> dict[str, str]:
    """Title, author, dates and the like; ``macros`` where there is a macro project. Damaged ones are left out."""
    found: dict[str, str] = {}
    try:
        meta: Any = ole.get_metadata()
    except _PROBLEMS:
        meta = None
    page = getattr(meta, "codepage", None)
    # The page is stored as a signed number of 16 bits: 65001 (UTF-8) comes as -535.
    number = page & 0xFFFF if isinstance(page, int) else _UTF_8
    charset = "utf-8" if number in (_UTF_8, _UTF_16) else f"cp{number}"
    for own, name in _NAMES.items():
        value: object = getattr(meta, own, None)
        if isinstance(value, bytes):
            value = _decoded(value, charset)
        if isinstance(value, datetime):
            value = value.isoformat() if value.year > _NEVER else ""
        text = str(value or "")
        text = " ".join(text.replace("\0", " ").split())
        if text:
            found[name] = text
    try:
        names = {part.lower() for path in ole.listdir(streams=True, storages=True) for part in path}
    except _PROBLEMS:
        names = set()
    if names.intersection(_MACROS):
        found["macros"] = "yes"
    return found


def _decoded(value: bytes, charset: str) -> str:
    try:
        return value.decode(charset, "replace")
    except LookupError:
        return value.decode("cp949", "replace")
