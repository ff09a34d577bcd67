"""``seoga serve`` as a process: its schedules follow the drive, and its API answers."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request

import pytest

TOKEN = "a-token-of-the-tests"  # noqa: S105  the tests' own


@pytest.fixture
def served(tmp_path):
    """A service over a drive with schedules of two seconds."""
    drive, home = tmp_path / "drive", tmp_path / "home"
    drive.mkdir()
    home.mkdir()
    (drive / "acl.yaml").write_text('realm: p\nfolders: {"": [{allow: user:kim}]}\n')
    (drive / "directory.yaml").write_text("realm: p\nusers: {kim: {}}\ngroups: {}\n")
    (drive / "first.txt").write_text("설비 점검 첫 문서", encoding="utf-8")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    (home / "seoga.toml").write_text(
        "[queue]\nretry_seconds = 0.1\nring_seconds = 0.3\n"
        f'[embedder]\nengine = "hash"\n[parse]\nworkers = 1\n[api]\nport = {port}\n'
        f'[[sources]]\nname = "drive"\nroot = {json.dumps(str(drive))}\n'
        'content_schedule = "every 2s"\npermission_schedule = "every 2s"\n',
        encoding="utf-8",
    )
    environ = {**os.environ, "SEOGA_HOME": str(home), "SEOGA_API_TOKEN": TOKEN}
    command = [sys.executable, "-c", "from app.cli import main; main()", "serve"]
    with subprocess.Popen(
        command, env=environ, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        try:
            yield drive, f"http://127.0.0.1:{port}", process
        finally:
            with contextlib.suppress(ProcessLookupError):
                process.kill()


def paths(url: str, query: str) -> list[str]:
    body = json.dumps({"query": query, "reader": "kim"}).encode()
    headers = {"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json"}
    request = urllib.request.Request(f"{url}/v1/search", body, headers)  # noqa: S310  loopback
    with urllib.request.urlopen(request, timeout=10) as answer:  # noqa: S310  loopback
        return sorted({hit["path"] for hit in json.load(answer)["hits"]})


def eventually(url: str, query: str, wanted: list[str]) -> None:
    found: object = None
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        try:
            found = paths(url, query)
        except (urllib.error.URLError, ConnectionError) as problem:
            found = problem
        if found == wanted:
            return
        time.sleep(0.3)
    pytest.fail(f"still {found}, not {wanted}")


def test_schedules_follow_the_drive_and_the_service_stops_when_asked(served):
    drive, url, process = served
    eventually(url, "설비 점검", ["first.txt"])
    (drive / "second.txt").write_text("설비 점검 둘째 문서", encoding="utf-8")
    eventually(url, "설비 점검", ["first.txt", "second.txt"])
    (drive / "acl.yaml").write_text(
        'realm: p\nfolders: {"": [{allow: user:kim}]}\nfiles: {first.txt: []}\n', encoding="utf-8"
    )
    eventually(url, "설비 점검", ["second.txt"])
    (drive / "second.txt").unlink()
    eventually(url, "설비 점검", [])
    process.send_signal(signal.SIGTERM)
    assert process.wait(timeout=30) in {0, -signal.SIGTERM}


def parked(drive):
    environ = {**os.environ, "SEOGA_HOME": str(drive.parent / "home")}
    command = [sys.executable, "-c", "from app.cli import main; main()", "queue", "list"]
    done = subprocess.run(
        [*command, "--state", "parked", "--json"],
        env=environ, capture_output=True, text=True, timeout=60, check=True,
    )  # fmt: skip
    return sorted((task["queue"], task["failure"]) for task in json.loads(done.stdout))


def test_a_run_that_keeps_failing_is_parked_for_a_person_to_see_until_one_succeeds(served):
    drive, url, process = served
    eventually(url, "설비 점검", ["first.txt"])
    assert parked(drive) == []
    drive.rename(drive.with_name("away"))
    wanted = [("acl", "source_unreachable"), ("scan", "source_unreachable")]
    deadline = time.monotonic() + 60
    while parked(drive) != wanted:
        assert time.monotonic() < deadline, parked(drive)
    assert paths(url, "설비 점검") == ["first.txt"], (
        "what cannot be reached is not taken for deleted"
    )
    drive.with_name("away").rename(drive)
    (drive / "second.txt").write_text("설비 점검 둘째 문서", encoding="utf-8")
    eventually(url, "설비 점검", ["first.txt", "second.txt"])
    while parked(drive):
        assert time.monotonic() < deadline, parked(drive)
    assert process.poll() is None
