"""OpenTelemetry traces, where an address for them is configured: ``pip install 'seoga[otel]'`` and ``[telemetry]``."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from contracts.errors import ConfigError
from contracts.tracing import Value, install

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import SpanExporter
    from opentelemetry.trace import Span as OtelSpan
    from opentelemetry.trace import Tracer as OtelTracer

    from contracts.settings_telemetry import TelemetrySettings
    from contracts.tracing import Span

__all__ = ["telemetry", "traced"]


@contextmanager
def telemetry(settings: TelemetrySettings, part: str) -> Iterator[None]:
    """Send the spans of this process to the collector, until the block ends; nothing where none is configured.

    Args:
        settings: Where to, and how many.
        part: Which part of Seoga this process is: ``serve``, ``worker``, ``ingest`` …

    Raises:
        ConfigError: the library is not installed.
    """
    if not settings.endpoint:
        yield
        return
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    except ImportError as problem:
        raise ConfigError(
            "[telemetry] endpoint: OpenTelemetry 가 설치되어 있지 않습니다 (OpenTelemetry is not installed)",
            advice="pip install 'seoga[otel]'",
        ) from problem
    address = f"{settings.endpoint.rstrip('/')}/v1/traces"
    exporter = OTLPSpanExporter(endpoint=address, timeout=settings.timeout_seconds)
    with traced(settings, part, exporter):
        yield


@contextmanager
def traced(
    settings: TelemetrySettings, part: str, exporter: SpanExporter, *, at_once: bool = False
) -> Iterator[None]:
    """As :func:`telemetry`, to any exporter.

    Args:
        settings: How many.
        part: Which part of Seoga this process is.
        exporter: Takes the spans.
        at_once: Each span as it ends, instead of many together.
    """
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor, SimpleSpanProcessor
    from opentelemetry.sdk.trace.sampling import ParentBased, TraceIdRatioBased

    about = {"service.name": settings.service, "seoga.part": part}
    provider: TracerProvider = TracerProvider(
        resource=Resource.create(about),
        sampler=ParentBased(TraceIdRatioBased(settings.share)),
    )
    processor = SimpleSpanProcessor if at_once else BatchSpanProcessor
    provider.add_span_processor(processor(exporter))
    install(_Tracer(provider.get_tracer("seoga")))
    try:
        yield
    finally:
        install(None)
        provider.shutdown()  # sends what waits


class _Span:
    def __init__(self, span: OtelSpan) -> None:
        self._span = span

    def set(self, name: str, value: Value) -> None:
        self._span.set_attribute(f"seoga.{name}", value)


class _Tracer:
    """Spans of OpenTelemetry; log lines within one carry its ids."""

    def __init__(self, tracer: OtelTracer) -> None:
        self._tracer = tracer

    @contextmanager
    def span(self, name: str, attributes: Mapping[str, Value]) -> Iterator[Span]:
        from opentelemetry.trace import Status, StatusCode, format_span_id, format_trace_id
        from structlog.contextvars import bound_contextvars

        named = {f"seoga.{key}": value for key, value in attributes.items()}
        # what an error says may be a document's: its class alone goes out
        with self._tracer.start_as_current_span(
            name, attributes=named, record_exception=False, set_status_on_exception=False
        ) as span:
            context = span.get_span_context()
            ids = {
                "trace_id": format_trace_id(context.trace_id),
                "span_id": format_span_id(context.span_id),
            }
            with bound_contextvars(**ids):
                try:
                    yield _Span(span)
                except BaseException as problem:
                    span.set_status(Status(StatusCode.ERROR, type(problem).__name__))
                    raise
