"""An IMAP server as sources and permission readers see it: address, login, connections, folders.

Rules: RFC 3501 and RFC 9051 (protocol), RFC 2342 (namespaces), RFC 6154 (special use), RFC 5092 (addresses).
"""

from __future__ import annotations

import contextlib
import ipaddress
import logging
import socket
import ssl
import threading
import weakref
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar
from urllib.parse import quote, unquote, urlsplit

from contracts.errors import ConfigError, SeogaError, SourceUnreachableError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from acl_sync.imap_client import MailClient
    from contracts.settings import SourceSettings

__all__ = ["ImapAddress", "ImapServer", "reason_of"]

_Answer = TypeVar("_Answer")
_CONNECTIONS = 4
"""At once, for one source: servers count them by account."""
_TLS_PORT, _PLAIN_PORT = 993, 143


@dataclass(frozen=True, slots=True, kw_only=True)
class ImapAddress:
    """Where a mailbox is.

    Attributes:
        host: Name or address.
        port: TCP port.
        tls: TLS from the first byte.
        folder: Folder that is the root of the source, as the server names it; "": all folders.
    """

    host: str
    port: int
    tls: bool
    folder: str = ""

    @classmethod
    def of(cls, url: str) -> ImapAddress:
        """``imaps://HOST[:PORT][/FOLDER]``; ``imap://`` only where nobody can listen.

        Raises:
            ConfigError: it is another address, or passwords and mail would travel in the clear.
        """
        parts = urlsplit(url)
        try:
            port = parts.port
        except ValueError:
            port = -1
        known = parts.scheme in {"imap", "imaps"} and parts.hostname
        if not known or port == -1 or parts.query or parts.fragment:
            raise ConfigError(
                f"{url}: 메일 서버 주소가 아닙니다 (not the address of a mail server)",
                advice="imaps://HOST[:PORT][/FOLDER]",
            )
        if parts.username or parts.password:
            raise ConfigError(
                "url: 계정과 암호는 주소에 적지 않습니다 (no account in the address)",
                advice="user, password_file",
            )
        host, tls = str(parts.hostname), parts.scheme == "imaps"
        if not tls and not _is_loopback(host):
            raise ConfigError(
                f"{url}: 암호화하지 않은 접속은 이 컴퓨터 안에서만 됩니다 (unencrypted IMAP is for loopback only)",
                advice=f"imaps://{host}",
            )
        usual = _TLS_PORT if tls else _PLAIN_PORT
        return cls(host=host, port=port or usual, tls=tls, folder=unquote(parts.path.strip("/")))

    def link(self, user: str, folder: str, uidvalidity: int, uid: int) -> str:
        """The RFC 5092 address of a message: ``imap://USER@HOST:PORT/FOLDER;UIDVALIDITY=N/;UID=N``."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        port = "" if self.port == _PLAIN_PORT else f":{self.port}"
        account = f"{quote(user, safe='')}@" if user else ""
        mailbox = quote(folder, safe="/", errors="surrogateescape")
        return f"imap://{account}{host}{port}/{mailbox};UIDVALIDITY={uidvalidity}/;UID={uid}"


class ImapServer:
    """Connections of one configured account, opened when needed and again when they break.

    Args:
        settings: Of the source: ``url``, ``user``, ``password_file``, ``ca_file``, ``timeout_seconds``.

    Raises:
        ConfigError: the address or the account is not usable as it stands.
    """

    def __init__(self, settings: SourceSettings) -> None:
        self.address = ImapAddress.of(settings.url)
        self.user = settings.user
        self._name = settings.name
        self._password_file = settings.password_file
        self._ca_file = settings.ca_file
        self._timeout = settings.timeout_seconds
        self._slots = threading.BoundedSemaphore(_CONNECTIONS)
        self._idle: list[MailClient] = []
        weakref.finalize(self, _close_all, self._idle)

    def call(self, work: Callable[[MailClient], _Answer]) -> _Answer:
        """The result of ``work`` over a connection; where it breaks, once more over a new one.

        Raises:
            SourceUnreachableError: the server does not answer, or does not let the account in.
            IMAPClientError: the server refuses what is asked (as raised by ``work``).
        """
        from imapclient.exceptions import IMAPClientAbortError, IMAPClientError, ProtocolError

        with self._slots:
            while True:
                client, fresh = self._take()
                try:
                    answer = work(client)
                except (IMAPClientAbortError, ProtocolError, OSError) as problem:
                    _close(client)
                    if fresh:
                        raise self._unreachable(reason_of(problem)) from problem
                    self.close()  # what has waited longer is no better
                except (IMAPClientError, SeogaError):
                    self._idle.append(client)
                    raise
                except BaseException:
                    _close(client)  # perhaps in the middle of an answer
                    raise
                else:
                    self._idle.append(client)
                    return answer

    def answers(self) -> bool:
        """Whether it does now, over a new connection: then what broke one lies elsewhere."""
        self.close()
        try:
            self.call(lambda client: client.noop())
        except SourceUnreachableError:
            return False
        return True

    def close(self) -> None:
        """Close the connections that nobody uses."""
        _close_all(self._idle)

    def _take(self) -> tuple[MailClient, bool]:
        with contextlib.suppress(IndexError):
            return self._idle.pop(), False
        return self._connect(), True

    def _connect(self) -> MailClient:
        from imapclient.exceptions import IMAPClientError, LoginError

        from acl_sync.imap_client import MailClient

        logging.getLogger("imapclient").setLevel(logging.ERROR)  # it quotes folder names
        password = self._password()
        address = self.address
        try:
            client = MailClient(
                address.host,
                address.port,
                ssl=address.tls,
                ssl_context=self._context() if address.tls else None,
                timeout=self._timeout,
            )
        except ssl.SSLCertVerificationError as problem:
            raise self._unreachable(
                f"서버 인증서를 믿을 수 없습니다 (certificate): {problem.verify_message}",
                advice="ca_file: 서버 인증서를 서명한 인증서 (the certificate that signed it)",
            ) from problem
        except (OSError, IMAPClientError) as problem:
            raise self._unreachable(reason_of(problem)) from problem
        try:
            client.normalise_times = False  # times keep their zone
            if client.has_capability("AUTH=PLAIN"):
                client.plain_login(self.user, password)  # a LOGIN takes no letters beyond ASCII
            else:
                client.login(self.user, password)
        except LoginError as problem:
            _close(client)
            raise self._unreachable(
                f"로그인이 거절되었습니다 (login refused): {self.user}: {reason_of(problem)}",
                advice="user, password_file",
            ) from problem
        except (OSError, IMAPClientError) as problem:
            _close(client)
            raise self._unreachable(reason_of(problem)) from problem
        return client

    def _password(self) -> str:
        if not self.user or self._password_file is None:
            raise ConfigError(
                f"소스 {self._name}: 메일함을 읽을 계정이 필요합니다 (an account is needed)",
                advice="user, password_file",
            )
        try:
            return self._password_file.expanduser().read_text(encoding="utf-8").rstrip("\r\n")
        except (OSError, UnicodeDecodeError) as problem:
            raise ConfigError(
                f"소스 {self._name}: 암호 파일을 읽을 수 없습니다 (password_file): {problem}"
            ) from problem

    def _context(self) -> ssl.SSLContext:
        try:
            return ssl.create_default_context(cafile=_path(self._ca_file))
        except (OSError, ssl.SSLError) as problem:
            raise ConfigError(
                f"소스 {self._name}: 인증서 파일을 읽을 수 없습니다 (ca_file): {problem}"
            ) from problem

    def _unreachable(self, problem: str, *, advice: str = "") -> SourceUnreachableError:
        where = f"{self.address.host}:{self.address.port}"
        return SourceUnreachableError(
            f"소스 {self._name}: 메일 서버 {where} (mail server): {problem}",
            advice=advice
            or "주소와 서버를 확인하십시오; 아무것도 바꾸지 않았습니다 (nothing was changed)",
        )


def reason_of(problem: BaseException) -> str:
    """What a server or the network said, in one line."""
    if isinstance(problem, socket.gaierror):
        return "그런 이름의 서버가 없습니다 (no such host)"
    if isinstance(problem, TimeoutError):
        return "제때 답하지 않습니다 (timed out)"
    if isinstance(problem, ConnectionRefusedError):
        return "접속을 받지 않습니다 (connection refused)"
    if isinstance(problem, OSError) and problem.strerror:
        return problem.strerror
    return " ".join(str(problem).split()) or type(problem).__name__


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _path(file: Path | None) -> str | None:
    return str(file.expanduser()) if file else None


def _close_all(clients: list[MailClient]) -> None:
    for client in _taken(clients):
        _close(client)


def _taken(clients: list[MailClient]) -> Iterator[MailClient]:
    while True:
        try:
            yield clients.pop()
        except IndexError:
            return


def _close(client: MailClient) -> None:
    with contextlib.suppress(Exception):  # whatever state it is in
        client.shutdown()
