"""Titles for people: what the document calls itself, else what its file is called."""

from __future__ import annotations

import re
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from contracts.documents import BlockKind
from contracts.versions import Evidence, EvidenceSource
from metadata.folding import clip, normalise, unspaced
from metadata.kinds import is_type_only
from metadata.places import head_blocks, place
from metadata.revisions import read_name
from metadata.statuses import line_status

if TYPE_CHECKING:
    from collections.abc import Sequence

    from contracts.documents import ParsedDocument

__all__ = ["stem_of", "title_readings", "title_status"]

_JUNK = re.compile(
    r"(?:microsoft\s+(?:word|powerpoint|excel)\b.*|powerpoint\s*(?:프레젠테이션|presentation)|(?:프레젠테이션|문서|통합\s?문서|슬라이드|sheet|slide|document|book|presentation|image|img|scan|스캔)\s*\d*"
    r"|untitled.*|제목\s*없음.*|새\s*(?:문서|파일|텍스트).*|no\s*title|title|제목|.{0,2}|[\d\W_]+|.*\.(?:hwpx?|docx?|xlsx?|pptx?|pdf|dwg|tmp|indd|ai)|빈\s*문서.*)",
    re.IGNORECASE | re.DOTALL,
)
_NUMBERED = re.compile(
    r"(?:\d{1,2}(?:\.\d{1,2})*|[IVX]{1,4}|[ⅠⅡⅢⅣⅤ]|[가-하])[.)]\s|제\s?\d+\s?[장절조항]|[□■○●◎◆▶※\-]"
)
"""Headings that begin so head a section, not the document."""
_LONGEST = 150
_BRACKETS = "[(<【〈《「"
_ORDER = {source: rank for rank, source in enumerate(EvidenceSource)}


def title_status(titles: Sequence[Evidence]) -> list[Evidence]:
    """Standing that a title carries in brackets (``[폐기] 세척 작업표준``); file names have rules of their own."""
    found = []
    for title in titles:
        marked = line_status(title.raw)
        bracketed = marked is not None and marked[1][0] in _BRACKETS
        if marked and bracketed and title.source is not EvidenceSource.FILE_NAME:
            found.append(Evidence("status", marked[0].value, title.source, marked[1], title.where))
    return found


def stem_of(name: str) -> str:
    """File name without folders and without its extension (one that is no word of the name)."""
    base = normalise(PurePosixPath(name).name)
    stem, dot, extension = base.rpartition(".")
    return stem if dot and stem and re.fullmatch(r"[A-Za-z0-9]{1,5}", extension) else base


def title_readings(
    document: ParsedDocument, name: str, readings: Sequence[Evidence], *, mail: bool
) -> list[Evidence]:
    """Candidates for the title, the best first; never empty.

    A title that says only what kind of document it is (작업표준서) comes after one that says which.
    """
    found: list[Evidence] = []
    if mail:
        subject = document.properties.get("subject") or document.title
        if normalise(subject):
            found.append(_title(subject, EvidenceSource.PROPERTIES, "property subject"))
    found += [reading for reading in readings if reading.field == "title"]
    if not mail:
        found += _own_titles(document)
    found.sort(key=lambda reading: _ORDER[reading.source])
    stem = stem_of(name)
    by_name = _title(stem.replace("_", " ") or name, EvidenceSource.FILE_NAME, f"file name {name}")
    sound = [
        reading
        for reading in found
        if not _JUNK.fullmatch(reading.value) and not _NUMBERED.match(reading.value)
    ]
    special = [reading for reading in sound if not is_type_only(read_name(reading.value).bare)]
    if special:
        ordered = [*special, *(reading for reading in sound if reading not in special), by_name]
    else:
        ordered = [by_name, *sound] if not _JUNK.fullmatch(stem) else [*sound, by_name]
    return list(dict.fromkeys(ordered))


def _own_titles(document: ParsedDocument) -> list[Evidence]:
    found = []
    if normalise(document.title):
        found.append(_title(document.title, EvidenceSource.PROPERTIES, "document title"))
    for block in head_blocks(document):
        text = normalise(block.text)
        named = text == normalise(block.position.sheet or "")  # a sheet's name titles the sheet
        section = named or _NUMBERED.match(text) is not None
        if block.kind is BlockKind.HEADING and 0 < len(text) <= _LONGEST and not section:
            found.append(_title(block.text, EvidenceSource.BODY, place(block.position)))
            break
    return found


def _title(text: str, source: EvidenceSource, where: str) -> Evidence:
    value = unspaced(text)
    marked = line_status(value)
    if marked and marked[1][0] in _BRACKETS:
        value = normalise(value.replace(marked[1], " ")) or value
    return Evidence("title", value[:_LONGEST], source, clip(text), where)
