"""A TCP proxy before a server, which can cut its connections, refuse new ones or swallow what is sent."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Callable, Coroutine
from typing import Any, Self, TypeVar

from harness.process import free_port

__all__ = ["Proxy"]

_BLOCK = 1 << 16
_T = TypeVar("_T")


class Proxy:
    """Forwards a loopback port to another one; runs in a thread of its own.

    Args:
        target: The server's port.
    """

    def __init__(self, target: int) -> None:
        self.port = free_port()
        self._target = target
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="proxy", daemon=True)
        self._server: asyncio.Server | None = None
        self._writers: set[asyncio.StreamWriter] = set()
        self._flowing = asyncio.Event()

    def __enter__(self) -> Self:
        self._thread.start()
        self._call(self._listen())
        self.pass_on()
        return self

    def __exit__(self, *_: object) -> None:
        self.refuse()
        self._call(_called(self._flowing.set))
        self._call(_settled())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def cut(self) -> int:
        """Reset every connection; new ones are welcome.

        Returns:
            How many ends were reset.
        """
        return self._call(self._cut())

    def refuse(self) -> None:
        """Reset every connection, and refuse new ones until ``pass_on``."""
        self._call(self._close())
        self.cut()

    def swallow(self) -> None:
        """Let nothing through, of old connections or new ones, until ``pass_on`` (which goes on with the held bytes)."""
        self._call(_called(self._flowing.clear))

    def pass_on(self) -> None:
        """Work as a proxy again."""
        self._call(_called(self._flowing.set))
        if self._server is None:
            self._call(self._listen())

    def _call(self, work: Coroutine[Any, Any, _T]) -> _T:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(timeout=30)

    async def _listen(self) -> None:
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", self.port)

    async def _close(self) -> None:
        if self._server is not None:
            self._server.close()
            self._server = None

    async def _cut(self) -> int:
        writers = list(self._writers)
        for writer in writers:
            writer.transport.abort()
        return len(writers)

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await self._flowing.wait()
            up_reader, up_writer = await asyncio.open_connection("127.0.0.1", self._target)
        except OSError:
            writer.transport.abort()
            return
        ends = {writer, up_writer}
        self._writers |= ends
        try:
            await asyncio.gather(self._pump(reader, up_writer), self._pump(up_reader, writer))
        finally:
            self._writers -= ends
            for end in ends:
                end.transport.abort()

    async def _pump(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError):
            while data := await reader.read(_BLOCK):
                await self._flowing.wait()
                writer.write(data)
                await writer.drain()
            if writer.can_write_eof():
                writer.write_eof()
            return
        writer.transport.abort()


async def _called(work: Callable[[], None]) -> None:
    work()


async def _settled() -> None:
    """Let what was reset come to its end."""
    tasks = asyncio.all_tasks() - {asyncio.current_task()}
    if tasks:
        await asyncio.wait(tasks, timeout=5)
