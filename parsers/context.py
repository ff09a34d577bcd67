"""What a parser may use besides its input: limits, and a spool for the children that it takes out."""

from __future__ import annotations

import hashlib
import os
import tempfile
from contextlib import suppress
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from contracts.documents import Child, ChildRelation
from contracts.errors import ParseFailure
from contracts.failures import FailureClass
from contracts.parsing import ContainerBudget
from parsers.common.names import safe_name
from parsers.pages import PageFolder

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from contracts.settings import OcrSettings, ParseSettings

__all__ = ["RATIO_FLOOR", "SpoolContext", "full_budget", "part_prefix"]

RATIO_FLOOR = 16 << 20
"""Unpacked bytes up to which the ratio does not count: a small log packs 1,000 to 1 and harms nobody."""
_WASTE_FACTOR = 4
_HELD = 1 << 20
"""Bytes of a child up to which it is held in memory before it is written."""


def full_budget(limits: ParseSettings) -> ContainerBudget:
    """What an outermost file may unfold."""
    return ContainerBudget(
        depth=limits.archive_depth,
        members=limits.archive_members,
        total_bytes=limits.archive_total_mb << 20,
    )


def part_prefix(process: int) -> str:
    """How a process's unfinished files in a spool folder begin; whoever kills it removes them."""
    return f".part-{process}-"


class SpoolContext:
    """The :class:`contracts.parsing.ParserContext` of one parse.

    Children lie in the spool folder under the SHA-256 of their bytes. They appear there whole or not at all.

    Args:
        limits: Limits of one parse.
        ocr: Recognition settings.
        budget: What this file may unfold. ``depth`` is the number of container levels that may still
            lie below this file's children; below 0 the file may hold no children at all.
        spool_folder: Existing folder for the children.
        container_bytes: Size of the file that is parsed, for the ratio.
        pages: Pages that were recognised before; None: nothing is kept of them.
    """

    def __init__(
        self,
        *,
        limits: ParseSettings,
        ocr: OcrSettings,
        budget: ContainerBudget,
        spool_folder: Path,
        container_bytes: int,
        pages: PageFolder | None = None,
    ) -> None:
        self._afterwards: list[Callable[[], None]] | None = None
        self._pages = pages or PageFolder()
        self._limits = limits
        self._ocr = ocr
        self._folder = spool_folder
        self._depth = budget.depth
        self._members = budget.members
        self._bytes = budget.total_bytes
        by_ratio = max(RATIO_FLOOR, container_bytes * limits.archive_ratio)
        self._ratio_bytes = by_ratio
        # Members that break a limit are removed again, but unpacking them cost time: a container full
        # of bombs may waste as much as a few sound ones may unpack, not more.
        self._waste = _WASTE_FACTOR * min(by_ratio, budget.total_bytes)

    @property
    def limits(self) -> ParseSettings:
        """Limits of one parse."""
        return self._limits

    @property
    def ocr(self) -> OcrSettings:
        """Recognition settings."""
        return self._ocr

    @property
    def pages(self) -> PageFolder:
        """Pages of this document that were recognised before."""
        return self._pages

    @property
    def budget(self) -> ContainerBudget:
        """What this file may still unfold, after the children spooled so far."""
        room = max(0, min(self._bytes, self._ratio_bytes))
        return ContainerBudget(depth=self._depth, members=self._members, total_bytes=room)

    def spool(self, name: str, relation: ChildRelation, chunks: Iterable[bytes]) -> Child:
        """Store a child's bytes under their SHA-256 and return its description.

        Raises:
            ParseFailure: ``archive_bomb`` where the budget is used up; what was written is removed, and
                the budget is as before the call, so that smaller children may follow.
        """
        counted = (
            relation is not ChildRelation.MESSAGE
        )  # mails are cut from the file, they unfold nothing
        self._admit(counted=counted)
        incoming, held, size = iter(chunks), list[bytes](), 0
        try:
            while size <= _HELD and (chunk := next(incoming, None)) is not None:
                size += len(chunk)
                self._check(size)
                held.append(chunk)
        except BaseException:
            self._waste -= size
            raise
        if size <= _HELD:
            sha256 = self._store(b"".join(held))
        else:
            sha256, size = self._write(chain(held, incoming))
        self._members -= counted
        self._bytes -= size
        self._ratio_bytes -= size
        return Child(name=safe_name(name), relation=relation, size=size, sha256=sha256)

    def _store(self, data: bytes) -> str:
        """Store a small child, unless it lies there: to replace a file takes the disk as long as many children to write."""
        sha256 = hashlib.sha256(data).hexdigest()
        target = self._folder / sha256
        with suppress(OSError):
            if target.stat().st_size == len(data) and target.read_bytes() == data:
                return sha256
        descriptor, temporary = tempfile.mkstemp(prefix=part_prefix(os.getpid()), dir=self._folder)
        try:
            with os.fdopen(descriptor, "wb", buffering=0) as file:
                view = memoryview(data)
                while view:
                    view = view[file.write(view) :]
            Path(temporary).replace(target)
        except BaseException:
            Path(temporary).unlink(missing_ok=True)
            raise
        return sha256

    def _write(self, chunks: Iterable[bytes]) -> tuple[str, int]:
        """Write a child as it comes; its SHA-256 and size."""
        descriptor, temporary = tempfile.mkstemp(prefix=part_prefix(os.getpid()), dir=self._folder)
        digest = hashlib.sha256()
        size = 0
        try:
            with os.fdopen(descriptor, "wb") as file:
                for chunk in chunks:
                    size += len(chunk)
                    self._check(size)
                    digest.update(chunk)
                    file.write(chunk)
            Path(temporary).replace(self._folder / digest.hexdigest())
        except BaseException:
            Path(temporary).unlink(missing_ok=True)
            self._waste -= size
            raise
        return digest.hexdigest(), size

    def postpone(self, afterwards: list[Callable[[], None]]) -> None:
        """From now on, what is to be done later goes into this list, for the owner to do."""
        self._afterwards = afterwards

    def later(self, act: Callable[[], None]) -> None:
        """At once, where nobody postpones it."""
        if self._afterwards is None:
            act()
        else:
            self._afterwards.append(act)

    def scratch(self) -> Path:
        """A new, empty file of an unfinished name."""
        descriptor, name = tempfile.mkstemp(prefix=part_prefix(os.getpid()), dir=self._folder)
        os.close(descriptor)
        return Path(name)

    def keep(self, scratch: Path) -> str:
        """Rename a scratch file to the SHA-256 of its bytes."""
        with scratch.open("rb") as file:
            name = hashlib.file_digest(file, "sha256").hexdigest()
        scratch.replace(self._folder / name)
        return name

    def _admit(self, *, counted: bool) -> None:
        if self._depth < 0:
            raise ParseFailure(
                FailureClass.ARCHIVE_BOMB, "more containers within containers than allowed"
            )
        if counted and self._members <= 0:
            raise ParseFailure(FailureClass.ARCHIVE_BOMB, "more members than allowed")
        if self._waste < 0:
            raise ParseFailure(FailureClass.ARCHIVE_BOMB, "too much was unpacked in vain")

    def _check(self, size: int) -> None:
        if size > self._bytes:
            raise ParseFailure(FailureClass.ARCHIVE_BOMB, "more unpacked bytes than allowed")
        if size > self._ratio_bytes:
            raise ParseFailure(
                FailureClass.ARCHIVE_BOMB,
                f"unpacked size over {self._limits.archive_ratio} times the packed size",
            )
