"""Catalogs without the second that a new one takes; installations of several processes."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys

import pytest

from catalog.catalog import Catalog
from contracts.settings import load_settings


@pytest.fixture(scope="session")
def empty_catalog(tmp_path_factory):
    """A home folder with an empty, migrated catalog."""
    home = tmp_path_factory.mktemp("empty")
    Catalog.open("", home).close()
    return home


@pytest.fixture
def catalog(empty_catalog, tmp_path):
    """An empty catalog."""
    shutil.copy(empty_catalog / "catalog.db", tmp_path / "catalog.db")
    with Catalog.open("", tmp_path) as opened:
        yield opened


class Installation:
    """A drive, and an installation on PostgreSQL and Redis whose index is on this host."""

    def __init__(self, folder, catalog_url, queue_url):
        self.drive, self.home = folder / "drive", folder / "home"
        self.drive.mkdir()
        self.home.mkdir()
        self.write("acl.yaml", 'realm: p\nfolders: {"": [{allow: user:kim}]}\n')
        self.write("directory.yaml", "realm: p\nusers: {kim: {}}\ngroups: {}\n")
        self.processes = []
        self.environ = {
            "SEOGA_HOME": str(self.home),
            "SEOGA_CATALOG__URL": catalog_url,
            "SEOGA_QUEUE__BACKEND": "celery",
            "SEOGA_QUEUE__URL": queue_url,
        }
        (self.home / "seoga.toml").write_text(
            '[embedder]\nengine = "hash"\n[parse]\nworkers = 1\n'
            "[queue]\nlease_seconds = 10\nbell_seconds = 3\nring_seconds = 0.3\nretry_seconds = 0.2\n"
            f'[[sources]]\nname = "drive"\nroot = {json.dumps(str(self.drive))}\n'
            'permission_schedule = ""\n',
            encoding="utf-8",
        )
        self.settings = load_settings(self.environ)

    def write(self, name, content):
        """A file of the drive."""
        data = content.encode() if isinstance(content, str) else content
        (self.drive / name).write_bytes(data)

    def start(self, *words):
        """``seoga WORDS``, with its children in a session of its own."""
        with (self.home / f"{words[0]}-{len(self.processes)}.log").open("wb") as log:
            process = subprocess.Popen(
                # a shell that starts tests in the background lets them, and what they start, ignore Ctrl+C
                ["env", "--default-signal=INT", *self._command(words)],
                env={**os.environ, **self.environ},
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        self.processes.append(process)
        return process

    def run(self, *words):
        """``seoga WORDS`` to its end."""
        return subprocess.run(
            self._command(words),
            env={**os.environ, **self.environ},
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )

    def logs(self):
        """What the processes have said."""
        return "\n".join(log.read_text("utf-8")[-3000:] for log in sorted(self.home.glob("*.log")))

    def close(self):
        """Kill what still runs."""
        for process in self.processes:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()

    def _command(self, words):
        return [sys.executable, "-c", "from app.cli import main; main()", *words]


@pytest.fixture
def installation(tmp_path, postgres, redis_server):
    """An installation without processes yet."""
    database = postgres.create()
    made = Installation(tmp_path, postgres.url(database), redis_server.url(1))
    yield made
    made.close()
    postgres.drop(database)
