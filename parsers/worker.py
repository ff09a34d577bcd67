"""The parse process: reads jobs on standard input, answers on what was its standard output.

Started by :mod:`parsers.pool` as ``python -m parsers.worker``, in a session of its own. Libraries may print:
standard output leads nowhere once the worker runs. Everything that it starts shares its process group, and
goes with it.
"""

from __future__ import annotations

import contextlib
import errno
import gc
import os
import re
import resource
import select
import signal
import sys
import threading
import traceback
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from contracts.errors import ParseFailure
from contracts.failures import FailureClass
from contracts.parsing import ContainerBudget, ParserInput
from contracts.settings import OcrSettings, ParseSettings
from parsers import codec
from parsers.context import SpoolContext
from parsers.messages import INLINE_LIMIT, LENGTH, Answer, Job, Setup, pack, unpack
from parsers.pages import NotAssembled, PageFolder
from parsers.registry import parser_for
from parsers.sniff import sniff

if TYPE_CHECKING:
    from collections.abc import Callable

    from contracts.documents import ParsedDocument

__all__ = ["main", "run_job"]

_CPU_SLACK = 5
_WATCH_MS = 2_000
_YOUNG = 20_000


def main() -> int:
    """Serve jobs until standard input ends."""
    jobs, answers = _take_over_pipes()
    setup = unpack(_read_message(jobs), Setup)
    limits = ParseSettings.model_validate_json(setup.parse)
    ocr = OcrSettings.model_validate_json(setup.ocr)
    _limit_process(limits)
    _calm_collector()
    threading.Thread(
        target=_die_with_parent, args=(jobs.fileno(), os.getppid()), daemon=True
    ).start()
    answers.write(pack(Answer()))
    answers.flush()
    afterwards: list[Callable[[], None]] = []
    while message := _read_message(jobs):
        job = unpack(message, Job)
        _limit_cpu(limits.timeout_seconds)

        def report(format_name: str) -> None:
            answers.write(pack(Answer(format=format_name, final=False)))
            answers.flush()

        answer = run_job(job, limits, ocr, report, afterwards)
        answers.write(pack(answer))
        answers.flush()
        # nobody waits now; what the next file needs is not left in cycles
        while afterwards:
            afterwards.pop()()
        gc.collect(0)
    return 0


def run_job(
    job: Job, limits: ParseSettings, ocr: OcrSettings, report: Callable[[str], None],
    afterwards: list[Callable[[], None]],
) -> Answer:  # fmt: skip
    """Sniff and parse one file; whatever happens becomes an answer.

    Args:
        job: The file.
        limits: Limits of one parse.
        ocr: Recognition settings.
        report: Told the sniffed format before the parse, so that it is known if the process dies.
        afterwards: Takes what is to be done when the answer is given.
    """
    _reset_peak()
    sniffed: list[str] = []

    def noted(format_name: str) -> None:
        sniffed.append(format_name)
        report(format_name)

    try:
        if job.crops:
            from parsers.pdf.crops import crops_of

            pictures = crops_of(Path(job.path), limits, job.crops)
            return Answer(format="pdf", crops=tuple(pictures), peak_bytes=_peak())
        return _success(job, _parse(job, limits, ocr, noted, afterwards))
    except NotAssembled as ended:
        return Answer(
            format=sniffed[-1], assembled=False, waiting=ended.waiting, peak_bytes=_peak()
        )
    except Exception as problem:  # noqa: BLE001  the border of the process: a parser's fault becomes an outcome
        failure, detail = _classify(problem, job, limits)
        return Answer(
            format=sniffed[-1] if sniffed else "unknown",
            failure=failure.value,
            detail=detail,
            peak_bytes=_peak(),
        )


def _classify(problem: Exception, job: Job, limits: ParseSettings) -> tuple[FailureClass, str]:
    if isinstance(problem, ParseFailure):
        return problem.failure, problem.detail
    lacks_memory = isinstance(problem, MemoryError) or (
        isinstance(problem, ImportError) and "map segment" in str(problem)
    )
    if lacks_memory:
        return FailureClass.MEMORY, f"over {limits.memory_mb} MB"
    if isinstance(problem, RecursionError):
        return FailureClass.CORRUPT, "nested too deeply"
    if isinstance(problem, OSError):
        return _class_of(problem, job.path), _where(problem)
    return FailureClass.INTERNAL, _where(problem)


def _parse(
    job: Job, limits: ParseSettings, ocr: OcrSettings, noted: Callable[[str], None],
    afterwards: list[Callable[[], None]],
) -> ParsedDocument:  # fmt: skip
    path = Path(job.path)
    found = sniff(path, job.name)
    noted(found.format)
    if found.failure is not None:
        raise ParseFailure(found.failure, found.detail)
    context = SpoolContext(
        limits=limits,
        ocr=ocr,
        budget=ContainerBudget(depth=job.depth, members=job.members, total_bytes=job.total_bytes),
        spool_folder=Path(job.spool),
        container_bytes=path.stat().st_size,
        pages=PageFolder(
            Path(job.pages_folder) if job.pages_folder else None,
            most=job.pages_most,
            only=job.pages_only,
            seconds=job.pages_seconds,
        ),
    )
    context.postpone(afterwards)
    parser = parser_for(found.format, limits.alternatives).load()
    return parser.parse(ParserInput(path=path, name=job.name, format=found.format), context)


def _success(job: Job, document: ParsedDocument) -> Answer:
    data = codec.encode_document(document)
    if len(data) <= INLINE_LIMIT:
        return Answer(format=document.format, inline=data, peak_bytes=_peak())
    Path(job.result_file).write_bytes(data)
    return Answer(format=document.format, in_file=True, peak_bytes=_peak())


def _class_of(problem: OSError, path: str) -> FailureClass:
    if problem.errno == errno.ENOMEM:
        return FailureClass.MEMORY
    if problem.errno == errno.EFBIG:
        return FailureClass.TOO_LARGE
    if problem.errno == errno.EIO or problem.filename == path:
        return FailureClass.UNREADABLE
    return FailureClass.INTERNAL


def _where(problem: BaseException) -> str:
    """Class and last frame; never the message, which may quote the document."""
    frames = traceback.extract_tb(problem.__traceback__)
    if not frames:
        return type(problem).__name__
    last = frames[-1]
    return f"{type(problem).__name__} in {Path(last.filename).name}:{last.lineno} {last.name}"


def _take_over_pipes() -> tuple[BinaryIO, BinaryIO]:
    jobs = os.fdopen(os.dup(0), "rb")
    answers = os.fdopen(os.dup(1), "wb")
    nowhere = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1):
        os.dup2(nowhere, standard)
    os.close(nowhere)
    return jobs, answers


def _read_message(jobs: BinaryIO) -> bytes:
    """The next message, or b"" at the end of input."""
    head = jobs.read(LENGTH.size)
    return jobs.read(LENGTH.unpack(head)[0]) if len(head) == LENGTH.size else b""


def _limit_process(limits: ParseSettings) -> None:
    memory = limits.memory_mb << 20
    largest = max(limits.max_file_mb, limits.archive_total_mb) << 20
    for what, soft in (
        (resource.RLIMIT_AS, memory),
        (resource.RLIMIT_FSIZE, largest),
        (resource.RLIMIT_CORE, 0),
    ):
        hard = resource.getrlimit(what)[1]
        if hard != resource.RLIM_INFINITY:
            soft = min(soft, hard)  # noqa: PLW2901  a lower limit of the machine stays
        resource.setrlimit(what, (soft, soft))


def _calm_collector() -> None:
    """A parse makes many objects and few cycles: look for those seldom, and not at all among what the imports made."""
    gc.freeze()
    gc.set_threshold(_YOUNG, 10, 10)


def _limit_cpu(seconds: float) -> None:
    """CPU time counts from the start of the process: move the limit ahead of this job."""
    usage = resource.getrusage(resource.RUSAGE_SELF)
    soft = int(usage.ru_utime + usage.ru_stime + seconds) + _CPU_SLACK
    hard = resource.getrlimit(resource.RLIMIT_CPU)[1]
    resource.setrlimit(resource.RLIMIT_CPU, (soft, hard))


def _die_with_parent(jobs: int, parent: int) -> None:
    """End the whole group once nobody can want an answer any more, even in the middle of a parse."""
    poll = select.poll()
    poll.register(jobs, 0)  # hang-up and error are always reported
    while os.getppid() == parent:
        events = poll.poll(_WATCH_MS)
        if events and events[0][1] & select.POLLNVAL:
            return  # a library closed what is not its own; the pool sees that, and ends this process
        if events:
            break
    if os.getpgrp() == os.getpid():
        os.killpg(0, signal.SIGKILL)
    os._exit(1)


def _reset_peak() -> None:
    """Start a new high-water mark (Linux: proc(5), clear_refs), where the system allows it."""
    try:
        file = os.open("/proc/self/clear_refs", os.O_WRONLY)
    except OSError:
        return
    try:
        os.write(file, b"5")
    except OSError:
        return
    finally:
        os.close(file)


def _peak() -> int:
    with contextlib.suppress(OSError):
        file = os.open("/proc/self/status", os.O_RDONLY)
        try:
            found = re.search(rb"^VmHWM:\s*(\d+)", os.read(file, 1 << 16), re.MULTILINE)
        finally:
            os.close(file)
        if found:
            return int(found[1]) << 10
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10


if __name__ == "__main__":
    sys.exit(main())
