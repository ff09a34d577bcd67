"""``seoga serve``: the search API and, in the same process, the schedules."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    import threading
    from collections.abc import Iterator

    from app.wiring import SearchParts
    from catalog.catalog import Catalog
    from contracts.settings import Settings
    from search.api.callers import Callers
    from search.api.metrics import MetricsPage
    from search.api.rates import Rates
    from search.api.viewing import Viewing

__all__ = ["callers_of", "command", "metrics_page", "viewing_of"]

_TICKET_SECRET = "api.ticket_secret"  # noqa: S105  its key in ``meta``


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

    from app.ops import mount_dashboard
    from app.remarks import CatalogFeedback
    from app.telemetry import telemetry
    from app.wiring import answerer_of, open_search_parts
    from contracts.settings import load_settings
    from search.api.app import create_app
    from search.api.grid import AnswerGrid

    settings = load_settings()
    callers = callers_of(settings)
    at, number = host or settings.api.host, port or settings.api.port
    tls = _tls(settings)
    scheme = "https" if tls else "http"
    _check_free(at, number)
    traces = telemetry(settings.telemetry, "serve")
    with traces, _schedules(settings), open_search_parts(settings, "api", load_settings) as parts:
        answerer = answerer_of(settings, parts.searcher)
        shown = metrics_page(settings, parts)
        viewing = viewing_of(settings, parts.catalog)
        said = CatalogFeedback(parts.catalog, "api")
        app = create_app(
            parts.searcher, callers, _health, shown, answerer, viewing=viewing, feedback=said
        )
        mount_dashboard(app, settings, parts, callers)
        held = AnswerGrid(app, settings.api.answer_grid_ms)
        click.echo(f"{scheme}://{at}:{number}/openapi.json  (Ctrl+C: 종료, stop)")
        if settings.dashboard.enabled:
            click.echo(f"{scheme}://{at}:{number}/ops/  (운영 화면, dashboard)")
        with _canaries(settings, parts):
            uvicorn.run(held, host=at, port=number, log_level="warning", **tls)


def _tls(settings: Settings) -> dict[str, Any]:
    """What uvicorn needs for HTTPS; nothing for HTTP.

    Raises:
        ConfigError: certificate and key are not both there, or do not belong together.
    """
    import ssl

    from contracts.errors import ConfigError

    certificate, key = settings.api.certificate, settings.api.certificate_key
    if certificate is None and key is None:
        return {}
    if certificate is None or key is None:
        raise ConfigError(
            "[api] certificate 와 certificate_key 는 함께 씁니다 (certificate and certificate_key go together)"
        )
    files = {
        "ssl_certfile": str(certificate.expanduser()),
        "ssl_keyfile": str(key.expanduser()),
    }
    try:
        ssl.create_default_context(ssl.Purpose.CLIENT_AUTH).load_cert_chain(*files.values())
    except OSError as problem:
        raise ConfigError(
            f"[api] {certificate}, {key}: {problem}", advice="PEM 파일 두 개 (two PEM files)"
        ) from problem
    return files


def callers_of(settings: Settings) -> Callers:
    """Who may ask: the token of the environment, the services and the identity provider of ``[api]``.

    Raises:
        ConfigError: there is nobody, or a token cannot be read or is too short.
    """
    from contracts.errors import ConfigError
    from search.api.callers import Callers, Key

    api = settings.api
    keys = []
    if api.token is not None:
        keys.append(Key("", api.token.get_secret_value(), per_minute=api.per_minute))
    for client in api.clients:
        try:
            secret = client.token_file.expanduser().read_text(encoding="utf-8").strip()
        except OSError as problem:
            raise ConfigError(
                f"[api] client {client.name}: {client.token_file}: {problem.strerror}"
            ) from problem
        keys.append(Key(client.name, secret, client.readers, client.per_minute))
    if not keys and api.oidc is None:
        raise ConfigError(
            "API 토큰이 없습니다 (no API token)", advice="SEOGA_API_TOKEN 또는 SEOGA_API_TOKEN_FILE"
        )
    return Callers(keys, api.oidc, _rates(settings))


def _rates(settings: Settings) -> Rates:
    """Requests are counted over all processes where they share a Redis."""
    from search.api.rates import Rates, shared_storage

    if settings.queue.backend != "celery":
        return Rates()
    from ingest.queue.broker import broker_url

    url = broker_url(settings.queue)
    if url.startswith("redis+socket://"):  # as Celery writes it
        url = url.replace("redis+socket://", "unix://", 1).replace("virtual_host=", "db=")
    return Rates(shared_storage(url))


def viewing_of(settings: Settings, catalog: Catalog) -> Viewing:
    """Shows citations at their place; addresses for browsers are signed with a secret of the installation."""
    import secrets

    from app.viewer.page import POLICY
    from app.viewer.viewer import CitationViewer
    from app.wiring import open_blobs
    from search.api.tickets import Tickets
    from search.api.viewing import Viewing

    pages = CitationViewer(settings, catalog, open_blobs(settings))
    if not settings.api.link_minutes:
        return Viewing(pages, POLICY)
    with catalog.transaction():  # of several processes that begin at once, one makes it
        secret = catalog.meta.get(_TICKET_SECRET)
        if not secret:
            secret = secrets.token_hex(32)
            catalog.meta.set(_TICKET_SECRET, secret)
    return Viewing(pages, POLICY, Tickets(secret.encode(), settings.api.link_minutes))


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


def metrics_page(settings: Settings, parts: SearchParts) -> MetricsPage:
    """``GET /metrics``: a registry of its own, so that nothing else in the process shows there."""
    from prometheus_client import CollectorRegistry, ProcessCollector

    from app.exporter import NumbersCollector
    from app.metrics import index_numbers, measure
    from app.queue_health import broker_state
    from search.api.metrics import MetricsPage

    registry = CollectorRegistry()
    ProcessCollector(registry=registry)
    registry.register(
        NumbersCollector(
            lambda: measure(settings, parts.catalog),
            lambda: index_numbers(parts.searcher.stats),
            lambda: broker_state(settings),
            _release(),
        )
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
def _canaries(settings: Settings, parts: SearchParts) -> Iterator[None]:
    """Where sources have canaries, how soon a right that is taken away shows is measured."""
    from app.canary import keep_canaries
    from app.wiring import open_access
    from ingest.beside import beside

    if not any(record.config.get("canary") for record in parts.catalog.sources.list()):
        yield
        return
    access = open_access(settings, parts.catalog)

    def keep(stop: threading.Event) -> None:
        keep_canaries(parts.catalog, parts.searcher, access, stop)

    with beside(keep, "canaries"):
        yield


@contextlib.contextmanager
def _schedules(settings: Settings) -> Iterator[None]:
    """Content and permission runs as tasks of this process, unless workers do them; and what is done at night."""
    from apscheduler.schedulers.background import BackgroundScheduler

    from app.wiring import open_catalog
    from app.work import beating, open_embedded_beat, schedules_of
    from ingest.schedules import check_schedule

    with open_catalog(settings) as catalog:
        for schedule in schedules_of(catalog, settings):
            check_schedule(schedule.when)
    scheduler = BackgroundScheduler(job_defaults={"coalesce": True, "max_instances": 1})
    scheduler.add_job(housekeeping, "cron", hour=3, minute=30, args=(settings,), id="housekeeping")
    scheduler.start()
    try:
        if settings.queue.backend == "in_process":
            with open_embedded_beat(settings) as beat, beating(beat):
                yield
        else:  # `seoga beat` asks, `seoga worker` does
            yield
    finally:
        scheduler.shutdown(wait=True)


def housekeeping(settings: Settings) -> None:
    """Give back the index's space, and let the audit log go where it is older than it shall be kept, anchor its head."""
    from datetime import UTC, datetime, timedelta

    from app.audit_log import anchor
    from app.wiring import open_catalog, open_tools
    from catalog.times import utc_text
    from contracts.settings import load_settings
    from ingest.rebuild import tidy
    from search.backends.registry import make_builds

    with open_catalog(settings) as catalog:
        with contextlib.closing(make_builds(settings.index, settings.home)) as builds:
            tidy(catalog, builds)
        *_, index = open_tools(settings, load_settings)
        try:
            index.compact()
        finally:
            index.close()
        if settings.api.audit_days:
            kept = datetime.now(UTC) - timedelta(days=settings.api.audit_days)
            catalog.queries.prune(utc_text(kept))
            catalog.feedback.prune(utc_text(kept))
        if settings.api.audit_anchor is not None:
            anchor(catalog, settings.api.audit_anchor.expanduser())
