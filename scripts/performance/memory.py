"""The most memory that reading takes: the worst files of a corpus, and a mailbox file of many messages."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from email.message import EmailMessage
from pathlib import Path
from typing import Any

from performance.ingesting import ingest_folder

__all__ = ["mailbox", "worst_files"]

_LARGEST, _SHOWN = 30, 10
_SEOGA = (sys.executable, "-c", "from app.cli import main; main()", "parse")


def worst_files(work: Path, corpus: Path) -> list[dict[str, Any]]:
    """The ten files of the thirty largest that take most: the largest process of each (RSS), in MB."""
    files = sorted((p for p in corpus.rglob("*") if p.is_file()), key=lambda p: -p.stat().st_size)
    found = []
    environ = {**os.environ, "SEOGA_HOME": str(work / "home")}
    for path in files[:_LARGEST]:
        nowhere = subprocess.DEVNULL
        command = [*_SEOGA, str(path)]
        with subprocess.Popen(command, env=environ, stdout=nowhere, stderr=nowhere) as process:
            _, status, used = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        found.append(
            {
                "kind": path.parent.name,
                "format": path.suffix.lstrip("."),
                "mb": path.stat().st_size / 1e6,
                "exit": process.returncode,
                "peak_mb": used.ru_maxrss / 1024,
                "cpu": used.ru_utime + used.ru_stime,
            }
        )
    return sorted(found, key=lambda one: -one["peak_mb"])[:_SHOWN]


def mailbox(work: Path, messages: int) -> dict[str, Any]:
    """An ingest of one mailbox file, hash vectors: documents, and the peaks of the run and of its readers."""
    shutil.rmtree(work, ignore_errors=True)
    (work / "drive").mkdir(parents=True)
    with (work / "drive/all.mbox").open("wb") as out:
        for number in range(messages):
            mail = EmailMessage()
            mail["From"], mail["To"] = "kim@plant.example", "lee@plant.example"
            mail["Subject"] = f"설비 점검 {number}"
            mail["Message-ID"] = f"<{number}@plant.example>"
            mail["Date"] = "Mon, 30 Nov 2026 09:00:00 +0900"
            mail.set_content(f"{number}번 설비를 점검했습니다.\n이상이 없습니다.\n" * 5)
            out.write(
                b"From kim@plant.example Mon Nov 30 09:00:00 2026\n" + mail.as_bytes() + b"\n"
            )
    return ingest_folder(work / "drive", work / "home", engine="hash")
