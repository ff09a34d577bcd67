"""What a field accepts: the canonical value of a reading, or None where the text is no such value."""

from __future__ import annotations

import re
from collections.abc import Callable

from contracts.versions import Status
from metadata.codes import document_number_in
from metadata.dates import parse_date
from metadata.folding import normalise
from metadata.kinds import type_of_text
from metadata.labels import is_label
from metadata.revisions import find_revision, parse_revision
from metadata.statuses import value_status

__all__ = ["DATE_FIELDS", "accept", "security_mark"]

DATE_FIELDS = ("effective_date", "revised_date", "established_date", "issued_date")

_SECURITY = (
    r"극\s?비|대외\s?비|사외\s?비|사내\s?한(?:정)?|[1-3ⅠⅡⅢ]\s?급\s?비밀|기밀|비밀|strictly\s?confidential|confidential"
    r"|internal\s?use\s?only|top\s?secret|restricted"
)
_SECURITY_LINE = re.compile(rf"[\s\[(<【※*\-]*(?P<word>{_SECURITY})[\s\])>】※*\-]*", re.IGNORECASE)
_SECURITY_BRACKET = re.compile(rf"[\[(<【]\s*(?P<word>{_SECURITY})\s*[\])>】]", re.IGNORECASE)
_NUMBER = re.compile(r"[^\W_](?:[\w\-./·()]|\s(?=[\w(]))*", re.UNICODE)
_DATED = re.compile(r"[(\[]\s*(?:19|20)?\d{2}\s*[.\-/년][^)\]]*[)\]]?\s*$")
"""Offices put the day behind the number: ``법규과-253 (2014.03.21.)``."""
_NUMBER_LENGTH = (3, 40)
_NAME_LENGTH, _TITLE_LENGTH, _LEVEL_LENGTH = 30, 150, 20


def accept(field: str, text: str) -> str | None:
    """Canonical value of ``text`` as ``field``, or None.

    Dates become ISO, revisions their text, statuses and types their contract values; the rest is kept as written.
    """
    flat = normalise(text)
    if not flat or is_label(flat):
        return None
    reader = _READERS.get(field)
    return reader(flat) if reader else _words(field, flat)


def security_mark(text: str) -> str | None:
    """A security mark that stands alone in a line or in brackets, as written, or None."""
    flat = normalise(text)
    match = _SECURITY_LINE.fullmatch(flat) or _SECURITY_BRACKET.search(flat)
    return match["word"] if match else None


def _number(flat: str) -> str | None:
    flat = _DATED.sub("", flat)
    revision = find_revision(flat)
    bare = flat.split(revision.raw, maxsplit=1)[0] if revision and revision.raw in flat else flat
    bare = bare.strip(" -_,;()[]/")
    low, high = _NUMBER_LENGTH
    if not (low <= len(bare) <= high and any(c.isdigit() for c in bare)):
        return None
    if parse_date(bare) or not _NUMBER.fullmatch(bare):
        return None
    return document_number_in(bare) or bare


def _words(field: str, flat: str) -> str | None:
    limit = {"title": _TITLE_LENGTH, "security_level": _LEVEL_LENGTH}.get(field, _NAME_LENGTH)
    if len(flat) > limit or not any(c.isalpha() for c in flat):
        return None
    if field in {"department", "author"} and (parse_date(flat) or flat in {"인", "(인)", "서명"}):
        return None
    if field == "security_level" and value_status(flat) is Status.DRAFT:
        return None
    return flat


def _date(flat: str) -> str | None:
    found = parse_date(flat)
    return found.isoformat() if found else None


def _revision(flat: str) -> str | None:
    revision = parse_revision(flat)
    return revision.text if revision else None


def _status(flat: str) -> str | None:
    status = value_status(flat)
    return status.value if status else None


def _type(flat: str) -> str | None:
    found = type_of_text(flat)
    return found[0] if found else None


_READERS: dict[str, Callable[[str], str | None]] = {
    **dict.fromkeys(DATE_FIELDS, _date),
    "revision": _revision,
    "status": _status,
    "document_type": _type,
    "document_number": _number,
    "drawing_number": _number,
    "supersedes": _number,
}
