"""Answers and their citations (design §6 and §8)."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from contracts.search import Hit

__all__ = ["REFUSAL", "Answer", "AnswerKind", "AnswerSentence"]

REFUSAL = (
    "읽을 수 있는 문서에서 답을 찾지 못했습니다 (no answer in the documents that you may read)"
)
"""The one refusal, whether there is no evidence or it may not be seen."""


class AnswerKind(StrEnum):
    """What came of a question."""

    EXTRACT = "extract"
    """Sentences of documents, as they stand there."""

    GENERATED = "generated"
    """Sentences that a model wrote, each checked against its citation."""

    NEEDS_TABLE = "needs_table"
    """It counts, sums or compares over many rows: ``tables`` names those that could answer."""

    REFUSAL = "refusal"


@dataclass(frozen=True, slots=True)
class AnswerSentence:
    """One sentence of an answer with the passages that say it, at least one."""

    text: str
    citations: tuple[Hit, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """The answer to a question by a reader.

    Attributes:
        question: As asked.
        reader: As whom.
        kind: What came of it.
        sentences: None unless answered.
        tables: For ``needs_table``: passages of the tables that could answer.
        left_out: Labels of passages that would have belonged to the context but for its budget; generated answers only.
        confidence: 0 to 1, that the passages hold an answer; for operators.
        took_ms: By stage; for operators.
    """

    question: str
    reader: str
    kind: AnswerKind
    sentences: tuple[AnswerSentence, ...] = ()
    tables: tuple[Hit, ...] = ()
    left_out: tuple[str, ...] = ()
    confidence: float = 0.0
    took_ms: dict[str, float] = field(default_factory=dict)

    @property
    def answered(self) -> bool:
        """Whether there are sentences."""
        return bool(self.sentences)

    @property
    def refusal(self) -> str:
        """Why not, in words; "" where it is answered."""
        if self.answered:
            return ""
        if self.kind is AnswerKind.NEEDS_TABLE:
            return "표 전체를 세거나 더해야 하는 질문입니다 (this needs a table: count or sum over its rows)"
        return REFUSAL
