"""PostgreSQL as a process."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from itertools import count
from pathlib import Path
from typing import Any

import psycopg

from harness.process import ServerProcess, other_account

__all__ = ["PostgresProcess"]

_SETTINGS = {
    # the death of a process loses no page that the kernel holds; only a power cut would
    "fsync": "off",
    "full_page_writes": "off",
    "shared_buffers": "32MB",
    "max_connections": "100",
    "listen_addresses": "127.0.0.1",
}


class PostgresProcess(ServerProcess):
    """PostgreSQL on loopback and on a socket in its folder; user ``seoga``, no password."""

    def __init__(self) -> None:
        super().__init__("postgres")
        self._names = count(1)
        self._binaries = _binaries()
        self._make()

    def url(self, database: str = "postgres", port: int = 0) -> str:
        """The address of a database, as a user would write it in ``catalog.url``; ``port``: of a proxy before it."""
        return f"postgresql://seoga@127.0.0.1:{port or self.port}/{database}"

    def connect(self, database: str = "postgres") -> psycopg.Connection[Any]:
        """A connection of the caller's own, in autocommit mode."""
        return psycopg.connect(self.url(database), autocommit=True, connect_timeout=5)

    def create(self) -> str:
        """A new database; its name."""
        name = f"seoga_{next(self._names)}"
        with self.connect() as connection:
            connection.execute(f"CREATE DATABASE {name} TEMPLATE template0 ENCODING 'UTF8'")
        return name

    def drop(self, name: str) -> None:
        """Remove a database, whoever is still connected."""
        with self.connect() as connection:
            connection.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")

    def stop_immediately(self) -> None:
        """As ``pg_ctl stop -m immediate``: every backend quits at once, the next start recovers from the log."""
        self.stop(signal.SIGQUIT)

    def _make(self) -> None:
        account = self._account()
        if account:
            os.chown(self.folder, account["user"], account["group"])
        command = [
            str(self._binaries / "initdb"),
            "--pgdata",
            str(self.folder / "data"),
            "--username=seoga",
        ]
        subprocess.run(
            [*command, "--auth=trust", "--encoding=UTF8", "--no-sync", "--no-instructions"],
            check=True,
            capture_output=True,
            cwd=self.folder,
            env=self._environment(),
            **account,
        )

    def _command(self) -> list[str]:
        settings = {
            **_SETTINGS,
            "port": str(self.port),
            "unix_socket_directories": str(self.folder),
        }
        options = [part for key, value in settings.items() for part in ("-c", f"{key}={value}")]
        return [str(self._binaries / "postgres"), "-D", str(self.folder / "data"), *options]

    def _answers(self) -> bool:
        try:
            self.connect().close()
        except psycopg.OperationalError:
            return False
        return True

    def _environment(self) -> dict[str, str]:
        return {"PATH": f"{self._binaries}:{os.defpath}", "LC_ALL": "C.UTF-8", "TZ": "UTC"}

    def _account(self) -> dict[str, Any]:
        return other_account("postgres")


def _binaries() -> Path:
    found = shutil.which("postgres")
    folders = [Path(found).resolve().parent] if found else []
    folders += sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    for folder in folders:
        if (folder / "postgres").exists() and (folder / "initdb").exists():
            return folder
    raise RuntimeError("PostgreSQL is not installed on this machine: apt-get install postgresql")
