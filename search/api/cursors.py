"""Where the next page of a search begins, as text that says nothing to its holder and gives no right.

A cursor holds a place and a digest of what was asked; the next request asks the same again and is checked as any other.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
from dataclasses import asdict
from typing import TYPE_CHECKING

from contracts.errors import PermanentError

if TYPE_CHECKING:
    from contracts.search import SearchRequest

__all__ = ["CursorError", "cursor_of", "start_of"]

_DIGITS = 16


class CursorError(PermanentError):
    """A cursor of another search, or none at all."""

    code = "cursor"


def cursor_of(request: SearchRequest, start: int) -> str:
    """The cursor of a place in what a request finds."""
    return base64.urlsafe_b64encode(f"{_digest(request)}{start}".encode()).decode().rstrip("=")


def start_of(cursor: str, request: SearchRequest) -> int:
    """The place that a cursor names.

    Raises:
        CursorError: it is no cursor of this request.
    """
    try:
        padded = cursor.encode("ascii") + b"=" * (-len(cursor) % 4)
        text = base64.b64decode(padded, altchars=b"-_", validate=True).decode("ascii")
    except (ValueError, binascii.Error):
        text = ""
    digest, place = text[:_DIGITS], text[_DIGITS:]
    # what was encoded here, and nothing that merely decodes to it
    if (
        digest != _digest(request)
        or not place.isdigit()
        or cursor != cursor_of(request, int(place))
    ):
        raise CursorError(
            "이 검색의 cursor 가 아닙니다 (not a cursor of this search)",
            advice="cursor 없이 처음부터 (start again without one)",
        )
    return int(place)


def _digest(request: SearchRequest) -> str:
    """Of all that is asked but the page itself."""
    asked = asdict(request) | {"start": 0, "top": 0, "facets": ()}
    text = json.dumps(asked, default=str, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:_DIGITS]
