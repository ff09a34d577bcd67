"""Responses as JSON values (design §8): the command line and the HTTP API print the same objects."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from contracts.answers import Answer, AnswerSentence
    from contracts.search import Hit, SearchResponse
    from search.opening import OpenedDocument

__all__ = [
    "answer_object",
    "citation_id",
    "document_object",
    "hit_object",
    "response_object",
    "sentence_object",
]


def response_object(response: SearchResponse, *, operator: bool = False) -> dict[str, Any]:
    """A response; scores and timings are for operators only.

    Args:
        response: What was found.
        operator: Whether the caller may see scores and timings.
    """
    found: dict[str, Any] = {
        "query": response.query,
        "reader": response.reader,
        "hits": [hit_object(hit, operator=operator) for hit in response.hits],
    }
    if response.understood:
        found["understood"] = [asdict(reading) for reading in response.understood]
    if response.suggestion:
        found["suggestion"] = response.suggestion
    if response.facets:
        found["facets"] = {
            name: [{"value": value, "count": count} for value, count in counts]
            for name, counts in response.facets.items()
        }
    if operator:
        found["took_ms"] = {stage: round(ms, 3) for stage, ms in response.took_ms.items()}
    return found


def answer_object(answer: Answer, *, operator: bool = False) -> dict[str, Any]:
    """An answer; its confidence and timings are for operators only.

    Args:
        answer: What came of a question.
        operator: Whether the caller may see scores and timings.
    """

    def hits(found: tuple[Hit, ...]) -> list[dict[str, Any]]:
        return [hit_object(hit, operator=operator) for hit in found]

    told: dict[str, Any] = {
        "question": answer.question,
        "reader": answer.reader,
        "answered": answer.answered,
        "kind": answer.kind.value,
        "refusal": answer.refusal,
        "sentences": [sentence_object(s, operator=operator) for s in answer.sentences],
        "tables": hits(answer.tables),
        "left_out": list(answer.left_out),
    }
    if operator:
        told["confidence"] = round(answer.confidence, 4)
        told["took_ms"] = {stage: round(ms, 3) for stage, ms in answer.took_ms.items()}
    return told


def sentence_object(sentence: AnswerSentence, *, operator: bool = False) -> dict[str, Any]:
    """A sentence with its citations."""
    cited = [hit_object(hit, operator=operator) for hit in sentence.citations]
    return {"text": sentence.text, "citations": cited}


def document_object(opened: OpenedDocument) -> dict[str, Any]:
    """An opened document: what its passages share, and the passages."""
    shared = ("document_id", "title", "path", "source_link", "type", "status", "revision", "stale")
    passages = [hit_object(hit) for hit in opened.passages]
    told: dict[str, Any] = {name: passages[0][name] for name in shared} if passages else {}
    own = [{n: v for n, v in passage.items() if n not in shared} for passage in passages]
    for passage in own:
        passage["place"] = passage.pop("rank")
    return told | {"passages": own, "next": opened.next}


def citation_id(document_id: str, chunk_id: str) -> str:
    """What ``/open`` takes; neither id has a hyphen."""
    return f"{document_id}-{chunk_id}"


def hit_object(hit: Hit, *, operator: bool = False) -> dict[str, Any]:
    """One hit."""
    found: dict[str, Any] = {
        "rank": hit.rank,
        "document_id": hit.document_id,
        "chunk_id": hit.chunk_id,
        "title": hit.title,
        "path": hit.path,
        "source_link": hit.source_link,
        "type": hit.type,
        "status": hit.status,
        "revision": hit.revision,
        "layer": hit.layer,
        "stale": hit.stale,
        "text": hit.text,
        "context": hit.context,
        "citation": _citation(hit),
    }
    if operator:
        found["score"] = {name: round(value, 6) for name, value in hit.score.items()}
    return found


def _citation(hit: Hit) -> dict[str, Any]:
    citation, own = hit.citation, citation_id(hit.document_id, hit.chunk_id)
    found: dict[str, Any] = {"label": citation.label, "id": own, "open": f"/open/{own}"}
    for name in ("page", "slide", "sheet", "message"):
        value = getattr(citation, name)
        if value is not None:
            found[name] = value
    found["range"] = citation.range
    return found
