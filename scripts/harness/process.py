"""A server process that can be killed and started again on the same data."""

from __future__ import annotations

import contextlib
import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any, Self

__all__ = ["ServerProcess", "free_port", "other_account"]

_START_SECONDS = 120.0
_POLL_SECONDS = 0.05


class ServerProcess:
    """One server in a folder of its own.

    Subclasses say how it is started (``_command``) and when it answers (``_answers``).

    Args:
        name: For the folder's name and for messages.
        port: Where it listens on loopback; 0: a free one.
    """

    def __init__(self, name: str, *, port: int = 0) -> None:
        self.name = name
        self.folder = Path(tempfile.mkdtemp(prefix=f"seoga-{name}-", dir="/tmp"))
        self.port = port or free_port()
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        try:
            self.start()
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def pid(self) -> int:
        """Of the running process, 0 where there is none."""
        process = self._process
        return process.pid if process is not None and process.poll() is None else 0

    def start(self, *, wait: bool = True) -> None:
        """Start it on the data that are there.

        Args:
            wait: Return when it answers, otherwise at once (see ``wait``).

        Raises:
            RuntimeError: it ended, or did not answer in time; with the end of its log.
        """
        with (self.folder / "log").open("ab") as log:
            self._process = subprocess.Popen(
                self._command(),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                cwd=self.folder,
                env=self._environment(),
                start_new_session=True,
                **self._account(),
            )
        if wait:
            self.wait()

    def wait(self, seconds: float = _START_SECONDS) -> None:
        """Return when it answers.

        Raises:
            RuntimeError: it ended, or did not answer in time.
        """
        end = time.monotonic() + seconds
        while time.monotonic() < end and self.pid:
            if self._answers():
                return
            time.sleep(_POLL_SECONDS)
        raise RuntimeError(f"{self.name} did not start:\n{self.log()[-4000:]}")

    def kill(self) -> None:
        """Kill -9, its child processes too."""
        self._signal(signal.SIGKILL, group=True)

    def stop(self, sign: signal.Signals = signal.SIGTERM, seconds: float = 60.0) -> None:
        """Ask it to end; kill it where it does not."""
        self._signal(sign, group=False, seconds=seconds)
        self.kill()

    def log(self) -> str:
        """What it has written so far."""
        with contextlib.suppress(FileNotFoundError):
            return (self.folder / "log").read_text(encoding="utf-8", errors="replace")
        return ""

    def close(self) -> None:
        """Kill it and remove its folder."""
        self.kill()
        shutil.rmtree(self.folder, ignore_errors=True)

    # -- what a server says of itself ----------------------------------------------------------------

    def _command(self) -> list[str]:
        raise NotImplementedError

    def _answers(self) -> bool:
        raise NotImplementedError

    def _environment(self) -> dict[str, str]:
        return dict(os.environ)

    def _account(self) -> dict[str, Any]:
        """Arguments of ``Popen`` that choose the account."""
        return {}

    def _signal(self, sign: signal.Signals, *, group: bool, seconds: float = 60.0) -> None:
        process = self._process
        if process is None:
            return
        with contextlib.suppress(ProcessLookupError):
            if group:
                os.killpg(process.pid, sign)
            elif process.poll() is None:
                process.send_signal(sign)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(timeout=seconds)


def free_port() -> int:
    """A port that nothing listens on now."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        return int(listening.getsockname()[1])


def other_account(*names: str) -> dict[str, Any]:
    """For servers that refuse to run as root: the first of these accounts, else ``nobody``; nothing for others."""
    if os.geteuid() != 0:
        return {}
    known = {entry.pw_name: entry for entry in pwd.getpwall()}
    entry = next(known[name] for name in (*names, "nobody") if name in known)
    return {"user": entry.pw_uid, "group": entry.pw_gid, "extra_groups": []}
