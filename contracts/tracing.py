"""Spans of what goes on, for whoever traces this process; nothing where nobody does.

The stages say what they do; :mod:`app.telemetry` says where it goes, once a process, as it does for logs. Nothing is
imported and nothing is kept until then. Spans carry ids, counts and names of classes; never text, names or paths of documents.
"""

from __future__ import annotations

import contextvars
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from typing import Protocol

__all__ = ["Span", "Tracer", "carried", "install", "span"]

Value = str | int | float | bool


class Span(Protocol):
    """One piece of work that goes on."""

    def set(self, name: str, value: Value) -> None:
        """Add what is known by now."""
        ...


class Tracer(Protocol):
    """Begins spans."""

    def span(self, name: str, attributes: Mapping[str, Value]) -> AbstractContextManager[Span]:
        """A span until the block ends, within the one that goes on; an error that passes through ends it as failed."""
        ...


class _Unseen:
    def set(self, name: str, value: Value) -> None:
        """Nobody traces."""


class _Nobody:
    _nothing = nullcontext(_Unseen())

    def span(self, name: str, attributes: Mapping[str, Value]) -> AbstractContextManager[Span]:
        """Nothing."""
        del name, attributes
        return self._nothing


class _Switch:
    """Who traces this process."""

    def __init__(self) -> None:
        self.tracer: Tracer = _Nobody()


_SWITCH = _Switch()


def install(tracer: Tracer | None) -> None:
    """From now on, spans of this process go there; None: nowhere."""
    _SWITCH.tracer = tracer or _Nobody()


def span(name: str, **attributes: Value) -> AbstractContextManager[Span]:
    """A span around a block.

    Args:
        name: What goes on, such as ``search.lexical``.
        attributes: Ids, counts, classes; no text of documents.
    """
    return _SWITCH.tracer.span(name, attributes)


def carried(work: Callable[[], None]) -> Callable[[], None]:
    """``work`` for another thread, within the span that goes on in this one."""
    return partial(contextvars.copy_context().run, work)
