"""What a reference reader finds in a file, before some of it is drawn."""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

LONGEST = 60
"""Characters of a piece or a cell that are asked for."""
_PATIENCE = 120.0


@dataclass
class Value:
    """A cell with everything that says what it is."""

    header_path: list[str]
    row_key: list[str]
    value: str


@dataclass
class Found:
    """The content of one file.

    Attributes:
        pieces: Text, paragraph by paragraph.
        special: Text of kinds that readers often leave out: notes, comments, footnotes, alternative texts, chart titles, hidden parts.
        deleted: Text that a person no longer sees.
        order: Titles, headings or sheet names from the first to the last.
        rows: Cells of table rows.
        values: Cells with header path and row key.
        meta: As ``score_facts.py`` has them.
    """

    pieces: list[str] = field(default_factory=list)
    special: list[str] = field(default_factory=list)
    deleted: list[str] = field(default_factory=list)
    order: list[str] = field(default_factory=list)
    rows: list[list[str]] = field(default_factory=list)
    values: list[Value] = field(default_factory=list)
    meta: dict[str, Any] = field(default_factory=dict)

    def gone(self) -> list[str]:
        """Deleted texts that stand nowhere else in the file."""
        parts = [*self.pieces, *self.special, *(cell for row in self.rows for cell in row)]
        text = "\n".join(squeezed(part) for part in parts)
        return [piece for piece in self.deleted if squeezed(piece) not in text]


def squeezed(text: str) -> str:
    """Text without white space, composed."""
    return re.sub(r"\s", "", unicodedata.normalize("NFC", text))


def short_row(cells: list[str]) -> list[list[str]]:
    """The first cells of a row that can be asked for; no row where one is long or only one is filled."""
    filled = [cell for cell in cells if squeezed(cell)]
    return [filled[:4]] if len(filled) > 1 and all(len(c) <= LONGEST for c in filled) else []


@contextmanager
def converted(path: Path, target: str, suffix: str) -> Iterator[Path]:
    """The file as LibreOffice saves it under another format; ``target`` is the filter's name, ``suffix`` what it writes.

    Raises:
        RuntimeError: LibreOffice is not installed, or made nothing of the file.
    """
    program = shutil.which("soffice")
    if program is None:
        msg = "soffice is not installed"
        raise RuntimeError(msg)
    with tempfile.TemporaryDirectory(prefix="references-") as folder:
        source = Path(folder) / f"source{path.suffix}"
        source.symlink_to(path.resolve())
        profile = f"-env:UserInstallation=file://{folder}/profile"
        command = [program, profile, "--headless", "--convert-to", target, "--outdir", folder]
        subprocess.run([*command, str(source)], check=True, capture_output=True, timeout=_PATIENCE)
        made = source.with_suffix(suffix)
        if not made.exists():
            msg = "LibreOffice made nothing of it"
            raise RuntimeError(msg)
        yield made
