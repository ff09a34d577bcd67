"""Addresses that a browser can open for a while: one citation, one reader, some minutes.

A browser sends no bearer token. A service that may act for a reader asks for an address with a ticket in it, a JSON Web Token (RFC 7519)
that this service signs with a secret of its own. A ticket vouches for who asks; what they may read is checked when it is opened.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

import jwt

from search.api.callers import UnauthorisedError

__all__ = ["Ticket", "Tickets"]

_AUDIENCE = "seoga:open"
_ALGORITHM = "HS256"


@dataclass(frozen=True, slots=True)
class Ticket:
    """What a ticket says.

    Attributes:
        citation: What it opens.
        reader: As whom.
        via: The service that asked for it, for the audit log.
    """

    citation: str
    reader: str
    via: str


class Tickets:
    """Makes and checks tickets.

    Args:
        secret: Of the installation, at least 32 bytes, the same in all its processes.
        minutes: How long a ticket is good.
    """

    def __init__(self, secret: bytes, minutes: int) -> None:
        self._secret = secret
        self.seconds = minutes * 60

    def make(self, ticket: Ticket) -> str:
        """The ticket as text."""
        claims = {
            "aud": _AUDIENCE,
            "sub": ticket.reader,
            "via": ticket.via,
            "open": ticket.citation,
            "exp": int(time.time()) + self.seconds,
        }
        return jwt.encode(claims, self._secret, algorithm=_ALGORITHM)

    def check(self, text: str, citation: str) -> Ticket:
        """What a ticket for this citation says.

        Raises:
            UnauthorisedError: it is none of ours, has run out, or is for something else.
        """
        try:
            claims = jwt.decode(
                text,
                self._secret,
                algorithms=[_ALGORITHM],
                audience=_AUDIENCE,
                options={"require": ["exp", "aud", "sub"]},
            )
        except (jwt.PyJWTError, ValueError) as problem:
            raise UnauthorisedError(
                "주소의 표가 틀렸거나 지났습니다 (the ticket is wrong or has run out)"
            ) from problem
        if claims.get("open") != citation:
            raise UnauthorisedError("다른 출처의 표입니다 (the ticket is for something else)")
        return Ticket(citation, str(claims["sub"]), str(claims.get("via", "")))
