"""What look-ups at every kind of directory server share."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from ldap3.utils.conv import escape_filter_chars

from catalog.statements import batches

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from acl_sync.ldap.client import LdapClient
    from contracts.settings import LdapSettings

__all__ = ["Lookups", "any_of", "safe"]

_PARTS = 50
"""Parts of one filter."""


class Lookups:
    """Live look-ups in one directory.

    Args:
        settings: Of the directory.
        client: Sessions with its servers.
        now: The time.
    """

    def __init__(
        self,
        settings: LdapSettings,
        client: LdapClient,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._settings = settings
        self._client = client
        self._now = now


def any_of(parts: Iterable[str], within: str = "") -> Iterator[str]:
    """Filters (RFC 4515) that together find what any of these finds, each of 50 parts at most.

    Args:
        parts: Filters.
        within: One that must hold besides, or "".
    """
    for some in batches(parts, _PARTS):
        found = f"(|{''.join(some)})"
        yield f"(&{within}{found})" if within else found


def safe(text: str) -> str:
    """A text as a value in a filter."""
    return str(escape_filter_chars(text))
