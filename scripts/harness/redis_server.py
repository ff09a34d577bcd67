"""Redis as a process."""

from __future__ import annotations

import shutil

import redis

from harness.process import ServerProcess

__all__ = ["RedisProcess"]


class RedisProcess(ServerProcess):
    """Redis on loopback with an append-only file, so that a killed server comes back with its data.

    Args:
        fsync: ``always`` or ``everysec``.
    """

    def __init__(self, fsync: str = "everysec") -> None:
        super().__init__("redis")
        self._fsync = fsync

    def url(self, database: int = 0, port: int = 0) -> str:
        """The address of one of its databases (0 to 15); ``port``: of a proxy before it."""
        return f"redis://127.0.0.1:{port or self.port}/{database}"

    def client(self, database: int = 0) -> redis.Redis:
        """A client of the caller's own."""
        return redis.Redis(port=self.port, db=database, socket_timeout=5)

    def _command(self) -> list[str]:
        program = shutil.which("redis-server")
        if program is None:
            raise RuntimeError(
                "Redis is not installed on this machine: apt-get install redis-server"
            )
        options = {
            "bind": "127.0.0.1",
            "port": str(self.port),
            "dir": str(self.folder),
            "appendonly": "yes",
            "appendfsync": self._fsync,
            "save": "",
        }
        return [program, *(part for key, value in options.items() for part in (f"--{key}", value))]

    def _answers(self) -> bool:
        client = self.client()
        try:
            return bool(client.ping())
        except redis.RedisError:
            return False
        finally:
            client.close()
