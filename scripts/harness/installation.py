"""A Seoga installation of several processes, looked after as a container engine would."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Self

import psutil

__all__ = ["Installation", "Kept"]

SEOGA = Path(sys.executable).with_name("seoga")
_WATCH_SECONDS = 0.2
_AGAIN_SECONDS = 1.0


class Kept:
    """A process that is started again whenever it ends, as ``restart: unless-stopped`` does.

    Args:
        words: Arguments of ``seoga``.
        environment: Of the process.
        log: Where its output goes.
    """

    def __init__(self, words: Sequence[str], environment: Mapping[str, str], log: Path) -> None:
        self.words = tuple(words)
        self.starts = 0
        self._environment = dict(environment)
        self._log = log
        self._stopping = threading.Event()
        self._process = self._start()
        self._thread = threading.Thread(target=self._watch, name=f"keep-{words[0]}", daemon=True)
        self._thread.start()

    @property
    def pid(self) -> int:
        """Of the process as it is now, or was last."""
        return self._process.pid

    def kill(self) -> None:
        """Kill -9 the process with all its children, at one moment."""
        victims: list[psutil.Process] = []
        with contextlib.suppress(psutil.NoSuchProcess):
            main = psutil.Process(self._process.pid)
            victims = [main, *main.children(recursive=True)]
        for victim in victims:
            with contextlib.suppress(psutil.NoSuchProcess):
                victim.kill()

    def kill_main(self) -> list[int]:
        """Kill -9 the main process alone; its children must find out by themselves.

        Returns:
            The children.
        """
        children: list[int] = []
        with contextlib.suppress(psutil.NoSuchProcess):
            main = psutil.Process(self._process.pid)
            children = [child.pid for child in main.children(recursive=True)]
            main.kill()
        return children

    def stop(self, seconds: float = 60.0) -> int:
        """Ask it to end in order, and wait; kill it where it does not.

        Returns:
            Its exit status.
        """
        self._stopping.set()
        self._thread.join()
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGTERM)
        try:
            return self._process.wait(timeout=seconds)
        except subprocess.TimeoutExpired:
            self.kill()
            return self._process.wait()

    def _start(self) -> subprocess.Popen[bytes]:
        self.starts += 1
        with self._log.open("ab") as log:
            return subprocess.Popen(
                [SEOGA, *self.words],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env=self._environment,
                start_new_session=True,
            )

    def _watch(self) -> None:
        while not self._stopping.wait(_WATCH_SECONDS):
            if self._process.poll() is not None and not self._stopping.wait(_AGAIN_SECONDS):
                self._process = self._start()


class Installation:
    """Workers and scheduler over one home folder.

    Args:
        home: The home folder, which all processes share; holds blobs and ``seoga.toml``.
        settings: Environment of the processes (``SEOGA_…``).
        config: Text of ``seoga.toml``.
    """

    def __init__(self, home: Path, settings: Mapping[str, str], config: str) -> None:
        self.home = home
        home.mkdir(parents=True, exist_ok=True)
        (home / "seoga.toml").write_text(config, encoding="utf-8")
        inherited = {k: v for k, v in os.environ.items() if not k.startswith("SEOGA_")}
        self.environment = {**inherited, **settings, "SEOGA_HOME": str(home)}
        self.processes: list[Kept] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for process in self.processes:
            process.stop(seconds=1.0)

    @property
    def workers(self) -> list[Kept]:
        """Those of the processes that work."""
        return [process for process in self.processes if process.words[0] == "worker"]

    @property
    def restarts(self) -> int:
        """How often a process had to be started again."""
        return sum(process.starts - 1 for process in self.processes)

    def start(self, *words: str) -> Kept:
        """Start ``seoga WORDS`` and keep it running."""
        log = self.home / f"{words[0]}-{len(self.processes)}.log"
        process = Kept(words, self.environment, log)
        self.processes.append(process)
        return process

    def run(self, *words: str, check: bool = True) -> str:
        """A ``seoga`` command to its end.

        Returns:
            Its standard output.

        Raises:
            RuntimeError: it failed; with what it said.
        """
        done = subprocess.run(
            [SEOGA, *words], env=self.environment, capture_output=True, text=True, check=False
        )
        if check and done.returncode:
            raise RuntimeError(f"seoga {' '.join(words)}: {done.returncode}\n{done.stderr}")
        return done.stdout

    def stop(self) -> float:
        """Ask every process to end in order.

        Returns:
            Seconds until all had.
        """
        started = time.monotonic()
        threads = [threading.Thread(target=process.stop) for process in self.processes]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return time.monotonic() - started

    def said(self, word: str) -> int:
        """How many lines of all processes hold a word."""
        return sum(
            line.count(word)
            for log in self.home.glob("*.log")
            for line in log.read_text("utf-8", "replace").splitlines()
        )

    def logs(self, end: int = 3000) -> str:
        """The end of what every process has said."""
        return "\n".join(
            f"--- {log.name}\n{log.read_text('utf-8', 'replace')[-end:]}"
            for log in sorted(self.home.glob("*.log"))
        )
