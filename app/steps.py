"""What the steps of ``ingest.steps`` need of the wiring."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.directories import refresh_snapshot
from app.wiring import source_run, source_settings

if TYPE_CHECKING:
    from collections.abc import Callable

    from ingest.kit import Kit
    from ingest.steps import StepKit

__all__ = ["step_kit"]


def step_kit(kit: Kit, progress: Callable[[str], None] | None = None) -> StepKit:
    """Steps over an open kit; threads may share it.

    Args:
        kit: Stores and tools.
        progress: Told, in one line, how far a long step has come.
    """
    from ingest.steps import StepKit

    return StepKit(
        kit=kit,
        settings_of=lambda name: source_settings(kit.catalog, name),
        run_of=lambda name: source_run(kit, source_settings(kit.catalog, name)),
        refresh_directory=lambda realm: refresh_snapshot(kit.settings, kit.catalog, realm),
        progress=progress or (lambda _line: None),
    )
