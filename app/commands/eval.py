"""``seoga eval``: retrieval figures."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from app.plant_commands import gate, plant

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from contracts.ports import Embedder, IndexBackend
    from contracts.settings import Settings
    from evaluation.bench_texts import BenchTexts
    from search.analysis import Analyzer

__all__ = ["command"]

_LEGS = {"hybrid": None, "bm25": 0.0, "vectors": 1.0}


@click.group("eval", short_help="검색 품질 평가 (retrieval figures and benches).")
def command() -> None:
    """검색 품질을 잽니다 (measure retrieval)."""


@command.command("legs")
@click.argument("golden", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="JSON 으로 출력.")
def legs(*, golden: Path, as_json: bool) -> None:
    """낱말만, 벡터만, 검색 전체를 GOLDEN 질문으로 견줌 (each leg alone beside the whole search)."""
    from datetime import datetime

    from app.wiring import open_search_parts
    from contracts.settings import load_settings
    from evaluation.golden import read_golden
    from evaluation.legs import compare_legs

    today = datetime.now().astimezone().date()
    with open_search_parts(load_settings(), "eval") as parts:
        found = compare_legs(read_golden(golden), parts.searcher, parts.access, today)
    if as_json:
        _print(found, as_json=True)
        return
    for split, kinds in found["splits"].items():
        click.echo(f"{split}: Hit@3 낱말, 벡터, 검색 (words, vectors, search)")
        for kind, figures in kinds.items():
            shown = "  ".join(
                f"{figures[leg]['hit_at_3']:.3f}" for leg in ("lexical", "vector", "search")
            )
            click.echo(f"  {kind:20} {figures['questions']:4}  {shown}")


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
    from contracts.settings import load_settings
    from evaluation.korquad import run_korquad

    settings = load_settings()
    changed: dict[str, object] = {"tokenizer": tokenizer} if tokenizer else {}
    if (weight := _LEGS[leg]) is not None:
        changed["vector_weight"] = weight
    ranking = settings.search.model_copy(update=changed)
    settings = settings.model_copy(update={"search": ranking})
    with _korquad_tools(settings, work) as (embedder, analyzer, open_index, home):
        found = run_korquad(data, questions, embedder, analyzer, open_index, home, ranking)
    _print(
        {**found, "leg": leg, "embedder": embedder.name, "tokenizer": analyzer.name},
        as_json=as_json,
    )


@contextlib.contextmanager
def _korquad_tools(
    settings: Settings, work: Path | None
) -> Iterator[tuple[Embedder, Analyzer, Callable[[Path], IndexBackend], Path]]:
    """Embedder, analyzer, what opens their index, and the folder for it: the one that is kept, or one for now."""
    import tempfile

    from search.analysis import Analyzer
    from search.backends.registry import make_index
    from search.embedding.registry import make_embedder

    embedder = make_embedder(settings.embedder, settings.home)
    analyzer = Analyzer(settings.search.tokenizer)

    def open_index(home: Path) -> IndexBackend:
        fingerprint = f"{embedder.fingerprint}|{analyzer.fingerprint}"
        return make_index(settings.index, home, embedder.dimension, fingerprint, settings.search)

    with tempfile.TemporaryDirectory(prefix="seoga-korquad-") as scratch:
        yield embedder, analyzer, open_index, work or Path(scratch)


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
    from contracts.settings import load_settings
    from evaluation.korquad import NoAccess, NoAudit
    from evaluation.refusal import run_refusal
    from search.service import Searcher

    settings = load_settings()
    nobody = NoAccess(), NoAudit()
    with _korquad_tools(settings, work) as (embedder, analyzer, open_index, home):
        index = open_index(home)
        try:
            searcher = Searcher(index, embedder, analyzer, *nobody, settings.search)
            found = run_refusal(data, questions, searcher, index, others=others or 0)
        finally:
            index.close()
    _print(found, as_json=as_json)


_DATA = click.option(
    "--data",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="KorQuAD 1.0 파일; 없으면 예제 드라이브와 그 골든셋 (default: the example drive and its golden set).",
)
_QUESTIONS = click.option(
    "--questions",
    type=click.IntRange(1),
    default=800,
    show_default=True,
    help="KorQuAD 의 질문 수.",
)


@command.command("tokenizers")
@_DATA
@_QUESTIONS
@click.option("--vectors/--no-vectors", default=True, help="임베더도 (with the embedder).")
@click.option("--json", "as_json", is_flag=True, help="JSON 으로 출력.")
def tokenizers(*, data: Path | None, questions: int, vectors: bool, as_json: bool) -> None:
    """토큰화 × 점수: 어떤 낱말로 찾는 것이 나은가 (tokenizers and scorings, side by side)."""
    from contracts.settings import load_settings
    from evaluation.tokenizers import compare_tokenizers
    from search.embedding.registry import make_embedder

    settings = load_settings()
    texts = _bench_texts(data, questions)
    embedder = make_embedder(settings.embedder, settings.home) if vectors else None
    rows = compare_tokenizers(texts.passages, texts.asked, embedder, _SYNONYMS)
    head = {"passages": len(texts.passages), "questions": len(texts.asked)}
    _print_rows(head, rows, as_json=as_json)


@command.command("chunk-sizes")
@_DATA
@_QUESTIONS
@click.option("--overlap", type=click.FloatRange(0, 0.9), default=0.125, show_default=True)
@click.option("--top", type=click.IntRange(1, 50), default=5, show_default=True)
@click.option("--json", "as_json", is_flag=True, help="JSON 으로 출력.")
def chunk_sizes(
    *, data: Path | None, questions: int, overlap: float, top: int, as_json: bool
) -> None:
    """패시지의 크기: 모형 C, P, F 와 실제 재현율, 정밀도 (sizes: a model, and what is measured)."""
    from evaluation.chunk_sizes import SIZES, compare_sizes

    texts = _bench_texts(data, questions)
    rows = compare_sizes(texts.texts, texts.evidence, SIZES, overlap, top)
    head = {"texts": len(texts.texts), "questions": len(texts.evidence)}
    _print_rows(head, rows, as_json=as_json)


_SYNONYMS = {
    "원인": ("이유", "사유"),
    "기한": ("마감", "까지"),
    "주기": ("간격", "마다"),
    "토크": ("체결력", "조임"),
    "교환": ("교체",),
    "시점": ("일자", "날짜"),
    "연락": ("문의", "내선"),
}
"""A few general ones: the bench is about whether widening helps, not about a plant's dictionary."""


def _bench_texts(data: Path | None, questions: int) -> BenchTexts:
    """Of a KorQuAD file, or of the example drive, read in a home of its own with hashed vectors."""
    import tempfile

    from app.sources import source_of_path
    from app.wiring import open_kit, source_run
    from contracts.settings import Settings
    from evaluation.bench_texts import from_drive, from_korquad, make_example_drive

    if data is not None:
        return from_korquad(data, questions)
    with tempfile.TemporaryDirectory(prefix="seoga-bench-") as scratch:
        share = Path(scratch, "share")
        golden = make_example_drive(share)
        settings = Settings.model_validate(
            {"home": Path(scratch, "home"), "embedder": {"engine": "hash"}}
        )
        with open_kit(settings) as kit:
            source_run(kit, source_of_path(kit.catalog, share)).content()
            documents: dict[str, list[tuple[str, str]]] = {}
            for row in kit.index.inventory():
                found = kit.index.document(row.document_id)
                if found is not None:
                    chunks = [(s.chunk.title_prefix, s.chunk.text) for s in found[1]]
                    documents[found[0].path] = chunks
        return from_drive(dict(sorted(documents.items())), golden)


def _print_rows(
    head: Mapping[str, object], rows: Sequence[Mapping[str, object]], *, as_json: bool
) -> None:
    if as_json:
        click.echo(json.dumps({**head, "rows": rows}, ensure_ascii=False))
        return
    click.echo(", ".join(f"{name} {value}" for name, value in head.items()))
    for row in rows:
        shown = (
            f"{value:.3f}" if isinstance(value, float) else str(value) for value in row.values()
        )
        click.echo("  ".join(f"{name} {text}" for name, text in zip(row, shown, strict=True)))


@command.group("golden")
def golden() -> None:
    """골든셋의 초안 (drafts of golden lines)."""


@golden.command("build")
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@click.option(
    "--least",
    type=click.IntRange(1),
    default=3,
    show_default=True,
    help="의견이 없는 질문은 이만큼 물었을 때 (times asked, where nothing was said).",
)
@click.option("--limit", type=click.IntRange(1), default=200, show_default=True)
def build_golden(*, file: Path, least: int, limit: int) -> None:
    """감사 기록과 의견에서 골든셋 초안을 FILE 에 씁니다. 사람이 한 줄씩 확인하고 `review`를 지워야 쓸 수 있습니다.

    Drafts of golden lines from what was asked and said; each counts once a person has reviewed it and removed `review`.
    """
    from app.wiring import open_catalog
    from contracts.settings import load_settings
    from evaluation.drafts import drafts

    with open_catalog(load_settings()) as catalog:
        found = drafts(catalog, least=least, limit=limit)
    with file.open("w", encoding="utf-8", errors="replace") as out:
        out.writelines(f"{json.dumps(line, ensure_ascii=False)}\n" for line in found)
    click.echo(f"{file}: 초안 {len(found)}줄 (drafts to review)")


@command.command("run")
@click.argument("golden", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--top", type=click.IntRange(1, 100), default=10, show_default=True)
@click.option("--json", "as_json", is_flag=True, help="JSON 으로 출력.")
def run(golden: Path, *, top: int, as_json: bool) -> None:
    """GOLDEN.jsonl 의 질문을 각 독자의 권한으로 (each question of a golden set as its reader)."""
    from app.evaluations import keep_golden
    from app.noted import GOLDEN, note
    from app.wiring import answerer_of, open_search_parts
    from contracts.settings import load_settings
    from evaluation.golden import read_golden, run_golden

    settings = load_settings()
    lines = read_golden(golden)
    with open_search_parts(settings, "eval") as parts:
        searcher = parts.searcher
        found = run_golden(lines, searcher.search, answerer_of(settings, searcher).answer, top)
        kept = {name: value for name, value in found.items() if isinstance(value, (int, float))}
        note(parts.catalog, GOLDEN, {"file": str(golden.resolve()), **kept})
        made_with = f"{searcher.tools.embedder.name}, {settings.search.tokenizer}"
        keep_golden(parts.catalog, golden, found, made_with)
    _print(found, as_json=as_json)


def _print(found: dict[str, object], *, as_json: bool) -> None:
    if as_json:
        click.echo(json.dumps(found, ensure_ascii=False))
        return
    for name, value in found.items():
        shown = f"{value:.4f}" if isinstance(value, float) else str(value)
        click.echo(f"{name}: {shown}")


command.add_command(plant)
command.add_command(gate)
