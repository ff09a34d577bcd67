"""The indexes of an installation side by side; the alias says which of them serves."""

from __future__ import annotations

from typing import TYPE_CHECKING

from contracts.errors import NotFoundError
from search.backends.opensearch.admin import Admin
from search.backends.opensearch.index import OpenSearchIndex
from search.backends.opensearch.server import Server

if TYPE_CHECKING:
    from contracts.index_builds import IndexBuild
    from contracts.settings import IndexSettings
    from search.backends.registry import BuildsOptions

__all__ = ["OpenSearchBuilds", "open_builds"]


class OpenSearchBuilds:
    """See :class:`contracts.index_builds.IndexBuilds`.

    Args:
        settings: Where the server answers, and the name of the index.
        weights: Weight of each lexical field, for builds that are opened.
    """

    def __init__(self, settings: IndexSettings, weights: dict[str, float]) -> None:
        self._settings = settings
        self._weights = weights
        self._server = Server(settings)
        self._admin = Admin(self._server, settings)

    def serving(self) -> IndexBuild | None:
        """The build that serves, or None where there is no index yet."""
        index = self._admin.serving()
        return None if index is None else self._admin.describe(index)

    def all(self) -> list[IndexBuild]:
        """All builds, the oldest first, unfinished ones too."""
        return [self._admin.describe(index) for index in self._admin.all()]

    def create(self, dimension: int, fingerprint: str, note: str = "") -> IndexBuild:
        """A new, empty build that does not serve."""
        return self._admin.describe(self._admin.create(dimension, fingerprint, note))

    def open(self, name: str) -> OpenSearchIndex:
        """A build by name, for filling and for looking at."""
        self._check_known(name)
        build = self._admin.describe(name)
        return OpenSearchIndex(
            self._settings, name, build.dimension, build.fingerprint, self._weights
        )

    def switch(self, name: str) -> None:
        """Let this build serve, all of its acknowledged writes visible."""
        self._check_known(name)
        self._admin.switch(name)

    def remove(self, name: str) -> None:
        """Remove a build that does not serve; an unknown one is ignored."""
        if name == self._admin.serving():
            msg = f"{name} serves"
            raise ValueError(msg)
        if name in self._admin.all():
            self._admin.remove(name)

    def close(self) -> None:
        """Release connections."""
        self._server.close()

    def _check_known(self, name: str) -> None:
        if name not in self._admin.all():
            raise NotFoundError(f"there is no build {name!r} of the index")


def open_builds(options: BuildsOptions) -> OpenSearchBuilds:
    """The builds on the configured server."""
    return OpenSearchBuilds(options.settings, options.weights)
