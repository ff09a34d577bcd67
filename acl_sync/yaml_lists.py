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
import stat
import unicodedata
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

from contracts.access import AccessEntry, AccessScope, Effect, Gate
from contracts.errors import ConfigError

if TYPE_CHECKING:
    from contracts.documents import SourceItem
    from contracts.ports import SourceFolder
    from contracts.settings import SourceSettings

__all__ = ["YamlPermissionReader", "open_reader", "trusted_file"]

_KEYS = {"realm", "share", "folders", "files"}


def open_reader(settings: SourceSettings) -> YamlPermissionReader:
    """The reader of a configured source: the file that is named, else ``acl.yaml`` at the root.

    Raises:
        ConfigError: see :class:`YamlPermissionReader`.
    """
    file = settings.acl.file or settings.root / "acl.yaml"
    return YamlPermissionReader(settings.name, file)


def trusted_file(path: Path) -> str:
    """Why a control file beside the data may not be trusted, or "" where it may.

    As ``sshd`` does with ``StrictModes``: whoever may write the file, or the folder that it lies in,
    could give themselves rights.
    """
    for place in (path, path.parent):
        seen = place.stat()
        if seen.st_mode & stat.S_IWOTH and not seen.st_mode & stat.S_ISVTX:
            return f"{place} 을(를) 누구나 쓸 수 있습니다 (is writable by everyone: chmod o-w)"
    return ""


class YamlPermissionReader:
    """See :class:`contracts.ports.PermissionReader`.

    Args:
        source: Name of the source.
        path: The file.

    Raises:
        ConfigError: the file is missing, malformed, or writable by everyone.
    """

    def __init__(self, source: str, path: Path) -> None:
        self._source = source
        self._path = path
        values = _read(path)
        self.realm = str(values.get("realm") or source)
        share = self._entries(values["share"], "share") if values.get("share") else None
        self._share = Gate("share", share) if share is not None else None
        self._folders = self._lists(values.get("folders") or {}, "folders")
        self._files = self._lists(values.get("files") or {}, "files")

    @property
    def tags_tell(self) -> bool:
        """The lists lie in a file of their own: a document's tag says nothing of them."""
        return False

    def folder(self, folder: SourceFolder) -> AccessScope:
        """The folder's scope, with the entries of the nearest folder that has a list.

        Every folder has a scope of its own, so that a list that is added or taken away changes scopes, not documents.
        """
        path = _composed(folder.path)
        return self._scope(path, self._in_force(path))

    def item(self, item: SourceItem) -> AccessScope:
        """The file's own list, else its folder's scope."""
        path = _composed(item.path)
        folder = path.rpartition("/")[0]
        if path not in self._files:
            return self._scope(folder, self._in_force(folder))
        inherit, own = self._files[path]
        return self._scope(path, (*own, *(self._handed_down(folder) if inherit else ())))

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
            inherit = isinstance(value, dict) and value.get("inherit") is True
            entries = value.get("entries") if isinstance(value, dict) else value
            key = _composed(str(path).strip("/"))
            found[key] = (inherit, self._entries(entries or [], f"{where}.{path}"))
        return found

    def _entries(self, values: Any, where: str) -> tuple[AccessEntry, ...]:
        if not isinstance(values, list):
            raise self._problem(f"{where}: 항목의 목록이어야 합니다 (must be a list)")
        return tuple(self._entry(value, where) for value in values)

    def _entry(self, value: Any, where: str) -> AccessEntry:
        if isinstance(value, dict) and len(value) == 1:
            effect, principal = next(iter(value.items()))
            kind, _, name = str(principal).partition(":")
            fits = (kind in {"user", "group"} and name) or principal == "everyone"
            if effect in {"allow", "deny"} and fits:
                return AccessEntry(
                    Effect(effect), f"{principal}@{self.realm}", label=f"{effect} {principal}"
                )
        raise self._problem(
            f"{where}: {value!r} — {{allow|deny: user:이름 | group:이름 | everyone}} 이어야 합니다"
        )

    def _problem(self, message: str) -> ConfigError:
        return ConfigError(f"{self._path}: {message}")


def _read(path: Path) -> dict[str, Any]:
    try:
        reason = trusted_file(path)
        values = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as problem:
        raise ConfigError(f"{path}: {problem}") from problem
    if reason:
        raise ConfigError(f"{path}: {reason}")
    if not isinstance(values, dict):
        raise ConfigError(f"{path}: 최상위는 {', '.join(sorted(_KEYS))} 입니다 (top level keys)")
    if unknown := set(values) - _KEYS:
        raise ConfigError(f"{path}: 모르는 항목 (unknown): {', '.join(map(str, sorted(unknown)))}")
    return values


def _composed(path: str) -> str:
    """Compare paths as composed Unicode: Mac clients write decomposed Hangul names."""
    return unicodedata.normalize("NFC", os.fsencode(path).decode("utf-8", "backslashreplace"))


def _shown(entries: tuple[AccessEntry, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(e.principal for e in entries if e.effect is Effect.ALLOW))
