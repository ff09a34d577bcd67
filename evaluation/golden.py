"""A golden set (design §8): questions with their readers, and the documents that hold the answers."""

from __future__ import annotations

import json
from collections import defaultdict
from dataclasses import dataclass, field
from datetime import date
from typing import TYPE_CHECKING, Any

from contracts.errors import ConfigError
from contracts.search import SearchRequest

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from contracts.answers import Answer
    from contracts.search import SearchResponse

__all__ = ["GoldenLine", "answer_figures", "rank_of", "read_golden", "run_golden"]


@dataclass(frozen=True, slots=True, kw_only=True)
class GoldenLine:
    """One question.

    Attributes:
        id: Its name.
        question: As asked.
        reader: As whom.
        type: Kind of question, for the figures.
        answerable: Whether the reader may read an answer.
        docs: Paths of documents that hold it, any of them.
        answer: What a right answer says, all of it; empty where only its document is known.
        options: ``include_obsolete``, ``as_of``, ``types``.
        split: ``tune`` or ``test`` where a set is divided, or "".
    """

    id: str
    question: str
    reader: str
    type: str = ""
    answerable: bool = True
    docs: tuple[str, ...] = ()
    answer: tuple[str, ...] = ()
    options: dict[str, Any] = field(default_factory=dict)
    split: str = ""

    def request(self, top: int) -> SearchRequest:
        """The question as a search."""
        as_of = self.options.get("as_of")
        return SearchRequest(
            query=self.question,
            reader=self.reader,
            top=top,
            include_obsolete=bool(self.options.get("include_obsolete")),
            as_of=date.fromisoformat(as_of) if as_of else None,
            types=tuple(self.options.get("types", ())),
        )


def read_golden(path: Path) -> list[GoldenLine]:
    """Read ``GOLDEN.jsonl``.

    Raises:
        ConfigError: a line is not a golden line; with its number.
    """
    lines = []
    for number, text in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        if not text.strip():
            continue
        try:
            found = json.loads(text)
            if "review" in found:
                raise ValueError("a draft that nobody has reviewed: see its `review`")  # noqa: TRY301
            lines.append(
                GoldenLine(
                    id=str(found["id"]),
                    question=found["question"],
                    reader=found["reader"],
                    type=found.get("type", ""),
                    answerable=bool(found.get("answerable", True)),
                    docs=tuple(found.get("docs", ())),
                    answer=tuple(found.get("answer", ())),
                    options=dict(found.get("options", {})),
                    split=str(found.get("split", "")),
                )
            )
        except (KeyError, TypeError, ValueError) as problem:
            raise ConfigError(f"{path.name}, line {number}: {problem!r}") from problem
    return lines


def run_golden(
    lines: Sequence[GoldenLine],
    search: Callable[[SearchRequest], SearchResponse],
    answer: Callable[[SearchRequest], Answer],
    top: int = 10,
) -> dict[str, Any]:
    """Ask every question as its reader, as a search and as a question to be answered.

    Returns:
        Those of :func:`answer_figures`, and
        ``questions``, ``answerable``, ``hit_at_1``, ``hit_at_3``, ``hit_at_5``, ``mrr`` over the answerable ones (0 to 1,
        a document counts with its best passage), ``by_type`` (hit@5 by kind of question), and ``missed`` (ids).
    """
    ranks: dict[str, int | None] = {}
    by_type: dict[str, list[bool]] = defaultdict(list)
    for line in (line for line in lines if line.answerable):
        rank = rank_of(line, search(line.request(top)))
        ranks[line.id] = rank
        by_type[line.type].append(rank is not None and rank <= 5)  # noqa: PLR2004  hit@5
    asked = max(1, len(ranks))

    def share(k: int) -> float:
        return sum(rank is not None and rank <= k for rank in ranks.values()) / asked

    return answer_figures(lines, [answer(line.request(top)) for line in lines]) | {
        "questions": len(lines),
        "answerable": len(ranks),
        "hit_at_1": share(1),
        "hit_at_3": share(3),
        "hit_at_5": share(5),
        "mrr": sum(1 / rank for rank in ranks.values() if rank) / asked,
        "by_type": {kind: sum(found) / len(found) for kind, found in sorted(by_type.items())},
        "missed": [name for name, rank in ranks.items() if rank is None],
    }


def rank_of(line: GoldenLine, response: SearchResponse) -> int | None:
    """Rank of the first document that a line names, from 1; a document counts with its best passage."""
    paths = list(dict.fromkeys(hit.path for hit in response.hits))
    return next((n for n, path in enumerate(paths, start=1) if path in line.docs), None)


def answer_figures(lines: Sequence[GoldenLine], answers: Sequence[Answer]) -> dict[str, Any]:
    """Figures of answers, each a share of 0 to 1; None where nothing could be judged.

    Returns:
        ``answered`` (of the answerable), ``answers_right`` (all strings of the line are in it; of those answered that name some),
        ``citations_right`` (a cited document is one of the line's; of those answered), ``false_answers`` (of the unanswerable),
        ``refusal_precision`` (of the refusals, those of unanswerable questions) and ``answers_wrong`` (ids).
    """
    pairs = list(zip(lines, answers, strict=True))
    good = [(line, found) for line, found in pairs if line.answerable and found.answered]
    judged = [(line, _says(line, found)) for line, found in good if line.answer]
    refused = [line for line, found in pairs if not found.answered]
    none = [found for line, found in pairs if not line.answerable]
    return {
        "answered": _share([found.answered for line, found in pairs if line.answerable]),
        "answers_right": _share([right for _, right in judged]),
        "citations_right": _share([_cites(line, found) for line, found in good if line.docs]),
        "false_answers": _share([found.answered for found in none]),
        "refusal_precision": _share([not line.answerable for line in refused]),
        "answers_wrong": [line.id for line, right in judged if not right],
    }


def _share(found: Sequence[bool]) -> float | None:
    return sum(found) / len(found) if found else None


def _says(line: GoldenLine, found: Answer) -> bool:
    text = " ".join(sentence.text for sentence in found.sentences)
    return all(wanted in text for wanted in line.answer)


def _cites(line: GoldenLine, found: Answer) -> bool:
    return any(hit.path in line.docs for s in found.sentences for hit in s.citations)
