"""Embedder, analyzer and index: those that belong together.

The settings name an embedder and a tokenizer. Where ``seoga index rebuild --embedder`` was told others, the index
that serves remembers them, and everything that opens it uses them, until ``seoga.toml`` itself is changed.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from contracts.errors import ConfigError
from contracts.settings import EmbedderSettings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from contracts.index_builds import IndexBuild
    from contracts.ports import Embedder, IndexBackend
    from contracts.settings import Settings
    from search.analysis import Analyzer

__all__ = ["as_rebuilt", "fingerprint_of", "make_tools", "note_of", "open_tools"]

Tools = tuple["Embedder", "Analyzer", "IndexBackend"]

_MACHINE = ("threads", "batch", "device")
"""Settings of an embedder that change how fast its vectors are made, not what they are."""


def open_tools(settings: Settings, reload: Callable[[], Settings] | None = None) -> Tools:
    """Embedder, analyzer and the index that they made.

    Args:
        settings: As they were read when the process began.
        reload: Reads them again; tried where the index was rebuilt since for what ``seoga.toml`` says now.

    Raises:
        ConfigError: the index was made with others, or they cannot be had here.
        IndexUnavailableError: the index does not answer.
    """
    problem: ConfigError | None = None
    for candidate in _candidates(settings, reload):
        try:
            return _open(candidate)
        except ConfigError as found:
            problem = problem or found
    if problem is None:
        raise ConfigError("no settings")
    raise problem


def _candidates(settings: Settings, reload: Callable[[], Settings] | None) -> Iterator[Settings]:
    """The settings twice, since the index may be switched between two looks at it; then those of now."""
    yield settings
    yield settings
    if reload is not None:
        now = reload()
        search = settings.search.model_copy(update={"tokenizer": now.search.tokenizer})
        yield settings.model_copy(update={"embedder": now.embedder, "search": search})


def _open(settings: Settings) -> Tools:
    from search.backends.registry import make_builds, make_index

    builds = make_builds(settings.index, settings.home, settings.search)
    try:
        chosen = as_rebuilt(settings, builds.serving())
    finally:
        builds.close()
    embedder, analyzer = make_tools(chosen)
    index = make_index(
        settings.index,
        settings.home,
        embedder.dimension,
        fingerprint_of(embedder, analyzer),
        settings.search,
    )
    return embedder, analyzer, index


def make_tools(settings: Settings) -> tuple[Embedder, Analyzer]:
    """Embedder and analyzer, as these settings name them."""
    from search.analysis import Analyzer
    from search.embedding.registry import make_embedder

    embedder = make_embedder(settings.embedder, settings.home)
    return embedder, Analyzer(settings.search.tokenizer)


def fingerprint_of(embedder: Embedder, analyzer: Analyzer) -> str:
    """What an index keeps of what it was made with."""
    return f"{embedder.fingerprint}|{analyzer.fingerprint}"


# -- what a rebuild was told -------------------------------------------------------------------------


def note_of(configured: Settings, told: Settings) -> str:
    """What a build shall remember: the embedder and tokenizer of ``told``, where ``configured`` names others."""
    if _choice(configured) == _choice(told):
        return ""
    note = {"instead_of": _choice(configured), "made_with": _choice(told)}
    return json.dumps(note, sort_keys=True, ensure_ascii=True)


def as_rebuilt(settings: Settings, build: IndexBuild | None) -> Settings:
    """The settings with the embedder and tokenizer that a build was told to be made with.

    They count as long as ``seoga.toml`` still says what it said then; once it was changed, it counts.
    """
    if build is None or not build.note:
        return settings
    note = json.loads(build.note)
    then, now = note["instead_of"], _choice(settings)
    same = all(now["embedder"].get(name) == value for name, value in then["embedder"].items())
    if not same or then["tokenizer"] != now["tokenizer"]:
        return settings
    kept = settings.embedder.model_dump(include=set(_MACHINE))
    embedder = EmbedderSettings.model_validate({**note["made_with"]["embedder"], **kept})
    search = settings.search.model_copy(update={"tokenizer": note["made_with"]["tokenizer"]})
    return settings.model_copy(update={"embedder": embedder, "search": search})


def _choice(settings: Settings) -> dict[str, Any]:
    embedder = settings.embedder.model_dump(mode="json", exclude=set(_MACHINE))
    return {"embedder": embedder, "tokenizer": settings.search.tokenizer}
