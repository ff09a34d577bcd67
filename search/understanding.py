"""What a query says beside its words: operators, codes, kinds of documents, revisions, the wrong keyboard, synonyms.

Operators (``유형:8D``, ``type:manual``) are filters, as if the caller had set them. Everything else only moves documents up, or is
searched beside the words: a guess never hides a passage. Each reading is shown to the caller.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from contracts.errors import QueryError
from contracts.search import Reading
from contracts.versions import DOCUMENT_TYPES
from metadata.codes import codes_in
from metadata.folding import canonical_code, fold_name
from metadata.kinds import type_of_text
from metadata.revisions import find_revision
from search.dictionary import Dictionary, Expansion
from search.keyboard import to_hangul, to_latin

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from contracts.chunks import DocumentRow
    from contracts.search import SearchRequest

__all__ = ["Understood", "understand", "with_operators"]

CODE, REVISION, TYPE, DEPARTMENT = 0.3, 0.3, 0.06, 0.06
"""What a document gains that a reading names; scores are 0 to about 2.2."""

_OPERATORS = {
    "유형": "type",
    "type": "type",
    "부서": "department",
    "department": "department",
    "dept": "department",
    "소스": "source",
    "source": "source",
    "형식": "format",
    "format": "format",
    "코드": "code",
    "code": "code",
    "개정": "revision",
    "rev": "revision",
    "revision": "revision",
    "언어": "language",
    "language": "language",
    "경로": "path",
    "path": "path",
}
_OPERATOR = re.compile(
    rf"(?<!\S)(?P<name>{'|'.join(_OPERATORS)}):(?P<value>\"[^\"]+\"|[^\s\"]+)", re.IGNORECASE
)
_OLD = re.compile(
    r"이전\s*개정|구\s?버전|구판|옛\s*(?:판|버전)|폐지|폐기된|지난\s*개정|개정\s*전|obsolete|superseded|previous\s+revision",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\s,.?!()\[\]{}\"'“”‘’·:;]+")
_LATIN_WORD = re.compile(r"[A-Za-z]{4,}")
_LATIN_RUN = re.compile(r"(?<![A-Za-z])[A-Za-z]+(?![A-Za-z])")
_HANGUL = re.compile(r"[가-힣]")
_ENOUGH, _LONG = 2, 4
"""So many words of the wrong keyboard, and two thirds of all long ones that it could have typed, tell that the whole text is."""
_STRAY_JAMO = re.compile(r"[ㄱ-ㅎㅏ-ㅣ]")
_HANGUL_WORD = re.compile(r"[가-힣ㄱ-ㅎㅏ-ㅣ0-9_./-]{2,}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Understood:
    """A query as it is searched.

    Attributes:
        text: The query, typed with the right keyboard.
        readings: What was taken for what, for the caller.
        codes: Canonical codes.
        document_type: Or "".
        revision: Folded, or "".
        expansions: Other words for what it says.
    """

    text: str
    readings: tuple[Reading, ...] = ()
    codes: frozenset[str] = frozenset()
    document_type: str = ""
    revision: str = ""
    expansions: tuple[Expansion, ...] = ()

    @property
    def exact(self) -> bool:
        """Whether it names something by its code: then words decide, and no vector."""
        return bool(self.codes)

    def gain(self, row: DocumentRow) -> float:
        """What a document gains from what the query names, 0 or more."""
        department = fold_name(row.department)
        return (
            CODE * bool(self.codes & set(row.codes))
            + TYPE * (bool(self.document_type) and row.document_type == self.document_type)
            + REVISION * (bool(self.revision) and row.revision.casefold() == self.revision)
            + DEPARTMENT * (len(department) > 1 and department in fold_name(self.text))
        )


def with_operators(request: SearchRequest) -> tuple[SearchRequest, tuple[Reading, ...]]:
    """The request with the operators of its query as filters.

    Raises:
        QueryError: an operator names a type that there is not.
    """
    filters, types = list(request.filters), list(request.types)
    readings = []
    for match in _OPERATOR.finditer(request.query):
        name, value = _OPERATORS[match["name"].casefold()], match["value"].strip('"')
        if name == "type":
            value = _type(value)
            types.append(value)
        else:
            filters.append((name, canonical_code(value) if name == "code" else value))
        readings.append(Reading(kind=name, text=match.group(), value=value, effect="filter"))
    if not readings:
        return request, ()
    words = " ".join(_OPERATOR.sub(" ", request.query).split())
    values = " ".join(reading.value for reading in readings)
    changed = replace(request, query=words or values, filters=tuple(filters), types=tuple(types))
    return changed, tuple(readings)


def _type(value: str) -> str:
    if value.casefold() in DOCUMENT_TYPES:
        return value.casefold()
    found = type_of_text(value)
    if found is None:
        raise QueryError(
            f"없는 문서 유형입니다 (there is no document type {value!r})",
            advice=f"쓸 수 있는 유형 (use one of): {', '.join(sorted(DOCUMENT_TYPES))}",
        )
    return found[0]


def understand(text: str, dictionary: Dictionary, found: Callable[[str], bool]) -> Understood:
    """Read a query.

    Args:
        text: The query without operators.
        dictionary: Synonyms.
        found: Whether a word is in any passage that the reader may read.
    """
    readings: list[Reading] = []
    for word, other in _retyped(text, found):
        text = _replaced(text, word, other)
        readings.append(Reading(kind="keyboard", text=word, value=other, effect="rewrite"))
    codes = codes_in(text)
    readings += [
        Reading(kind="code", text=raw, value=code, effect="boost") for code, raw in codes.items()
    ]
    kind = type_of_text(text, general=False)
    if kind is not None:
        readings.append(Reading(kind="type", text=kind[1], value=kind[0], effect="boost"))
    revision = find_revision(text)
    if revision is not None and not revision.is_date:
        raw, value = revision.raw or revision.text, revision.text
        readings.append(Reading(kind="revision", text=raw, value=value, effect="boost"))
    else:
        revision = None
    if old := _OLD.search(text):
        readings.append(
            Reading(kind="revision", text=old.group(), value="include_obsolete", effect="hint")
        )
    expansions = dictionary.expansions(text)
    readings += [
        Reading(kind="synonym", text=e.phrase, value=", ".join(e.others), effect="synonym")
        for e in expansions
    ]
    return Understood(
        text=text,
        readings=tuple(readings),
        codes=frozenset(codes),
        document_type=kind[0] if kind else "",
        revision=revision.text.casefold() if revision else "",
        expansions=expansions,
    )


def _replaced(text: str, word: str, other: str) -> str:
    """The text with a word read otherwise, wherever it stands alone."""
    return _WORD.sub(lambda found: other if found.group() == word else found.group(), text)


def _retyped(text: str, found: Callable[[str], bool]) -> Iterator[tuple[str, str]]:
    """Words typed with the other keyboard: nobody wrote them as they are, but somebody as they are meant.

    Where that is most of what was typed, the keyboard was the other one all along: then short words, particles behind codes
    (``LX4dml``) and what is in no passage are read so, too, and only what somebody wrote as it is stays.
    """
    words = dict.fromkeys(_WORD.findall(text))
    single = {word: other for word in words if (other := _other(word, found))}
    runs = (run for word in words for run in _LATIN_RUN.findall(word))
    latin = [run for run in runs if len(run) >= _LONG and not run.isupper()]
    stray = [word for word in words if _STRAY_JAMO.search(word) and to_latin(word)]
    if len(stray) >= _ENOUGH and 3 * len(stray) >= len(words):
        for word in words:
            meant = (
                to_latin(word) if _HANGUL_WORD.fullmatch(word) or _HANGUL.fullmatch(word) else None
            )
            if meant and (_STRAY_JAMO.search(word) or not found(word)):
                yield word, meant
    elif len(single) >= _ENOUGH and 3 * sum(map(bool, map(to_hangul, latin))) >= 2 * len(latin):
        for word in words:
            meant = _LATIN_RUN.sub(_as_hangul, word)
            if meant != word and not (_LATIN_WORD.fullmatch(word) and found(word)):
                yield word, meant
    else:
        yield from single.items()


def _as_hangul(run: re.Match[str]) -> str:
    """Letters as the Korean keyboard types them; capitals are those of codes, for which it was switched back."""
    return run.group() if run.group().isupper() else to_hangul(run.group(), 1) or run.group()


def _other(word: str, found: Callable[[str], bool]) -> str | None:
    """A word as the other keyboard types it, where that is written somewhere and the word itself is not."""
    other = None
    if _LATIN_WORD.fullmatch(word):
        other = to_hangul(word)
    elif _STRAY_JAMO.search(word) and _HANGUL_WORD.fullmatch(word):
        other = to_latin(word)
    return other if other and not found(word) and found(other) else None
