"""PostgreSQL, Redis and OpenSearch together, each behind a proxy."""

from __future__ import annotations

import contextlib
import json
import shutil
import tempfile
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from opensearch_server import OpenSearchServer

from harness.postgres import PostgresProcess
from harness.proxy import Proxy
from harness.redis_server import RedisProcess

__all__ = ["Services", "services"]


@dataclass(frozen=True, slots=True)
class Services:
    """The servers of a distributed installation, and the proxies that its processes talk to."""

    postgres: PostgresProcess
    redis: RedisProcess
    opensearch: OpenSearchServer
    to_postgres: Proxy
    to_redis: Proxy
    to_opensearch: Proxy

    @property
    def proxies(self) -> tuple[Proxy, ...]:
        """All three."""
        return self.to_postgres, self.to_redis, self.to_opensearch

    def fresh(self) -> str:
        """Empty Redis and OpenSearch and make a database.

        Returns:
            The database's name.
        """
        client = self.redis.client()
        client.flushall()
        client.close()
        self._drop_indices()
        return self.postgres.create()

    def environment(self, database: str, *, direct: bool = False) -> dict[str, str]:
        """Settings of an installation on these servers.

        Args:
            database: Of the catalog.
            direct: Past the proxies.
        """
        ports = [proxy.port for proxy in self.proxies]
        if direct:
            ports = [self.postgres.port, self.redis.port, self.opensearch.port]
        return {
            "SEOGA_CATALOG__URL": self.postgres.url(database, ports[0]),
            "SEOGA_QUEUE__BACKEND": "celery",
            "SEOGA_QUEUE__URL": self.redis.url(0, ports[1]),
            "SEOGA_INDEX__BACKEND": "opensearch",
            "SEOGA_INDEX__URL": f"http://127.0.0.1:{ports[2]}",
        }

    def _drop_indices(self) -> None:
        base = self.opensearch.url
        with urllib.request.urlopen(f"{base}/_cat/indices?format=json", timeout=60) as answer:  # noqa: S310  loopback
            names = [row["index"] for row in json.load(answer) if not row["index"].startswith(".")]
        for name in names:
            request = urllib.request.Request(f"{base}/{name}", method="DELETE")  # noqa: S310
            urllib.request.urlopen(request, timeout=60).close()  # noqa: S310


@contextlib.contextmanager
def services(*, fsync: str = "everysec", heap: str = "1g") -> Iterator[Services]:
    """Start everything; all of it is gone afterwards.

    Args:
        fsync: Of Redis' append-only file, ``always`` or ``everysec``.
        heap: Of OpenSearch.
    """
    with contextlib.ExitStack() as stack:
        folder = Path(tempfile.mkdtemp(prefix="seoga-os-", dir="/tmp"))
        stack.callback(shutil.rmtree, folder, ignore_errors=True)
        folder.chmod(0o755)
        opensearch = OpenSearchServer(folder, heap)
        stack.callback(opensearch.kill)
        opensearch.start()
        postgres = stack.enter_context(PostgresProcess())
        redis = stack.enter_context(RedisProcess(fsync))
        yield Services(
            postgres,
            redis,
            opensearch,
            stack.enter_context(Proxy(postgres.port)),
            stack.enter_context(Proxy(redis.port)),
            stack.enter_context(Proxy(opensearch.port)),
        )
