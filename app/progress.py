"""A line of progress on a terminal, nothing elsewhere."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["progress"]


@contextlib.contextmanager
def progress(
    title: str, *, quiet: bool, counted: bool = True
) -> Iterator[Callable[[str, int | None, int | None], None]]:
    """Shows how far something has come.

    Args:
        title: Shown until the first update says something else.
        quiet: Show nothing.
        counted: A bar with numbers; else only that something is going on.

    Yields:
        ``update(text, done, total)``; an empty text keeps the one before, None keeps the number.
    """
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        ProgressColumn,
        SpinnerColumn,
        TextColumn,
        TimeElapsedColumn,
    )

    console = Console(stderr=True)
    if quiet or not console.is_terminal:
        yield lambda _text, _done, _total: None
        return
    bar: list[ProgressColumn] = [BarColumn(), MofNCompleteColumn()] if counted else []
    spinner: list[ProgressColumn] = [] if counted else [SpinnerColumn()]
    columns = (*spinner, TextColumn("{task.description}"), *bar, TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True) as shown:
        task = shown.add_task(title, total=None)

        def update(text: str, done: int | None, total: int | None) -> None:
            said = text.encode("utf-8", "replace").decode() or None
            shown.update(task, description=said, completed=done, total=total)

        yield update
