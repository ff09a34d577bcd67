"""Any Python text into a database and back, in order.

SQLite and PostgreSQL store UTF-8, which has no lone surrogates (a file name that is not UTF-8 holds
them, see :func:`os.fsdecode`), and PostgreSQL takes no NUL. ``escape`` writes each of them as U+E000
followed by one ideograph that counts from U+D800; U+E000 itself is written so too. U+E000 is the first
code point after the surrogates, so escaped texts sort (byte by byte) as Python sorts the originals;
only NUL sorts late.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Collection
from typing import Any, TypeVar

import msgspec
import sqlalchemy as sa
from sqlalchemy.dialects import postgresql
from sqlalchemy.engine import Dialect

__all__ = [
    "HEAD",
    "SafeText",
    "digest",
    "escape",
    "from_json",
    "head",
    "matches",
    "to_json",
    "unescape",
]

HEAD = 500
"""Characters of a long text that go into an index: PostgreSQL takes at most 2,704 bytes an entry."""

_MARK = "\ue000"
_BASE = 0x3400
_FIRST = 0xD800
_LAST = 0xE000
_NUL = _BASE + (_LAST - _FIRST) + 1
_UNSAFE = re.compile("[\x00\ud800-\ue000]")
_ESCAPED = re.compile("\ue000([\u3400-\u3c01])")

T = TypeVar("T")


def escape(text: str) -> str:
    """``text`` as both databases can store it."""
    return _UNSAFE.sub(_to_pair, text) if _UNSAFE.search(text) else text


def unescape(stored: str) -> str:
    """The text that ``escape`` made ``stored`` from."""
    return _ESCAPED.sub(_from_pair, stored) if _MARK in stored else stored


def _as_written(stored: str | None) -> str | None:
    if stored is None or _MARK not in stored:
        return stored
    return _ESCAPED.sub(_from_pair, stored)


def _to_pair(match: re.Match[str]) -> str:
    point = ord(match.group())
    return _MARK + chr(_BASE + point - _FIRST if point else _NUL)


def _from_pair(match: re.Match[str]) -> str:
    point = ord(match.group(1))
    return "\x00" if point == _NUL else chr(_FIRST + point - _BASE)


class SafeText(sa.types.TypeDecorator[str]):
    """A text column that takes any ``str`` and compares by code point on both databases."""

    impl = sa.Text
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> sa.types.TypeEngine[Any]:
        """PostgreSQL's own collations sort by language, so ``C`` is asked for."""
        if dialect.name == "postgresql":
            return postgresql.TEXT(collation="C")
        return sa.Text()

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:  # noqa: ARG002  its signature
        """Escape on the way in."""
        return None if value is None else escape(value)

    def process_result_value(self, value: str | None, dialect: Dialect) -> str | None:  # noqa: ARG002  its signature
        """Unescape on the way out."""
        return None if value is None else unescape(value)

    def result_processor(
        self,
        dialect: Dialect,  # noqa: ARG002  its signature
        coltype: object,  # noqa: ARG002
    ) -> Callable[[str | None], str | None]:
        """As ``process_result_value``, without a call more for each of the millions of values of a scan."""
        return _as_written


def head(column: sa.ColumnElement[str]) -> sa.ColumnElement[str]:
    """The indexed beginning of a long text column."""
    # Literal numbers: an index over an expression is not used for one with parameters.
    begin: sa.ColumnClause[int] = sa.literal_column("1")
    length: sa.ColumnClause[int] = sa.literal_column(str(HEAD))
    return sa.func.substr(column, begin, length, type_=sa.Text())


def head_of(value: str) -> str:
    """What ``head`` of a column that holds ``value`` compares equal to."""
    return escape(value)[:HEAD]


def matches(column: sa.ColumnElement[str], value: str) -> sa.ColumnElement[bool]:
    """``column = value`` by way of the index over ``head(column)``."""
    return sa.and_(head(column) == head_of(value), column == value)


def among(column: sa.ColumnElement[str], values: Collection[str]) -> sa.ColumnElement[bool]:
    """``column IN values`` by way of the index over ``head(column)``."""
    return sa.and_(head(column).in_({head_of(value) for value in values}), column.in_(values))


def digest(*parts: str) -> str:
    """Hex SHA-256 over texts (any ``str``), each counted so that no two lists share one."""
    hasher = hashlib.sha256()
    for part in parts:
        data = part.encode("utf-8", "surrogatepass")
        hasher.update(len(data).to_bytes(8, "big"))
        hasher.update(data)
    return hasher.hexdigest()


def to_json(value: object, *, ascii_only: bool = False) -> str:
    """Canonical JSON of JSON values or frozen dataclasses: keys sorted, no spaces, no NaN.

    Args:
        value: What to write.
        ascii_only: Escape everything else (a text with lone surrogates can then be hashed).

    Raises:
        TypeError: something in it is no JSON value.
        ValueError: a number is not finite.
    """
    return json.dumps(
        msgspec.to_builtins(value),
        ensure_ascii=ascii_only,
        allow_nan=False,
        sort_keys=True,
        separators=(",", ":"),
    )


def from_json(text: str, kind: type[T]) -> T:
    """The value of type ``kind`` that ``to_json`` wrote.

    Raises:
        msgspec.ValidationError: the text is not of that type.
    """
    return msgspec.convert(json.loads(text), kind)
