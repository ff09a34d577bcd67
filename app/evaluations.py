"""What the commands of the evaluation keep in the catalog, for the dashboard to show over time."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

from catalog.evaluations import GATE, GOLDEN, Evaluation

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from catalog.catalog import Catalog

__all__ = ["keep_gate", "keep_golden"]

_COUNTS = frozenset({"questions", "answerable"})


def keep_golden(catalog: Catalog, golden: Path, found: Mapping[str, Any], made_with: str) -> None:
    """Keep the figures of a golden set, those that could be judged.

    Args:
        catalog: Where they are kept.
        golden: The file of the questions.
        found: See :func:`evaluation.golden.run_golden`.
        made_with: Embedder and analyzer.
    """
    figures = {
        name: float(value)
        for name, value in found.items()
        if isinstance(value, (int, float)) and name not in _COUNTS
    }
    catalog.evaluations.add(
        Evaluation(
            kind=GOLDEN,
            name=golden.name,
            digest=_digest(golden),
            questions=int(found["questions"]),
            made_with=made_with,
            figures=figures,
        )
    )


def keep_gate(catalog: Catalog, baseline: Path, now: Mapping[str, Any], worse: int) -> None:
    """Keep what a gate measured over all questions, and how many figures have become worse.

    Args:
        catalog: Where it is kept.
        baseline: The file of the figures before.
        now: ``seoga eval plant --json`` of now.
        worse: How many figures have become worse.
    """
    every = now["figures"]["all"]["all"]
    figures = {
        name: float(one["value"])
        for name, one in every.items()
        if isinstance(one, dict) and one.get("value") is not None
    }
    figures |= {"leaks": float(every["leaks"]), "worse": float(worse)}
    catalog.evaluations.add(
        Evaluation(
            kind=GATE,
            name=baseline.name,
            digest=_digest(baseline),
            questions=int(every["questions"]),
            figures=figures,
        )
    )


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
