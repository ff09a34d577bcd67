"""Lookups at an LDAP service: sign-in, failover over its addresses, connections that are kept."""

from __future__ import annotations

import math
import threading
import time
import weakref
from typing import TYPE_CHECKING, TypeVar

import ldap3
from ldap3.core.exceptions import LDAPException

from acl_sync.ldap.addresses import Address, address_of
from acl_sync.ldap.session import BrokenSessionError, Session, drop
from acl_sync.ldap.tls import CheckedTls
from contracts.errors import ConfigError, DirectoryDownError, SeogaError

if TYPE_CHECKING:
    from collections.abc import Callable

    from contracts.settings import LdapSettings

__all__ = ["LdapClient"]

T = TypeVar("T")

_IDLE = 4
"""Connections kept for the next lookup."""

_REST, _LONGEST_REST = 3.0, 30.0
"""An address that did not answer is left alone so many times as long as that took, at most so many seconds."""


class LdapClient:
    """Runs lookups over connections that it keeps; safe to share between threads.

    Args:
        settings: Where the service is.
        clock: Seconds, monotonic.

    Raises:
        ConfigError: an address cannot be used, or would carry passwords in the clear.
    """

    def __init__(
        self,
        settings: LdapSettings,
        *,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._settings = settings
        self._addresses = [address_of(url, settings) for url in settings.urls]
        if not self._addresses:
            raise ConfigError(
                f"directory.ldap {settings.name}: urls: 주소가 필요합니다 (is needed)"
            )
        self._clock = clock
        self._lock = threading.Lock()
        self._idle: list[Session] = []
        self._failed: dict[Address, tuple[float, DirectoryDownError]] = {}
        weakref.finalize(self, _hang_up, self._idle)

    def run(self, work: Callable[[Session], T]) -> T:
        """Do one lookup over one connection; one that had been closed meanwhile is replaced.

        Raises:
            DirectoryDownError: no address answers, or the one that does refuses.
        """
        while (session := self._take()) is not None:
            try:
                return self._done(session, work(session))
            except BrokenSessionError:
                session.close()
            except SeogaError:
                self._give(session)
                raise
            except BaseException:
                session.close()  # perhaps in the middle of an answer
                raise
        session = self._open()
        try:
            return self._done(session, work(session))
        except BrokenSessionError as problem:
            session.close()
            raise self._fail(session.address, str(problem)) from problem
        except SeogaError:
            self._give(session)
            raise
        except BaseException:
            session.close()
            raise

    def close(self) -> None:
        """Hang up; a later lookup opens anew."""
        while (session := self._take()) is not None:
            session.close()

    def _done(self, session: Session, result: T) -> T:
        self._give(session)
        return result

    def _take(self) -> Session | None:
        with self._lock:
            return self._idle.pop() if self._idle else None

    def _give(self, session: Session) -> None:
        with self._lock:
            if len(self._idle) < _IDLE:
                self._idle.append(session)
                return
        session.close()

    def _open(self) -> Session:
        problems: list[DirectoryDownError] = []
        for address in self._addresses:
            failed = self._failed.get(address)
            if failed is not None and self._clock() < failed[0]:
                problems.append(failed[1])
                continue
            begun = self._clock()
            try:
                session = self._connect(address)
            except DirectoryDownError as problem:
                # one that refuses at once is asked each time; one that is silent must not make every lookup wait
                rest = min(_LONGEST_REST, _REST * (self._clock() - begun))
                self._failed[address] = (self._clock() + rest, problem)
                problems.append(problem)
                continue
            self._failed.pop(address, None)
            return session
        raise DirectoryDownError(
            "; ".join(dict.fromkeys(problem.message for problem in problems)),
            advice=next((p.advice for p in problems if p.advice), ""),
        )

    def _connect(self, address: Address) -> Session:
        settings = self._settings
        tls = CheckedTls(address.host, settings)
        connection: ldap3.Connection | None = None
        try:
            server = ldap3.Server(
                address.host,
                port=address.port,
                use_ssl=address.ssl,
                tls=tls,
                get_info=ldap3.NONE,
                connect_timeout=settings.timeout_seconds,
            )
            connection = ldap3.Connection(
                server,
                user=settings.user or None,
                password=_password(settings),
                authentication=ldap3.SIMPLE if settings.user else ldap3.ANONYMOUS,
                client_strategy=ldap3.SAFE_SYNC,
                auto_referrals=False,
                check_names=False,
                read_only=True,
                return_empty_attributes=False,
                receive_timeout=math.ceil(settings.timeout_seconds),
            )
            connection.open()
            if settings.start_tls and not address.ssl:
                connection.start_tls()
            bound, result, _, _ = connection.bind()
        except (LDAPException, OSError, ValueError) as problem:
            drop(connection)
            raise self._fail(address, tls.problem or str(problem), tls.advice) from problem
        if not bound:
            drop(connection)
            raise self._fail(
                address,
                f"로그인을 거절했습니다 (refuses to sign in): {result['description']}",
                "directory.ldap 의 user 와 password_file 을 확인하세요 (check user and password_file)",
            )
        return Session(connection, address, settings.page_size)

    @staticmethod
    def _fail(address: Address, reason: str, advice: str = "") -> DirectoryDownError:
        return DirectoryDownError(
            f"{address}: {reason}",
            advice=advice or "디렉터리 서버와 방화벽을 확인하세요 (check the server and firewalls)",
        )


def _hang_up(sessions: list[Session]) -> None:
    while sessions:
        sessions.pop().close()


def _password(settings: LdapSettings) -> str | None:
    if not settings.user:
        return None
    where = f"directory.ldap {settings.name}: password_file"
    if settings.password_file is None:
        raise DirectoryDownError(f"{where} 이 필요합니다 (is needed)")
    try:
        secret = settings.password_file.read_text(encoding="utf-8").rstrip("\r\n")
    except (OSError, UnicodeDecodeError) as problem:
        raise DirectoryDownError(f"{where}: {problem}") from problem
    if not secret:
        # RFC 4513 5.1.2: a name with an empty password would be served as nobody, and look like success
        raise DirectoryDownError(f"{where} 이 비어 있습니다 (is empty)")
    return secret
