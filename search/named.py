"""What a question names by its code, and which documents say it. Pure.

A code pins the subject: a passage about another code answers another question, however alike its words are.
"""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from search.ranking import Ranked

__all__ = ["documents_with", "names_in", "said_in"]

_NAME = re.compile(
    r"(?<![0-9A-Za-z가-힣@./_-])(?=[A-Za-z가-힣]{1,6}[-_]?\d|[A-Za-z]{1,6}[-_][A-Za-z]{1,4}[-_]?\d)"
    r"[0-9A-Za-z가-힣]+(?:[-_][0-9A-Za-z]+)*"
)
_HANGUL_CODE = re.compile(r"[가-힣]+[-_]\d")
_TAIL = re.compile(r"[가-힣]+$")
_NO_CODE = re.compile(r"(?:rev|ver|version|no|q|h|v|page|p)\d+", re.IGNORECASE)
"""Revisions, quarters, half years and pages are no names of things."""


def names_in(text: str) -> tuple[str, ...]:
    """Codes as they are typed: letters, then a digit (``LX4``, ``ST05-B5``, ``ECN-25-0021``, ``총무-25-0049``), each once."""
    found = []
    for match in _NAME.finditer(unicodedata.normalize("NFKC", text)):
        name = match.group()
        if not _HANGUL_CODE.match(
            name
        ):  # a word with a number in it is a word, and particles are no part of a code
            name = _TAIL.sub("", name)
            if re.search(r"[가-힣]", name):
                continue
        if re.search(r"\d", name) and not _NO_CODE.fullmatch(name):
            found.append(name)
    return tuple(dict.fromkeys(found))


def said_in(name: str, text: str) -> bool:
    """Whether a text says a code; width, case and how its parts are joined do not count, and a part of a longer one is not it."""
    parts = r"[-_\s.]?".join(re.escape(part) for part in re.split(r"[-_]", name.casefold()))
    pattern = rf"(?<![0-9a-z]){parts}(?![0-9a-z]|[-_]\d)"
    return re.search(pattern, unicodedata.normalize("NFKC", text).casefold()) is not None


def documents_with(names: Iterable[str], read: Iterable[Ranked]) -> dict[str, frozenset[str]]:
    """For each code the documents that say it: in a passage that was read, its title or headings, the path, or as a code of theirs."""
    texts: dict[str, list[str]] = {}
    for ranked in read:
        row, chunk = ranked.stored.row, ranked.stored.chunk
        text = "\n".join((chunk.title_prefix, chunk.text, row.title, row.path, *row.codes))
        texts.setdefault(row.document_id, []).append(text)
    return {
        name: frozenset(
            document for document, said in texts.items() if any(said_in(name, one) for one in said)
        )
        for name in names
    }
