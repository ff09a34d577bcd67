"""Recognised pages of one document, on the way from parse process to parse process.

Recognition takes seconds a page, a scan may have 500. So it is done in slices, each a job of its own with a time limit
of its own; what was recognised lies in a folder, a file a page, and is not recognised again.
"""

from __future__ import annotations

import contextlib
import os
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

__all__ = ["NotAssembled", "PageFolder", "PageWaits", "pages_in"]

_SUFFIX = ".page"
_UNFINISHED = ".part-"
_TRIES = 5


class PageWaits(Exception):
    """This page is not to be recognised in this job, or not yet."""


class NotAssembled(Exception):
    """A job ended without a document, as it should.

    Attributes:
        waiting: Pages (from 1) that still have to be recognised.
    """

    def __init__(self, waiting: Iterable[int]) -> None:
        super().__init__()
        self.waiting = tuple(waiting)


class PageFolder:
    """See :class:`contracts.parsing.RecognisedPages`.

    Args:
        folder: Where pages lie; None: nothing is kept, and everything is recognised in one go.
        most: Where more pages need recognition, none is recognised: they are asked for. 0: no such limit.
        only: Recognise just these pages (from 1), and make no document.
        seconds: Begin no further page after so long; 0: no such limit.
    """

    def __init__(
        self,
        folder: Path | None = None,
        *,
        most: int = 0,
        only: Sequence[int] = (),
        seconds: float = 0.0,
    ) -> None:
        self._folder = folder
        self._most = most if folder else 0
        self._only = tuple(only)
        self._end = time.monotonic() + seconds if seconds and folder else None
        self._surveying = False

    @property
    def only(self) -> tuple[int, ...]:
        """Pages that this job is about; (): the whole document."""
        return self._only

    def begin(self, pages: int) -> None:
        """The document has so many pages: where all of them might be too many, look at all of them first."""
        self._surveying = bool(self._most) and pages > self._most

    def get(self, number: int) -> bytes | None:
        """What was recognised of a page; None: recognise it now.

        Raises:
            PageWaits: it was not recognised, and is not to be now.
        """
        if self._folder is not None:
            try:
                return self._file(number).read_bytes()
            except FileNotFoundError:
                pass
        if self._surveying or (self._end is not None and time.monotonic() >= self._end):
            raise PageWaits
        return None

    def put(self, number: int, data: bytes) -> None:
        """Keep what was recognised of a page."""
        if self._folder is None:
            return
        for _ in range(
            _TRIES
        ):  # whoever has finished with the same content may remove the folder meanwhile
            with contextlib.suppress(FileNotFoundError):
                self._folder.mkdir(parents=True, exist_ok=True)
                descriptor, name = tempfile.mkstemp(prefix=_UNFINISHED, dir=self._folder)
                with os.fdopen(descriptor, "wb") as file:
                    file.write(data)
                Path(name).replace(self._file(number))
                return

    def remove(self, number: int) -> None:
        """Keep nothing of a page."""
        if self._folder is not None:
            self._file(number).unlink(missing_ok=True)

    def settle(self, waiting: Sequence[int]) -> None:
        """All pages were looked at, and these wait: return where they may be recognised now.

        Raises:
            NotAssembled: they are too many, or the time is over.
        """
        if not self._surveying or len(waiting) > self._most:
            raise NotAssembled(waiting)
        self._surveying = False

    def _file(self, number: int) -> Path:
        assert self._folder is not None  # noqa: S101  its callers have looked
        return self._folder / f"{number}{_SUFFIX}"


def pages_in(folder: Path) -> Iterator[tuple[int, Path]]:
    """Pages that lie in a folder, with their files."""
    for path in sorted(folder.glob(f"*{_SUFFIX}")):
        if path.stem.isdecimal():
            yield int(path.stem), path
