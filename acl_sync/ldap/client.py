"""Sessions with an LDAP service: TLS that is checked, failover over its addresses, timeouts, paging."""

from __future__ import annotations

import contextlib
import math
import socket
import ssl
import threading
import time
import weakref
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import ldap3
from ldap3.core.exceptions import LDAPException

from acl_sync.ldap.addresses import Address, address_of
from contracts.errors import ConfigError, DirectoryDownError, SeogaError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from contracts.settings import LdapSettings

__all__ = ["Entry", "LdapClient", "Scope", "Session"]

Scope = Literal["BASE", "LEVEL", "SUBTREE"]
T = TypeVar("T")

_IDLE = 4
"""Connections kept for the next lookup."""

_REST, _LONGEST_REST = 3.0, 30.0
"""An address that did not answer is left alone so many times as long as that took, at most so many seconds."""

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


class _Broken(Exception):
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
            raise _Broken(str(problem)) from problem
        return result, response

    def close(self) -> None:
        """Hang up."""
        _drop(self._connection)


def _entry(found: Mapping[str, Any]) -> Entry:
    values = {name.lower(): tuple(raw) for name, raw in found["raw_attributes"].items()}
    return Entry(found["dn"], values)


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
            except _Broken:
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
        except _Broken as problem:
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
        tls = _CheckedTls(address.host, settings)
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
            _drop(connection)
            raise self._fail(address, tls.problem or str(problem), tls.advice) from problem
        if not bound:
            _drop(connection)
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


def _drop(connection: ldap3.Connection | None) -> None:
    """Close a connection, also one that never came about: ldap3 leaves the socket of a failed attempt open."""
    if connection is None:
        return
    with contextlib.suppress(LDAPException, OSError):
        connection.unbind()
    if connection.socket is not None:
        with contextlib.suppress(OSError):
            connection.socket.close()


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


class _CheckedTls(ldap3.Tls):  # type: ignore[misc]  # ldap3 has no types
    """TLS by the rules of this Python: chain and host name are checked during the handshake (RFC 4513 3.1.3)."""

    def __init__(self, host: str, settings: LdapSettings) -> None:
        super().__init__(validate=ssl.CERT_REQUIRED)
        self._host = host
        self._settings = settings
        self.problem = ""
        self.advice = ""

    def wrap_socket(self, connection: Any, do_handshake: bool = False) -> None:  # noqa: ARG002, FBT001, FBT002  its signature
        """Shake hands over the connection's socket."""
        plain: socket.socket = connection.socket
        try:
            context = ssl.create_default_context(cafile=self._settings.ca_file)
            plain.settimeout(self._settings.timeout_seconds)
            connection.socket = context.wrap_socket(plain, server_hostname=self._host)
        except ssl.SSLCertVerificationError as problem:
            self.problem = (
                "서버의 인증서를 믿을 수 없습니다 (the server's certificate is not trusted): "
                f"{problem.verify_message}"
            )
            self.advice = (
                "ca_file 에 서명한 인증서를, urls 에 인증서에 적힌 이름을 적으세요 "
                "(ca_file: who signed it; urls: the name that it was issued for)"
            )
            raise
        except (ssl.SSLError, OSError) as problem:
            self.problem = f"TLS 연결을 맺지 못했습니다 (no TLS connection): {problem}"
            raise
        connection.socket.settimeout(None)
