"""Passages of a whole document."""

from __future__ import annotations

import hashlib
from collections import Counter
from itertools import accumulate
from typing import TYPE_CHECKING

from contracts.chunks import Chunk
from contracts.documents import ChildRelation, Layer, Position
from contracts.errors import ParseFailure
from contracts.failures import FailureClass
from ingest.chunking.packing import (
    fit_units,
    halve,
    merge_small,
    pack,
    passage_text,
)
from ingest.chunking.positions import merge_positions
from ingest.chunking.prefixes import title_prefix
from ingest.chunking.sections import build_sections
from ingest.chunking.units import Section, TokenCounter, Unit

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from contracts.documents import ParsedDocument
    from contracts.ports import Embedder
    from contracts.settings import ChunkSettings
    from contracts.versions import DocumentVersion

__all__ = ["chunk_document"]

_MOST = 1 << 24
_PREFIX_SHARE = 3
"""A prefix takes at most this part of the bound."""
_MAIL_FORMATS = frozenset({"eml", "msg", "mbox", "mail"})
_MAIL_LINES = (("from", "보낸 사람"), ("to", "받는 사람"), ("cc", "참조"), ("date", "날짜"))
_NAMED_PROPERTIES = ("subject", "author", "keywords", "category", "company")


def chunk_document(  # noqa: PLR0913  the pipeline's step names all that it depends on
    document: ParsedDocument,
    version: DocumentVersion,
    ids: tuple[str, str],
    embedder: Embedder,
    settings: ChunkSettings,
    *,
    containers: Sequence[str] = (),
    name: str = "",
) -> tuple[Chunk, ...]:
    """Cut a document into passages, in reading order.

    Every passage counts, with its prefix, at most ``min(settings.max_tokens, embedder.window)`` tokens; no text is
    dropped but repeated headers and footers and, beyond ``settings.table_rows_budget``, rows of huge tables (see
    :func:`ingest.chunking.tables.profile_warnings`). Layers, slides, sheets and messages never share a passage.

    Args:
        document: What was parsed.
        version: Its metadata: title and type.
        ids: Document id and version id.
        embedder: Counts tokens.
        settings: Sizes.
        containers: Titles of the containers, outermost first.
        name: File name, by which a document without text is found.

    Returns:
        At least one passage; a document without text gives one of its title, name and properties.

    Raises:
        ParseFailure: ``too_large``, for 2**24 passages or more.
    """
    counter = TokenCounter(embedder)
    bound = min(settings.max_tokens, embedder.window)
    target = min(settings.by_type.get(version.document_type, settings.target_tokens), bound)
    sections = _with_names(build_sections(document, settings.table_rows_budget), document)
    if not sections:
        sections = [_nameplate(document, version, name)]
    sizes = _sizes(sections, counter)
    sections = merge_small(sections, sizes, target)
    prefixes = [
        title_prefix(version.title, section.headings, containers, bound // _PREFIX_SHARE, counter)
        for section in sections
    ]
    passages = _passages(sections, prefixes, (bound, target, settings.overlap_tokens), counter)
    if len(passages) >= _MOST:
        raise ParseFailure(FailureClass.TOO_LARGE, f"{len(passages)} passages")
    return _chunks(passages, ids)


_Passage = tuple[Section, str, tuple[Unit, ...], str, int]
"""Section, prefix, units, text and tokens."""


def _sizes(sections: Sequence[Section], counter: TokenCounter) -> list[int]:
    texts = [unit.text for section in sections for unit in section.units]
    totals = [0, *accumulate(count + 1 for count in counter.many(texts))]
    ends = list(accumulate(len(section.units) for section in sections))
    return [
        totals[end] - totals[end - len(section.units)]
        for section, end in zip(sections, ends, strict=True)
    ]


def _passages(
    sections: Sequence[Section],
    prefixes: Sequence[str],
    limits: tuple[int, int, int],
    counter: TokenCounter,
) -> list[_Passage]:
    bound, target, overlap = limits
    units = [unit for section in sections for unit in section.units]
    rooms = [
        max(1, bound - counter.one(prefix) - 2)
        for section, prefix in zip(sections, prefixes, strict=True)
        for _ in section.units
    ]
    fitted = iter(fit_units(units, rooms, counter))
    drafts: list[tuple[Section, str, tuple[Unit, ...]]] = []
    for section, prefix in zip(sections, prefixes, strict=True):
        sized = [item for _ in section.units for item in next(fitted)]
        spent = counter.one(prefix) + 1
        room = max(1, min(bound - spent, max(target - spent, target // 2)))
        lead = max((counter.one(item.unit.lead) + 1 for item in sized if item.unit.lead), default=0)
        # a lead is written once a passage; a passage that is nearly all lead would help nobody
        room = max(room - lead, room // 2)
        drafts.extend((section, prefix, packed) for packed in pack(sized, room, overlap))
    return _within(drafts, bound, counter)


def _within(
    drafts: list[tuple[Section, str, tuple[Unit, ...]]], bound: int, counter: TokenCounter
) -> list[_Passage]:
    """Count whole passages, and halve those that count more than their units did apart."""
    done: list[_Passage] = []
    texts = [passage_text(units) for _, _, units in drafts]
    counts = counter.many(
        [
            f"{prefix}\n{text}" if prefix else text
            for (_, prefix, _), text in zip(drafts, texts, strict=True)
        ]
    )
    for (section, prefix, units), text, tokens in zip(drafts, texts, counts, strict=True):
        if tokens <= bound or (len(units) == 1 and len(units[0].text) <= 1 and not units[0].lead):
            done.append((section, prefix, units, text, tokens))
            continue
        halves = [(section, prefix, half) for half in halve(units, counter)]
        done.extend(_within(halves, bound, counter))
    return done


def _chunks(passages: Sequence[_Passage], ids: tuple[str, str]) -> tuple[Chunk, ...]:
    chunks = []
    seen: Counter[str] = Counter()
    for ordinal, (section, prefix, units, text, tokens) in enumerate(passages):
        positions = merge_positions(units)
        own = "\x1f".join((*ids, section.layer.value, prefix, text, repr(positions)))
        seen[own] += 1  # the same words twice at one place, as in plain text, are two passages
        digest = hashlib.sha256(f"{own}\x1f{seen[own]}".encode("utf-8", "surrogatepass"))
        chunks.append(
            Chunk(
                chunk_id=digest.hexdigest(),
                ordinal=ordinal,
                text=text,
                title_prefix=prefix,
                headings=section.headings,
                positions=positions,
                layer=section.layer,
                tokens=tokens,
                confidence=min(unit.confidence for unit in units),
            )
        )
    return tuple(chunks)


# -- names and headers -----------------------------------------------------------------------------


def _with_names(sections: list[Section], document: ParsedDocument) -> list[Section]:
    """Mail headers before, and names of attachments or members behind the document's own text."""
    message = 1 if document.format in _MAIL_FORMATS else None
    place = (None, None, message)
    first = [
        f"{label}: {document.properties[key]}"
        for key, label in _MAIL_LINES
        if message and document.properties.get(key)
    ]
    children = [child for child in document.children if child.relation is not ChildRelation.INLINE]
    attached = [child.name for child in children if child.relation is not ChildRelation.MESSAGE]
    label = "첨부" if message else "포함된 파일"
    result = list(sections)
    body = " ".join(unit.text for section in sections[:2] for unit in section.units)
    if first and not all(line.split(": ", 1)[1] in body for line in first):
        result.insert(0, _lines(first, place))
    if attached and not all(child in body for child in attached):
        result.append(_lines([f"{label}: {child}" for child in attached], place))
    return result


def _nameplate(document: ParsedDocument, version: DocumentVersion, name: str) -> Section:
    properties = [
        f"{key}: {document.properties[key]}"
        for key in _NAMED_PROPERTIES
        if document.properties.get(key, "").strip()
    ]
    lines = [version.title, name, version.document_number, *properties]
    return _lines([line for line in dict.fromkeys(lines) if line.strip()], (None, None, None))


def _lines(lines: Iterable[str], place: tuple[int | None, str | None, int | None]) -> Section:
    position = Position(message=place[2])
    units = tuple(
        Unit(text=" ".join(line.split()), position=position, block=-1, prose=False)
        for line in lines
    )
    return Section(layer=Layer.BODY, place=place, headings=(), units=units)
