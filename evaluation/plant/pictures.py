"""The figures as one HTML page with plots drawn here: no script, no library, nothing from another host."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Any

from evaluation.plant.report import SHOWN, cell, head, tail

__all__ = ["as_html"]

_PLOTTED = ("hit_at_1", "recall_at_10", "ndcg_at_10", "groundedness")
_GOOD, _BAD, _NONE = "#1b7f4d", "#b3261e", "#b9c0c7"
_STAGES = {
    "parse": "#5b3a8c", "chunk": "#8c5ba6", "retrieve": "#b3261e", "rank": "#d97706", "answer": "#e8b84a", "access": "#000",
}  # fmt: skip
_LEFT, _WIDE, _STEP = 110, 380, 22
_STYLE = (
    "body{font:14px/1.5 sans-serif;margin:2em auto;max-width:1120px;padding:0 1em;color:#1c1f23}"
    "h1{font-size:22px}h2{font-size:17px;margin:1.6em 0 .4em}.plots{display:flex;flex-wrap:wrap;gap:12px 24px}"
    ".wide{overflow-x:auto}table{border-collapse:collapse;font-size:12px;white-space:nowrap}"
    "td,th{border:1px solid #d5d9dd;padding:3px 6px;text-align:right}th:first-child{text-align:left}p{max-width:80em}"
)
Bars = Sequence[tuple[str, Sequence[tuple[float, str]]]]


def as_html(found: Mapping[str, Any]) -> str:
    """One page: what came of the questions by type, figures with their intervals, what was lost where, times, and the tables."""
    by_type = found["figures"]["all"]
    plots = "".join(_intervals(by_type, name) for name in _PLOTTED)
    words = {"맞음 (right)": _GOOD, "틀림 (wrong)": _BAD, "거절 (refused)": _NONE}
    answerable = _stacked("답할 수 있는 질문 (answerable)", _answers(by_type), words)
    words = {"거절 (refused)": _GOOD, "답함 (answered)": _BAD}
    unanswerable = _stacked(
        "답할 수 없는 질문 (unanswerable, not permitted)", _refusals(by_type), words
    )
    lost = _stacked("어디서 잃었나 (lost by stage)", _lost(by_type), _STAGES)
    return (
        f'<!doctype html><html lang="ko"><meta charset="utf-8"><meta name="viewport" content="width=device-width">'
        f"<title>Plant benchmark</title><style>{_STYLE}</style>"
        f"<h1>가상 공장 벤치마크 (Plant benchmark)</h1><p>{escape(head(found))}</p>"
        f'<h2>답 (answers)</h2><div class="plots">{answerable}{unanswerable}{lost}</div>'
        f'<h2>검색과 근거, 95 % 구간 (retrieval and grounds, 95 % intervals)</h2><div class="plots">{plots}</div>'
        f'<h2>시간 (time)</h2><div class="plots">{_times(found["times"])}</div>'
        + "".join(_table(split, found["figures"][split]) for split in ("all", "test", "tune"))
        + "".join(f"<p>{escape(part)}</p>" for part in tail(found).split("\n\n"))
        + "</html>\n"
    )


def _answers(by_type: Mapping[str, Any]) -> Bars:
    names = (("answer_right", _GOOD), ("answer_wrong", _BAD), ("answer_refused", _NONE))
    judged = {k: f for k, f in by_type.items() if f["answer_right"]["value"] is not None}
    return [(k, [(f[name]["value"], colour) for name, colour in names]) for k, f in judged.items()]


def _refusals(by_type: Mapping[str, Any]) -> Bars:
    judged = {k: f["refusal_recall"]["value"] for k, f in by_type.items()}
    return [
        (kind, [(share, _GOOD), (1 - share, _BAD)])
        for kind, share in judged.items()
        if share is not None
    ]


def _lost(by_type: Mapping[str, Any]) -> Bars:
    return [
        (kind, [(f["stages"].get(s, 0) / f["questions"], colour) for s, colour in _STAGES.items()])
        for kind, f in by_type.items()
    ]


def _stacked(title: str, bars: Bars, legend: Mapping[str, str]) -> str:
    """Shares of the questions of each type, a bar a type."""
    parts = _axis(title, len(bars), 18)
    at = 8
    for name, colour in legend.items():
        parts.append(f'<rect x="{at}" y="26" width="10" height="10" fill="{colour}"/>')
        parts.append(f'<text x="{at + 14}" y="35">{escape(name)}</text>')
        at += 26 + 8 * len(name)
    for place, (kind, shares) in enumerate(bars):
        y, x = 46 + _STEP * place, float(_LEFT)
        parts.append(f'<text x="8" y="{y + 12}">{escape(kind)}</text>')
        for share, colour in shares:
            wide = _WIDE * share
            said = f"{escape(kind)}: {share:.3f}"
            parts.append(
                f'<rect x="{x:.1f}" y="{y}" width="{wide:.1f}" height="15" fill="{colour}"><title>{said}</title></rect>'
            )
            x += wide
    return _svg(title, parts, 64 + _STEP * len(bars))


def _intervals(by_type: Mapping[str, Any], name: str) -> str:
    """Dots with whiskers, a line a type."""
    kinds = [kind for kind in by_type if by_type[kind][name]["value"] is not None]
    parts = _axis(SHOWN[name], len(kinds), 0)
    for place, kind in enumerate(kinds):
        y = 36 + _STEP * place
        low, value, high = (
            _LEFT + _WIDE * by_type[kind][name][n] for n in ("low", "value", "high")
        )
        parts += [
            f'<text x="8" y="{y + 4}">{escape(kind)}</text>',
            f'<line x1="{low:.1f}" x2="{high:.1f}" y1="{y}" y2="{y}" stroke="#357" stroke-width="2"/>',
            f'<circle cx="{value:.1f}" cy="{y}" r="4" fill="#357"><title>{cell(by_type[kind][name])}</title></circle>',
        ]
    return _svg(SHOWN[name], parts, 46 + _STEP * len(kinds))


def _axis(title: str, lines: int, below: int) -> list[str]:
    """Title and a grid from 0 to 1."""
    high = 46 + below + _STEP * lines
    parts = [f'<text x="8" y="16" font-weight="bold">{escape(title)}</text>']
    for tenth in range(0, 11, 2):
        x = _LEFT + _WIDE * tenth / 10
        parts.append(
            f'<line x1="{x:.0f}" x2="{x:.0f}" y1="{24 + below}" y2="{high - 16}" stroke="#dde1e5"/>'
        )
        parts.append(
            f'<text x="{x:.0f}" y="{high - 3}" text-anchor="middle" fill="#59636e">{tenth / 10:g}</text>'
        )
    return parts


def _times(times: Mapping[str, Any]) -> str:
    """Seconds of the clock and of the processor by stage."""
    stages = [s for s in ("build", "ingest", "ask") if f"{s}_seconds" in times]
    most = max(times[f"{stage}_seconds"] for stage in stages) or 1.0
    title = f"초 (seconds); 부하 (load) {times['load']}, 코어 (cores) {times['cores']}"
    parts = [f'<text x="8" y="16" font-weight="bold">{escape(title)}</text>']
    for place, stage in enumerate(stages):
        y = 28 + 34 * place
        clock, cpu = times[f"{stage}_seconds"], times[f"{stage}_cpu_seconds"]
        parts.append(f'<text x="8" y="{y + 16}">{stage}</text>')
        for row, (value, colour, name) in enumerate(
            ((clock, "#8fa3b8", "시계 (clock)"), (cpu, "#357", "프로세서 (CPU)"))
        ):
            wide = (_WIDE - 120) * min(1.0, value / most)
            parts.append(
                f'<rect x="{_LEFT}" y="{y + 13 * row}" width="{wide:.1f}" height="11" fill="{colour}"/>'
            )
            parts.append(
                f'<text x="{_LEFT + wide + 6:.1f}" y="{y + 10 + 13 * row}">{value:g} {name}</text>'
            )
    return _svg(title, parts, 34 + 34 * len(stages))


def _svg(title: str, parts: Iterable[str], high: float) -> str:
    return (
        f'<svg role="img" aria-label="{escape(title)}" width="{_LEFT + _WIDE + 30}" height="{high:.0f}" '
        f'font-size="12" font-family="sans-serif">{"".join(parts)}</svg>'
    )


def _table(split: str, by_type: Mapping[str, Any]) -> str:
    names = "".join(f"<th>{escape(name)}</th>" for name in SHOWN.values())
    rows = "".join(
        f"<tr><th>{escape(kind)}</th><td>{figures['questions']}</td>"
        + "".join(f"<td>{cell(figures[name])}</td>" for name in SHOWN)
        + "</tr>"
        for kind, figures in by_type.items()
    )
    return f'<h2>{split}</h2><div class="wide"><table><tr><th>type</th><th>n</th>{names}</tr>{rows}</table></div>'
