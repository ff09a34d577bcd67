"""The connection to OpenSearch: what it answers, and what its errors mean here."""

from __future__ import annotations

import json
import os
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import msgspec
from opensearchpy import OpenSearch, helpers
from opensearchpy.exceptions import (
    AuthenticationException,
    AuthorizationException,
    ImproperlyConfigured,
    NotFoundError,
    OpenSearchException,
    TransportError,
)
from opensearchpy.exceptions import (
    ConnectionError as NotConnected,
)
from opensearchpy.serializer import JSONSerializer

from contracts.errors import (
    ConfigError,
    IndexReplacedError,
    IndexUnavailableError,
    PermanentError,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from contracts.settings import IndexSettings

__all__ = ["BulkItem", "Server"]

_REQUEST_BYTES = 8 * 1024 * 1024
"""Size of a bulk request; the server takes 100 MB and is slower with them."""

_REQUEST_ITEMS = 1000
_RETRIES = 8
_FIRST_BACKOFF, _LONGEST_BACKOFF = 1, 10
"""Seconds."""

_FIRST_PAUSE = 0.05
_PASSING = frozenset({"no_shard_available_action_exception", "illegal_index_shard_state_exception"})
"""What is said of a shard that has no started copy yet."""

_PUSH_BACK = 429
_BUSY = (408, _PUSH_BACK, 502, 503, 504)
_FAULT = 500


class _Serializer(JSONSerializer):
    """msgspec instead of json: vectors are written once, as they are (``msgspec.Raw``)."""

    def dumps(self, data: Any) -> str:
        """JSON of a body; texts and bytes are JSON already."""
        if isinstance(data, str):
            return data
        return data.decode() if isinstance(data, bytes) else msgspec.json.encode(data).decode()

    def loads(self, s: str) -> Any:
        """The value of an answer."""
        try:
            return msgspec.json.decode(s)
        except msgspec.DecodeError:
            return json.loads(s)


class BulkItem:
    """What became of one action of a bulk request.

    Attributes:
        id: Of the record.
        status: HTTP status of the item.
        seq_no: Place of the write in its shard's history, −1 where it was not written.
        primary_term: With ``seq_no``, names the write.
    """

    __slots__ = ("id", "primary_term", "seq_no", "status")

    def __init__(self, answer: dict[str, Any]) -> None:
        self.id = str(answer["_id"])
        self.status = int(answer["status"])
        self.seq_no = int(answer.get("_seq_no", -1))
        self.primary_term = int(answer.get("_primary_term", -1))


class Server:
    """An OpenSearch server or cluster. Safe for use by several threads, and after a fork.

    Args:
        settings: Where it answers, and as whom.

    Raises:
        ConfigError: the address or the certificate file cannot be used.
    """

    def __init__(self, settings: IndexSettings) -> None:
        self._settings = settings
        self._process = os.getpid()
        self._client = self._connect()
        self._abandoned: list[OpenSearch] = []

    def _connect(self) -> OpenSearch:
        settings = self._settings
        parts = urlsplit(settings.url)
        if parts.scheme not in {"http", "https"} or not parts.hostname:
            raise ConfigError(
                f"index.url: {settings.url!r} is no address of an OpenSearch server",
                advice="https://HOST:9200",
            )
        if parts.password:
            raise ConfigError(
                "index.url holds a password", advice="set SEOGA_INDEX_PASSWORD_FILE instead"
            )
        options: dict[str, Any] = {}
        if settings.user:
            secret = settings.password.get_secret_value() if settings.password else ""
            options["http_auth"] = (settings.user, secret)
        if parts.scheme == "https":
            options |= {"use_ssl": True, "verify_certs": True}
            if settings.ca_file is not None:
                if not settings.ca_file.is_file():
                    raise ConfigError(f"index.ca_file: {settings.ca_file} is not there")
                options["ca_certs"] = str(settings.ca_file)
        try:
            return OpenSearch(
                settings.url,
                serializer=_Serializer(),
                timeout=settings.timeout_seconds,
                max_retries=3,
                retry_on_timeout=True,
                retry_on_status=_BUSY,
                pool_maxsize=16,
                **options,
            )
        except (ImproperlyConfigured, ValueError, OSError) as problem:
            raise ConfigError(f"index.url: {problem}") from problem

    @property
    def client(self) -> OpenSearch:
        """The client of this process; a forked child must not use the sockets of its parent."""
        if self._process != os.getpid():
            self._abandoned.append(self._client)
            self._client, self._process = self._connect(), os.getpid()
        return self._client

    @contextmanager
    def asking(self) -> Iterator[OpenSearch]:
        """The client, with its errors told in ours.

        Raises:
            IndexReplacedError: no such index any more.
            IndexUnavailableError: no answer, or not now.
            ConfigError: not allowed.
            PermanentError: the server refuses the request as such.
        """
        try:
            yield self.client
        except (AuthenticationException, AuthorizationException) as problem:
            raise ConfigError(
                f"OpenSearch refuses the account {self._settings.user!r} ({problem.status_code})",
                advice="index.user 와 SEOGA_INDEX_PASSWORD_FILE 을 확인하세요 (check both)",
            ) from problem
        except NotConnected as problem:
            raise IndexUnavailableError(
                f"{self._settings.url}: OpenSearch does not answer ({type(problem).__name__})"
            ) from problem
        except NotFoundError as problem:
            # an index that was open and is gone was replaced, and removed since
            kind = IndexReplacedError if _is_gone(problem) else IndexUnavailableError
            raise kind(f"OpenSearch: {_reason(problem)}") from problem
        except TransportError as problem:
            raise _told(problem) from problem
        except OpenSearchException as problem:
            raise PermanentError(f"OpenSearch: {type(problem).__name__}") from problem

    def mget(
        self, index: str, docs: Sequence[dict[str, Any]], *, realtime: bool = True
    ) -> list[dict[str, Any]]:
        """Documents by id, as the server answers, in the order asked.

        A shard of an index that was just made, or that changes its node, has no copy for a moment: an index counts as
        yellow before its first shard has started, so it is asked again.

        Raises:
            IndexUnavailableError: a shard stays away.
        """
        body = {"docs": list(docs)}
        params = {"realtime": str(realtime).lower()}
        end = time.monotonic() + self._settings.timeout_seconds
        pause = _FIRST_PAUSE
        while True:
            with self.asking() as client:
                answer: list[dict[str, Any]] = client.mget(body=body, index=index, params=params)[
                    "docs"
                ]
            errors = {item["error"].get("type", "") for item in answer if "error" in item}
            if not errors:
                return answer
            if not errors <= _PASSING or time.monotonic() >= end:
                raise IndexUnavailableError(f"OpenSearch: {', '.join(sorted(errors))}")
            time.sleep(pause)
            pause = min(2 * pause, 1.0)

    def bulk(
        self, actions: Iterable[dict[str, Any]], allowed: frozenset[int] = frozenset()
    ) -> Iterator[BulkItem]:
        """Carry out actions, as they are made, in requests of bounded size; slower where the server pushes back.

        Args:
            actions: As for ``opensearchpy.helpers``.
            allowed: Statuses besides success that the caller looks at itself, for example 409.

        Yields:
            One item an action; those that the server took later come later.

        Raises:
            IndexUnavailableError: the server kept pushing back, or does not answer.
            PermanentError: it refuses an item; says which and why.
        """
        with self.asking() as client:
            for ok, answer in helpers.streaming_bulk(
                client,
                actions,
                chunk_size=_REQUEST_ITEMS,
                max_chunk_bytes=_REQUEST_BYTES,
                raise_on_error=False,
                max_retries=_RETRIES,
                initial_backoff=_FIRST_BACKOFF,
                max_backoff=_LONGEST_BACKOFF,
                require_alias=True,  # a write to an index that was removed must not make it anew
            ):
                (item,) = answer.values()
                if not ok and item["status"] not in allowed:
                    raise _refused(item)
                yield BulkItem(item)

    def close(self) -> None:
        """Close the connections of this process."""
        if self._process == os.getpid():
            self._client.close()


def _told(problem: TransportError) -> Exception:
    status = problem.status_code
    message = f"OpenSearch: {_reason(problem)} ({status})"
    if not isinstance(status, int) or status in _BUSY or status >= _FAULT:
        return IndexUnavailableError(message)
    return PermanentError(message)


def _refused(item: dict[str, Any]) -> Exception:
    error = item.get("error") or {}
    kind = error.get("type", "") if isinstance(error, dict) else str(error)
    cause = error.get("reason", "") if isinstance(error, dict) else ""
    message = f"OpenSearch did not take {item['_id']}: {kind} {cause[:300]} ({item['status']})"
    if item["status"] in _BUSY or item["status"] >= _FAULT or kind == "index_not_found_exception":
        return IndexUnavailableError(message)
    return PermanentError(message)


def _is_gone(problem: TransportError) -> bool:
    return _reason(problem).startswith("index_not_found_exception")


def _reason(problem: TransportError) -> str:
    """The server's own words, without the query that it may repeat."""
    info = problem.info
    if isinstance(info, dict) and isinstance(info.get("error"), dict):
        causes = info["error"].get("root_cause") or [info["error"]]
        return f"{causes[0].get('type', '')}: {str(causes[0].get('reason', ''))[:300]}"
    return str(problem.error)[:300]
