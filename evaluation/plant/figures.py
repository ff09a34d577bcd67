"""Figures by split and type, times apart from them, and the gate between two runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from evaluation.plant.asking import Asked
from evaluation.plant.judging import NAMES
from evaluation.plant.measures import interval
from evaluation.plant.questions import TYPES

__all__ = ["BETTER", "Falls", "falls", "figures_by_type", "times"]

Falls = list[str]
_SUMS = ("leaks",)
BETTER = (
    "hit_at_1", "hit_at_3", "hit_at_10", "recall_at_10", "mrr", "ndcg_at_10", "answer_right", "right_when_answered", "citation_document",
    "citation_place", "citation_revision", "refusal_precision", "refusal_recall", "groundedness",
)  # fmt: skip
"""Figures that shall not fall."""

WORSE = ("version_answer", "version_shown")
"""Figures that shall not rise."""


def figures_by_type(asked: Sequence[Asked]) -> dict[str, Any]:
    """``all``, ``tune`` and ``test``, each with ``all`` and the types that have questions there; figure → interval.

    ``stages`` counts what was lost where, ``leaks`` is a sum and not a share.
    """
    found: dict[str, Any] = {}
    for split in ("all", "tune", "test"):
        part = [a for a in asked if split in {"all", a.question.split}]
        rows = {"all": part} | {t: [a for a in part if a.question.type == t] for t in TYPES}
        found[split] = {name: _figures(row) for name, row in rows.items() if row}
    return found


def _figures(asked: Sequence[Asked]) -> dict[str, Any]:
    figures: dict[str, Any] = {"questions": len(asked)}
    for name in NAMES:
        values = [a.figures[name] for a in asked]
        figures[name] = int(sum(v or 0 for v in values)) if name in _SUMS else interval(values)
    stages = [a.stage for a in asked if a.stage]
    figures["stages"] = {stage: stages.count(stage) for stage in sorted(set(stages))}
    return figures


def times(asked: Sequence[Asked]) -> dict[str, float]:
    """Milliseconds: median and 95th percentile of searches and answers."""
    found = {}
    for name in ("search_ms", "answer_ms"):
        values = [getattr(a.outcome, name) for a in asked if getattr(a.outcome, name)] or [0.0]
        found[f"{name}_p50"] = round(float(np.percentile(values, 50)), 1)
        found[f"{name}_p95"] = round(float(np.percentile(values, 95)), 1)
    return found


def falls(baseline: Mapping[str, Any], current: Mapping[str, Any]) -> Falls:
    """What has become worse by more than the baseline's interval, in words; empty where nothing has.

    Args:
        baseline: ``seoga eval plant --json`` of before.
        current: The same of now.
    """
    found: Falls = []
    for kind, before in baseline["figures"]["all"].items():
        now = current["figures"]["all"].get(kind)
        if now is None:
            found.append(f"{kind}: 질문이 없어졌습니다 (its questions are gone)")
            continue
        if now["leaks"] > before["leaks"]:
            found.append(f"{kind} leaks: {before['leaks']} → {now['leaks']}")
        for name in (*BETTER, *WORSE):
            if name not in before:  # of an older version, which did not judge it
                continue
            old, new = before[name], now[name]
            if old["value"] is None:
                continue
            if new["value"] is None:
                found.append(f"{kind} {name}: {old['value']} → 판정 없음 (not judged any more)")
            elif (new["value"] < old["low"]) if name in BETTER else (new["value"] > old["high"]):
                found.append(
                    f"{kind} {name}: {old['value']} [{old['low']}, {old['high']}] → {new['value']}"
                )
    return found
