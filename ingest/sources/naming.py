"""Which names are no documents, whatever kind of drive they lie on."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pathspec

from contracts.outcomes import SkipReason

if TYPE_CHECKING:
    from contracts.settings import SourceSettings

__all__ = ["NameRules"]

_LOCK_PREFIXES = ("~$", ".~lock.")
_SYSTEM_NAMES = frozenset(
    {
        "thumbs.db",
        "desktop.ini",
        ".ds_store",
        "$recycle.bin",
        "system volume information",
        ".git",
        ".svn",
        ".snapshot",
        ".recycle",
        "lost+found",
    }
)
_CONTROL_FILE = re.compile(
    r"""(acl|directory)\.yaml              # lists and people
    | \.?(acl|directory)\.ya?ml(~|[.\-_ ].*)  # what editors and careful people leave beside them
    | (acl|directory)[ _\-].*\.ya?ml(\..*)?   # acl - 복사본.yaml, acl (1).yaml, acl_old.yaml
    | \#(acl|directory)\.ya?ml\#""",
    re.VERBOSE | re.IGNORECASE,
)
"""At the root: control files with their copies, which tell who may read what."""


class NameRules:
    """Files that programs leave behind, and what an operator excludes.

    Args:
        settings: Of the source: ``include``, ``exclude`` and ``marker``.
    """

    def __init__(self, settings: SourceSettings) -> None:
        self._marker = settings.marker
        self._include = _spec(settings.include)
        self._exclude = _spec(settings.exclude)

    def unwanted(self, folder: str, name: str) -> str:
        """Why a name in a folder is no document, or ""."""
        if name.startswith(_LOCK_PREFIXES):
            return SkipReason.LOCK_FILE
        if name.lower() in _SYSTEM_NAMES or name.startswith("._"):
            return SkipReason.SYSTEM_FILE
        if not folder and (_CONTROL_FILE.fullmatch(name) or name == self._marker):
            return SkipReason.SYSTEM_FILE
        return ""

    def excluded(self, path: str, *, folder: bool) -> bool:
        """Whether an operator excludes a path, or includes others only."""
        if self._exclude and self._exclude.match_file(f"{path}/" if folder else path):
            return True
        if folder:
            return False
        return self._include is not None and not self._include.match_file(path)


def _spec(patterns: tuple[str, ...]) -> pathspec.GitIgnoreSpec | None:
    return pathspec.GitIgnoreSpec.from_lines(patterns) if patterns else None
