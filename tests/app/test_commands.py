"""The commands as a person types them."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
import zipfile

import pytest


@pytest.fixture
def seoga(tmp_path):
    """Run a command in an installation of its own."""

    def run(*words: str, **environ: str) -> subprocess.CompletedProcess[str]:
        settings = {"SEOGA_HOME": str(tmp_path / "home"), "SEOGA_EMBEDDER__ENGINE": "hash"}
        return subprocess.run(
            [sys.executable, "-c", "from app.cli import main; main()", *words],
            env={**os.environ, **settings, **environ},
            capture_output=True,
            text=True,
            check=False,
            timeout=100,
        )

    return run


@pytest.fixture
def drive(tmp_path):
    folder = tmp_path / "drive"
    folder.mkdir()
    (folder / "acl.yaml").write_text('realm: p\nfolders: {"": [{allow: user:kim}]}\n')
    (folder / "directory.yaml").write_text("realm: p\nusers: {kim: {}, lee: {}}\ngroups: {}\n")
    (folder / "세척.md").write_text("# 세척 기준\n\n세척 온도는 60도이다.\n", encoding="utf-8")
    (folder / "빈 파일.pdf").write_bytes(b"")
    return folder


def test_help_names_every_command(seoga):
    done = seoga("--help")
    assert done.returncode == 0
    for name in (
        "ingest",
        "parse",
        "search",
        "source",
        "acl",
        "status",
        "doctor",
        "serve",
        "eval",
        "review",
    ):
        assert f"  {name} " in done.stdout
        assert seoga(name, "--help").returncode == 0


def test_from_a_folder_to_a_cited_passage(seoga, drive):
    ingested = seoga("ingest", str(drive))
    assert ingested.returncode == 0, ingested.stderr
    assert "empty: 빈 파일.pdf" in ingested.stdout
    hits = json.loads(seoga("search", "세척 온도", "--as", "kim", "--json").stdout)["hits"]
    assert hits[0]["path"] == "세척.md"
    assert set(hits[0]) >= {
        "rank", "document_id", "title", "path", "source_link", "type", "status", "revision", "layer", "text", "citation",
    }  # fmt: skip
    assert "label" in hits[0]["citation"]
    assert json.loads(seoga("search", "세척", "--as", "lee", "--json").stdout)["hits"] == []
    explained = seoga("acl", "explain", "세척.md", "--as", "lee")
    assert "읽을 수 없음" in explained.stdout
    status = json.loads(seoga("status", "--json", "--failures").stdout)
    assert status["outcomes"] == {"indexed": 1, "rejected": 1, "skipped": 2}
    assert [f["class"] for f in status["failures"]] == ["empty"]


@pytest.mark.parametrize(
    ("words", "status", "said"),
    [
        (("search", "x", "--as", "nobody-here"), 1, "nobody-here"),
        (("search", "x"), 2, "--as"),
        (("search", "x", "--as", "root", "--filter", "colour"), 2, "colour"),
        (("search", "x", "--as", "root", "--filter", "colour=red"), 2, "department"),
        (("search", " ", "--as", "root"), 2, ""),
        (("ingest", "/no/such/folder"), 2, "/no/such/folder"),
        (("source", "scan", "none"), 2, "none"),
        (("source", "add", "Bad Name", "/tmp"), 2, "name"),  # noqa: S108
        (("acl", "explain", "none", "--as", "root"), 2, "none"),
        (("eval", "korquad", "--data", "/etc/hostname"), 2, "KorQuAD"),
        (("parse", "/no/such/file"), 2, "/no/such/file"),
    ],
)
def test_a_wrong_call_says_what_is_wrong_without_a_traceback(seoga, words, status, said):
    done = seoga(*words)
    assert done.returncode == status
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_a_wrong_setting_is_named(seoga, tmp_path):
    (tmp_path / "home").mkdir()
    file = tmp_path / "home" / "seoga.toml"
    for text, said in (
        ("[parse]\nworkers = 'many'\n", "parse.workers"),
        ("[parse\n", "seoga.toml"),
        ("[api]\ntoken = 'x'\n", "SEOGA_API_TOKEN_FILE"),
        ("colour = 1\n", "colour"),
        ("[[sources]]\nname = 'plant'\nroot = 'drive/plant'\n", "절대 경로"),
        ("# 설정", "UTF-8"),
    ):
        file.write_text(text, encoding="cp949")
        done = seoga("status")
        assert done.returncode == 2
        assert said in done.stderr
        assert "Traceback" not in done.stderr


def test_settings_saved_with_a_byte_order_mark_are_read(seoga, tmp_path):
    (tmp_path / "home").mkdir()
    text = 'departments = ["품질보증팀"]\n'
    (tmp_path / "home" / "seoga.toml").write_text(text, encoding="utf-8-sig")
    assert seoga("status").returncode == 0


@pytest.mark.parametrize("home", ["file", "closed/home"])
def test_a_home_folder_that_cannot_be_used_is_named(seoga, tmp_path, home):
    (tmp_path / "file").write_bytes(b"")
    (tmp_path / "closed").write_bytes(b"")
    done = seoga("status", SEOGA_HOME=str(tmp_path / home))
    assert done.returncode == 2
    assert str(tmp_path / home) in done.stderr
    assert "Traceback" not in done.stderr


def test_serving_where_somebody_else_listens_is_refused(seoga):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        done = seoga("serve", "--port", port, SEOGA_API_TOKEN="t" * 32)
    assert done.returncode == 2
    assert port in done.stderr
    assert "http" not in done.stdout


def test_members_are_explained_by_the_path_that_a_search_shows(seoga, drive):
    with zipfile.ZipFile(drive / "묶음.zip", "w") as archive:
        archive.writestr("안/포장.txt", "포장은 48개 단위로 한다.")
    seoga("ingest", str(drive))
    hits = json.loads(seoga("search", "포장", "--as", "kim", "--json").stdout)["hits"]
    shown = next(hit["path"] for hit in hits if "!/" in hit["path"])
    assert "읽을 수 있음" in seoga("acl", "explain", shown, "--as", "kim").stdout
    assert "읽을 수 없음" in seoga("acl", "explain", shown, "--as", "lee").stdout
    assert seoga("acl", "explain", "묶음.zip!/없음.txt", "--as", "kim").returncode == 2


def test_what_killed_runs_left_is_swept_up(seoga, tmp_path, drive):
    spool = tmp_path / "home" / "spool"
    for name, age in (("item-old", 2 * 86_400), ("item-new", 60)):
        (spool / name).mkdir(parents=True)
        (spool / name / "content").write_bytes(b"x")
        then = time.time() - age
        os.utime(spool / name, (then, then))
    seoga("ingest", str(drive))
    assert [folder.name for folder in spool.iterdir()] == ["item-new"]


def test_serving_needs_a_token(seoga):
    done = seoga("serve")
    assert done.returncode == 2
    assert "SEOGA_API_TOKEN" in done.stderr


def test_sources_may_not_overlap(seoga, drive):
    (drive / "sub").mkdir()
    assert seoga("source", "add", "drive", str(drive), "--no-probe").returncode == 0
    done = seoga("source", "add", "sub", str(drive / "sub"), "--no-probe")
    assert done.returncode == 2
    assert "drive" in done.stderr


def test_the_home_folder_is_nobody_elses_business(seoga, tmp_path, drive):
    seoga("doctor")
    seoga("ingest", str(drive))
    assert (tmp_path / "home").stat().st_mode & 0o077 == 0


def test_parse_says_which_members_are_damaged_and_prints_the_others(seoga, tmp_path):
    path = tmp_path / "묶음.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("첫째.txt", "읽히는 글")
        archive.writestr("둘째.pdf", b"%PDF-1.7\nnothing\n%%EOF\n")
        archive.writestr("셋째.exe", b"MZ" + b"\0" * 99)
    done = seoga("parse", str(path))
    assert done.returncode == 3
    assert "읽히는 글" in done.stdout
    (line,) = done.stderr.strip().splitlines()
    assert line.startswith("둘째.pdf: corrupt")
