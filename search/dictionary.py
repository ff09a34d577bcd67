"""Synonyms: groups of words that mean the same, written by the operator; Korean and English pairs of plants to begin with.

A file holds ``synonyms``: lists of words or phrases, each list one meaning. A query that has one of them also finds passages
that have another; its own words keep more weight. The file is YAML, so that people may comment it.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

import yaml

from contracts.errors import ConfigError
from search.analysis import fold
from search.particles import is_particle

__all__ = ["GLOSSARY", "Dictionary", "Expansion", "read_dictionary"]

GLOSSARY = Path(__file__).with_name("glossary.yaml")
"""Pairs that come with Seoga; ``search.glossary = false`` leaves them out."""

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""libyaml reads the same ten times faster, where PyYAML was built with it: every fresh process reads the glossary."""

_MOST_GROUPS = 20_000
_MOST_WORDS = 40
_LONGEST = 60
_LETTERS = re.compile(r"[a-z0-9]")
_HANGUL = re.compile(r"[가-힣]+")
_JOINED = re.compile(r"[a-z0-9_./-]")
"""What makes a word a part of a code (``eq-press-07``)."""


@dataclass(frozen=True, slots=True)
class Expansion:
    """A phrase of a query and other phrases of its meaning."""

    phrase: str
    others: tuple[str, ...]


@dataclass(frozen=True)
class Dictionary:
    """Groups of phrases that mean the same.

    Attributes:
        groups: Each at least two phrases, as written.
    """

    groups: tuple[tuple[str, ...], ...] = ()
    _by_phrase: dict[str, list[int]] = field(init=False, repr=False, compare=False)
    _starts: dict[str, list[str]] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        by_phrase: dict[str, list[int]] = defaultdict(list)
        for number, group in enumerate(self.groups):
            for phrase in group:
                by_phrase[_folded(phrase)].append(number)
        starts: dict[str, list[str]] = defaultdict(list)
        for phrase in sorted(by_phrase, key=len, reverse=True):
            starts[phrase[0]].append(phrase)
        object.__setattr__(self, "_by_phrase", dict(by_phrase))
        object.__setattr__(self, "_starts", dict(starts))

    def expansions(self, text: str) -> tuple[Expansion, ...]:
        """Phrases of a text with the others of their groups; the longest phrase at a place wins.

        A Korean phrase may have a particle after it (``토크를``), a Latin one stands alone.
        """
        flat = _folded(text)
        found: dict[str, tuple[str, ...]] = {}
        at = 0
        while at < len(flat):
            phrase = next((p for p in self._starts.get(flat[at], ()) if _stands(p, flat, at)), None)
            if phrase is None:
                at += 1
                continue
            others = [
                other
                for number in self._by_phrase[phrase]
                for other in self.groups[number]
                if _folded(other) != phrase
            ]
            found[phrase] = tuple(dict.fromkeys(others))
            at += len(phrase)
        return tuple(Expansion(phrase, others) for phrase, others in found.items())

    def __add__(self, other: Dictionary) -> Dictionary:
        """Both; equal groups once."""
        return Dictionary(tuple(dict.fromkeys(self.groups + other.groups)))


def _folded(text: str) -> str:
    return " ".join(fold(text).split())


def _stands(phrase: str, flat: str, at: int) -> bool:
    """Whether a phrase stands at a place as a word of its own."""
    end = at + len(phrase)
    if not flat.startswith(phrase, at):
        return False
    before, after = flat[at - 1 : at], flat[end : end + 1]
    if _LETTERS.match(phrase[0]) and _JOINED.match(before):
        return False
    if not _LETTERS.match(phrase[0]) and "가" <= before <= "힣":
        return False
    if _LETTERS.match(phrase[-1]):
        return not _JOINED.match(after)
    rest = _HANGUL.match(flat, end)
    return rest is None or is_particle(rest.group())


def read_dictionary(text: str, name: str) -> Dictionary:
    """Read a file of synonyms.

    Args:
        text: YAML.
        name: Of the file, for messages.

    Raises:
        ConfigError: it is not such a file; says where.
    """
    try:
        found: Any = yaml.load(text, _LOADER) or {}  # noqa: S506  either is a safe loader
    except yaml.YAMLError as problem:
        raise ConfigError(f"{name}: {problem}", advice=_ADVICE) from problem
    groups = found.get("synonyms") if isinstance(found, dict) else None
    if not isinstance(groups, list) or len(groups) > _MOST_GROUPS:
        raise ConfigError(f"{name}: synonyms 목록이 없습니다 (no list `synonyms`)", advice=_ADVICE)
    return Dictionary(tuple(_group(group, number, name) for number, group in enumerate(groups, 1)))


_ADVICE = "synonyms:\n  - [토크, 체결력, torque]"


def _group(group: Any, number: int, name: str) -> tuple[str, ...]:
    words = [str(word).strip() for word in group] if isinstance(group, list) else []
    phrases = tuple(dict.fromkeys(word for word in words if _folded(word)))
    if not 2 <= len({_folded(word) for word in phrases}) <= _MOST_WORDS:  # noqa: PLR2004
        raise ConfigError(
            f"{name}: {number}번째 묶음은 서로 다른 말 2~{_MOST_WORDS}개여야 합니다 "
            f"(group {number} needs 2 to {_MOST_WORDS} different words)",
            advice=_ADVICE,
        )
    if longest := next((word for word in phrases if len(word) > _LONGEST), None):
        raise ConfigError(
            f"{name}: {number}번째 묶음의 말이 너무 깁니다 (too long: {longest[:80]!r})"
        )
    return phrases


@lru_cache(maxsize=1)
def glossary() -> Dictionary:
    """The pairs that come with Seoga."""
    return read_dictionary(GLOSSARY.read_text(encoding="utf-8"), GLOSSARY.name)
