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

    from contracts.ports import IndexBackend
    from contracts.settings import IndexSettings

__all__ = ["BACKENDS", "BackendEntry", "BackendOptions", "make_index"]


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


@dataclass(frozen=True, slots=True)
class BackendEntry:
    """A backend, imported only when it is first needed.

    Attributes:
        name: Registry name, as in ``index.backend``.
        where: ``module:function``; the function takes ``BackendOptions``.
    """

    name: str
    where: str

    def load(self) -> Callable[[BackendOptions], IndexBackend]:
        """Import the module; returns what makes the backend."""
        module, _, name = self.where.partition(":")
        return cast(
            "Callable[[BackendOptions], IndexBackend]", getattr(import_module(module), name)
        )


BACKENDS: tuple[BackendEntry, ...] = (
    BackendEntry("embedded", "search.backends.embedded.index:open_index"),
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
    ranking = search or SearchSettings()
    options = BackendOptions(
        settings=settings,
        home=home,
        dimension=dimension,
        fingerprint=fingerprint,
        weights={
            "title": ranking.title_weight,
            "heading": ranking.heading_weight,
            "codes": ranking.codes_weight,
            "body": ranking.body_weight,
        },
    )
    for entry in BACKENDS:
        if entry.name == settings.backend:
            return entry.load()(options)
    raise ConfigError(
        f"index.backend: there is no {settings.backend!r}",
        advice=f"use one of {', '.join(entry.name for entry in BACKENDS)}",
    )
