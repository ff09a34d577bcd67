"""Several indexes of one installation side by side, of which one serves (``seoga index rebuild``).

A *build* is a whole index: made with one embedder and one analyzer, filled, and then put in the place of the one
that served before. Words, vectors and rows of two builds never mix.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from contracts.ports import IndexBackend

__all__ = ["IndexBuild", "IndexBuilds"]


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexBuild:
    """A whole index, filled or being filled.

    Attributes:
        name: Its name within the installation: a folder, or an index of the server.
        dimension: Length of a vector.
        fingerprint: What vectors and terms were made with.
        note: Text of at most 10,000 characters that its maker left with it; the backend does not read it.
    """

    name: str
    dimension: int
    fingerprint: str
    note: str = ""


class IndexBuilds(Protocol):
    """The builds of an installation.

    Promises:
        - at most one build serves at every moment; ``switch`` changes that at once for all processes, and whatever
          happens to the process, either the old or the new one serves;
        - what is done to a build that does not serve changes nothing for searches;
        - an index that was opened by ``make_index`` tells by ``replaced()`` that another build serves by now; its
          writes then raise ``IndexReplacedError`` and change nothing, its reads go on as long as the build is there
          and raise ``IndexUnavailableError`` afterwards;
        - ``create``, ``switch`` and ``remove`` are called by one process at a time (the caller holds a lease);
          ``serving`` and ``all`` by any.
    """

    def serving(self) -> IndexBuild | None:
        """The build that serves, or None where there is no index yet; of one that cannot be read, the name alone."""
        ...

    def all(self) -> list[IndexBuild]:
        """All builds, the oldest first, unfinished ones too; of one that cannot be read, the name alone."""
        ...

    def create(self, dimension: int, fingerprint: str, note: str = "") -> IndexBuild:
        """A new, empty build that does not serve, with a name that no build has had while it could be open."""
        ...

    def open(self, name: str) -> IndexBackend:
        """A build by name, for filling and for looking at; it never counts as replaced.

        Raises:
            NotFoundError: no such build.
        """
        ...

    def switch(self, name: str) -> None:
        """Let this build serve, all of its acknowledged writes visible; the last one stays until it is removed.

        Raises:
            NotFoundError: no such build.
        """
        ...

    def remove(self, name: str) -> None:
        """Remove a build that does not serve, with all that it holds; an unknown one is ignored.

        Raises:
            ValueError: it serves.
        """
        ...

    def close(self) -> None:
        """Release files and connections."""
        ...
