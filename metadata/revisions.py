"""Revision marks: what they say, how they rank, and names without them.

A rank is a tuple whose first number names the scheme: 1 letters (A < B < … < Z < AA), 2 numbers and dotted
versions (``1.0`` equals ``1``), 3 dates. Ranks of different schemes do not compare.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date

from metadata.dates import parse_date
from metadata.folding import normalise

__all__ = [
    "DATE_SCHEME",
    "NameMarks",
    "Revision",
    "comparable",
    "find_revision",
    "parse_revision",
    "read_name",
]

LETTER_SCHEME, NUMBER_SCHEME, DATE_SCHEME = 1, 2, 3

_VALUE = r"(?P<value>\d{1,3}(?:\.\d{1,3}){0,3}|[A-Z]{1,2}(?:\d{1,2})?)"
_CELL = re.compile(
    r"(?:(?:rev(?:ision)?|ver(?:sion)?|개정(?:\s*번호|\s*차수|\s*판)?|제|no|[rv])[\s.:#_\-]*)?"
    rf"{_VALUE}\s*(?:차\s*개정|차|판|호|개정)?\s*(?:\(.*\)|\[.*\])?\.?",
    re.IGNORECASE,
)
_FIRST = re.compile(
    r"(?:최초|신규)?\s*(?:제정|초판|최초|신규|initial|new)(?:\s*(?:제정|작성|발행|release|issue))?",
    re.IGNORECASE,
)

_START = r"(?:(?<=^)|(?<=[\s_\-\[(.,·]))"
_END = r"(?=$|[\s_\-\[({\])},·]|\.(?!\d)|[가-힣])"
_MARKS = (
    re.compile(rf"{_START}rev(?:ision)?[\s._\-:]*{_VALUE}{_END}", re.IGNORECASE),
    re.compile(
        rf"{_START}개정\s*(?:번호|차수|판)?[\s._\-:]*{_VALUE}(?:차|판)?(?=$|[\s_\-\])}},·.])",
        re.IGNORECASE,
    ),
    re.compile(
        rf"{_START}제?\s*(?P<value>\d{{1,3}})\s*(?:차\s*개정(?:판|본)?|판)(?=$|[\s_\-\])}},·.])"
    ),
    re.compile(rf"{_START}ver(?:sion)?[\s._\-:]*{_VALUE}{_END}", re.IGNORECASE),
    re.compile(rf"{_START}v[\s.]?(?P<value>\d{{1,3}}(?:\.\d{{1,3}}){{1,3}}){_END}", re.IGNORECASE),
    re.compile(r"(?<=[_\-(\[])v\.?(?P<value>\d{1,3})(?=$|[\s_\-)\]])", re.IGNORECASE),
    re.compile(r"(?<=[\s_\-(\[])v\.?(?P<value>\d{1,3})(?=[)\]]?$)", re.IGNORECASE),
)
_TAIL_MARK = re.compile(r"(?<=[_\-\s(])r(?P<value>\d{1,2})(?=\)?$)", re.IGNORECASE)
"""``_R3`` at the very end only: elsewhere it is as likely a radius or a model."""
_DATE_MARKS = (
    re.compile(r"(?<!\d)(?P<value>(?:19|20)\d{2}[.\-_ ]?\s?\d{2}[.\-_ ]?\s?\d{2})(?!\d)"),
    re.compile(r"(?<!\d)(?P<value>(?:19|20)\d{2}\.\s?\d{1,2}\.\s?\d{1,2})\.?(?!\d)"),
    re.compile(r"(?P<value>(?:19|20)?\d{2}년\s*\d{1,2}월\s*\d{1,2}일)"),
    re.compile(r"(?:(?<=[_\s(\[\-])|(?<=^))(?P<value>(?:0[5-9]|[1-3]\d)\d{4})(?=$|[_\s)\]\-])"),
)
_NOISE = re.compile(
    r"(?:진짜|찐|완전)?(?:최종|수정|확정)(?:본|판|안|완료)?\d{0,2}(?=$|[^가-힣])"
    r"|(?<![a-z])(?:final|fin|revised|copy|latest|updated?|edited)(?:\s?\d{1,2})?(?![a-z])"
    r"|(?<![가-힣])(?:복사본|사본)(?![가-힣])|\(\d{1,2}\)(?=\s*$)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Revision:
    """A revision mark: its text as written, its rank (see the module), and the whole mark."""

    text: str
    rank: tuple[int, ...]
    raw: str = ""

    @property
    def is_date(self) -> bool:
        """Whether the mark is a date, which says less than a number or letter."""
        return self.rank[0] == DATE_SCHEME


@dataclass(frozen=True, slots=True)
class NameMarks:
    """What a file name or title says of its revision.

    Attributes:
        revision: Number, letter or version, or None.
        dated: A date in the name, or None.
        bare: The name without either.
        stem: The name without the number, letter or version; the date is kept.
    """

    revision: Revision | None
    dated: Revision | None
    bare: str
    stem: str


def comparable(left: tuple[int, ...], right: tuple[int, ...]) -> bool:
    """Whether two ranks are known and of one scheme."""
    return bool(left) and bool(right) and left[0] == right[0]


def parse_revision(text: str) -> Revision | None:
    """The revision of a cell or value that is expected to hold one, or None.

    ``3``, ``Rev.C``, ``개정 2``, ``2차 개정``, ``v1.2``, ``2024.01.13``; 제정 and 최초 count as 0.
    """
    flat = normalise(text)
    if not flat:
        return None
    if _FIRST.fullmatch(flat):
        return Revision("0", (NUMBER_SCHEME, 0), flat)
    match = _CELL.fullmatch(flat)
    if match:
        return _build(match["value"], flat)
    day = parse_date(flat)
    return _dated(day, flat) if day else None


def find_revision(text: str) -> Revision | None:
    """The first explicit mark (number, letter or version, never a date) within a short text."""
    flat = normalise(text)
    hits = [
        (match.start(), found)
        for pattern in _MARKS
        if (match := pattern.search(flat))
        and (found := _build(match["value"], match.group().strip()))
    ]
    return min(hits, key=lambda hit: hit[0])[1] if hits else None


def read_name(stem: str) -> NameMarks:
    """Take the revision marks out of a file name (without extension) or a title.

    Suffixes such as 최종, final, 수정본 or ``(1)`` are taken out too: they rank nothing.
    """
    flat = normalise(stem)
    revision: Revision | None = None
    for pattern in (*_MARKS, _TAIL_MARK):
        while (match := pattern.search(flat)) and (
            found := _build(match["value"], match.group().strip())
        ):
            revision = revision or found
            flat = f"{flat[: match.start()]} {flat[match.end() :]}"
    with_date = _tidy(_NOISE.sub(" ", flat))
    dated: Revision | None = None
    for pattern in _DATE_MARKS:
        for match in pattern.finditer(flat):
            day = parse_date(re.sub(r"(?<=\d)[_ ]+(?=\d)", ".", match["value"]))
            if day:
                dated = dated or _dated(day, match["value"])
                flat = f"{flat[: match.start()]} {flat[match.end() :]}"
                break
    return NameMarks(revision, dated, _tidy(_NOISE.sub(" ", flat)), with_date)


def _tidy(text: str) -> str:
    text = re.sub(r"[(\[{]\s*[)\]}]", " ", text)
    return re.sub(r"[\s_]+", " ", text).strip(" -_.,")


def _dated(found: date, raw: str) -> Revision:
    return Revision(found.isoformat(), (DATE_SCHEME, found.year, found.month, found.day), raw)


def _build(value: str, raw: str) -> Revision | None:
    text = value.upper()
    if text[0].isalpha():
        letters = text.rstrip("0123456789")
        if len(letters) > 1 and value != text:
            return None  # "rev-up" is a word, "Rev.AA" a revision
        number = 0
        for letter in letters:
            number = number * 26 + ord(letter) - ord("A") + 1
        tail = (int(text[len(letters) :]),) if len(letters) < len(text) else ()
        return Revision(text, (LETTER_SCHEME, number, *tail), raw)
    parts = [int(part) for part in text.split(".")]
    while len(parts) > 1 and parts[-1] == 0:
        parts.pop()
    return Revision(text, (NUMBER_SCHEME, *parts), raw)
