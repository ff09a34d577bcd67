"""Who is logged in at the dashboard. A session is known by the digest of its secret: the table lets nobody in."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import sqlalchemy as sa

from catalog.database import Database
from catalog.ops_tables import sessions
from catalog.times import utc_now, utc_text

__all__ = ["SessionRecord", "SessionStore"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionRecord:
    """One session.

    Attributes:
        digest: Hex SHA-256 of its secret.
        reader: Who it is, as directories know them.
        caller: By whose token.
        csrf: What every form of it carries.
        created_at: Since when, UTC text.
        expires_at: Until when, UTC text.
        mark: What tells that the key by which the person came in is still the same; of no use without the secret.
    """

    digest: str
    reader: str
    caller: str
    csrf: str
    created_at: str
    expires_at: str
    mark: str = ""


class SessionStore:
    """One row a session."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def begin(
        self,
        reader: str,
        caller: str,
        minutes: int,
        mark: Callable[[str], str] = lambda _secret: "",
    ) -> tuple[str, SessionRecord]:
        """A new session; the ones that have expired go.

        Args:
            reader: Who it is.
            caller: By whose token.
            minutes: Until it expires.
            mark: Gives the mark of the key, made with the session's secret.

        Returns:
            Its secret, 256 bits, which is stored nowhere; and the session.
        """
        secret = secrets.token_urlsafe(32)
        until = datetime.now(UTC) + timedelta(minutes=minutes)
        record = SessionRecord(
            digest=_digest(secret),
            reader=reader,
            caller=caller,
            csrf=secrets.token_urlsafe(32),
            created_at=utc_now(),
            expires_at=utc_text(until),
            mark=mark(secret),
        )
        with self._database.write() as connection:
            connection.execute(sa.delete(sessions).where(sessions.c.expires_at <= utc_now()))
            values = {name: getattr(record, name) for name in SessionRecord.__slots__}
            connection.execute(sa.insert(sessions), values)
        return secret, record

    def get(self, secret: str) -> SessionRecord | None:
        """The session of a secret, unless it has expired."""
        query = sa.select(sessions).where(
            sessions.c.digest == _digest(secret), sessions.c.expires_at > utc_now()
        )
        with self._database.read() as connection:
            row = connection.execute(query).mappings().first()
        return SessionRecord(**row) if row else None

    def end(self, secret: str) -> None:
        """Forget the session of a secret."""
        self.end_digest(_digest(secret))

    def end_all(self) -> int:
        """Log everybody out; how many sessions."""
        with self._database.write() as connection:
            return connection.execute(sa.delete(sessions)).rowcount

    def end_digest(self, digest: str) -> None:
        """Forget a session."""
        with self._database.write() as connection:
            connection.execute(sa.delete(sessions).where(sessions.c.digest == digest))


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()
