"""Access lists written by hand: ``acl.yaml``, for drives whose own permissions cannot be read.

::

    realm: hanbit
    share: [{allow: everyone}]              # optional, a gate for the whole source
    folders:
      "": [{allow: group:staff}]            # the root
      품질/8D: [{deny: user:choi}, {allow: group:quality}]
      품질/8D/공개: {inherit: true, entries: [{allow: group:sales}]}
    files:
      품질/8D/기밀.pdf: [{allow: user:kim}]

A list replaces what would be inherited unless it says ``inherit: true``; then its entries stand before the
inherited ones. The nearest folder with a list decides; no list at all: nobody.
"""

from __future__ import annotations

import os
import unicodedata
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from acl_sync.control_files import read_control_file, switch
from contracts.access import AccessEntry, AccessScope, Effect, Gate
from contracts.errors import ConfigError

if TYPE_CHECKING:
    from pathlib import Path

    from contracts.documents import SourceItem
    from contracts.settings import SourceSettings
    from contracts.sources import SourceFolder

__all__ = ["YamlPermissionReader", "open_reader"]

_KEYS = {"realm", "share", "folders", "files"}


def open_reader(settings: SourceSettings) -> YamlPermissionReader:
    """The reader of a configured source: the file that is named, else ``acl.yaml`` at the root.

    Raises:
        ConfigError: see :class:`YamlPermissionReader`.
    """
    file = settings.acl.file or settings.folder / "acl.yaml"
    return YamlPermissionReader(settings.name, file)


class YamlPermissionReader:
    """See :class:`contracts.sources.PermissionReader`.

    Args:
        source: Name of the source.
        path: The file.

    Raises:
        ConfigError: the file is missing, malformed, or somebody else may have written it.
    """

    def __init__(self, source: str, path: Path) -> None:
        self._source = source
        self._path = path
        values = _read(path)
        self.realm = str(values.get("realm") or source)
        share = self._entries(values["share"] or [], "share") if "share" in values else None
        self._share = Gate("share", share) if share is not None else None
        self._folders = self._lists(values.get("folders") or {}, "folders")
        self._files = self._lists(values.get("files") or {}, "files")
        self._unmatched = {("folders", path) for path in self._folders if path}
        self._unmatched |= {("files", path) for path in self._files}

    @property
    def tags_tell(self) -> bool:
        """The lists lie in a file of their own: a document's tag says nothing of them."""
        return False

    @property
    def basis(self) -> str:
        """Lists are translated with nothing but themselves."""
        return ""

    def folder(self, folder: SourceFolder) -> AccessScope:
        """The folder's scope, with the entries of the nearest folder that has a list.

        Every folder has a scope of its own, so that a list that is added or taken away changes scopes, not documents.
        """
        path = _composed(folder.path)
        self._unmatched.discard(("folders", path))
        return self._scope(path, self._in_force(path))

    def item(self, item: SourceItem) -> AccessScope:
        """The file's own list, else its folder's scope."""
        path = _composed(item.path)
        folder = path.rpartition("/")[0]
        if path not in self._files:
            return self._scope(folder, self._in_force(folder))
        self._unmatched.discard(("files", path))
        inherit, own = self._files[path]
        # "//" is in no path: a folder whose name composes to the file's must not take over its scope
        key = f"{folder}//{path.removeprefix(folder).lstrip('/')}"
        return self._scope(key, (*own, *(self._handed_down(folder) if inherit else ())))

    def named(self) -> frozenset[str]:
        """Everybody whom an entry names."""
        lists = [own for where in (self._folders, self._files) for _, own in where.values()]
        share = self._share.entries if self._share else ()
        return frozenset(e.principal for entries in (share, *lists) for e in entries)

    def unmatched(self) -> tuple[str, ...]:
        """Paths of lists that nothing listed so far was at: misspelt, moved, or gone."""
        return tuple(sorted(f"{where}: {path}" for where, path in self._unmatched))

    def _in_force(self, folder: str) -> tuple[AccessEntry, ...]:
        at = folder
        while at not in self._folders:
            if not at:
                return ()
            at = at.rpartition("/")[0]
        inherit, own = self._folders[at]
        return (*own, *self._handed_down(at.rpartition("/")[0])) if inherit and at else own

    def _handed_down(self, folder: str) -> tuple[AccessEntry, ...]:
        return tuple(replace(entry, inherited=True) for entry in self._in_force(folder))

    def _scope(self, path: str, entries: tuple[AccessEntry, ...]) -> AccessScope:
        return AccessScope(
            scope_id=f"{self._source}:{path or '/'}",
            source=self._source,
            key=path or "/",
            gates=self._gates(entries),
            groups=_shown(entries),
        )

    def _gates(self, entries: tuple[AccessEntry, ...]) -> tuple[Gate, ...]:
        read = Gate("read", entries)
        return (self._share, read) if self._share else (read,)

    def _lists(self, lists: Any, where: str) -> dict[str, tuple[bool, tuple[AccessEntry, ...]]]:
        if not isinstance(lists, dict):
            raise self._problem(f"{where}: 경로별 목록이어야 합니다 (must map paths to lists)")
        found = {}
        for path, value in lists.items():
            key = _composed(path.strip("/"))
            if key in found:
                raise self._problem(f"{where}: {path!r} 경로가 두 번 나옵니다 (stands there twice)")
            if key and not {"", ".", ".."}.isdisjoint(key.split("/")):
                raise self._problem(f"{where}: {path!r} — 루트 아래의 경로여야 합니다 (not a path)")
            found[key] = self._list(value, f"{where}.{path}")
        return found

    def _list(self, value: Any, where: str) -> tuple[bool, tuple[AccessEntry, ...]]:
        if not isinstance(value, dict):
            return False, self._entries(value or [], where)
        inherit = switch(value.get("inherit", ""))
        if inherit is None or value.keys() - {"inherit", "entries"}:
            raise self._problem(f"{where}: {{inherit: true|false, entries: [...]}} 이어야 합니다")
        return inherit, self._entries(value.get("entries") or [], where)

    def _entries(self, values: Any, where: str) -> tuple[AccessEntry, ...]:
        if not isinstance(values, list):
            raise self._problem(f"{where}: 항목의 목록이어야 합니다 (must be a list)")
        return tuple(self._entry(value, where) for value in values)

    def _entry(self, value: Any, where: str) -> AccessEntry:
        if isinstance(value, dict) and len(value) == 1:
            effect, principal = next(iter(value.items()))
            written = unicodedata.normalize("NFC", principal) if isinstance(principal, str) else ""
            kind, _, name = written.partition(":")
            fits = kind in {"user", "group"} and name and name == name.strip()
            if effect in {"allow", "deny"} and (fits or written == "everyone"):
                # kim@hanbit is named as people name themselves where several directories know a kim
                full = written if "@" in name else f"{written}@{self.realm}"
                return AccessEntry(Effect(effect), full, label=f"{effect} {written}")
        raise self._problem(
            f"{where}: {value!r} — {{allow|deny: user:이름 | group:이름 | everyone}} 이어야 합니다"
        )

    def _problem(self, message: str) -> ConfigError:
        return ConfigError(f"{self._path}: {message}")


def _read(path: Path) -> dict[str, Any]:
    values = read_control_file(path)
    if unknown := set(values) - _KEYS:
        raise ConfigError(f"{path}: 모르는 항목 (unknown): {', '.join(sorted(unknown))}")
    return values


def _composed(path: str) -> str:
    """Compare paths as composed Unicode: Mac clients write decomposed Hangul names."""
    return unicodedata.normalize("NFC", os.fsencode(path).decode("utf-8", "backslashreplace"))


def _shown(entries: tuple[AccessEntry, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(e.principal for e in entries if e.effect is Effect.ALLOW))
