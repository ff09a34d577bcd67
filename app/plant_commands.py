"""``seoga eval plant`` and ``seoga eval gate``: the plant benchmark, and what has become worse since."""

from __future__ import annotations

import contextlib
import json
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

__all__ = ["gate", "plant"]

_SEED, _DOCUMENTS = 11, 400
_SIZE = click.IntRange(100, 1_000_000)


@click.command("plant")
@click.option(
    "--documents",
    type=_SIZE,
    default=_DOCUMENTS,
    show_default=True,
    help="문서 수 (files on the drive).",
)
@click.option("--seed", type=click.IntRange(0), default=_SEED, show_default=True)
@click.option(
    "--questions",
    "scale",
    type=click.FloatRange(0.1, 20),
    default=1.0,
    show_default=True,
    help="질문 수의 배수 (times the questions of each type).",
)
@click.option("--no-scans", is_flag=True, help="스캔 없이, OCR 없이 (no scans, no recognition).")
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    help="드라이브, 질문, 실패 기록, 보고서를 남길 빈 폴더 (an empty folder that keeps all).",
)
@click.option(
    "--only-build",
    is_flag=True,
    help="만들기만 하고 묻지 않음 (write the drive and the questions, ask nothing); --out.",
)
@click.option(
    "--again",
    is_flag=True,
    help="전에 --out 에 남긴 드라이브와 색인에 다시 묻기만 (ask the drive and index that --out kept once more).",
)
@click.option(
    "--report",
    type=click.Path(dir_okay=False, path_type=Path),
    help="표를 Markdown 으로도 (tables as Markdown, too).",
)
@click.option(
    "--html",
    type=click.Path(dir_okay=False, path_type=Path),
    help="그림이 든 보고서를 HTML 파일 하나로 (a report with plots in one file).",
)
@click.option("--json", "as_json", is_flag=True, help="JSON 으로 출력.")
def plant(  # noqa: PLR0913  one argument an option
    *, documents: int, seed: int, scale: float, no_scans: bool, out: Path | None, only_build: bool, again: bool, report: Path | None, html: Path | None, as_json: bool
) -> None:  # fmt: skip
    """가상 부품사의 드라이브를 만들어 수집하고, 답을 아는 질문을 각 독자로 (a fictional plant: built, ingested, asked).

    Figures are the same to the digit for the same seed and sizes; only times differ.
    """
    if (only_build or again) and out is None:
        raise click.UsageError("--only-build, --again 에는 --out 이 필요합니다 (need --out)")
    with _folder(out, again=again) as folder:
        if only_build:
            from evaluation.plant.build import build

            made = build(folder, seed, documents, scans=not no_scans, scale=scale)
            _tell(
                f"문서 (documents) {made.documents}, 질문 (questions) {len(made.questions)}: {folder}"
            )
            return
        found = _run(folder, seed, documents, scale, scans=not no_scans, again=again)
    from evaluation.plant.pictures import as_html
    from evaluation.plant.report import as_markdown, as_text

    if html is not None:
        html.write_text(as_html(found), encoding="utf-8")
    if report is not None:
        report.write_text(as_markdown(found), encoding="utf-8")
    if as_json:
        click.echo(json.dumps(found, ensure_ascii=False))
    else:
        click.echo(as_text(found))


def _run(
    folder: Path, seed: int, documents: int, scale: float, *, scans: bool, again: bool = False
) -> dict[str, Any]:
    from app.plant_bench import Stages, run_plant
    from contracts.settings import load_settings
    from evaluation.plant.build import build
    from evaluation.plant.pictures import as_html

    stages = Stages()
    made = build(folder, seed, documents, scans=scans, scale=scale, written=again)
    spent = stages.end("build")
    _tell(f"생성 (built): 문서 {made.documents}, 질문 {len(made.questions)}, {spent:.0f}초")
    outcomes = _kept(folder) if again else None
    found, asked = run_plant(load_settings(), made, folder / "home", _tell, stages, outcomes)
    found = {"seed": seed, "scans": scans, "scale": scale, **found}
    with (folder / "failures.jsonl").open("w", encoding="utf-8") as file:
        for one in asked:
            if one.stage:
                file.write(json.dumps(one.record, ensure_ascii=False) + "\n")
    with (folder / "asked.jsonl").open("w", encoding="utf-8") as file:
        for one in asked:
            file.write(json.dumps(one.record, ensure_ascii=False) + "\n")
    (folder / "figures.json").write_text(json.dumps(found, ensure_ascii=False), encoding="utf-8")
    (folder / "report.html").write_text(as_html(found), encoding="utf-8")
    return found


def _kept(folder: Path) -> dict[str, int]:
    """Outcomes of the ingest that a folder keeps."""
    try:
        found: dict[str, int] = _json(folder / "figures.json")["outcomes"]
    except (OSError, KeyError, TypeError, ValueError) as problem:
        raise click.UsageError(
            f"{folder}: 끝까지 수집한 적이 없습니다 (was never taken in to the end): {problem!r}"
        ) from problem
    return found


def _json(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


@contextlib.contextmanager
def _folder(out: Path | None, *, again: bool = False) -> Iterator[Path]:
    """The folder that was named, which must be empty unless it is asked again, or one for now."""
    if out is None:
        with tempfile.TemporaryDirectory(prefix="seoga-plant-") as scratch:
            yield Path(scratch)
        return
    out.mkdir(parents=True, exist_ok=True)
    if not again and any(out.iterdir()):
        raise click.UsageError(f"{out}: 빈 폴더가 아닙니다 (not an empty folder)")
    yield out


def _tell(line: str) -> None:
    click.echo(line, err=True)


@click.command("gate")
@click.option(
    "--baseline",
    required=True,
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="전에 낸 JSON (of `seoga eval plant --json`).",
)
@click.option(
    "--current",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="지금 것; 없으면 같은 크기로 새로 잼 (else measured now).",
)
def gate(*, baseline: Path, current: Path | None) -> None:
    """전보다 나빠진 수치가 있으면 종료 코드 1 (exit 1 where a figure has fallen below the interval of the baseline)."""
    from evaluation.plant.figures import falls

    before = _read(baseline)
    if current is not None:
        now = _read(current)
        for name in ("seed", "documents", "scans", "scale"):
            if now[name] != before[name]:
                raise click.UsageError(
                    f"{name}: {before[name]} → {now[name]}; 같은 크기로 재야 합니다 (must be alike)"
                )
    else:
        with _folder(None) as folder:
            now = _run(
                folder, before["seed"], before["documents"], before["scale"], scans=before["scans"]
            )
    found = falls(before, now)
    for line in found:
        click.echo(line)
    click.echo(f"나빠진 것 (worse): {len(found)}")
    _note_gate(baseline, now, len(found))
    sys.exit(1 if found else 0)


def _note_gate(baseline: Path, now: dict[str, Any], worse: int) -> None:
    """For ``seoga doctor --adoption`` and the dashboard, where there is an installation."""
    from app.evaluations import keep_gate
    from app.noted import GATE, has_catalog, note
    from app.wiring import open_catalog
    from contracts.settings import load_settings

    settings = load_settings()
    if has_catalog(settings):
        with open_catalog(settings) as catalog:
            note(catalog, GATE, {"baseline": str(baseline.resolve()), "worse": worse})
            keep_gate(catalog, baseline, now, worse)


def _read(path: Path) -> dict[str, Any]:
    try:
        found = _json(path)
        found["figures"]["all"]["all"]["hit_at_1"]["low"]
        return {name: found[name] for name in ("seed", "documents", "scans", "scale", "figures")}
    except (KeyError, TypeError, ValueError) as problem:
        raise click.UsageError(
            f"{path}: seoga eval plant --json 이 낸 것이 아닙니다 (not made by it): {problem!r}"
        ) from problem
