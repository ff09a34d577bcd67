"""What follows a Korean noun and is no part of it."""

from __future__ import annotations

import re

__all__ = ["is_particle", "without_particle"]

_ENDINGS = (
    "에서|으로|부터|까지|에게|한테|보다|처럼|이나|이란|하고|하는|하나|하면|해야|인가|이다|에는|에도|에서의|으로의|과의|와의|이라|이라는"
    "|은|는|이|가|을|를|의|에|로|와|과|도|만|나|란|한|할|된|될|다|인|별|들|당"
)
_ALONE = re.compile(rf"(?:{_ENDINGS})*")
_LAST = re.compile(rf"(?<=[가-힣]{{2}})(?:{_ENDINGS})$")


def is_particle(text: str) -> bool:
    """Whether a text is nothing but particles and endings; "" is."""
    return _ALONE.fullmatch(text) is not None


def without_particle(word: str) -> str:
    """A word without its last particle, at least two syllables of it."""
    return _LAST.sub("", word)
