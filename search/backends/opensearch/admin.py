"""Making, finding and removing the indexes of an installation."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from opensearchpy.exceptions import NotFoundError as Missing
from opensearchpy.exceptions import RequestError

from contracts.errors import ConfigError, IndexUnavailableError
from contracts.index_builds import IndexBuild
from search.backends.opensearch.layout import SCHEMA, Names, index_body, template

if TYPE_CHECKING:
    from contracts.settings import IndexSettings
    from search.backends.opensearch.server import Server

__all__ = ["Admin"]


@dataclass(frozen=True, slots=True)
class _Described:
    build: IndexBuild
    schema: int


class Admin:
    """The indexes of one installation on a server.

    Args:
        server: Where they are.
        settings: Their alias, shards and replicas.
    """

    def __init__(self, server: Server, settings: IndexSettings) -> None:
        self._server = server
        self._settings = settings
        self.names = Names(settings.name)

    def serving(self) -> str | None:
        """The index behind the alias, or None."""
        with self._server.asking() as client:
            try:
                # among our own indexes only: an account need not be told of others
                found = client.indices.get_alias(
                    index=f"{self.names.alias}-*", name=self.names.alias
                )
            except Missing:
                return None
        if not found:
            return None
        if len(found) != 1:
            raise IndexUnavailableError(
                f"the alias {self.names.alias} stands for {len(found)} indexes",
                advice="leave the newest one that is complete",
            )
        (index,) = found
        return str(index)

    def ensure(self, dimension: int, fingerprint: str) -> str:
        """The index that serves, made where there is none.

        Raises:
            ConfigError: it was made with another embedder or by another version.
        """
        index = self.serving()
        if index is None:
            self._make(self.names.first, dimension, fingerprint, "", serve=True)
            index = self.serving()
            if index is None:
                raise IndexUnavailableError(f"no index got the alias {self.names.alias}")
        self._check(self._describe(index), dimension, fingerprint)
        self._wait(index)
        return index

    def describe(self, index: str) -> IndexBuild:
        """What an index was made with."""
        return self._describe(index).build

    def all(self) -> list[str]:
        """Names of all indexes of the installation, the oldest first."""
        with self._server.asking() as client:
            found = client.indices.get_alias(index=f"{self.names.alias}-*")
        numbered = [(number, name) for name in found if (number := self.names.number(name))]
        return [name for _, name in sorted(numbered)]

    def create(self, dimension: int, fingerprint: str, note: str) -> str:
        """A new index that does not serve."""
        taken = [self.names.number(name) or 0 for name in self.all()]
        index = self.names.later(max(taken, default=0) + 1, secrets.token_hex(3))
        self._make(index, dimension, fingerprint, note, serve=False)
        return index

    def switch(self, index: str) -> None:
        """Move the alias, in one step."""
        actions = [
            {"remove": {"index": f"{self.names.alias}-*", "alias": self.names.alias}},
            {"add": {"index": index, "alias": self.names.alias}},
        ]
        if self.serving() is None:
            del actions[0]
        with self._server.asking() as client:
            client.indices.refresh(index=index)
            client.indices.update_aliases(body={"actions": actions})

    def remove(self, index: str) -> None:
        """Remove an index with all that it holds; an unknown one is ignored."""
        with self._server.asking() as client:
            try:
                client.indices.delete(index=index)
            except Missing:
                return

    def _make(
        self, index: str, dimension: int, fingerprint: str, note: str, *, serve: bool
    ) -> None:
        meta = {
            "schema": SCHEMA,
            "dimension": dimension,
            "fingerprint": fingerprint,
            "note": note,
        }
        body = index_body(self._settings, index, dimension, meta, serve=serve)
        with self._server.asking() as client:
            client.indices.put_index_template(name=self.names.alias, body=template(self._settings))
            try:
                client.indices.create(
                    index=index, body=body, params={"wait_for_active_shards": "1"}
                )
            except RequestError as problem:  # another process was faster
                if problem.error != "resource_already_exists_exception":
                    raise

    def _wait(self, index: str) -> None:
        """Another process may be making it just now."""
        with self._server.asking() as client:
            client.cluster.health(index=index, params={"wait_for_status": "yellow"})

    def _describe(self, index: str) -> _Described:
        with self._server.asking() as client:
            found: dict[str, Any] = client.indices.get_mapping(index=index)
        meta = found[index]["mappings"].get("_meta", {}).get("seoga")
        if meta is None:
            raise ConfigError(
                f"the index {index} was not made by Seoga", advice="choose another index.name"
            )
        build = IndexBuild(
            name=index,
            dimension=meta["dimension"],
            fingerprint=meta["fingerprint"],
            note=meta["note"],
        )
        return _Described(build, meta["schema"])

    def _check(self, found: _Described, dimension: int, fingerprint: str) -> None:
        build = found.build
        if found.schema == SCHEMA and (build.dimension, build.fingerprint) == (
            dimension,
            fingerprint,
        ):
            return
        asked = f"{fingerprint} ({dimension}), schema {SCHEMA}"
        held = f"{build.fingerprint} ({build.dimension}), schema {found.schema}"
        raise ConfigError(
            f"the index {build.name} was made with {held}, not with {asked}",
            advice="seoga index rebuild 로 새로 만드세요 (make it anew: seoga index rebuild)",
        )
