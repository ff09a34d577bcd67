"""Files that are locked, and who opens them: a key ring of passwords, or an organisation's own decryption command.

Both run as processes of their own with a time limit. What they opened is marked, and may be read by a configured
group only, whoever may read the file itself (:func:`restrict_unlocked`).
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import structlog

from contracts.access import AccessEntry, Effect, Gate
from contracts.failures import FailureClass
from ingest.ids import digest

if TYPE_CHECKING:
    from catalog.catalog import Catalog
    from contracts.settings import UnlockSettings

__all__ = ["UNLOCKED", "Unlocker", "is_restricted", "restrict_unlocked", "set_readers"]

UNLOCKED = "unlocked"
"""Property of a document that was opened so: ``password`` or ``command``."""

_log = structlog.get_logger()
_ROOT = Path(__file__).resolve().parent.parent
_READERS = "unlock_readers"
_SOURCE = "source"


class Unlocker:
    """Opens locked files.

    Args:
        settings: Command, passwords and time limit.
    """

    def __init__(self, settings: UnlockSettings) -> None:
        self._settings = settings
        secret = settings.passwords
        self._passwords = secret.get_secret_value() if secret is not None else ""

    @property
    def tag(self) -> str:
        """Changes with what could be opened; "" where nothing is configured."""
        if not (self._passwords or self._settings.command):
            return ""
        shared = str(self._settings.readers == _SOURCE)
        return digest(self._passwords, *self._settings.command, *self._settings.classes, shared)

    def open(self, source: Path, failure: FailureClass, target: Path) -> str:
        """Try to open a locked file.

        Args:
            source: The file.
            failure: Why it could not be read.
            target: Where the opened file shall lie.

        Returns:
            ``password`` or ``command``, or "" where it stays locked.
        """
        if failure is FailureClass.ENCRYPTED and self._passwords:
            command = [sys.executable, "-m", "parsers.unlock", str(source), str(target)]
            if self._run(command, target, self._passwords):
                return "password"
        if self._settings.command and failure.value in self._settings.classes:
            places = {"{input}": str(source), "{output}": str(target)}
            command = [places.get(word, word) for word in self._settings.command]
            if self._run(command, target, ""):
                return "command"
        return ""

    def _run(self, command: list[str], target: Path, text: str) -> bool:
        try:
            done = subprocess.run(  # noqa: S603  the operator's own command, no shell
                command,
                input=text,
                text=True,
                cwd=_ROOT,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                timeout=self._settings.timeout_seconds,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired) as problem:
            _log.warning("unlock_failed", reason=type(problem).__name__)
            return False
        return done.returncode == 0 and target.is_file() and target.stat().st_size > 0


def restrict_unlocked(catalog: Catalog) -> None:
    """Keep the scopes of restricted documents: each is the file's own scope, and a gate for the configured readers.

    Without its row a restricted document is read by nobody, so a row that comes late never shows anything.
    """
    readers = catalog.meta.get(_READERS)
    entries = (AccessEntry(Effect.ALLOW, readers),) if readers else ()
    catalog.scopes.sync_restricted(Gate(name="unlock", entries=entries))


def set_readers(catalog: Catalog, settings: UnlockSettings) -> None:
    """Let the configured readers, and nobody else, through to what was opened."""
    with catalog.transaction():
        if catalog.meta.get(_READERS) != settings.readers:
            catalog.meta.set(_READERS, settings.readers)
        restrict_unlocked(catalog)


def is_restricted(settings: UnlockSettings, how: str) -> bool:
    """Whether a document that was opened so may be read by the configured readers only."""
    return bool(how) and settings.readers != _SOURCE
