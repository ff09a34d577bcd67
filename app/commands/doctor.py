"""``seoga doctor``: what is missing on this machine."""

from __future__ import annotations

import contextlib
import shutil
import subprocess
import sys
from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from app.queue_health import Check, queue_checks

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from app.adoption import Line
    from contracts.settings import Settings

__all__ = ["command"]

_LOW_DISK_GB = 2


@click.command("doctor", short_help="이 컴퓨터에 빠진 것 (what is missing on this machine).")
@click.option("--json", "as_json", is_flag=True, help="JSON 으로 출력.")
@click.option(
    "--adoption",
    is_flag=True,
    help="사람들에게 열기 전의 점검표 (the checklist before going live).",
)
@click.option(
    "--as",
    "names",
    multiple=True,
    help="누출 시험의 사람; 없으면 디렉터리에서 무작위로 (search for leaks as them, else as anybody whom a directory lists).",
)
@click.option("--people", type=click.IntRange(1), default=20, show_default=True)
@click.option(
    "--searches",
    type=click.IntRange(1),
    default=20,
    show_default=True,
    help="사람마다 (for each person).",
)
@click.option("--seed", type=int, default=1, show_default=True)
def command(
    *, as_json: bool, adoption: bool, names: tuple[str, ...], people: int, searches: int, seed: int
) -> None:
    """필요한 프로그램과 설정을 확인합니다. 꼭 필요한 것이 빠지면 종료 코드 1.

    --adoption: 소스와 책임자, 권한, 읽기 등급, 골든셋, 누출 시험, 거절, 백업, 회수 시간을 근거와 함께. 하나라도 빠지면 종료 코드 1.

    Checks programs, libraries and settings; exit status 1 where something needed is missing. With --adoption the checklist
    before going live, each line with its evidence; exit status 1 where a line is missing. Its searches are in the audit log.
    """
    from contracts.settings import load_settings

    settings = load_settings()
    if adoption:
        lines = _adoption(settings, names, people, searches, seed)
        _show_adoption(lines, as_json=as_json)
        sys.exit(1 if any(line.state == "missing" for line in lines) else 0)
    checks = [*(check(settings) for check in _CHECKS), *queue_checks(settings)]
    if as_json:
        import json

        click.echo(json.dumps([asdict(check) for check in checks], ensure_ascii=False, indent=2))
    else:
        for check in checks:
            mark = "✓" if check.fine else ("✗" if check.needed else "–")
            click.echo(f"{mark} {check.name}: {check.found}")
            if not check.fine and check.advice:
                click.echo(f"    {check.advice}")
    if any(check.needed and not check.fine for check in checks):
        sys.exit(1)


def _adoption(
    settings: Settings, names: tuple[str, ...], people: int, searches: int, seed: int
) -> list[Line]:
    """The checklist before going live."""
    from app.adoption import catalog_lines, leak_line
    from app.adoption_leaks import look_for_leaks
    from app.metrics import measure
    from app.people import PeopleNow
    from app.wiring import open_catalog, open_search_parts
    from contracts.errors import SeogaError

    with open_catalog(settings) as catalog:
        lines = catalog_lines(catalog, measure(settings, catalog), PeopleNow(settings, catalog))
    try:
        with open_search_parts(settings, "doctor") as parts:
            directory = PeopleNow(settings, parts.catalog)
            found = look_for_leaks(
                parts.catalog,
                lambda request: parts.searcher.search(request).hits,
                directory.reader,
                names or directory.people(),
                people=people,
                searches=searches,
                seed=seed,
            )
    except SeogaError as problem:
        return [*lines, leak_line(None, str(problem))]
    return [*lines, leak_line(found)]


def _show_adoption(lines: list[Line], *, as_json: bool) -> None:
    import json
    from collections import Counter

    if as_json:
        click.echo(json.dumps([asdict(line) for line in lines], ensure_ascii=False, indent=2))
        return
    marks = {"ok": "✓", "warn": "!", "missing": "✗"}
    for line in lines:
        click.echo(f"{marks[line.state]} {line.title}: {line.evidence}")
        click.echo(f"    근거 (from): {line.origin}")
        if line.advice:
            click.echo(f"    할 일 (to do): {line.advice}")
    counts = Counter(line.state.value for line in lines)
    click.echo(
        f"갖춤 (ok) {counts['ok']}, 볼 것 (warn) {counts['warn']}, 빠짐 (missing) {counts['missing']}"
    )


def _python(_settings: Settings) -> Check:
    version = ".".join(map(str, sys.version_info[:3]))
    return Check("Python", sys.version_info >= (3, 11), needed=True, found=version)


def _sqlite(_settings: Settings) -> Check:
    from catalog.database import SQLITE_MINIMUM

    name = "SQLite (pysqlite3)"
    try:
        from pysqlite3 import dbapi2
    except ImportError as problem:
        return Check(
            name, fine=False, needed=True, found=str(problem), advice="pip install pysqlite3"
        )
    fine = dbapi2.sqlite_version_info >= SQLITE_MINIMUM
    return Check(
        name, fine, needed=True, found=dbapi2.sqlite_version, advice="pip install -U pysqlite3"
    )


def _tesseract(settings: Settings) -> Check:
    name = f"Tesseract OCR ({settings.ocr.languages})"
    advice = "apt-get install tesseract-ocr tesseract-ocr-kor"
    program = shutil.which("tesseract")
    if program is None:
        found = "없음: 스캔은 읽지 못합니다 (missing: scans cannot be read)"
        return Check(name, fine=False, needed=settings.ocr.enabled, found=found, advice=advice)
    done = subprocess.run(  # noqa: S603  a fixed command
        [program, "--list-langs"], capture_output=True, text=True, timeout=20, check=False
    )
    missing = [
        lang for lang in settings.ocr.languages.split("+") if lang not in done.stdout.split()
    ]
    found = f"언어 없음 (missing languages): {', '.join(missing)}" if missing else program
    return Check(name, fine=not missing, needed=settings.ocr.enabled, found=found, advice=advice)


def _libreoffice(_settings: Settings) -> Check:
    program = shutil.which("soffice") or shutil.which("libreoffice")
    return Check(
        "LibreOffice",
        fine=program is not None,
        needed=False,
        found=program
        or "없음: doc, ppt, rtf 는 자체 판독기로 (missing: older formats by our own readers)",
        advice="apt-get install libreoffice-core",
    )


def _libarchive(_settings: Settings) -> Check:
    advice = "apt-get install libarchive13"
    try:
        from libarchive.ffi import version_number
    except (ImportError, TypeError, AttributeError, OSError):
        found = "없음: 7z, rar, tar 를 풀지 못합니다 (missing: 7z, rar, tar stay closed)"
        return Check("libarchive", fine=False, needed=False, found=found, advice=advice)
    return Check("libarchive", fine=True, needed=False, found=str(version_number()))


def _unlock(settings: Settings) -> Check:
    name = "잠긴 파일 (locked files)"
    unlock = settings.unlock
    if unlock.passwords is None and not unlock.command:
        return Check(name, fine=True, needed=False, found="열지 않음 (stay locked)")
    if unlock.command and shutil.which(unlock.command[0]) is None:
        found = f"{unlock.command[0]}: 그런 명령이 없습니다 (no such command)"
        return Check(name, fine=False, needed=True, found=found, advice="[unlock] command")
    if not unlock.readers:
        found = "열지만 아무도 읽지 못합니다 (opened, but nobody may read them)"
        advice = '[unlock] readers = "group:NAME@REALM"'
        return Check(name, fine=False, needed=False, found=found, advice=advice)
    return Check(name, fine=True, needed=False, found=f"읽는 사람 (read by): {unlock.readers}")


def _home(settings: Settings) -> Check:
    name = "SEOGA_HOME"
    try:
        settings.home.mkdir(mode=0o700, parents=True, exist_ok=True)
        probe = settings.home / ".doctor"
        probe.write_bytes(b"")
        probe.unlink()
    except OSError as problem:
        advice = (
            "SEOGA_HOME 을 쓸 수 있는 로컬 폴더로 (set it to a local folder that can be written)"
        )
        return Check(name, fine=False, needed=True, found=str(problem), advice=advice)
    if remote := _remote_kind(settings.home):
        advice = "네트워크 드라이브에서는 색인이 깨질 수 있습니다 (local disk only, never a network drive)"
        return Check(name, fine=False, needed=True, found=remote, advice=advice)
    free = shutil.disk_usage(settings.home).free / 1e9
    found = f"{settings.home} ({free:.0f} GB 남음, free)"
    return Check(
        name,
        free >= _LOW_DISK_GB,
        needed=True,
        found=found,
        advice="디스크를 비우세요 (free some disk)",
    )


def _private(settings: Settings) -> Check:
    name = "SEOGA_HOME 권한 (mode)"
    try:
        mode = settings.home.stat().st_mode & 0o777
    except OSError as problem:
        return Check(name, fine=False, needed=False, found=str(problem))
    return Check(
        name,
        fine=not mode & 0o077,
        needed=False,
        found=f"{mode:o}",
        advice=f"문서의 내용이 있으니 다른 계정에 닫으세요 (close it to other accounts): chmod 700 {settings.home}",
    )


def _remote_kind(home: Path) -> str:
    import psutil

    best = ("", "")
    for mount in psutil.disk_partitions(all=True):
        point = mount.mountpoint.rstrip("/") + "/"
        if f"{home.resolve()}/".startswith(point) and len(point) > len(best[0]):
            best = (point, mount.fstype)
    return best[1] if best[1] in {"nfs", "nfs4", "cifs", "smb3", "fuse.sshfs", "9p"} else ""


def _embedder(settings: Settings) -> Check:
    from contracts.errors import SeogaError
    from search.embedding.registry import make_embedder

    name = f"임베더 (embedder) {settings.embedder.engine}"
    try:
        made = make_embedder(settings.embedder, settings.home)
        vector = made.embed_query("점검")
    except (SeogaError, ImportError, OSError) as problem:
        return Check(name, fine=False, needed=True, found=str(problem))
    return Check(
        name,
        fine=True,
        needed=True,
        found=f"{made.fingerprint}, {vector.shape[0]}차원 (dimensions)",
    )


def _token(settings: Settings) -> Check:
    present = settings.api.token is not None
    return Check(
        "API 토큰 (token)",
        fine=present,
        needed=False,
        found="설정됨 (set)"
        if present
        else "없음: serve 가 시작되지 않습니다 (missing: serve will not start)",
        advice="SEOGA_API_TOKEN 또는 SEOGA_API_TOKEN_FILE",
    )


def _index(settings: Settings) -> Check:
    """Opens the index; one on a server is made where it is missing."""
    from app.tools import as_rebuilt, open_tools
    from contracts.errors import SeogaError
    from search.backends.registry import make_builds

    name = f"색인 (index) {settings.index.backend}"
    try:
        with contextlib.closing(make_builds(settings.index, settings.home)) as builds:
            serving = builds.serving()
        if serving is None and settings.index.backend == "embedded":
            return Check(name, fine=True, needed=True, found="아직 없음 (none yet)")
        *_, index = open_tools(settings)
        with contextlib.closing(index):
            passages = index.stats()["chunks"]
    except SeogaError as problem:
        return Check(name, fine=False, needed=True, found=problem.message, advice=problem.advice)
    place = settings.index.url or settings.home
    found = f"{place}, 패시지 {passages}개 (passages)"
    if as_rebuilt(settings, serving) != settings:
        made_with = serving.fingerprint if serving is not None else ""
        said = f"{found}, {made_with}: seoga.toml 과 다릅니다 (not what seoga.toml says)"
        advice = (
            "[embedder] 와 search.tokenizer 를 맞추거나 (set them to that), seoga index rebuild"
        )
        return Check(name, fine=False, needed=False, found=said, advice=advice)
    return Check(name, fine=True, needed=True, found=found)


_CHECKS: tuple[Callable[[Settings], Check], ...] = (
    _python,
    _sqlite,
    _home,
    _private,
    _tesseract,
    _libreoffice,
    _libarchive,
    _unlock,
    _embedder,
    _index,
    _token,
)
