"""What a filter lets through, within one snapshot of the index.

The documents that pass go into a temporary table of the connection; both legs use it, so both see the same set. It is
kept for the next call with the same filter, as long as no write was committed in between (``meta.generation``).
"""

# ruff: noqa: S608  only names of our own tables are put into SQL; values are always bound

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from contracts.documents import Layer
from contracts.errors import QueryError
from search.backends.embedded.codec import LAYERS, SLOTS, day, json_list, plain
from search.backends.embedded.database import KEY_BITS
from search.backends.values import folded, path_bytes

if TYPE_CHECKING:
    from contracts.search import SearchFilter
    from search.backends.embedded.database import Connection

__all__ = ["FilterView", "layer_condition"]

Vectors = tuple[npt.NDArray[np.int64], npt.NDArray[np.uint32]]
"""Keys and vector slots of chunks."""

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


class FilterView:
    """The temporary tables of one connection: ``readable`` scopes, ``hidden`` and ``allowed`` documents."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        for table in (
            "readable (id INTEGER PRIMARY KEY)",
            "hidden (id TEXT PRIMARY KEY) WITHOUT ROWID",
            "allowed (pk INTEGER PRIMARY KEY)",
        ):
            connection.execute(f"CREATE TEMP TABLE {table}")
        self._state: tuple[int, SearchFilter] | None = None
        self._readable: tuple[int, frozenset[str]] | None = None
        self._names: dict[str, int] = {}
        self._vectors: Vectors | None = None
        self._of_language: dict[str, Vectors] = {}

    def build(self, generation: int, where: SearchFilter) -> None:
        """Fill ``allowed`` with the documents that pass; within a read transaction.

        Raises:
            QueryError: a filter field that no index has.
        """
        if self._state == (generation, where):
            return
        self._state = self._vectors = None
        self._of_language.clear()
        self._read_scopes(where.scopes)
        run = self._connection.execute
        run("DELETE FROM hidden")
        run(
            "INSERT OR IGNORE INTO hidden SELECT value FROM json_each(?)",
            (json_list(where.hidden_documents),),
        )
        run("DELETE FROM allowed")
        condition, values = self._condition(where)
        run(f"INSERT INTO allowed SELECT d.pk FROM docs d WHERE {condition}", values)
        self._state = (generation, where)

    def forget(self) -> None:
        """After a failed transaction: the temporary tables may have been rolled back."""
        self._state = self._readable = self._vectors = None
        self._of_language.clear()

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

    def vectors_of(self, generation: int, where: SearchFilter) -> Vectors:
        """Keys and vector slots of the chunks that pass, by slot; within a read transaction.

        A filter that only adds a language to the one before takes its part of what passed that one.

        Raises:
            QueryError: a filter field that no index has.
        """
        if where.fields and where.fields[-1][0] == "language":
            wider = replace(where, fields=where.fields[:-1])
            named = any(name == "language" for name, _ in wider.fields)
            if not named and self._state == (generation, wider):
                return self._narrowed(where.layers, where.fields[-1][1])
        self.build(generation, where)
        return self.vectors(where.layers)

    def _narrowed(self, layers: frozenset[Layer], language: str) -> Vectors:
        if language not in self._of_language:
            condition, values = _field_condition("language", [language])
            found = self._connection.execute(
                f"SELECT d.pk FROM allowed a CROSS JOIN docs d ON d.pk = a.pk WHERE {condition}",
                values,
            )
            wanted = np.fromiter((pk for (pk,) in found), np.int64)
            keys, slots = self.vectors(layers)
            keep = np.isin(keys >> KEY_BITS, wanted)
            self._of_language[language] = keys[keep], slots[keep]
        return self._of_language[language]

    def vectors(self, layers: frozenset[Layer]) -> Vectors:
        """Keys and vector slots of the allowed chunks, by slot; after ``build`` with the same layers."""
        if self._vectors is None:
            found = self._connection.execute(
                "SELECT v.pk, v.rows FROM allowed a CROSS JOIN doc_vectors v ON v.pk = a.pk"
            ).fetchall()
            rows = np.frombuffer(b"".join(data for _, data in found), SLOTS)
            counts = [len(data) // SLOTS.itemsize for _, data in found]
            pks = np.repeat(np.fromiter((pk for pk, _ in found), np.int64, len(found)), counts)
            wanted = [LAYERS.index(layer) for layer in layers]
            if len(wanted) < len(LAYERS):
                keep = np.isin(rows["layer"], wanted)
                rows, pks = rows[keep], pks[keep]
            order = np.argsort(rows["slot"], kind="stable")
            keys = (pks << KEY_BITS) | rows["ordinal"]
            self._vectors = keys[order], rows["slot"][order]
        return self._vectors


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


def layer_condition(layers: frozenset[Layer], key: str) -> str:
    """Condition on a chunk's layer; only the layers other than the body are stored.

    Args:
        layers: Layers wanted.
        key: The chunk's key, as a qualified column.
    """
    if len(layers) == len(Layer):
        return "1"
    names = ", ".join(f"'{layer.value}'" for layer in sorted(layers))
    if Layer.BODY in layers:
        return (
            f"NOT EXISTS (SELECT 1 FROM layered l WHERE l.key = {key} AND l.layer NOT IN ({names}))"
        )
    return f"EXISTS (SELECT 1 FROM layered l WHERE l.key = {key} AND l.layer IN ({names}))"
