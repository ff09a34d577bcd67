"""A question to an answer: found as a search is, refused or answered from what was found."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from contracts.answers import Answer, AnswerKind, AnswerSentence
from search.answers.confidence import THRESHOLD, confidence_of, signs_of
from search.answers.each import parts_of
from search.answers.extract import NEARLY, extract
from search.answers.wants import computes, is_instruction, states_count
from search.named import documents_with, names_in

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Iterator, Sequence

    from contracts.search import Hit, SearchRequest
    from search.answers.generate import Writer
    from search.ranking import Ranked
    from search.service import Findings, Searcher

__all__ = ["AnswerStream", "Answerer"]

_LOOKED_AT = 20
_TABLES = 5
_TOLD = frozenset({AnswerKind.EXTRACT, AnswerKind.GENERATED})
_SURE = 0.9


class Answerer:
    """Answers questions. Safe for use by several threads.

    Args:
        searcher: Finds passages, filtered by what the reader may read, and audits.
        writer: Writes sentences from passages; None: answers are extracts.
        threshold: Confidence from which a question is answered, 0 to 1.
    """

    def __init__(
        self, searcher: Searcher, writer: Writer | None = None, threshold: float = THRESHOLD
    ) -> None:
        self._searcher = searcher
        self._threshold = threshold
        self._writer = writer

    def answer(self, request: SearchRequest, most: int = 3) -> Answer:
        """The answer to a question.

        Args:
            request: The question as a search; ``top`` is not looked at.
            most: Sentences of an extract, at least 1.

        Raises:
            QueryError: the question is not well-formed.
            UnknownReaderError: nobody of that name.
            DirectoryDownError: the directory does not answer.
            IndexUnavailableError: the index does not answer.
        """
        stream = self.stream(request, most)
        for _ in stream:
            pass
        return stream.answer

    def stream(self, request: SearchRequest, most: int = 3) -> AnswerStream:
        """The same answer, its sentences as they are ready; what was found is known, and audited, on return.

        Raises:
            QueryError: as :meth:`answer`, and all the others, before the first sentence.
        """
        found = self._searcher.find(replace(request, top=_LOOKED_AT))
        read = _for_people(found)
        confidence = confidence_of(signs_of(found.question, read))
        if parts := parts_of(found.question.text):
            answers = [self.answer(replace(request, query=part), 1) for part in parts]
            if all(answer.kind in _TOLD for answer in answers):
                return AnswerStream(_together(found, answers))
        return AnswerStream(self._from(found, read, confidence, most))

    def _from(
        self, found: Findings, read: Sequence[Ranked], confidence: float, most: int
    ) -> Generator[AnswerSentence, None, Answer]:
        response = found.response
        plain = Answer(
            question=response.query,
            reader=response.reader,
            kind=AnswerKind.REFUSAL,
            confidence=confidence,
            took_ms=response.took_ms,
        )
        if computes(response.query) and not _stated(found, read):
            tables = tuple(hit for hit in response.hits if _is_table(hit))[:_TABLES]
            if tables and confidence > 0:
                return replace(plain, kind=AnswerKind.NEEDS_TABLE, tables=tables)
        if confidence < self._threshold or not _named(found, read):
            return plain
        if self._writer is not None:
            writing = self._writer.write(response.query, response.hits)
            written = tuple((yield from _each(writing.sentences)))
            if written:
                return replace(
                    plain,
                    kind=AnswerKind.GENERATED,
                    sentences=written,
                    left_out=writing.left_out,
                )
        extracts = tuple((yield from _each(_extracts(found, read, most))))
        return replace(plain, kind=AnswerKind.EXTRACT, sentences=extracts) if extracts else plain


def _together(found: Findings, answers: list[Answer]) -> Generator[AnswerSentence, None, Answer]:
    """What was asked of each of several things, once all of it is known."""
    sentences = tuple(sentence for answer in answers for sentence in answer.sentences)
    yield from sentences
    written = any(answer.kind is AnswerKind.GENERATED for answer in answers)
    return Answer(
        question=found.response.query,
        reader=found.response.reader,
        kind=AnswerKind.GENERATED if written else AnswerKind.EXTRACT,
        sentences=sentences,
        left_out=tuple(dict.fromkeys(label for one in answers for label in one.left_out)),
        confidence=min(answer.confidence for answer in answers),
        took_ms=found.response.took_ms,
    )


class AnswerStream:
    """Iterates over the sentences of an answer; the whole ``answer`` is there when it has ended."""

    def __init__(self, steps: Generator[AnswerSentence, None, Answer]) -> None:
        self._steps = steps
        self.answer: Answer

    def __iter__(self) -> Iterator[AnswerSentence]:
        self.answer = yield from self._steps


def _each(found: Iterable[AnswerSentence]) -> Generator[AnswerSentence, None, list[AnswerSentence]]:
    """Pass each on, and return them all."""
    kept = []
    for sentence in found:
        kept.append(sentence)
        yield sentence
    return kept


def _for_people(found: Findings) -> list[Ranked]:
    """The passages that were read, without those that talk to a model.

    One that does so in its heads, or where it looks most like the question, answers nobody, and must not stand before what does.
    """

    def orders(ranked: Ranked) -> bool:
        passage = found.reader.passage(ranked.stored.chunk)
        place = ranked.evidence.place if ranked.evidence else 0
        said = passage.sentences[place][0]
        return any(map(is_instruction, (said, ranked.stored.chunk.title_prefix)))

    return [ranked for ranked in found.by_score if not orders(ranked)]


def _extracts(found: Findings, read: Sequence[Ranked], most: int) -> tuple[AnswerSentence, ...]:
    hits = {hit.chunk_id: hit for hit in found.response.hits}
    read = [r for r in read if r.stored.chunk.chunk_id in hits]
    if not read:
        return ()
    extracts = extract(
        found.question, read, lambda r: found.reader.within(r.stored, found.question), most
    )
    sentences = []
    for one in extracts:
        passage = read[one.passage]
        copies = [r for r in read if r.copy_of is not None and found.by_score[r.copy_of] is passage]
        cited = [passage, *copies]
        citations = tuple(hits[r.stored.chunk.chunk_id] for r in cited)
        sentences.append(AnswerSentence(one.text, citations))
    return tuple(sentences)


def _named(found: Findings, read: Sequence[Ranked]) -> bool:
    """Whether what the question names by a code is said by what would be cited: the best document one of them, all together each."""
    names = names_in(found.question.text)
    if not names or not read:
        return True
    near = [r for r in read if r.score >= NEARLY * read[0].score]
    document = read[0].stored.row.document_id
    said = documents_with(
        names, [r for r in read if r in near or r.stored.row.document_id == document]
    )
    return all(said.values()) and any(document in where for where in said.values())


def _stated(found: Findings, read: Sequence[Ranked]) -> bool:
    """Whether one sentence already says what a computation would: it has nearly every word of the question."""
    best = read[0].evidence if read else None
    if best is None:
        return False
    text = read[0].stored.chunk.text
    return best.words >= _SURE or states_count(found.response.query, text)


def _is_table(hit: Hit) -> bool:
    return hit.citation.sheet is not None or hit.text.count(" | ") >= 2 * max(
        1, hit.text.count("\n")
    )
