"""Parse a file whose pages take long to recognise, slice by slice.

A parse that finds more than ``SLICE`` pages to recognise recognises none of them. They are recognised in jobs of their
own, each with a time limit of its own, and then the file is parsed once more, with all pages there.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import msgspec

from contracts.failures import FailureClass
from parsers.pages import PageFolder, pages_in
from parsers.pool import PageJob, ParseResult

if TYPE_CHECKING:
    from contracts.parsing import ContainerBudget
    from parsers.pool import ParsePool

__all__ = ["SLICE", "LocalPages", "PageKeeper", "SlicedParses", "slices_of"]

SLICE = 20
"""Pages that are recognised with the parse itself, or by one task, at most."""
_JOB = 5
"""Pages of one job in a slice: at most so many are lost when a machine dies."""
_STRIKES = 3
_ROUNDS = 3
_FAILED = 0
"""Instead of a page: why recognition was given up."""


class _GivenUp(msgspec.Struct, frozen=True):
    failure: FailureClass
    detail: str


class PageKeeper(Protocol):
    """Where recognised pages lie, by the SHA-256 of the file that they belong to."""

    def folder(self, sha256: str) -> Path:
        """The folder that parse processes read and write; it may not exist yet."""
        ...

    def fetch(self, sha256: str, pages: Collection[int] | None = None) -> None:
        """Bring pages that are kept elsewhere into the folder: all, or these."""
        ...

    def keep(self, sha256: str) -> None:
        """Keep what is new in the folder."""
        ...

    def forget(self, sha256: str, number: int) -> None:
        """Remove one page, in the folder and elsewhere."""
        ...

    def lend(self, sha256: str, path: Path) -> None:
        """Make the file itself available to those who recognise its pages elsewhere."""
        ...

    def drop(self, sha256: str) -> None:
        """The file is parsed, and the parse is stored: its pages are not needed any more."""
        ...


class LocalPages:
    """Pages in one folder on this machine.

    Args:
        root: The folder.
    """

    def __init__(self, root: Path) -> None:
        self._root = root

    def folder(self, sha256: str) -> Path:
        """A folder for each file."""
        return self._root / sha256[:32]

    def fetch(self, sha256: str, pages: Collection[int] | None = None) -> None:
        """There is no other place."""

    def keep(self, sha256: str) -> None:
        """There is no other place."""

    def forget(self, sha256: str, number: int) -> None:
        """Remove its file."""
        PageFolder(self.folder(sha256)).remove(number)

    def lend(self, sha256: str, path: Path) -> None:
        """There is nobody else."""

    def drop(self, sha256: str) -> None:
        """Remove the folder."""
        shutil.rmtree(self.folder(sha256), ignore_errors=True)


class SlicedParses:
    """Parses files; what needs long recognition, in slices.

    Args:
        pool: Parses.
        keeper: Keeps recognised pages.
        ask: Recognise no slices here: a result with waiting pages is for the caller to see to.
        backwards: Recognise the last pages first: of two that read copies at once, each does a half.
        progress: Told a file's name, how many pages are recognised, and of how many.
    """

    def __init__(
        self,
        pool: ParsePool,
        keeper: PageKeeper,
        *,
        ask: bool = False,
        backwards: bool = False,
        progress: Callable[[str, int, int], None] = lambda _name, _done, _all: None,
    ) -> None:
        self._pool = pool
        self._keeper = keeper
        self._ask = ask
        self._backwards = backwards
        self._progress = progress

    def parse(
        self, path: Path, name: str, spool: Path, budget: ContainerBudget, sha256: str
    ) -> ParseResult:
        """Parse one file, as :meth:`parsers.pool.ParsePool.parse`.

        Args:
            path: The file.
            name: The name that people know it by.
            spool: Folder for children.
            budget: What it may unfold.
            sha256: Names its pages; "": they are not kept.
        """
        if not sha256:
            return self._pool.parse(path, name, spool, budget)
        whole = PageJob(folder=self._keeper.folder(sha256), most=SLICE)
        result = self._pool.parse(path, name, spool, budget, whole)
        fetched = False
        for _ in range(_ROUNDS):
            if not result.waiting:
                return result
            if not fetched:
                self._keeper.fetch(sha256)
                fetched = True
            given_up = self._given_up(sha256)
            if given_up is not None:
                return replace(given_up, format=result.format)
            missing = self.missing(sha256, result.waiting)
            if missing and self._ask:
                self._keeper.lend(sha256, path)
                return replace(result, waiting=missing)
            spent = self.recognise(path, name, spool, sha256, missing)
            if spent.failure is not None:
                return replace(spent, format=result.format)
            again = self._pool.parse(path, name, spool, budget, whole)
            result = _together(result, spent, again)
        return replace(
            result,
            waiting=(),
            failure=FailureClass.INTERNAL,
            detail="its pages vanish again and again",
        )

    def missing(self, sha256: str, pages: Sequence[int]) -> tuple[int, ...]:
        """Those of the pages that are not recognised yet."""
        there = {number for number, _ in pages_in(self._keeper.folder(sha256))}
        return tuple(page for page in pages if page not in there)

    def recognise(
        self, path: Path, name: str, spool: Path, sha256: str, pages: Sequence[int]
    ) -> ParseResult:
        """Recognise pages, slice by slice.

        A page that the parse process dies of is left out, with the reason; when one after the other does, it is
        given up.

        Returns:
            Neither document nor failure but time and memory; or the failure.
        """
        folder = self._keeper.folder(sha256)
        spent, strikes = ParseResult(), 0
        left = tuple(sorted(pages, reverse=self._backwards))
        while left:
            self._keeper.fetch(sha256, left[:_JOB])  # others may read the same content
            some = self.missing(sha256, left[:_JOB])
            if not some:
                left = left[_JOB:]
                continue
            one = self._pool.parse(path, name, spool, pages=PageJob(folder=folder, only=some))
            spent = _together(spent, one, ParseResult())
            left, before = self.missing(sha256, left), left
            if len(left) < len(before):
                strikes = 0
            else:
                strikes += 1
                failure = one.failure or FailureClass.TIMEOUT
                if strikes == _STRIKES:
                    return replace(spent, failure=failure, detail=one.detail)
                _leave_out(folder, left[0], f"{failure}: {one.detail}".rstrip(": "))
                left = left[1:]
            self._keeper.keep(sha256)
            self._progress(name, len(pages) - len(left), len(pages))
        return spent

    def give_up(self, sha256: str, result: ParseResult) -> None:
        """Keep why recognition was given up, for whoever parses the file next."""
        why = _GivenUp(result.failure or FailureClass.INTERNAL, result.detail)
        PageFolder(self._keeper.folder(sha256)).put(_FAILED, msgspec.msgpack.encode(why))
        self._keeper.keep(sha256)

    def _given_up(self, sha256: str) -> ParseResult | None:
        data = PageFolder(self._keeper.folder(sha256)).get(_FAILED)
        if data is None:
            return None
        self._keeper.forget(sha256, _FAILED)  # told once: a later try is a new one
        why = msgspec.msgpack.decode(data, type=_GivenUp)
        return ParseResult(failure=why.failure, detail=why.detail)


def slices_of(pages: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """Pages in slices of at most ``SLICE``."""
    for start in range(0, len(pages), SLICE):
        yield tuple(pages[start : start + SLICE])


def _leave_out(folder: Path, number: int, why: str) -> None:
    from parsers.ocr.kept import problem_page

    PageFolder(folder).put(number, problem_page(why))


def _together(first: ParseResult, spent: ParseResult, last: ParseResult) -> ParseResult:
    """The last result, with the time of all."""
    return replace(
        last,
        seconds=first.seconds + spent.seconds + last.seconds,
        peak_mb=max(first.peak_mb, spent.peak_mb, last.peak_mb),
    )
