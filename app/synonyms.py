"""The dictionary of synonyms that serves: the newest version of the catalog, and the glossary."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING

from search.dictionary import Dictionary, glossary, read_dictionary

if TYPE_CHECKING:
    from catalog.catalog import Catalog

__all__ = ["Synonyms", "dictionary_of"]

_LOOK = 2.0
"""Seconds until another process's new version is seen."""


def dictionary_of(text: str, *, with_glossary: bool) -> Dictionary:
    """The dictionary that a file makes.

    Raises:
        ConfigError: it is no file of synonyms.
    """
    own = read_dictionary(text, "synonyms.yaml") if text else Dictionary()
    return own + glossary() if with_glossary else own


class Synonyms:
    """The dictionary of now, for several threads.

    Args:
        catalog: Has the versions.
        glossary: Whether the pairs that come with Seoga count.
    """

    def __init__(self, catalog: Catalog, *, glossary: bool = True) -> None:
        self._catalog = catalog
        self._glossary = glossary
        self._lock = threading.Lock()
        self._version = -1
        self._looked = 0.0
        self._now = Dictionary()

    def __call__(self) -> Dictionary:
        """The newest version; it is looked for every two seconds."""
        with self._lock:
            if self._version < 0 or time.monotonic() - self._looked > _LOOK:
                self._look()
            return self._now

    def _look(self) -> None:
        version = self._catalog.dictionaries.current()
        if version != self._version:
            found = self._catalog.dictionaries.get(version)
            self._now = dictionary_of(found.text if found else "", with_glossary=self._glossary)
            self._version = version
        self._looked = time.monotonic()
