"""The figures as text, as Markdown tables, and as one HTML page with plots drawn here (no script, no library)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

__all__ = ["as_html", "as_markdown", "as_text"]

SHOWN = {
    "hit_at_1": "Hit@1", "hit_at_3": "Hit@3", "hit_at_10": "Hit@10", "recall_at_10": "R@10", "mrr": "MRR", "ndcg_at_10": "nDCG@10",
    "answer_right": "right", "answer_wrong": "wrong", "answer_refused": "refused", "citation_document": "cites", "citation_place": "place",
    "citation_revision": "revision", "refusal_recall": "refuses rightly", "refusal_precision": "refusal precision",
}  # fmt: skip
_PLOTTED = ("hit_at_1", "recall_at_10", "answer_right", "refusal_recall")


def as_text(found: Mapping[str, Any]) -> str:
    """For a terminal: figures by type, of all questions, then of both splits together."""
    lines = [_head(found)]
    for split in ("all", "tune", "test"):
        lines.append(f"\n[{split}]")
        lines.append("type          n " + " ".join(f"{name:>17}" for name in SHOWN.values()))
        for kind, figures in found["figures"][split].items():
            cells = " ".join(f"{_cell(figures[name]):>17}" for name in SHOWN)
            lines.append(f"{kind:12} {figures['questions']:4} {cells}")
    return "\n".join([*lines, "", _tail(found)])


def as_markdown(found: Mapping[str, Any]) -> str:
    """Tables for a report in the documentation."""
    lines = [_head(found), ""]
    for split in ("all", "test", "tune"):
        names = ["type", "n", *SHOWN.values()]
        lines += [f"### {split}", "", f"| {' | '.join(names)} |", "|---" * len(names) + "|"]
        for kind, figures in found["figures"][split].items():
            cells = [kind, str(figures["questions"]), *(_cell(figures[name]) for name in SHOWN)]
            lines.append(f"| {' | '.join(cells)} |")
        lines.append("")
    return "\n".join([*lines, _tail(found), ""])


def _cell(figure: Mapping[str, Any]) -> str:
    if figure["value"] is None:
        return "–"
    return f"{figure['value']:.3f} ({figure['low']:.2f}–{figure['high']:.2f})"


def _head(found: Mapping[str, Any]) -> str:
    return (
        f"{found['documents']} documents, {found['chunks']} chunks, {found['questions']} questions, seed {found['seed']}; "
        f"embedder {found['embedder']}, tokenizer {found['tokenizer']}; files: {found['outcomes']}"
    )


def _tail(found: Mapping[str, Any]) -> str:
    every = found["figures"]["all"]["all"]
    asked = every["version_answer"]
    lines = [
        f"Permission leaks: {every['leaks']} passages.",
        f"Version errors: an earlier revision's value told in {_cell(asked)} of {asked['n']} questions that have one, shown first without a mark in {_cell(every['version_shown'])}.",
        f"Lost by stage: {every['stages']}.",
    ]
    took = found["times"]
    lines.append("Times: " + ", ".join(f"{name} {took[name]}" for name in sorted(took)) + ".")
    return "\n\n".join(lines)


def as_html(found: Mapping[str, Any]) -> str:
    """One page: plots of four figures by type with their intervals, and the table."""
    plots = "".join(_plot(found["figures"]["all"], name) for name in _PLOTTED)
    rows = "".join(
        f"<tr><th>{escape(kind)}</th><td>{figures['questions']}</td>"
        + "".join(f"<td>{_cell(figures[name])}</td>" for name in SHOWN)
        + "</tr>"
        for kind, figures in found["figures"]["all"].items()
    )
    names = "".join(f"<th>{escape(name)}</th>" for name in SHOWN.values())
    style = "body{font:14px sans-serif;margin:2em}table{border-collapse:collapse}td,th{border:1px solid #ccc;padding:3px 6px;text-align:right}"
    tail = "".join(f"<p>{escape(part)}</p>" for part in _tail(found).split("\n\n"))
    return (
        f'<!doctype html><html lang="ko"><meta charset="utf-8"><title>Plant benchmark</title><style>{style}</style>'
        f"<h1>Plant benchmark</h1><p>{escape(_head(found))}</p>{plots}"
        f"<table><tr><th>type</th><th>n</th>{names}</tr>{rows}</table>{tail}</html>\n"
    )


def _plot(by_type: Mapping[str, Any], name: str) -> str:
    """Dots with whiskers, a line a type."""
    kinds = [kind for kind in by_type if by_type[kind][name]["value"] is not None]
    left, wide, step = 110, 420, 20
    high = 44 + step * len(kinds)
    parts = [f'<text x="8" y="16" font-weight="bold">{escape(SHOWN[name])}</text>']
    for tenth in range(0, 11, 2):
        x = left + wide * tenth / 10
        parts.append(f'<line x1="{x:.0f}" x2="{x:.0f}" y1="24" y2="{high - 16}" stroke="#ddd"/>')
        parts.append(f'<text x="{x:.0f}" y="{high - 2}" text-anchor="middle">{tenth / 10:g}</text>')
    for place, kind in enumerate(kinds):
        parts += _dot(by_type[kind][name], kind, left, wide, 34 + step * place)
    return f'<svg width="{left + wide + 60}" height="{high}" font-size="12" font-family="sans-serif">{"".join(parts)}</svg>'


def _dot(figure: Mapping[str, Any], kind: str, left: int, wide: int, y: int) -> Sequence[str]:
    low, value, high = (left + wide * figure[n] for n in ("low", "value", "high"))
    return (
        f'<text x="8" y="{y + 4}">{escape(kind)}</text>',
        f'<line x1="{low:.1f}" x2="{high:.1f}" y1="{y}" y2="{y}" stroke="#357" stroke-width="2"/>',
        f'<circle cx="{value:.1f}" cy="{y}" r="4" fill="#357"/>',
    )
