"""One connection to an LDAP server: searches page by page, entries as it sent them."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import ldap3
from ldap3.core.exceptions import LDAPException

from contracts.errors import DirectoryDownError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from acl_sync.ldap.addresses import Address

__all__ = ["BrokenSessionError", "Entry", "Scope", "Session", "drop"]

Scope = Literal["BASE", "LEVEL", "SUBTREE"]

_NO_SUCH_OBJECT = 32
_ADMIN_LIMIT = 11
_REFERRAL = 10
_SUCCESS = 0


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry as the server sent it.

    Attributes:
        dn: Its distinguished name, as the server writes it.
        values: Raw values by attribute name in lower case.
    """

    dn: str
    values: Mapping[str, tuple[bytes, ...]]

    def raw(self, name: str) -> bytes:
        """The first value, or b""."""
        found = self.values.get(name.lower(), ())
        return found[0] if found else b""

    def texts(self, name: str) -> tuple[str, ...]:
        """Every value as text."""
        return tuple(v.decode("utf-8", "replace") for v in self.values.get(name.lower(), ()))

    def text(self, name: str) -> str:
        """The first value as text, or ""."""
        return self.raw(name).decode("utf-8", "replace")

    def number(self, name: str, default: int = 0) -> int:
        """The first value as a number; ``default`` where there is none."""
        try:
            return int(self.raw(name))
        except ValueError:
            return default


class BrokenSessionError(Exception):
    """The connection cannot be used any more."""


class Session:
    """One connection to one server.

    Args:
        connection: Bound.
        address: Of that server.
        page_size: Entries of one answer.

    Attributes:
        address: Of that server.
        facts: What was learnt of it, for as long as the connection is kept.
    """

    def __init__(self, connection: ldap3.Connection, address: Address, page_size: int) -> None:
        self._connection = connection
        self._page_size = page_size
        self.address = address
        self.facts: dict[str, object] = {}

    def base(
        self,
        dn: str,
        attributes: Iterable[str],
        controls: Iterable[Any] = (),
        wanted: str = "(objectClass=*)",
    ) -> Entry | None:
        """The entry of this name, or None where it is not there, or not as the filter wants it."""
        found = list(self._pages(dn, wanted, attributes, "BASE", tuple(controls)))
        return found[0] if found else None

    def search(
        self,
        base: str,
        wanted: str,
        attributes: Iterable[str],
        controls: Iterable[Any] = (),
    ) -> Iterator[Entry]:
        """Every entry below ``base`` that the filter wants, page by page.

        Raises:
            DirectoryDownError: the server refuses the search.
        """
        return self._pages(base, wanted, attributes, "SUBTREE", tuple(controls))

    def _pages(
        self,
        base: str,
        wanted: str,
        attributes: Iterable[str],
        scope: Scope,
        controls: tuple[Any, ...],
    ) -> Iterator[Entry]:
        names = list(attributes)
        cookie: bytes | None = None
        while True:
            paged = {"paged_size": self._page_size, "paged_cookie": cookie}
            paged = paged if scope != "BASE" else {}
            answer = self._ask(base, wanted, names, scope, controls, paged)
            result, response = answer
            if result["result"] == _NO_SUCH_OBJECT:
                return
            if (
                result["result"] == _ADMIN_LIMIT
                and paged
                and cookie is None
                and self._page_size > 1
            ):
                self._page_size //= 2  # its pages are smaller
                continue
            if result["result"] not in (_SUCCESS, _REFERRAL):
                raise DirectoryDownError(
                    f"{self.address}: 검색을 거절했습니다 (refuses to search {base!r}): "
                    f"{result['description']} {result['message']}".rstrip(),
                    advice="directory.ldap 의 user 와 base 를 확인하세요 (check user and base)",
                )
            for found in response or ():
                if found["type"] == "searchResEntry":
                    yield _entry(found)
            more = (result.get("controls") or {}).get("1.2.840.113556.1.4.319")
            cookie = more["value"]["cookie"] if more else None
            if not cookie:
                return

    def _ask(
        self,
        base: str,
        wanted: str,
        names: list[str],
        scope: Scope,
        controls: tuple[Any, ...],
        paged: dict[str, Any],
    ) -> tuple[dict[str, Any], list[dict[str, Any]]]:
        try:
            _, result, response, _ = self._connection.search(
                base,
                wanted,
                search_scope=scope,
                attributes=names or [ldap3.NO_ATTRIBUTES],
                controls=list(controls) or None,
                **paged,
            )
        except (LDAPException, OSError, RecursionError) as problem:
            raise BrokenSessionError(str(problem)) from problem
        return result, response

    def close(self) -> None:
        """Hang up."""
        drop(self._connection)


def _entry(found: Mapping[str, Any]) -> Entry:
    values = {name.lower(): tuple(raw) for name, raw in found["raw_attributes"].items()}
    return Entry(found["dn"], values)


def drop(connection: ldap3.Connection | None) -> None:
    """Close a connection, also one that never came about: ldap3 leaves the socket of a failed attempt open."""
    if connection is None:
        return
    with contextlib.suppress(LDAPException, OSError):
        connection.unbind()
    if connection.socket is not None:
        with contextlib.suppress(OSError):
            connection.socket.close()
