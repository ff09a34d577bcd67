"""Which module stores the index. A new backend is one module and one line here."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, cast

from contracts.errors import ConfigError
from contracts.settings import SearchSettings

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from contracts.index_builds import IndexBuilds
    from contracts.ports import IndexBackend
    from contracts.settings import IndexSettings

__all__ = [
    "BACKENDS",
    "BackendEntry",
    "BackendOptions",
    "BuildsOptions",
    "make_builds",
    "make_index",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class BackendOptions:
    """What a backend is made from.

    Attributes:
        settings: Which backend, and where it answers.
        home: Home folder of the installation.
        dimension: Length of a vector.
        fingerprint: What vectors and terms were made with; a backend refuses an index of another one.
        weights: Weight of each lexical field.
    """

    settings: IndexSettings
    home: Path
    dimension: int
    fingerprint: str
    weights: dict[str, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildsOptions:
    """What looks after the builds of a backend.

    Attributes:
        settings: Which backend, and where it answers.
        home: Home folder of the installation.
        weights: Weight of each lexical field.
    """

    settings: IndexSettings
    home: Path
    weights: dict[str, float]


@dataclass(frozen=True, slots=True)
class BackendEntry:
    """A backend, imported only when it is first needed.

    Attributes:
        name: Registry name, as in ``index.backend``.
        where: ``module:function``; the function takes ``BackendOptions``.
        builds: ``module:function``; the function takes ``BuildsOptions`` and returns the ``IndexBuilds``.
    """

    name: str
    where: str
    builds: str

    def load(self) -> Callable[[BackendOptions], IndexBackend]:
        """Import the module; returns what makes the backend."""
        return cast("Callable[[BackendOptions], IndexBackend]", _named(self.where))

    def load_builds(self) -> Callable[[BuildsOptions], IndexBuilds]:
        """Import the module; returns what looks after the builds."""
        return cast("Callable[[BuildsOptions], IndexBuilds]", _named(self.builds))


def _named(where: str) -> object:
    module, _, name = where.partition(":")
    return getattr(import_module(module), name)


BACKENDS: tuple[BackendEntry, ...] = (
    BackendEntry(
        "embedded",
        "search.backends.embedded.index:open_index",
        "search.backends.embedded.builds:open_builds",
    ),
    BackendEntry(
        "opensearch",
        "search.backends.opensearch.index:open_index",
        "search.backends.opensearch.builds:open_builds",
    ),
)


def make_index(
    settings: IndexSettings,
    home: Path,
    dimension: int,
    fingerprint: str,
    search: SearchSettings | None = None,
) -> IndexBackend:
    """Open the configured index, making it where there is none.

    Args:
        settings: Which backend.
        home: Home folder of the installation.
        dimension: Length of a vector.
        fingerprint: The embedder's, with the analyzer's where terms are to be watched over too.
        search: Field weights; the defaults where left out.

    Raises:
        ConfigError: no such backend, or the stored index was made with another fingerprint.
        IndexUnavailableError: the backend does not answer.
    """
    options = BackendOptions(
        settings=settings,
        home=home,
        dimension=dimension,
        fingerprint=fingerprint,
        weights=_weights(search),
    )
    return _entry(settings).load()(options)


def make_builds(
    settings: IndexSettings, home: Path, search: SearchSettings | None = None
) -> IndexBuilds:
    """The builds of the configured index, side by side.

    Args:
        settings: Which backend.
        home: Home folder of the installation.
        search: Field weights of builds that are opened; the defaults where left out.

    Raises:
        ConfigError: no such backend.
        IndexUnavailableError: the backend does not answer.
    """
    options = BuildsOptions(settings=settings, home=home, weights=_weights(search))
    return _entry(settings).load_builds()(options)


def _entry(settings: IndexSettings) -> BackendEntry:
    for entry in BACKENDS:
        if entry.name == settings.backend:
            return entry
    raise ConfigError(
        f"index.backend: there is no {settings.backend!r}",
        advice=f"use one of {', '.join(entry.name for entry in BACKENDS)}",
    )


def _weights(search: SearchSettings | None) -> dict[str, float]:
    ranking = search or SearchSettings()
    return {
        "title": ranking.title_weight,
        "heading": ranking.heading_weight,
        "codes": ranking.codes_weight,
        "body": ranking.body_weight,
    }
