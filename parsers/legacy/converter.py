"""The client of the converter: starts it when first needed, gives up on jobs that take too long, and starts it anew."""

from __future__ import annotations

import atexit
import json
import os
import select
import shutil
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path

from parsers.legacy.office_server import PROFILE

__all__ = ["Converter", "converter_for", "find_office"]

_SERVER = Path(__file__).with_name("office_server.py")
_LIBRARIES = ("libmergedlo.so", "libsofficeapp.so")
_COMMANDS = ("soffice", "libreoffice")
_START_SECONDS = 40.0
_COMMENT_WINDOW = "share/config/soffice.cfg/modules/swriter/ui/annotation.ui"
_MOST_JOBS = 100
"""Jobs of one process; LibreOffice grows."""
_MOST_FAILURES = 3
_RESTART = 81
"""Status of the command where a new profile makes it start again."""


def find_office(setting: str) -> Path | None:
    """LibreOffice's ``program`` folder, or None.

    Args:
        setting: ``auto`` to look for it, ``off``, or the path of its command.
    """
    if setting == "off":
        return None
    for command in _COMMANDS if setting == "auto" else (setting,):
        found = shutil.which(command)
        folder = Path(found).resolve().parent if found else None
        if folder and any((folder / name).exists() for name in _LIBRARIES):
            return folder
    return None


class Converter:
    """One converter process, for one parse process; ended with it.

    Args:
        program: See :func:`find_office`.
    """

    def __init__(self, program: Path) -> None:
        self._program = program
        # The kit shows documents; packages without a user interface lack what shows comments, and it ends there.
        self._shows_comments = (program.parent / _COMMENT_WINDOW).exists()
        self._process: subprocess.Popen[bytes] | None = None
        self._profile = ""
        self._command_profile = ""
        self._jobs = 0
        self._failures = 0
        atexit.register(self.close)

    def convert(
        self,
        source: Path,
        target: Path,
        format_name: str,
        seconds: float,
        *,
        comments: bool = False,
    ) -> bool:
        """Convert a file.

        Args:
            source: The file; its name's ending helps LibreOffice to know what it is.
            target: Where the result shall lie.
            format_name: ``docx``, ``pptx``, ``xlsx`` or ``pdf``.
            seconds: Time limit.
            comments: It is a text document that is known to hold comments.

        Returns:
            False where it failed or took too long; what was started is ended then.
        """
        if self._failures >= _MOST_FAILURES:
            return False  # it does not even start here: do not pay for that with every file
        job = {"source": str(source), "target": str(target), "format": format_name}
        until = time.monotonic() + seconds
        if comments and not self._shows_comments:
            return self._by_command(source, target, format_name, seconds)
        used = self._jobs > 0
        done = self._once(job, seconds)
        if done is None and used and time.monotonic() < until:
            # An earlier file may have left LibreOffice dying: what it makes of this one must not depend on it.
            self.close()
            done = self._once(job, seconds)
        if done is False and (left := until - time.monotonic()) > 0:
            # It opens nothing more after some failures, and shows documents, which some can only be read without.
            self.close()
            done = self._by_command(source, target, format_name, left)
        return bool(done)

    def _once(self, job: dict[str, str], seconds: float) -> bool | None:
        """Whether it was done; None where the process did not live to say so."""
        if self._process is None and not self._start():
            self._failures += 1
            return None
        answer = self._ask(job, seconds)
        self._jobs += 1
        if answer is None or self._jobs >= _MOST_JOBS:
            self.close()
        else:
            self._failures = 0
        return answer

    def _by_command(self, source: Path, target: Path, format_name: str, seconds: float) -> bool:
        """Let LibreOffice's own command convert one file, which shows nothing; it takes seconds to start."""
        until = time.monotonic() + seconds
        if not self._command_profile:
            self._command_profile = tempfile.mkdtemp(prefix=f"seoga-office-{os.getpid()}-")
            user = Path(self._command_profile) / "user"
            user.mkdir()
            (user / "registrymodifications.xcu").write_text(PROFILE, encoding="utf-8")
        profile = Path(self._command_profile)
        out = profile / "out"
        command = [
            str(self._program / "soffice.bin"), f"-env:UserInstallation={profile.as_uri()}", "--headless",
            "--norestore", "--convert-to", format_name, "--outdir", str(out), str(source),
        ]  # fmt: skip
        status: int | None = _RESTART
        while status == _RESTART and (left := until - time.monotonic()) > 0:
            status = _run(command, profile, left)
        made = out / f"{source.stem}.{format_name}"
        done = status == 0 and made.exists()
        if done:
            shutil.move(made, target)
        else:
            self._forget_command_profile()  # it may be what was wrong
        return done

    def _forget_command_profile(self) -> None:
        if self._command_profile:
            shutil.rmtree(self._command_profile, ignore_errors=True)
            self._command_profile = ""

    def close(self) -> None:
        """End the process and remove the profiles."""
        process, self._process, self._jobs = self._process, None, 0
        if process is not None:
            process.kill()
            process.wait()
            for pipe in (process.stdin, process.stdout):
                if pipe is not None:
                    with suppress(OSError):
                        pipe.close()
        if self._profile:
            shutil.rmtree(self._profile, ignore_errors=True)
            self._profile = ""
        self._forget_command_profile()

    def _start(self) -> bool:
        self._profile = tempfile.mkdtemp(prefix=f"seoga-office-{os.getpid()}-")
        _remove_abandoned(Path(self._profile).parent)
        command = [sys.executable, "-I", str(_SERVER), str(self._program), self._profile]
        self._process = subprocess.Popen(  # noqa: S603  our own command, no shell
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=_environment(Path(self._profile)),
            cwd=self._profile,
        )
        started = self._ask(None, _START_SECONDS)
        if not started:
            self.close()
        return bool(started)

    def _ask(self, job: dict[str, str] | None, seconds: float) -> bool | None:
        """The answer to a job (None: to the start); None where the process died or takes too long."""
        process = self._process
        if process is None or process.stdin is None or process.stdout is None:
            return None
        try:
            if job is not None:
                process.stdin.write(json.dumps(job).encode() + b"\n")
                process.stdin.flush()
            line = _read_line(process.stdout.fileno(), seconds)
        except OSError:
            return None
        if not line.endswith(b"\n"):
            return None
        return bool(json.loads(line)["done"])


def _run(command: list[str], profile: Path, seconds: float) -> int | None:
    """Status of LibreOffice's command; None where it cannot be started or takes too long, and is ended."""
    try:
        done = subprocess.run(  # noqa: S603  our own command, no shell
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=_environment(profile),
            cwd=profile,
            timeout=seconds,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.returncode


def _environment(profile: Path) -> dict[str, str]:
    return {
        "HOME": str(profile),
        "TMPDIR": str(profile),
        "PATH": os.defpath,
        "LANG": "C.UTF-8",
        "SAL_USE_VCLPLUGIN": "svp",
    }


_CONVERTERS: dict[Path, Converter] = {}


def converter_for(setting: str) -> Converter | None:
    """The converter of this process; None where there is no LibreOffice."""
    program = find_office(setting)
    if program is None:
        return None
    if program not in _CONVERTERS:
        _CONVERTERS[program] = Converter(program)
    return _CONVERTERS[program]


def _read_line(descriptor: int, seconds: float) -> bytes:
    until = time.monotonic() + seconds
    line = b""
    while not line.endswith(b"\n"):
        left = until - time.monotonic()
        if left <= 0 or not select.select([descriptor], [], [], left)[0]:
            break
        chunk = os.read(descriptor, 4096)
        if not chunk:
            break
        line += chunk
    return line


def _remove_abandoned(folder: Path) -> None:
    """Profiles of parse processes that were killed."""
    for left in folder.glob("seoga-office-*-*"):
        owner = left.name.split("-")[2]
        if owner.isdecimal() and not Path(f"/proc/{owner}").exists():
            shutil.rmtree(left, ignore_errors=True)
