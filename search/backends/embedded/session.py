"""A connection for reading, with what it keeps between searches."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from search.backends.embedded.database import connect, read_meta, transaction
from search.backends.embedded.passages import LiveRows
from search.backends.embedded.view import FilterView

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from search.backends.embedded.database import Connection

__all__ = ["Session"]


class Session:
    """A connection for reading, with its temporary tables; used by one thread at a time."""

    def __init__(self, path: Path) -> None:
        self.connection: Connection = connect(path)
        self.view = FilterView(self.connection)
        self.live = LiveRows()
        self.meta: dict[str, Any] = {}

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """One read transaction, ``meta`` read."""
        try:
            with transaction(self.connection, write=False):
                self.meta = read_meta(self.connection)
                yield
        except BaseException:
            self.view.forget()
            raise
