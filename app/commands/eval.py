"""``seoga eval``: retrieval figures."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from contracts.ports import IndexBackend

__all__ = ["command"]

_LEGS = {"hybrid": None, "bm25": 0.0, "vectors": 1.0}


@click.group("eval", short_help="검색 품질 평가 (retrieval figures and benches).")
def command() -> None:
    """검색 품질을 잽니다 (measure retrieval)."""


@command.command("korquad")
@click.option("--data", required=True, type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--questions", type=click.IntRange(1), default=800, show_default=True)
@click.option("--leg", type=click.Choice(sorted(_LEGS)), default="hybrid", show_default=True)
@click.option(
    "--tokenizer",
    type=click.Choice(["mecab", "kiwi", "bigram"]),
    help="기본값은 설정 (default: the setting).",
)
@click.option(
    "--work",
    type=click.Path(file_okay=False, path_type=Path),
    help="색인을 남길 폴더 (keep the index here).",
)
@click.option("--json", "as_json", is_flag=True, help="JSON 으로 출력.")
def korquad(
    *, data: Path, questions: int, leg: str, tokenizer: str | None, work: Path | None, as_json: bool
) -> None:
    """KorQuAD 1.0 문단 검색을 실제 색인과 순위로 (KorQuAD through the real index and ranking)."""
    import tempfile

    from contracts.settings import load_settings
    from evaluation.korquad import run_korquad
    from search.analysis import Analyzer
    from search.backends.registry import make_index
    from search.embedding.registry import make_embedder

    settings = load_settings()
    embedder = make_embedder(settings.embedder, settings.home)
    analyzer = Analyzer(tokenizer or settings.search.tokenizer)
    weight = _LEGS[leg]
    ranking = settings.search
    if weight is not None:
        ranking = ranking.model_copy(update={"vector_weight": weight})

    def open_index(home: Path) -> IndexBackend:
        fingerprint = f"{embedder.fingerprint}|{analyzer.fingerprint}"
        return make_index(settings.index, home, embedder.dimension, fingerprint, ranking)

    with tempfile.TemporaryDirectory(prefix="seoga-korquad-") as scratch:
        found = run_korquad(
            data, questions, embedder, analyzer, open_index, work or Path(scratch), ranking
        )
    _print(
        {**found, "leg": leg, "embedder": embedder.name, "tokenizer": analyzer.name},
        as_json=as_json,
    )


@command.command("refusal")
@click.option("--data", required=True, type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--questions", type=click.IntRange(2), default=800, show_default=True)
@click.option(
    "--fit",
    "others",
    type=click.IntRange(1),
    help="다른 질문 N개로 모형을 새로 맞춤 (fit anew on others).",
)
@click.option(
    "--work",
    type=click.Path(file_okay=False, path_type=Path),
    help="색인을 남길 폴더 (keep the index here).",
)
@click.option("--json", "as_json", is_flag=True, help="JSON 으로 출력.")
def refusal(
    *, data: Path, questions: int, others: int | None, work: Path | None, as_json: bool
) -> None:
    """답할 때와 거절할 때: KorQuAD 절반은 근거를 숨기고 물음 (risk and coverage, half without their paragraph)."""
    import tempfile

    from contracts.settings import load_settings
    from evaluation.korquad import NoAccess, NoAudit
    from evaluation.refusal import run_refusal
    from search.analysis import Analyzer
    from search.backends.registry import make_index
    from search.embedding.registry import make_embedder
    from search.service import Searcher

    settings = load_settings()
    embedder = make_embedder(settings.embedder, settings.home)
    analyzer = Analyzer(settings.search.tokenizer)
    fingerprint = f"{embedder.fingerprint}|{analyzer.fingerprint}"
    with tempfile.TemporaryDirectory(prefix="seoga-refusal-") as scratch:
        home = work or Path(scratch)
        index = make_index(settings.index, home, embedder.dimension, fingerprint, settings.search)
        try:
            ranking = settings.search
            searcher = Searcher(index, embedder, analyzer, NoAccess(), NoAudit(), ranking)
            found = run_refusal(data, questions, searcher, index, others=others or 0)
        finally:
            index.close()
    _print(found, as_json=as_json)


@command.command("run")
@click.argument("golden", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--top", type=click.IntRange(1, 100), default=10, show_default=True)
@click.option("--json", "as_json", is_flag=True, help="JSON 으로 출력.")
def run(golden: Path, *, top: int, as_json: bool) -> None:
    """GOLDEN.jsonl 의 질문을 각 독자의 권한으로 (each question of a golden set as its reader)."""
    from app.wiring import answerer_of, open_searcher
    from contracts.settings import load_settings
    from evaluation.golden import read_golden, run_golden

    settings = load_settings()
    lines = read_golden(golden)
    with open_searcher(settings, "eval") as searcher:
        found = run_golden(lines, searcher.search, answerer_of(settings, searcher).answer, top)
    _print(found, as_json=as_json)


def _print(found: dict[str, object], *, as_json: bool) -> None:
    if as_json:
        click.echo(json.dumps(found, ensure_ascii=False))
        return
    for name, value in found.items():
        shown = f"{value:.4f}" if isinstance(value, float) else str(value)
        click.echo(f"{name}: {shown}")
