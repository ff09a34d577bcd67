"""Texts and questions for the benches of tokenizers and sizes: a KorQuAD file, or the example drive with its golden set."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from contracts.errors import ConfigError
from evaluation.chunk_sizes import Evidence
from evaluation.golden import read_golden
from evaluation.korquad import paragraph_chunks, read_korquad, shuffled
from evaluation.tokenizers import Asked, Passage
from search.sentences import sentences

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

__all__ = ["BenchTexts", "from_drive", "from_korquad", "make_example_drive"]

_EXAMPLES = Path(__file__).resolve().parent.parent / "examples"


@dataclass(frozen=True, slots=True)
class BenchTexts:
    """What a bench runs over.

    Attributes:
        passages: For retrieval.
        asked: Questions about them.
        texts: Whole texts, each as its words.
        evidence: Questions with the place of their evidence in the texts.
    """

    passages: list[Passage]
    asked: list[Asked]
    texts: list[list[str]]
    evidence: list[Evidence]


def from_korquad(data: Path, questions: int) -> BenchTexts:
    """Paragraphs as passages; articles as texts; the evidence is the sentence that holds the answer.

    Raises:
        ConfigError: the file is not KorQuAD.
    """
    paragraphs, found = read_korquad(data)
    chosen = shuffled(found)[:questions]
    passages = [
        Passage(str(number), chunk.embedded_text)
        for number, paragraph in enumerate(paragraphs)
        for chunk in paragraph_chunks(number, paragraph)
    ]
    asked = [Asked(q.text, frozenset({str(q.paragraph)})) for q in chosen]
    articles: dict[str, list[str]] = defaultdict(list)
    for paragraph in paragraphs:
        articles[paragraph.title] += paragraph.text.split()
    titles = list(articles)
    evidence = []
    for question, answer in _answers(data, {q.text for q in chosen}):
        place = _sentence_place(answer, articles, titles)
        if place is not None:
            evidence.append(Evidence(question, *place))
    return BenchTexts(passages, asked, [articles[title] for title in titles], evidence)


def _answers(data: Path, wanted: set[str]) -> Iterable[tuple[str, tuple[str, str, int]]]:
    """Question, and article, paragraph and offset of its answer."""
    for article in json.loads(data.read_text(encoding="utf-8"))["data"]:
        for paragraph in article["paragraphs"]:
            for qa in paragraph["qas"]:
                if qa["question"] in wanted:
                    start = qa["answers"][0]["answer_start"]
                    yield qa["question"], (article["title"], paragraph["context"], start)


def _sentence_place(
    answer: tuple[str, str, int], articles: dict[str, list[str]], titles: Sequence[str]
) -> tuple[int, int, int] | None:
    title, context, offset = answer
    end = 0
    for _, sentence in sentences(context):
        at = context.find(sentence, end)
        end = at + len(sentence)
        if at <= offset < end:
            place = _find(articles[title], sentence.split())
            return None if place is None else (titles.index(title), *place)
    return None


def _find(words: Sequence[str], part: Sequence[str]) -> tuple[int, int] | None:
    if not part:
        return None
    for start in range(len(words) - len(part) + 1):
        if words[start] == part[0] and list(words[start : start + len(part)]) == list(part):
            return start, start + len(part)
    return None


def make_example_drive(folder: Path) -> Path:
    """Make the example drive below a folder; returns its golden set.

    Raises:
        ConfigError: this is an installation without the examples of the repository.
    """
    script = _EXAMPLES / "make_share.py"
    if not script.exists():
        raise ConfigError(
            "예제 드라이브가 없습니다 (no examples here)", advice="--data KorQuAD.json"
        )
    command = [sys.executable, str(script), str(folder)]
    subprocess.run(command, check=True, capture_output=True)  # noqa: S603  our own script
    return _EXAMPLES / "golden.jsonl"


def from_drive(documents: dict[str, list[tuple[str, str]]], golden: Path) -> BenchTexts:
    """Passages of a drive, by path, and the questions of a golden set that it answers.

    Args:
        documents: Path → its passages in order, each as prefix and text.
        golden: ``GOLDEN.jsonl``.
    """
    passages = [
        Passage(path, f"{prefix}\n{text}")
        for path, chunks in documents.items()
        for prefix, text in chunks
    ]
    paths = list(documents)
    texts = [" ".join(text for _, text in documents[path]).split() for path in paths]
    lines = [line for line in read_golden(golden) if line.answerable]
    asked = [Asked(line.question, frozenset(line.docs)) for line in lines]
    evidence = []
    for line in lines:
        for path in line.docs:
            place = _answer_place(texts[paths.index(path)], line.answer) if path in paths else None
            if place is not None:
                evidence.append(Evidence(line.question, paths.index(path), *place))
                break
    return BenchTexts(passages, asked, texts, evidence)


def _answer_place(words: Sequence[str], answer: Sequence[str]) -> tuple[int, int] | None:
    """Words from the first to the last string of an answer."""
    text = " ".join(words)
    spans = []
    for wanted in answer:
        match = re.search(re.escape(" ".join(wanted.split())), text)
        if match is None:
            return None
        spans.append(match.span())
    if not spans:
        return None
    start, end = min(a for a, _ in spans), max(b for _, b in spans)
    return text[:start].count(" "), text[:end].count(" ") + 1
