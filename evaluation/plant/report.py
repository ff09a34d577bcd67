"""The figures as text and as Markdown tables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

__all__ = ["SHOWN", "as_markdown", "as_text", "cell", "head", "tail"]

SHOWN = {
    "hit_at_1": "Hit@1", "hit_at_3": "Hit@3", "hit_at_10": "Hit@10", "recall_at_10": "R@10", "mrr": "MRR", "ndcg_at_10": "nDCG@10",
    "answer_right": "right", "answer_wrong": "wrong", "answer_refused": "refused", "citation_document": "cites", "citation_place": "place",
    "citation_revision": "revision", "groundedness": "grounded", "refusal_recall": "refuses rightly", "refusal_precision": "refusal precision",
}  # fmt: skip
"""Figures of the tables, and what they are called there."""


def as_text(found: Mapping[str, Any]) -> str:
    """For a terminal: figures by type, of all questions, then of both splits together."""
    lines = [head(found)]
    for split in ("all", "tune", "test"):
        lines.append(f"\n[{split}]")
        lines.append("type          n " + " ".join(f"{name:>17}" for name in SHOWN.values()))
        for kind, figures in found["figures"][split].items():
            cells = " ".join(f"{cell(figures[name]):>17}" for name in SHOWN)
            lines.append(f"{kind:12} {figures['questions']:4} {cells}")
    return "\n".join([*lines, "", tail(found)])


def as_markdown(found: Mapping[str, Any]) -> str:
    """Tables for a report in the documentation."""
    lines = [head(found), ""]
    for split in ("all", "test", "tune"):
        names = ["type", "n", *SHOWN.values()]
        lines += [f"### {split}", "", f"| {' | '.join(names)} |", "|---" * len(names) + "|"]
        for kind, figures in found["figures"][split].items():
            cells = [kind, str(figures["questions"]), *(cell(figures[name]) for name in SHOWN)]
            lines.append(f"| {' | '.join(cells)} |")
        lines.append("")
    return "\n".join([*lines, tail(found), ""])


def cell(figure: Mapping[str, Any]) -> str:
    """A figure with its interval, or a dash."""
    if figure["value"] is None:
        return "–"
    return f"{figure['value']:.3f} ({figure['low']:.2f}–{figure['high']:.2f})"


def head(found: Mapping[str, Any]) -> str:
    """What was run."""
    return (
        f"{found['documents']} documents, {found['chunks']} chunks, {found['questions']} questions, seed {found['seed']}; "
        f"embedder {found['embedder']}, tokenizer {found['tokenizer']}; files: {found['outcomes']}"
    )


def tail(found: Mapping[str, Any]) -> str:
    """Leaks, version errors, what was lost where, and the times."""
    every = found["figures"]["all"]["all"]
    asked = every["version_answer"]
    lines = [
        f"Permission leaks: {every['leaks']} passages.",
        f"Version errors: an earlier revision's value told in {cell(asked)} of {asked['n']} questions that have one, shown first without a mark in {cell(every['version_shown'])}.",
        f"Lost by stage: {every['stages']}.",
    ]
    took = found["times"]
    lines.append("Times: " + ", ".join(f"{name} {took[name]}" for name in sorted(took)) + ".")
    return "\n\n".join(lines)
