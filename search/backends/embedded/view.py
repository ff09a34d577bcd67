"""What a filter lets through, within one snapshot of the index.

Both legs use the same rows. They are kept for the next call with the same filter, as long as no write was committed in
between (``meta.generation``).
"""

# ruff: noqa: S608  only names of our own tables are put into SQL; values are always bound

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from contracts.documents import Layer
from contracts.errors import QueryError
from search.backends.embedded.codec import LAYERS, day, json_list, plain
from search.backends.embedded.passages import rows_of_documents
from search.backends.embedded.vectors import similarities_of
from search.backends.values import folded, path_bytes

if TYPE_CHECKING:
    from contracts.search import SearchFilter
    from search.backends.embedded.database import Connection
    from search.backends.embedded.passages import Passages

__all__ = ["FilterView", "Passing"]

_COLUMNS = frozenset({"department", "source", "format", "language", "security_level", "revision"})

_HAS_CODE = """SELECT 1 FROM doc_codes c WHERE c.pk = d.pk
    AND c.code IN (SELECT value FROM json_each(:code))"""

_READABLE_SUCCESSOR = """SELECT 1 FROM successors s WHERE s.pk = d.pk
    AND s.scope IN (SELECT id FROM readable) AND s.document_id NOT IN (SELECT id FROM hidden)"""

_VISIBLE = f"""(d.status IN ('current', 'unknown') AND d.effective <= :as_of
    AND NOT EXISTS ({_READABLE_SUCCESSOR} AND s.effective <= :as_of))"""

_VISIBLE_THEN = f"""((d.status IN ('current', 'unknown')
    OR (d.status = 'obsolete' AND EXISTS ({_READABLE_SUCCESSOR} AND s.effective > :as_of)))
    AND d.effective <= :as_of AND NOT EXISTS ({_READABLE_SUCCESSOR} AND s.effective <= :as_of))"""


class Passing:
    """The rows that a filter lets through.

    Args:
        passages: All rows.
        documents: The documents that pass, ascending.
        layers: Layers that pass.
        wider: What passes a filter that lets through all of these, and more.
    """

    def __init__(
        self,
        passages: Passages,
        documents: npt.NDArray[np.int64],
        layers: frozenset[Layer],
        wider: Passing | None = None,
    ) -> None:
        self._passages = passages
        self.documents = documents
        rows = rows_of_documents(passages.keys, documents)
        if len(layers) < len(Layer):
            wanted = [LAYERS.index(layer) for layer in layers]
            rows = rows[np.isin(passages.layers[rows], wanted)]
        self.rows = rows
        self._wider = wider
        self._scored: tuple[bytes, npt.NDArray[np.float32]] | None = None

    @cached_property
    def mask(self) -> npt.NDArray[np.bool_]:
        """Whether each of all rows passes."""
        mask = np.zeros(len(self._passages), np.bool_)
        mask[self.rows] = True
        return mask

    @cached_property
    def keys(self) -> npt.NDArray[np.int64]:
        """Keys of the rows, ascending."""
        return self._passages.keys[self.rows]

    def similarities(
        self, matrix: npt.NDArray[np.float32], vector: npt.NDArray[np.float32]
    ) -> npt.NDArray[np.float32]:
        """Products of the rows' vectors with one; kept, as a narrower filter is often asked the same next.

        Args:
            matrix: All vectors.
            vector: Shape ``(dimension,)``.

        Returns:
            Shape ``(rows,)``.
        """
        asked = vector.tobytes()
        before = self._wider._scored if self._wider else None  # noqa: SLF001
        if self._wider is not None and before is not None and before[0] == asked:
            scores = before[1][np.searchsorted(self._wider.rows, self.rows)]
        else:
            scores = similarities_of(matrix, self._passages.slots[self.rows], vector)
        self._scored = asked, scores
        return scores


class FilterView:
    """What passes, as one connection sees it; two temporary tables hold ``readable`` scopes and ``hidden`` documents."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        for table in (
            "readable (id INTEGER PRIMARY KEY)",
            "hidden (id TEXT PRIMARY KEY) WITHOUT ROWID",
        ):
            connection.execute(f"CREATE TEMP TABLE {table}")
        self._state: tuple[int, SearchFilter] | None = None
        self._passing: Passing | None = None
        self._of_language: dict[str, Passing] = {}
        self._readable: tuple[int, frozenset[str]] | None = None
        self._names: dict[str, int] = {}

    def passing(self, generation: int, passages: Passages, where: SearchFilter) -> Passing:
        """The rows that pass; within a read transaction.

        A filter that only adds a language to the one before takes its part of what passed that one.

        Raises:
            QueryError: a filter field that no index has.
        """
        if self._passing is not None and self._state == (generation, where):
            return self._passing
        if where.fields and where.fields[-1][0] == "language":
            wider = replace(where, fields=where.fields[:-1])
            named = any(name == "language" for name, _ in wider.fields)
            if not named and self._state == (generation, wider) and self._passing is not None:
                return self._narrowed(self._passing, passages, where.layers, where.fields[-1][1])
        self.forget_rows()
        self._passing = Passing(passages, self._documents(where), where.layers)
        self._state = (generation, where)
        return self._passing

    def forget(self) -> None:
        """After a failed transaction: the temporary tables may have been rolled back."""
        self.forget_rows()
        self._readable = None

    def forget_rows(self) -> None:
        """Let go of what passed before."""
        self._state = self._passing = None
        self._of_language.clear()

    def _documents(self, where: SearchFilter) -> npt.NDArray[np.int64]:
        self._read_scopes(where.scopes)
        run = self._connection.execute
        run("DELETE FROM hidden")
        run(
            "INSERT OR IGNORE INTO hidden SELECT value FROM json_each(?)",
            (json_list(where.hidden_documents),),
        )
        return self._select(*self._condition(where))

    def _select(self, condition: str, values: dict[str, object]) -> npt.NDArray[np.int64]:
        found = self._connection.execute(f"SELECT d.pk FROM docs d WHERE {condition}", values)
        return np.sort(np.fromiter((pk for (pk,) in found), np.int64))

    def _narrowed(
        self, wider: Passing, passages: Passages, layers: frozenset[Layer], language: str
    ) -> Passing:
        if language not in self._of_language:
            spoken = self._select(*_field_condition("language", [language]))
            both = np.intersect1d(wider.documents, spoken, assume_unique=True)
            self._of_language[language] = Passing(passages, both, layers, wider)
        return self._of_language[language]

    def _read_scopes(self, scopes: frozenset[str]) -> None:
        """Fill ``readable`` with the ids of the scopes; ids never change, new ones only come after."""
        run = self._connection.execute
        last = run("SELECT ifnull(max(id), 0) FROM scopes").fetchone()[0]
        if self._readable == (last, scopes):
            return
        known = max(self._names.values(), default=0)
        for number, name in run("SELECT id, name FROM scopes WHERE id > ?", (known,)):
            self._names[name] = number
        names = self._names
        ids = [(names[name],) for name in map(plain, scopes) if name in names]
        run("DELETE FROM readable")
        self._connection.executemany("INSERT INTO readable VALUES (?)", sorted(ids))
        self._readable = (last, scopes)

    def _condition(self, where: SearchFilter) -> tuple[str, dict[str, object]]:
        values: dict[str, object] = {"as_of": day(where.as_of)}
        parts = [
            "d.scope IN (SELECT id FROM readable)",
            "d.document_id NOT IN (SELECT id FROM hidden)",
        ]
        if not where.include_obsolete:
            parts.append(_VISIBLE_THEN if where.looks_back else _VISIBLE)
        if where.types:
            values["types"] = json_list(where.types)
            parts.append("d.type IN (SELECT value FROM json_each(:types))")
        fields: dict[str, list[str]] = {}
        for name, value in where.fields:
            fields.setdefault(name, []).append(value)
        for name, wanted in fields.items():
            part, more = _field_condition(name, wanted)
            parts.append(part)
            values |= more
        return " AND ".join(parts), values


def _field_condition(name: str, wanted: list[str]) -> tuple[str, dict[str, object]]:
    """The condition of one filter field: any of its values."""
    if name in _COLUMNS:
        values = json_list(folded(value) for value in wanted)
        return f"d.{name} IN (SELECT value FROM json_each(:{name}))", {name: values}
    if name == "code":
        values = json_list(folded(value) for value in wanted)
        return f"EXISTS ({_HAS_CODE})", {"code": values}
    if name == "path":
        parts: list[str] = []
        paths: dict[str, object] = {}
        for number, value in enumerate(wanted):
            whole = path_bytes(value).strip(b"/")
            # A part ends with "/", the container of a child with "!/"; "0" is the character after "/".
            parts += [
                f"d.path = :path{number}",
                f"(d.path >= :path{number}a AND d.path < :path{number}b)",
                f"(d.path >= :path{number}c AND d.path < :path{number}d)",
            ]
            paths |= {f"path{number}": whole}
            paths |= {f"path{number}a": whole + b"/", f"path{number}b": whole + b"0"}
            paths |= {f"path{number}c": whole + b"!/", f"path{number}d": whole + b"!0"}
            if not whole:
                parts.append("1")
        return f"({' OR '.join(parts)})", paths
    raise QueryError(
        f"there is no filter {name!r}",
        advice=f"use one of {', '.join(sorted(_COLUMNS | {'code', 'path'}))}",
    )
