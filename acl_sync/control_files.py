"""``acl.yaml`` and ``directory.yaml``: read only where nobody else can have written them, and never guessed at."""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import yaml

from contracts.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

__all__ = ["ControlFile", "read_control_file", "switch"]

T = TypeVar("T")

_YES, _NO = {"true", "yes", "on"}, {"false", "no", "off", ""}


def read_control_file(path: Path) -> dict[str, Any]:
    """The file's mapping; every scalar is text, exactly as it is written (``no``, ``2024``, ``1_000``).

    As ``sshd`` does with ``StrictModes``: whoever may write the file, or put another one in its place, could give
    themselves rights. So it must belong to the superuser, to this account, or to the owner of its folder, and
    nobody else may write it.

    Raises:
        ConfigError: it is missing, somebody else may have written it, or it is not plain YAML without repeated keys.
    """
    try:
        if reason := _untrusted(path):
            raise ConfigError(f"{path}: {reason}")
        values = yaml.load(_text(path), _Loader)  # noqa: S506  of a loader that makes text only
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as problem:
        raise ConfigError(f"{path}: {problem}") from problem
    except RecursionError as problem:
        raise ConfigError(f"{path}: 너무 깊습니다 (nested too deeply)") from problem
    if not isinstance(values, dict):
        raise ConfigError(f"{path}: 최상위는 이름과 값이어야 합니다 (must be a mapping)")
    return values


class ControlFile(Generic[T]):
    """What a control file says now: read anew when it has changed, and forgotten where it cannot be used.

    Args:
        path: The file.
        parse: Its mapping as something else; raises :class:`ConfigError` where it is not as documented.
    """

    def __init__(self, path: Path, parse: Callable[[dict[str, Any]], T]) -> None:
        self.path = path
        self._parse = parse
        self._read_at: tuple[tuple[int, ...], T] | None = None

    def now(self) -> T:
        """What it says.

        Raises:
            OSError: it is not there.
            ConfigError: see :func:`read_control_file`.
        """
        known, self._read_at = self._read_at, None
        seen = self.path.stat()
        mark = (seen.st_ino, seen.st_size, seen.st_mtime_ns, seen.st_ctime_ns)
        if known is None or known[0] != mark:
            known = (mark, self._parse(read_control_file(self.path)))
        self._read_at = known
        return known[1]


def switch(value: Any) -> bool | None:
    """A scalar as yes or no; None where it is neither."""
    word = str(value).lower() if isinstance(value, str) else None
    return True if word in _YES else False if word in _NO else None


def _untrusted(path: Path) -> str:
    """Why the file may not be trusted, or "" where it may."""
    folder = path.parent.stat()
    if folder.st_mode & stat.S_IWOTH and not folder.st_mode & stat.S_ISVTX:
        return f"{path.parent} 을(를) 누구나 쓸 수 있습니다 (is writable by everyone: chmod o-w)"
    owners = {0, os.geteuid(), folder.st_uid}
    for seen in (path.lstat(), path.stat()):  # the link, where it is one, and the file
        if seen.st_uid not in owners:
            return (
                f"소유자(uid {seen.st_uid})를 믿을 수 없습니다 (belongs neither to root, nor to this account, "
                "nor to the owner of its folder: chown)"
            )
    if not stat.S_ISREG(seen.st_mode):
        return "파일이 아닙니다 (is not a file)"
    if seen.st_mode & stat.S_IWOTH:
        return "누구나 쓸 수 있습니다 (is writable by everyone: chmod o-w)"
    if seen.st_mode & stat.S_IWGRP and seen.st_gid not in {0, os.getegid()}:
        return f"그룹(gid {seen.st_gid})이 쓸 수 있습니다 (is writable by its group: chmod g-w)"
    return ""


def _text(path: Path) -> str:
    """The file's text, of one moment."""
    with path.open("rb") as file:
        before = os.fstat(file.fileno())
        data = file.read()
        after = os.fstat(file.fileno())
    if (before.st_mtime_ns, before.st_size) != (after.st_mtime_ns, len(data)):
        raise ConfigError(f"{path}: 지금 쓰는 중입니다 (is being written)")
    return data.decode("utf-8-sig")


class _Loader(yaml.BaseLoader):
    """Text, lists and mappings; a repeated key is an error, where YAML libraries take the last one silently."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:  # noqa: FBT001, FBT002  its signature
        """A mapping with keys of text."""
        seen: set[str] = set()
        for key, _ in node.value:
            if not isinstance(key, yaml.ScalarNode) or key.value == "<<":
                problem = "a key must be plain text (merge keys are not supported)"
                raise yaml.constructor.ConstructorError(None, None, problem, key.start_mark)
            if key.value in seen:
                problem = f"두 번 나옵니다 (stands there twice): {key.value!r}"
                raise yaml.constructor.ConstructorError(None, None, problem, key.start_mark)
            seen.add(key.value)
        return super().construct_mapping(node, deep)
