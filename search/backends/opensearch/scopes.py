"""Numbers of access scopes: filters over tens of thousands of scopes are sets of numbers (``roaring.py``).

A scope gets its number with the first document in it, and keeps it. The numbers stand in the index itself, one record a
number, from 1 without gaps: record n + 1 is only made after record n, and all of them lie in one shard, where writes
have an order. So a process knows all numbers once it has read on to the first that is missing. Where two processes give
one scope two numbers at once, the lower counts, for everybody.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from contracts.errors import IndexUnavailableError
from search.backends.opensearch.heads import CONFLICT

if TYPE_CHECKING:
    from collections.abc import Iterable

    from search.backends.opensearch.server import Server

__all__ = ["ScopeNumbers"]

_ROUTING = "scopes"
_FIRST_PAGE, _LARGEST_PAGE = 4, 4096
_TRIES = 50
_MOST_SETS = 64
"""Sets of scopes whose numbers are kept: readers ask again and again with the same set."""


class ScopeNumbers:
    """Scopes and their numbers in one index. Safe for use by several threads.

    Args:
        server: Where it is.
        index: Its name, for reading.
        own: Its own alias, for writing.
    """

    def __init__(self, server: Server, index: str, own: str) -> None:
        self._server = server
        self._index = index
        self._own = own
        self._lock = threading.Lock()
        self._known: dict[str, int] = {}
        self._sets: dict[frozenset[str], tuple[bool, int, tuple[int, ...]]] = {}
        self._last = 0

    def known(self, scopes: frozenset[str]) -> tuple[int, ...]:
        """Numbers of those scopes that any document was ever in, in order."""
        with self._lock:
            complete, last, numbers = self._sets.get(scopes, (False, -1, ()))
        if complete:
            return numbers
        if any(name not in self._known for name in scopes):
            self._catch_up()
        if last == self._last:
            return numbers
        known, last = self._known, self._last
        numbers = tuple(sorted(known[name] for name in scopes if name in known))
        with self._lock:
            if len(self._sets) >= _MOST_SETS:
                self._sets.pop(next(iter(self._sets)))
            self._sets[scopes] = len(numbers) == len(scopes), last, numbers
        return numbers

    def assign(self, scopes: Iterable[str]) -> dict[str, int]:
        """Numbers of scopes; new ones get theirs.

        Raises:
            IndexUnavailableError: others kept taking the next numbers.
        """
        wanted = dict.fromkeys(scopes)
        known = self._known
        for _ in range(_TRIES):
            if any(name not in known for name in wanted):
                self._catch_up()
            missing = [name for name in wanted if name not in known]
            if not missing:
                return {name: known[name] for name in wanted}
            self._claim(missing, self._last)
        raise IndexUnavailableError("no numbers for new scopes: too many writers at once")

    def _catch_up(self) -> None:
        """Read on to the first number that nobody has."""
        with self._lock:
            size = _FIRST_PAGE
            while self._read(size) == size:
                size = min(8 * size, _LARGEST_PAGE)

    def _read(self, size: int) -> int:
        """Read the next records, as last written; how many there were."""
        ids = [_id(self._last + place) for place in range(1, size + 1)]
        docs = [{"_id": key, "routing": _ROUTING, "_source": ["record"]} for key in ids]
        for place, item in enumerate(self._server.mget(self._index, docs)):
            if not item.get("found"):
                return place
            self._last += 1
            self._known.setdefault(_named(item["_source"]["record"]), self._last)
        return size

    def _claim(self, scopes: list[str], last: int) -> None:
        """Try to give scopes the numbers after the last; numbers that are taken meanwhile stay with whom they have."""
        actions = [
            {
                "_op_type": "create",
                "_index": self._own,
                "_id": _id(last + place),
                "routing": _ROUTING,
                "_source": {"scope_number": last + place, "record": _written(name)},
            }
            for place, name in enumerate(scopes, 1)
        ]
        for _ in self._server.bulk(actions, frozenset({CONFLICT})):
            pass  # a number that was taken is read afterwards


def _id(number: int) -> str:
    return f"scope.{number}"


def _written(name: str) -> str:
    """A name as JSON can carry it, undecodable bytes of a path included."""
    return name.encode("utf-8", "surrogatepass").hex()


def _named(text: str) -> str:
    return bytes.fromhex(text).decode("utf-8", "surrogatepass")
