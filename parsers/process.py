"""One parse process seen from outside: start it, ask it, watch it, and end it with all it started."""

from __future__ import annotations

import contextlib
import fcntl
import functools
import os
import select
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING

import msgspec
import psutil

from contracts.failures import FailureClass
from parsers.messages import INLINE_LIMIT, LENGTH, Answer, Setup, pack, unpack

if TYPE_CHECKING:
    from collections.abc import Sequence

    from contracts.settings import OcrSettings, ParseSettings
    from parsers.messages import Job

__all__ = ["WORKER_COMMAND", "Reply", "WorkerProcess"]

_ROOT = Path(__file__).resolve().parent.parent
WORKER_COMMAND = (sys.executable, "-m", "parsers.worker")
_START_SECONDS = 60.0
_TICK_MS = 100
_GRACE_SECONDS = 1.0
_LONGEST_ANSWER = INLINE_LIMIT + (1 << 16)
_PIECE = 1 << 16
_PAGE = os.sysconf("SC_PAGE_SIZE")
_NEAR_LIMIT = 0.85
_CRASHES = frozenset(
    {signal.SIGSEGV, signal.SIGABRT, signal.SIGBUS, signal.SIGILL, signal.SIGFPE, signal.SIGTRAP}
)
_BY_SIGNAL = {
    signal.SIGXCPU: FailureClass.TIMEOUT,
    signal.SIGXFSZ: FailureClass.TOO_LARGE,
    **dict.fromkeys(_CRASHES, FailureClass.CORRUPT),
}


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer, or what is known of the death that took its place.

    Attributes:
        answer: What the worker said, or the failure that its end stands for.
        died: Whether the worker is gone.
    """

    answer: Answer
    died: bool


class WorkerProcess:
    """A started worker; used by one thread at a time.

    Args:
        limits: Limits that the worker sets on itself, and that are watched from here.
        ocr: Recognition settings for the worker.
        command: How to start it.
    """

    def __init__(
        self, limits: ParseSettings, ocr: OcrSettings, command: Sequence[str] = WORKER_COMMAND
    ) -> None:
        self._limits = limits
        self._memory = limits.memory_mb << 20
        self._peak = 0
        self._peak_virtual = 0
        self._stopped = False
        self._read = bytearray()
        self.jobs_done = 0
        self._process = subprocess.Popen(  # noqa: S603  our own command, no shell
            list(command),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            bufsize=0,
            cwd=_ROOT,
            start_new_session=True,
        )
        self._jobs = _pipe(self._process.stdin)
        self._answers = _pipe(self._process.stdout)
        with contextlib.suppress(OSError):  # the system allows less: answers come in more pieces
            fcntl.fcntl(self._answers, fcntl.F_SETPIPE_SZ, INLINE_LIMIT)
        self._poll = select.poll()
        self._poll.register(self._answers, select.POLLIN)
        self._send(pack(Setup(parse=limits.model_dump_json(), ocr=ocr.model_dump_json())))

    @property
    def pid(self) -> int:
        """Process id, which is also the id of its process group."""
        return self._process.pid

    @property
    def alive(self) -> bool:
        """Whether it still runs."""
        return not self._ended()

    def wait_ready(self) -> Reply:
        """Its first answer, which says that it is set up."""
        return self._receive(time.monotonic() + _START_SECONDS, "")

    def ask(self, job: Job) -> Reply:
        """Give it a job; ends with an answer, or by the time limit, the memory limit or its death."""
        self._peak = self._peak_virtual = 0
        deadline = time.monotonic() + self._limits.timeout_seconds
        self._send(pack(job))
        reply = self._receive(deadline, "")
        while not reply.died and not reply.answer.final:
            reply = self._receive(deadline, reply.answer.format)
        self.jobs_done += 1
        return reply

    def stop(self) -> None:
        """End it and everything in its process group; whoever uses it sees its pipe closed."""
        self._stopped = True
        # Until it is waited for, its id cannot be another group's.
        if self._process.returncode is None:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)

    def kill(self) -> int:
        """End it and everything in its process group, and let go of it.

        Returns:
            Its return code as :class:`subprocess.Popen` gives it.
        """
        self.stop()
        for pipe in (self._jobs, self._answers):
            with contextlib.suppress(OSError):
                pipe.close()
        return self._process.wait()

    def _send(self, data: bytes) -> None:
        # One that is gone cannot read; _receive then finds the other pipe closed, and why.
        with contextlib.suppress(BrokenPipeError):
            view = memoryview(data)
            while view:
                view = view[self._jobs.write(view) :]

    def _receive(self, deadline: float, format_name: str) -> Reply:
        """One message, or the end; never blocks longer than until the deadline and one tick."""
        read, end = self._read, 0
        while True:
            if len(read) >= LENGTH.size:
                end = LENGTH.size + LENGTH.unpack_from(read)[0]
                if end > _LONGEST_ANSWER or len(read) >= end:
                    data = bytes(read[LENGTH.size : end])
                    del read[:end]
                    return self._understand(data, format_name)
            if time.monotonic() >= deadline:
                self.kill()
                detail = f"over {self._limits.timeout_seconds:g} s"
                return _death(format_name, FailureClass.TIMEOUT, detail, self._peak)
            if not self._poll.poll(_TICK_MS):
                if self._over_memory():
                    self.kill()
                    detail = f"over {self._limits.memory_mb} MB"
                    return _death(format_name, FailureClass.MEMORY, detail, self._peak)
                continue
            chunk = os.read(self._answers.fileno(), max(_PIECE, end - len(read)))
            if not chunk:
                return self._autopsy(format_name)
            read += chunk

    def _understand(self, data: bytes, format_name: str) -> Reply:
        try:
            return Reply(unpack(data, Answer), died=False)
        except (msgspec.MsgspecError, UnicodeDecodeError):
            self.kill()
            return _death(format_name, FailureClass.INTERNAL, "garbled answer", self._peak)

    def _over_memory(self) -> bool:
        sizes = [_sizes(process) for process in _with_children(self._process.pid)]
        resident = sum(size for _, size in sizes)
        virtual = max((size for size, _ in sizes), default=0)
        self._peak = max(self._peak, resident)
        self._peak_virtual = max(self._peak_virtual, virtual)
        return resident > self._memory

    def _autopsy(self, format_name: str) -> Reply:
        """Why the worker closed its pipe without an answer."""
        deadline = time.monotonic() + _GRACE_SECONDS
        while not self._ended() and time.monotonic() < deadline:
            time.sleep(_GRACE_SECONDS / 50)
        went_on = not self._ended()
        if self._stopped:
            failure, detail = FailureClass.INTERNAL, "the pool was closed"
            self.kill()
        elif went_on:
            failure, detail = FailureClass.INTERNAL, "closed its pipe and went on"
            self.kill()
        else:
            failure, detail = self._cause(self.kill())
        return _death(format_name, failure, detail, self._peak)

    def _ended(self) -> bool:
        """Whether it has ended, without reaping it: its id must stay its own until the group is killed."""
        if self._process.returncode is not None:
            return True
        try:
            how = os.WEXITED | os.WNOWAIT | os.WNOHANG
            return os.waitid(os.P_PID, self._process.pid, how) is not None
        except ChildProcessError:
            return True

    def _cause(self, code: int) -> tuple[FailureClass, str]:
        if code >= 0:
            return FailureClass.INTERNAL, f"ended with status {code}"
        name = signal.Signals(-code).name
        near = max(self._peak, self._peak_virtual) >= _NEAR_LIMIT * self._memory
        if -code == signal.SIGKILL or (near and -code in _CRASHES):
            return FailureClass.MEMORY, f"ended by {name}, most likely for lack of memory"
        failure = _BY_SIGNAL.get(signal.Signals(-code), FailureClass.INTERNAL)
        return failure, f"the parse process ended by {name}"


def _pipe(pipe: IO[bytes] | None) -> IO[bytes]:
    if pipe is None:
        msg = "the worker was started without pipes"
        raise RuntimeError(msg)
    return pipe


def _death(format_name: str, failure: FailureClass, detail: str, peak: int) -> Reply:
    answer = Answer(format=format_name, failure=failure.value, detail=detail, peak_bytes=peak)
    return Reply(answer, died=True)


def _with_children(process: int) -> list[int]:
    """The process and all below it, as far as they are still there.

    The system keeps a list of children (``children`` of proc(5)) in most kernels; else all processes are looked
    through, which takes a hundred times as long.
    """
    if not _lists_children():
        with contextlib.suppress(psutil.Error):
            below = psutil.Process(process).children(recursive=True)
            return [process, *(child.pid for child in below)]
        return []
    out: list[int] = []
    waiting = [process]
    while waiting:
        out.append(waiting.pop())
        threads = Path(f"/proc/{out[-1]}/task")
        with contextlib.suppress(OSError):
            for thread in threads.iterdir():
                waiting += map(int, (thread / "children").read_bytes().split())
    return out


@functools.cache
def _lists_children() -> bool:
    return Path(f"/proc/self/task/{os.getpid()}/children").exists()


def _sizes(process: int) -> tuple[int, int]:
    """Virtual and resident size in bytes (``statm`` of proc(5)); 0 where it has ended."""
    try:
        pages = Path(f"/proc/{process}/statm").read_bytes().split()
    except OSError:
        return 0, 0
    return int(pages[0]) * _PAGE, int(pages[1]) * _PAGE
