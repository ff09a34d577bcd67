"""Opens a file that a password protects, in a process of its own: ``python -m parsers.unlock SOURCE TARGET``.

Passwords come as lines on the standard input, never as arguments that others could see. Exit status 0: TARGET holds
the file without protection. 1: none of the passwords fits, or this kind of protection cannot be taken off.

PDF through PyMuPDF; Word, Excel and PowerPoint, old and new, through msoffcrypto-tool (MS-OFFCRYPTO); zip and 7z through
libarchive, whose members are packed anew into a zip. Hangul's own password protection is not published; such files stay
locked.
"""

from __future__ import annotations

import contextlib
import resource
import sys
import tempfile
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["main", "unlock"]

_CHUNK = 1 << 20
_MEMORY = 2 << 30
_LARGEST = 2 << 30
"""Bytes that a target may have; the parser's own limits come after."""


def unlock(source: Path, target: Path, passwords: Sequence[str]) -> bool:
    """Try the passwords in turn.

    Returns:
        Whether ``target`` holds the unprotected file.
    """
    with source.open("rb") as file:
        head = file.read(8)
    opener = _pdf if b"%PDF" in head else _archive if head[:2] in {b"PK", b"7z"} else _office
    return any(opener(source, target, password) for password in passwords)


def _pdf(source: Path, target: Path, password: str) -> bool:
    import pymupdf

    try:
        with pymupdf.open(source, filetype="pdf") as document:  # type: ignore[no-untyped-call]
            if not document.authenticate(password):
                return False
            document.save(target, encryption=pymupdf.mupdf.PDF_ENCRYPT_NONE)
    except (RuntimeError, ValueError):
        return False
    return True


def _office(source: Path, target: Path, password: str) -> bool:
    import msoffcrypto

    with source.open("rb") as file:
        try:
            office = msoffcrypto.OfficeFile(file)
            office.load_key(password=password)
            with target.open("wb") as out:
                office.decrypt(out)
        except Exception:  # noqa: BLE001  a wrong password, or a kind of protection that the library does not know: both mean "still locked"
            return False
    return True


def _archive(source: Path, target: Path, password: str) -> bool:
    import libarchive

    left = _LARGEST
    try:
        with (
            libarchive.file_reader(str(source), passphrase=password) as archive,
            zipfile.ZipFile(target, "w") as packed,
        ):
            for entry in archive:
                if not entry.isfile:
                    continue
                with packed.open(entry.pathname, "w", force_zip64=True) as member:
                    for block in entry.get_blocks(_CHUNK):
                        left -= len(block)
                        if left < 0:
                            return False
                        member.write(block)
    except (libarchive.ArchiveError, ValueError, zipfile.BadZipFile):
        return False
    return True


def main(arguments: Sequence[str]) -> int:
    """See the module."""
    source, target = (Path(argument) for argument in arguments)
    passwords = sys.stdin.read().splitlines()
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    resource.setrlimit(resource.RLIMIT_FSIZE, (_LARGEST, _LARGEST))
    with tempfile.TemporaryDirectory(dir=target.parent) as folder:
        made = Path(folder) / "made"
        try:
            found = unlock(source, made, [password for password in passwords if password])
        except (OSError, MemoryError):
            return 1
        if not found:
            return 1
        with contextlib.suppress(FileNotFoundError):
            target.unlink()
        made.rename(target)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
