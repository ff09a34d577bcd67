"""The words of the pages, in Korean and in English: ``words.toml`` beside this file."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import Any

__all__ = ["LANGUAGES", "Words", "catalogue"]

LANGUAGES = ("ko", "en")


@cache
def catalogue() -> dict[str, tuple[str, str]]:
    """Key → Korean and English."""
    tree = tomllib.loads((Path(__file__).parent / "words.toml").read_text(encoding="utf-8"))
    return {
        f"{group}.{key}": (ko, en)
        for group, words in tree.items()
        for key, (ko, en) in words.items()
    }


class Words:
    """Speaks one language.

    Args:
        language: ``ko`` or ``en``; anything else is Korean.
    """

    def __init__(self, language: str) -> None:
        self.language = language if language in LANGUAGES else LANGUAGES[0]
        self._place = LANGUAGES.index(self.language)

    def __call__(self, key: str, **values: Any) -> str:
        """The words of a key, with values put in.

        Raises:
            KeyError: there is no such key.
        """
        text = catalogue()[key][self._place]
        return text.format(**values) if values else text

    def of(self, group: str, value: str) -> str:
        """The words for a stored value (``outcome.indexed``); the value itself where there are none."""
        return (
            catalogue()[f"{group}.{value}"][self._place]
            if f"{group}.{value}" in catalogue()
            else value
        )
