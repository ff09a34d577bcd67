"""Real servers that tests start on this machine; loaded by ``tests/conftest.py``."""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from contextlib import contextmanager
from itertools import count
from pathlib import Path

import psycopg
import pytest
import redis

_START_SECONDS = 60


class PostgresServer:
    """PostgreSQL on a socket of its own in a temporary folder; nothing listens on the network."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._names = count(1)

    def url(self, database: str = "postgres") -> str:
        """The address of a database, as a user would write it in ``catalog.url``."""
        return f"postgresql://seoga@/{database}?host={self.folder}"

    def connect(self, database: str = "postgres") -> psycopg.Connection:
        """A connection of the test's own, in autocommit mode."""
        return psycopg.connect(self.url(database), autocommit=True)

    def create(self, *, template: str = "template0", encoding: str = "UTF8") -> str:
        """A new database; its name."""
        name = f"test_{next(self._names)}"
        with self.connect() as connection:
            connection.execute(
                f"CREATE DATABASE {name} TEMPLATE {template} ENCODING '{encoding}'".encode()
            )
        return name

    def drop(self, name: str) -> None:
        """Remove a database, whoever is still connected."""
        with self.connect() as connection:
            connection.execute(f"DROP DATABASE {name} WITH (FORCE)".encode())


@pytest.fixture(scope="session")
def postgres():
    """A PostgreSQL server of this test session."""
    binaries = _postgres_binaries()
    folder = Path(tempfile.mkdtemp(prefix="seoga-pg-", dir="/tmp"))
    try:
        with _running(binaries, folder) as server:
            yield server
    finally:
        shutil.rmtree(folder)


def _postgres_binaries() -> Path:
    found = shutil.which("postgres")
    folders = [Path(found).parent] if found else []
    folders += sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    for folder in folders:
        if (folder / "postgres").exists() and (folder / "initdb").exists():
            return folder
    pytest.fail("PostgreSQL is not installed on this machine: apt-get install postgresql")


def _account() -> dict[str, object]:
    """It refuses to run as root, so root lends it another account."""
    if os.geteuid() != 0:
        return {}
    names = {entry.pw_name: entry for entry in pwd.getpwall()}
    entry = names.get("postgres") or names["nobody"]
    return {"user": entry.pw_uid, "group": entry.pw_gid, "extra_groups": []}


@contextmanager
def _running(binaries: Path, folder: Path):
    account = _account()
    if account:
        os.chown(folder, account["user"], account["group"])
    data = folder / "data"
    environment = {"PATH": f"{binaries}:{os.defpath}", "LC_ALL": "C.UTF-8", "TZ": "UTC"}
    initdb = [binaries / "initdb", "--pgdata", data, "--username=seoga", "--auth=trust"]
    made = subprocess.run(
        [*initdb, "--encoding=UTF8", "--no-sync", "--no-instructions"],
        capture_output=True, text=True, cwd=folder, env=environment, check=False, **account,
    )  # fmt: skip
    if made.returncode:
        pytest.fail(f"initdb: {made.stdout}{made.stderr}")
    settings = {
        "listen_addresses": "",
        "unix_socket_directories": str(folder),
        "fsync": "off",
        "shared_buffers": "32MB",
        "max_connections": "50",
    }
    options = [part for key, value in settings.items() for part in ("-c", f"{key}={value}")]
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(
            [binaries / "postgres", "-D", data, *options],
            stdin=subprocess.DEVNULL, stdout=log, stderr=log,
            cwd=folder, env=environment, **account,
        )  # fmt: skip
        try:
            yield _ready(PostgresServer(folder), process)
        finally:
            process.send_signal(signal.SIGQUIT)  # at once: its data are thrown away
            process.wait(timeout=30)


def _ready(server: PostgresServer, process: subprocess.Popen[bytes]) -> PostgresServer:
    end = time.monotonic() + _START_SECONDS
    while time.monotonic() < end and process.poll() is None:
        try:
            server.connect().close()
        except psycopg.OperationalError:
            time.sleep(0.05)
        else:
            return server
    pytest.fail(f"PostgreSQL did not start: {(server.folder / 'log').read_text()}")


class RedisServer:
    """Redis on a socket of its own; nothing listens on the network. A killed one comes back with its data."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._process: subprocess.Popen[bytes] | None = None
        self.start()

    def url(self, database: int = 0) -> str:
        """The address of a database, as a user would write it in ``queue.url``."""
        return f"redis+socket://{self.folder}/redis.sock?virtual_host={database}"

    def start(self) -> None:
        """Start it, and wait until it answers."""
        program = shutil.which("redis-server")
        if program is None:
            pytest.fail("Redis is not installed on this machine: apt-get install redis-server")
        socket = self.folder / "redis.sock"
        options = f"--port 0 --unixsocket {socket} --dir {self.folder} --appendonly yes"
        self._process = subprocess.Popen(
            [program, *options.split(), "--appendfsync", "always", "--save", ""],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
        )
        end = time.monotonic() + _START_SECONDS
        with redis.Redis(unix_socket_path=str(socket)) as client:
            while time.monotonic() < end and self._process.poll() is None:
                try:
                    client.ping()
                except redis.RedisError:
                    time.sleep(0.02)
                else:
                    return
        pytest.fail("Redis did not start")

    def kill(self) -> None:
        """As if its host had died."""
        self._process.kill()
        self._process.wait()


@pytest.fixture(scope="session")
def redis_server():
    """A Redis server of this test session."""
    folder = Path(tempfile.mkdtemp(prefix="seoga-redis-", dir="/tmp"))
    try:
        server = RedisServer(folder)
        yield server
        server.kill()
    finally:
        shutil.rmtree(folder)
