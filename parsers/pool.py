"""Parse files in processes that a hanging, exploding or lying file cannot get past.

A recycled pool of ``python -m parsers.worker``, started through :mod:`subprocess` (Celery's prefork children
may not have ``multiprocessing`` children). Limits are set in the worker (rlimits) and watched from here.
"""

from __future__ import annotations

import os
import stat
import tempfile
import threading
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import msgspec

from contracts.failures import FailureClass
from contracts.tracing import span
from parsers.codec import CodecError, decode_document
from parsers.common.charset import without_surrogates
from parsers.context import full_budget, part_prefix
from parsers.describing import NotDescribed, described, describer_of
from parsers.messages import Job
from parsers.process import WORKER_COMMAND, WorkerProcess
from parsers.registry import parsers_in_use

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import TracebackType

    from contracts.documents import Box, ParsedDocument
    from contracts.parsing import ContainerBudget
    from contracts.settings import OcrSettings, ParseSettings, VisionSettings
    from parsers.messages import Answer

__all__ = ["PageJob", "ParsePool", "ParseResult"]

_LARGEST_RESULT = 256 << 20
_MEGABYTE = 1 << 20
_GROWN = 2
_SHARE_OF_TIME = 0.5
"""Of the time limit, in which a job begins further pages; the rest is for the last one, and for assembling."""
_RETIRED_BY = frozenset({FailureClass.MEMORY.value, FailureClass.INTERNAL.value})


@dataclass(frozen=True, slots=True, kw_only=True)
class ParseResult:
    """What became of one file: a document, or a failure.

    Attributes:
        document: The parsed document, or None.
        failure: Why there is none, or None.
        detail: More about the failure, one line, without document text.
        format: The sniffed format, ``unknown`` where it has none, "" where it was not looked at.
        seconds: Wall time.
        peak_mb: Highest resident size of the parse process during this file.
        waiting: Pages that have to be recognised first: then there is neither document nor failure.
    """

    document: ParsedDocument | None = None
    failure: FailureClass | None = None
    detail: str = ""
    format: str = ""
    seconds: float = 0.0
    peak_mb: float = 0.0
    waiting: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PageJob:
    """How a parse deals with pages that need recognition, see :class:`parsers.pages.PageFolder`.

    Attributes:
        folder: Where recognised pages lie.
        most: Recognise at most so many in this parse; 0: all.
        only: Recognise just these, and make no document.
    """

    folder: Path
    most: int = 0
    only: tuple[int, ...] = ()


class ParsePool:
    """Parse processes, started when needed, replaced after a number of files or a death.

    Threads may share a pool; each :meth:`parse` takes one process, and waits while all are busy.
    Use it as a context manager, or :meth:`close` it.

    Args:
        limits: Limits of one parse; ``workers`` 0 means one process a core.
        ocr: Recognition settings.
        command: How to start a worker: another interpreter, or a wrapper that confines it further.
        vision: Who describes figures; None: nobody.

    Raises:
        ConfigError: ``limits.alternatives`` names a reader that there is none of.
    """

    def __init__(
        self,
        limits: ParseSettings,
        ocr: OcrSettings,
        command: Sequence[str] = WORKER_COMMAND,
        vision: VisionSettings | None = None,
    ) -> None:
        self._vision = vision
        self._describer = describer_of(vision) if vision and vision.url else None
        parsers_in_use(limits.alternatives)  # a wrong setting ends here, not file by file
        self._limits = limits
        self._ocr = ocr
        self._command = command
        self._places = threading.Semaphore(limits.workers or len(os.sched_getaffinity(0)))
        self._lock = threading.Lock()
        self._idle: list[WorkerProcess] = []
        self._all: set[WorkerProcess] = set()
        self._results = tempfile.TemporaryDirectory(prefix="seoga-parse-")
        self._closed = False

    @property
    def limits(self) -> ParseSettings:
        """Limits of one parse."""
        return self._limits

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        problem: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """End all processes, at once; a parse that is under way ends as ``internal``."""
        with self._lock:
            self._closed = True
            idle, busy = self._idle, self._all.difference(self._idle)
            self._idle, self._all = [], set()
        for worker in busy:
            worker.stop()  # the thread that waits for it lets go of it
        for worker in idle:
            worker.kill()
        self._results.cleanup()

    def parse(
        self,
        path: Path,
        name: str,
        spool: Path,
        budget: ContainerBudget | None = None,
        pages: PageJob | None = None,
    ) -> ParseResult:
        """Sniff and parse one file; its children end up in the spool folder.

        Bad input never raises: every file ends as a document or with a failure class.

        Args:
            path: The file.
            name: The name that people know it by.
            spool: Folder for children, made if missing; they lie there under their SHA-256.
            budget: What it may unfold; None for an outermost file.
            pages: Where recognised pages lie; None: all are recognised in this parse, and not kept.

        Raises:
            RuntimeError: the pool is closed.
        """
        with span("parse") as seen:
            result = self._parse(path, name, spool, budget, pages)
            seen.set("format", result.format)
            seen.set("failure", result.failure.value if result.failure else "")
            seen.set("peak_mb", result.peak_mb)
        return result

    def _parse(
        self,
        path: Path,
        name: str,
        spool: Path,
        budget: ContainerBudget | None,
        pages: PageJob | None,
    ) -> ParseResult:
        started = time.monotonic()
        path = path.absolute()
        if early := self._refuse(path):
            return early
        spool = spool.absolute()
        if not os.path.isdir(spool):  # noqa: PTH112  asked for every file, and half as dear
            spool.mkdir(parents=True, exist_ok=True)
        granted = budget or full_budget(self._limits)
        with self._places:
            result_file = (
                Path(self._results.name) / f"{threading.get_ident()}-{time.monotonic_ns()}"
            )
            job = Job(
                path=os.fsdecode(path),
                name=without_surrogates(name),
                spool=os.fsdecode(spool),
                result_file=os.fsdecode(result_file),
                depth=granted.depth,
                members=granted.members,
                total_bytes=granted.total_bytes,
                **self._of_pages(pages),
            )
            answer = self._run(job, spool)
            try:
                result = _result(answer, result_file, time.monotonic() - started)
            finally:
                if not answer.inline:  # a process that died may have left some of it
                    result_file.unlink(missing_ok=True)
        return self._described(result, job, spool)

    def _described(self, result: ParseResult, job: Job, spool: Path) -> ParseResult:
        """With generated captions of its figures, where they are configured."""
        if self._describer is None or self._vision is None or result.document is None:
            return result

        def cut(places: Sequence[tuple[int, Box]]) -> Sequence[bytes]:
            with self._places:
                answer = self._run(msgspec.structs.replace(job, crops=tuple(places)), spool)
            if len(answer.crops) != len(places):
                raise NotDescribed(answer.failure or "no pictures of the figures")
            return answer.crops

        document = described(result.document, self._describer, self._vision.most_figures, cut)
        return replace(result, document=document)

    def _of_pages(self, pages: PageJob | None) -> dict[str, Any]:
        if pages is None:
            return {}
        return {
            "pages_folder": os.fsdecode(pages.folder.absolute()),
            "pages_most": pages.most,
            "pages_only": pages.only,
            "pages_seconds": _SHARE_OF_TIME * self._limits.timeout_seconds,
        }

    def _refuse(self, path: Path) -> ParseResult | None:
        try:
            status = path.stat()
        except OSError as problem:
            return _refusal(FailureClass.UNREADABLE, type(problem).__name__)
        if not stat.S_ISREG(status.st_mode):
            return _refusal(FailureClass.UNREADABLE, "not a regular file")
        if status.st_size > self._limits.max_file_mb * _MEGABYTE:
            return _refusal(FailureClass.TOO_LARGE, f"over {self._limits.max_file_mb} MB")
        return None

    def _run(self, job: Job, spool: Path) -> Answer:
        worker = self._take()
        finished = False
        try:
            if worker.jobs_done == 0:
                ready = worker.wait_ready()
                if ready.died:
                    return ready.answer
            reply = worker.ask(job)
            if reply.died:
                _sweep(spool, worker.pid)
            # One that has grown leaves the next file less address space than its limit promises.
            worn = (
                worker.jobs_done >= self._limits.recycle_after
                or reply.answer.peak_bytes * _GROWN > self._limits.memory_mb * _MEGABYTE
            )
            finished = not (reply.died or worn or reply.answer.failure in _RETIRED_BY)
            return reply.answer
        finally:
            self._give_back(worker, usable=finished)

    def _take(self) -> WorkerProcess:
        with self._lock:
            if self._closed:
                msg = "the pool is closed"
                raise RuntimeError(msg)
            while self._idle:
                worker = self._idle.pop()
                if worker.alive:
                    return worker
                self._all.discard(worker)
                worker.kill()
        worker = WorkerProcess(self._limits, self._ocr, self._command)
        with self._lock:
            self._all.add(worker)
        return worker

    def _give_back(self, worker: WorkerProcess, *, usable: bool) -> None:
        with self._lock:
            if usable and not self._closed:
                self._idle.append(worker)
                return
            self._all.discard(worker)
        worker.kill()


def _refusal(failure: FailureClass, detail: str) -> ParseResult:
    return ParseResult(failure=failure, detail=detail)


def _sweep(spool: Path, process: int) -> None:
    for left in spool.glob(part_prefix(process) + "*"):
        left.unlink(missing_ok=True)


def _result(answer: Answer, result_file: Path, seconds: float) -> ParseResult:
    peak = answer.peak_bytes / _MEGABYTE
    failure: FailureClass | None = FailureClass(answer.failure) if answer.failure else None
    detail = answer.detail
    document = None
    if failure is None and answer.assembled:
        try:
            document, failure = _document(answer, result_file)
            detail = "more text than fits a result" if failure else ""
        except (CodecError, OSError) as problem:
            failure, detail = FailureClass.INTERNAL, f"result unreadable: {type(problem).__name__}"
    return ParseResult(
        document=document,
        failure=failure,
        detail=detail,
        format=answer.format,
        seconds=seconds,
        peak_mb=peak,
        waiting=answer.waiting,
    )


def _document(
    answer: Answer, result_file: Path
) -> tuple[ParsedDocument | None, FailureClass | None]:
    if not answer.in_file:
        return decode_document(answer.inline), None
    if result_file.stat().st_size > _LARGEST_RESULT:
        return None, FailureClass.TOO_LARGE
    return decode_document(result_file.read_bytes()), None
