"""Every command of the compose file as a process, with the file's own environment: from a folder to a cited passage.

Only addresses and folders are other ones than in the containers; Redis runs by the command that the file gives it.
"""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SEOGA = [sys.executable, "-c", "from app.cli import main; main()"]
ONCE = "migrate"
TOLD = (
    r'^seoga_tasks\{kind="index",state="done"\} [1-9]',
    r"^seoga_index_chunks 1\.0",
    r"^seoga_broker_up 1\.0",
    r'^seoga_run_complete_timestamp_seconds\{kind="content",source="share"\} 1\.',
    r'^seoga_run_complete_timestamp_seconds\{kind="permissions",source="share"\} 1\.',
)
"""Lines of /metrics once a document has gone through every queue and the permissions were followed."""


def free_port() -> int:
    with closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Here:
    """Where on this machine what the containers see lies.

    Args:
        compose: The set.
        folder: For everything that is written.
        catalog: Address of the catalog, without its password.
        environ: Over the environment of every service of ours.

    Attributes:
        places: What lies elsewhere here.
    """

    def __init__(self, compose, folder: Path, catalog: str, environ: dict[str, str]) -> None:
        self.compose = compose
        self.folder = folder
        self.environ = environ
        self.redis_port, self.api_port = free_port(), free_port()
        (folder / "share").mkdir()
        (folder / "tmp").mkdir()
        config = (ROOT / "deploy/seoga.toml").read_text(encoding="utf-8")
        assert "/srv/share" in config
        (folder / "seoga.toml").write_text(
            config.replace("/srv/share", str(folder / "share")), encoding="utf-8"
        )
        self.places = {
            "postgresql://seoga@postgres:5432/seoga": catalog,
            "redis://redis:6379/0": f"redis://127.0.0.1:{self.redis_port}/0",
            "/etc/seoga/seoga.toml": str(folder / "seoga.toml"),
            "/var/lib/seoga": str(folder / "home"),
            "127.0.0.1:8470": f"127.0.0.1:{self.api_port}",
        }

    def words(self, service: str, words: list[str]) -> list[str]:
        """A command line, or the values of an environment, with the places of this machine."""
        return [self._here(service, word) for word in words]

    def _here(self, service: str, text: str) -> str:
        # first, since the other places may lie there
        text = text.replace("/tmp/", f"{self.folder}/tmp/{service}.")  # noqa: S108  the containers' own
        for name, secret in self.compose.data["secrets"].items():
            text = re.sub(rf"/run/secrets/{name}\b", secret["file"], text)
        for there, here in self.places.items():
            text = text.replace(there, here)
        return text

    def environment(self, service: str) -> dict[str, str]:
        """The environment of a service of ours."""
        given = self.compose.services[service]["environment"]
        mapped = dict(zip(given, self.words(service, list(given.values())), strict=True))
        return {"PATH": os.environ["PATH"], "LANG": "C.UTF-8", **mapped, **self.environ}

    @contextmanager
    def running(self, service: str):
        """A service of ours as a process; its whole group ends with it."""
        command = [*SEOGA, *self.words(service, self.compose.services[service]["command"])]
        if service == "api":
            command += ["--port", str(self.api_port)]
        with (self.folder / f"{service}.log").open("wb") as log:
            process = subprocess.Popen(
                command, env=self.environment(service), stdout=log, stderr=log, cwd=ROOT,
                start_new_session=True,
            )  # fmt: skip
            try:
                yield process
            finally:
                if process.poll() is None:
                    os.killpg(process.pid, signal.SIGKILL)
                    process.wait()

    def healthy(self, service: str) -> bool:
        """What the service's own health check says."""
        kind, *test = self.compose.services[service]["healthcheck"]["test"]
        command = ["sh", "-c", test[0]] if kind == "CMD-SHELL" else test
        command = self.words(service, command)
        if command[0] == "python":
            command[0] = sys.executable
        if service == "redis":
            command[-1] = command[-1].replace("redis-cli", f"redis-cli -p {self.redis_port}")
        done = subprocess.run(command, capture_output=True, timeout=20, check=False)
        return done.returncode == 0

    def log(self, service: str) -> str:
        """The end of what a service said."""
        return (self.folder / f"{service}.log").read_text("utf-8", "replace")[-3000:]

    @contextmanager
    def redis(self):
        """Redis by the command of the compose file."""
        service = self.compose.services["redis"]
        shell, flag = service["entrypoint"]
        (script,) = self.words("redis", service["command"])
        assert "--dir /data" in script
        (self.folder / "redis").mkdir()
        script = script.replace("--dir /data", f"--dir {self.folder / 'redis'}")
        script += f" --port {self.redis_port} --bind 127.0.0.1"
        with (self.folder / "redis.log").open("wb") as log:
            process = subprocess.Popen([shell, flag, script], stdout=log, stderr=log)
            try:
                yield process
            finally:
                process.terminate()
                process.wait(timeout=30)


def until(there, what: str, here: Here, service: str, seconds: float = 240) -> None:
    end = time.monotonic() + seconds
    while not there():
        if time.monotonic() > end:
            pytest.fail(f"{service}: {what}\n{here.log(service)}")
        time.sleep(0.3)


@pytest.fixture
def catalog(postgres, compose):
    """Address of a database that asks for the password of the compose set."""
    name = postgres.create()
    password = Path(compose.data["secrets"]["catalog_password"]["file"]).read_text().strip()
    with postgres.connect() as connection:
        connection.execute(f"CREATE ROLE {name} LOGIN PASSWORD '{password}'".encode())
        connection.execute(f"ALTER DATABASE {name} OWNER TO {name}".encode())
        rules = postgres.folder / "data/pg_hba.conf"
        before = rules.read_text()
        rules.write_text(f"local {name} {name} scram-sha-256\n{before}")
        connection.execute("SELECT pg_reload_conf()")
    return f"postgresql://{name}@/{name}?host={postgres.folder}"


def ask(port: int, path: str, token: str, body: dict | None = None) -> str:
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    data = json.dumps(body).encode() if body else None
    request = urllib.request.Request(f"http://127.0.0.1:{port}{path}", data, headers)
    with urllib.request.urlopen(request, timeout=20) as answer:  # noqa: S310  loopback
        return answer.read().decode()


def run_the_set(here: Here) -> None:
    """Start everything in the order of the compose file, use it, and stop it in order."""
    compose = here.compose
    secret = {
        name: Path(compose.data["secrets"][name]["file"]).read_text().strip()
        for name in ("api_token", "metrics_token")
    }
    with ExitStack() as stack:
        stack.enter_context(here.redis())
        until(lambda: here.healthy("redis"), "not healthy", here, "redis")
        first = stack.enter_context(here.running(ONCE))
        assert first.wait(timeout=240) == 0, here.log(ONCE)
        services = [name for name in compose.ours() if name != ONCE]
        processes = {name: stack.enter_context(here.running(name)) for name in services}
        for name, process in processes.items():
            until(lambda n=name: here.healthy(n), "not healthy", here, name)
            assert process.poll() is None, here.log(name)

        def found() -> bool:
            body = {"query": "세척액 온도", "reader": "kim"}
            try:
                text = ask(here.api_port, "/v1/search", secret["api_token"], body)
            except urllib.error.HTTPError as refused:
                if refused.code != 403:
                    raise
                return False  # nobody is known before the first scan
            return [hit["path"] for hit in json.loads(text)["hits"]] == ["세척.txt"]

        until(found, "the document was not found", here, "worker-parse")

        def told() -> bool:
            page = ask(here.api_port, "/metrics", secret["metrics_token"])
            return all(re.search(line, page, re.MULTILINE) for line in TOLD)

        until(told, "the metrics do not tell what was done", here, "api")
        for process in processes.values():
            process.send_signal(signal.SIGTERM)
        for name, process in processes.items():
            assert process.wait(timeout=60) in {0, -signal.SIGTERM}, here.log(name)


def fill(share: Path) -> None:
    (share / "acl.yaml").write_text('realm: p\nfolders: {"": [{allow: user:kim}]}\n')
    (share / "directory.yaml").write_text("realm: p\nusers: {kim: {}}\n")
    (share / "세척.txt").write_text("세척액 온도는 60도로 한다.", encoding="utf-8")


@pytest.mark.integration
@pytest.mark.timeout(900)
def test_every_command_runs_and_together_they_make_a_folder_searchable(compose, catalog, tmp_path):
    light = {"SEOGA_EMBEDDER__ENGINE": "hash", "SEOGA_INDEX__BACKEND": "embedded"}
    here = Here(compose, tmp_path, catalog, light)
    fill(tmp_path / "share")
    run_the_set(here)


@pytest.mark.distributed
@pytest.mark.integration
@pytest.mark.timeout(1200)
def test_so_they_do_over_an_opensearch_with_tls_and_passwords(
    compose, catalog, secure_opensearch, tmp_path
):
    here = Here(compose, tmp_path, catalog, {"SEOGA_EMBEDDER__ENGINE": "hash"})
    here.places["https://opensearch:9200"] = secure_opensearch.url
    fill(tmp_path / "share")
    run_the_set(here)
    names = secure_opensearch.ask("/_cat/indices/seoga*?h=index,docs.count", "admin").text
    assert "seoga" in names
