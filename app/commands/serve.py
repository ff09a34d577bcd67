"""``seoga serve``: the search API and, in the same process, the schedules."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from collections.abc import Iterator

    from apscheduler.schedulers.background import BackgroundScheduler

    from app.wiring import SearchParts
    from contracts.settings import Settings
    from search.api.metrics import MetricsPage

__all__ = ["command"]


@click.command("serve", short_help="검색 API와 일정 실행 (search API and schedules).")
@click.option("--host", help="기본값은 설정의 api.host (default: api.host, loopback).")
@click.option(
    "--port", type=click.IntRange(1, 65535), help="기본값은 api.port (default: api.port)."
)
def command(host: str | None, port: int | None) -> None:
    """검색 API(POST /v1/search)와 소스별 수집·권한 일정을 실행합니다.

    Serves the search API and runs the schedules of the sources. Needs a token: SEOGA_API_TOKEN or
    SEOGA_API_TOKEN_FILE.
    """
    import uvicorn

    from app.wiring import open_search_parts
    from contracts.errors import ConfigError
    from contracts.settings import load_settings
    from search.api.app import create_app

    settings = load_settings()
    if settings.api.token is None:
        raise ConfigError(
            "API 토큰이 없습니다 (no API token)", advice="SEOGA_API_TOKEN 또는 SEOGA_API_TOKEN_FILE"
        )
    token = settings.api.token.get_secret_value()
    at, number = host or settings.api.host, port or settings.api.port
    _check_free(at, number)
    with _schedules(settings), open_search_parts(settings, "api") as parts:
        app = create_app(parts.searcher, token, _health, _metrics(settings, parts))
        click.echo(f"http://{at}:{number}/openapi.json  (Ctrl+C: 종료, stop)")
        uvicorn.run(app, host=at, port=number, log_level="warning")


def _check_free(host: str, port: int) -> None:
    """Raise ``ConfigError`` where nothing can listen there: before schedules start, not after."""
    import socket

    from contracts.errors import ConfigError

    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        socket.create_server((host, port), family=family).close()
    except OSError as problem:
        raise ConfigError(
            f"{host}:{port} 에서 받을 수 없습니다 (cannot listen there): {problem.strerror}",
            advice="다른 포트로 (another port): seoga serve --port, [api] port",
        ) from problem


def _health() -> dict[str, Any]:
    return {"status": "ok", "version": _release(), "source": "/v1/source"}


def _metrics(settings: Settings, parts: SearchParts) -> MetricsPage:
    """``GET /metrics``: a registry of its own, so that nothing else in the process shows there."""
    from prometheus_client import CollectorRegistry, ProcessCollector

    from app.exporter import NumbersCollector
    from app.metrics import measure
    from search.api.metrics import MetricsPage

    registry = CollectorRegistry()
    ProcessCollector(registry=registry)
    registry.register(
        NumbersCollector(lambda: measure(settings, parts.catalog, parts.index), _release())
    )
    found = (settings.api.metrics_token, settings.api.token)
    return MetricsPage(registry, tuple(t.get_secret_value() for t in found if t is not None))


def _release() -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("seoga")
    except PackageNotFoundError:  # run from a checkout that is not installed
        return "unreleased"


@contextlib.contextmanager
def _schedules(settings: Settings) -> Iterator[BackgroundScheduler]:
    """Content and permission runs, each source on its own; missed runs are joined into one."""
    from apscheduler.schedulers.background import BackgroundScheduler

    from app.wiring import open_catalog, source_settings
    from ingest.schedules import trigger_of

    scheduler = BackgroundScheduler(job_defaults={"coalesce": True, "max_instances": 1})
    with open_catalog(settings) as catalog:
        sources = [source_settings(catalog, r.name) for r in catalog.sources.list() if not r.paused]
    for source in sources:
        for kind, schedule in (
            ("content", source.content_schedule),
            ("permissions", source.permission_schedule),
        ):
            trigger = trigger_of(schedule)
            if trigger is not None:
                scheduler.add_job(
                    run_scheduled,
                    trigger,
                    args=(settings, source.name, kind),
                    id=f"{source.name}/{kind}",
                )
    scheduler.add_job(housekeeping, "cron", hour=3, minute=30, args=(settings,), id="housekeeping")
    scheduler.start()
    try:
        yield scheduler
    finally:
        scheduler.shutdown(wait=True)


def housekeeping(settings: Settings) -> None:
    """Give back the index's space, and let the audit log go where it is older than it shall be kept."""
    from datetime import UTC, datetime, timedelta

    from app.wiring import open_kit
    from catalog.times import utc_text

    with open_kit(settings) as kit:
        kit.index.compact()
        if settings.api.audit_days:
            kept = datetime.now(UTC) - timedelta(days=settings.api.audit_days)
            kit.catalog.queries.prune(utc_text(kept))


def run_scheduled(settings: Settings, name: str, kind: str) -> None:
    """One scheduled run. Known problems are stored as the source's alert, and the schedule goes on."""
    import structlog

    from app.wiring import open_kit, source_run, source_settings
    from contracts.errors import SeogaError

    log = structlog.get_logger().bind(source=name, kind=kind)
    with open_kit(settings) as kit:
        try:
            run = source_run(kit, source_settings(kit.catalog, name))
            summary = run.content() if kind == "content" else run.permissions()
        except SeogaError as problem:
            log.warning("run_failed", code=problem.code, reason=str(problem))
            kit.catalog.sources.set_alert(name, str(problem))
            return
    log.info("run_done", **{key: count for key, count in summary.scan.items() if count})
