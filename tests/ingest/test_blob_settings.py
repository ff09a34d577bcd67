"""Where blobs are kept is a setting; what is wrong with the place is said in one line."""

from __future__ import annotations

import importlib.util
import os
import socket
import subprocess
import time
from pathlib import Path

import pytest

from contracts.errors import BlobsUnavailableError, ConfigError
from contracts.settings import BlobSettings, load_settings
from ingest.blob_registry import make_blobs

_BUILDER = Path(__file__).parents[1] / "contract" / "builders" / "blobs_s3.py"


@pytest.fixture(scope="module")
def double(tmp_path_factory):
    """A bench over moto's server."""
    spec = importlib.util.spec_from_file_location("seoga_blobs_s3_bench", _BUILDER)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    bench = module.bench(tmp_path_factory.mktemp("s3"))
    yield bench
    bench.close()


def test_a_file_address_is_a_folder(tmp_path):
    folder = tmp_path / "보관 창고"
    store = make_blobs(BlobSettings(url=folder.as_uri()), tmp_path / "home")
    store.put("a/b", b"x")
    assert (folder / "a" / "b").is_file()
    assert not (tmp_path / "home").exists()


@pytest.mark.parametrize("url", ["file://elsewhere/x", "file://", "file:///", "s3://", "folder"])
def test_an_address_of_nothing_is_refused(url, tmp_path):
    with pytest.raises(ConfigError, match=r"blobs\.url"):
        make_blobs(BlobSettings(url=url), tmp_path)


def test_keys_of_s3_come_from_files_and_never_from_the_settings_file(tmp_path):
    (tmp_path / "key").write_text("하나\n", encoding="utf-8")
    found = load_settings(
        {
            "SEOGA_HOME": str(tmp_path),
            "SEOGA_BLOBS__URL": "s3://bucket/prefix",
            "SEOGA_BLOBS_ACCESS_KEY_FILE": str(tmp_path / "key"),
            "SEOGA_BLOBS_SECRET_KEY": "둘",
        }
    )
    assert found.blobs.access_key.get_secret_value() == "하나"
    assert found.blobs.secret_key.get_secret_value() == "둘"
    assert "둘" not in repr(found)
    (tmp_path / "seoga.toml").write_text('[blobs]\nsecret_key = "x"\n', encoding="utf-8")
    with pytest.raises(ConfigError, match="SEOGA_BLOBS_SECRET_KEY_FILE"):
        load_settings({"SEOGA_HOME": str(tmp_path)})


def test_an_installation_keeps_its_parses_in_s3(installation, double):
    installation.options["blobs"] = double.settings
    installation.write("품질/8D.txt", "브라켓 균열의 근본 원인")
    assert installation.ingest().work["parsed"] == 1
    assert len(list(double.store().keys("parsed/"))) == 1
    assert not list((installation.home / "blobs").rglob("*"))
    installation.options["departments"] = ["품질보증팀"]  # other rules: from the stored parse
    assert installation.ingest().work["parsed"] == 0
    (installation.drive / "품질/8D.txt").unlink()
    installation.ingest()
    assert list(double.store().keys()) == []  # a purge really removes


def test_a_bucket_that_is_not_there_is_said(double, tmp_path):
    settings = double.settings.model_copy(update={"url": "s3://never-made/x"})
    with pytest.raises(ConfigError, match="no such bucket"):
        make_blobs(settings, tmp_path)


def test_a_server_that_is_not_there_is_said_and_in_time(double, tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as gone:
        port = gone.getsockname()[1]
    settings = double.settings.model_copy(
        update={"endpoint": f"http://127.0.0.1:{port}", "attempts": 2}
    )
    began = time.monotonic()
    with pytest.raises(BlobsUnavailableError, match="s3://"):
        make_blobs(settings, tmp_path)
    assert time.monotonic() - began < 20


def test_a_server_that_says_nothing_is_given_up(double, tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as silent:
        settings = double.settings.model_copy(
            update={
                "endpoint": f"http://127.0.0.1:{silent.getsockname()[1]}",
                "attempts": 1,
                "timeout_seconds": 0.5,
            }
        )
        began = time.monotonic()
        with pytest.raises(BlobsUnavailableError):
            make_blobs(settings, tmp_path)
        assert time.monotonic() - began < 20


def test_a_forked_child_has_connections_of_its_own(double):
    store = double.store()
    store.put("fork/parent", b"x")
    child = os.fork()
    if child == 0:
        found = store.get("fork/parent")
        store.put("fork/child", b"y")
        os._exit(0 if found == b"x" else 1)
    assert os.waitpid(child, 0)[1] == 0
    assert store.get("fork/child") == b"y"
    store.delete(["fork/parent", "fork/child"])


@pytest.fixture
def small_disk(tmp_path):
    """A disk of one megabyte."""
    folder = tmp_path / "small"
    folder.mkdir()
    root = [] if os.geteuid() == 0 else ["sudo", "-n"]
    mounted = subprocess.run(
        [*root, "mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(folder)],
        capture_output=True,
        check=False,
    )
    if mounted.returncode:
        pytest.fail(f"a file system cannot be mounted here: {mounted.stderr.decode()}")
    yield folder
    subprocess.run([*root, "umount", str(folder)], check=True)


def test_a_full_disk_is_said_and_leaves_nothing_half_done(small_disk, tmp_path):
    store = make_blobs(BlobSettings(url=small_disk.as_uri()), tmp_path)
    store.put("a/small", b"x")
    with pytest.raises(BlobsUnavailableError, match="free some disk"):
        store.put("a/large", os.urandom(2_000_000))
    assert list(store.keys()) == ["a/small"]
    assert store.get("a/small") == b"x"
    assert sum(path.is_file() for path in small_disk.rglob("*")) == 1
