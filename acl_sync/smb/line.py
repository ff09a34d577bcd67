"""One connection to a file server, signed in, with the shares that are used over it.

``smbprotocol`` speaks the protocol; here stand the limits in time, what errors mean, and that requests of several
threads do not spend one another's credits.
"""

from __future__ import annotations

import logging
import socket
import threading
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple
from uuid import uuid4

from smbprotocol.connection import Connection, SMB2Echo
from smbprotocol.exceptions import SMBAuthenticationError, SMBException, SMBResponseException
from smbprotocol.session import Session
from smbprotocol.tree import TreeConnect

from acl_sync.smb.statuses import BAD_NETWORK_NAME, LOGON, LOST, SmbStatusError, told
from contracts.errors import SourceUnreachableError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

__all__ = ["Account", "Answer", "Line", "LineLostError", "TakenOver"]

_NOTHING_CHANGED = "아무것도 바꾸지 않았습니다 (nothing was changed)"
_NO_ENCRYPTION = "encryption is required but"

# what it has to say of a lost connection is raised and told here
logging.getLogger("smbprotocol").addHandler(logging.NullHandler())


class LineLostError(Exception):
    """The connection is gone, or the server did not answer in time: a new one may do."""


@dataclass(frozen=True, slots=True)
class Account:
    r"""Who signs in, and how.

    Attributes:
        source: Name of the source, for messages.
        user: ``name@DOMAIN``, ``DOMAIN\name`` or a name of the server's own; None: whom Kerberos has a ticket for.
        password: None: Kerberos.
        encrypt: Whether everything is encrypted; it is signed in any case.
        timeout: Seconds for one request.
    """

    source: str
    user: str | None
    password: str | None = field(repr=False)
    encrypt: bool
    timeout: float


class Answer(NamedTuple):
    """Status code (0: done) and body of an answer."""

    status: int
    body: bytes


@dataclass(frozen=True, slots=True)
class TakenOver:
    """A connection that ``smbprotocol`` has made and does not use any more.

    Attributes:
        socket: Where nobody reads.
        number: Of the next message.
        credits: That are left.
        charged: Whether messages say what they cost (MS-SMB2 3.2.4.1.5).
    """

    socket: socket.socket
    number: int
    credits: int
    charged: bool


class _Leaving:
    """In the place of a transport, for the last question that is asked over it: then its reader ends.

    The reader may be waiting in the transport already, or be about to ask here.
    """

    def __init__(self, connection: Connection) -> None:
        self._asked = False
        self._pending = connection.outstanding_requests
        self.under = connection.transport

    def send(self, data: bytes) -> None:
        self._asked = True
        self.under.send(data)

    def recv(self, timeout: float) -> bytes:
        if self._asked and all(r.response is not None for r in list(self._pending.values())):
            return b""
        return bytes(self.under.recv(timeout) or b"")

    def close(self) -> None:
        self.under.close()

    @property
    def connected(self) -> bool:
        return bool(self.under.connected)


class _Connection(Connection):  # type: ignore[misc]
    """With a time limit on every answer; a link on the server is never followed by resending."""

    def __init__(self, host: str, port: int, timeout: float) -> None:
        super().__init__(uuid4(), host, port, require_signing=True)
        self.patience = timeout

    def receive(
        self,
        request: Any,
        wait: bool = True,  # noqa: FBT001, FBT002  its own signature
        timeout: float | None = None,
        resolve_symlinks: bool = False,  # noqa: ARG002, FBT001, FBT002
    ) -> Any:
        return super().receive(request, wait, timeout or self.patience, resolve_symlinks=False)


class Line:
    """See the module.

    Args:
        host: Name or address of the server.
        port: Its port.
        account: Who signs in.
    """

    def __init__(self, host: str, port: int, account: Account) -> None:
        self.host = host
        self._lock = threading.RLock()
        self._trees: dict[str, TreeConnect] = {}
        self._connection = _Connection(host, port, account.timeout)
        try:
            self._connection.connect(timeout=account.timeout)
            self._session = self._sign_in(account)
        except BaseException as problem:
            self.close()
            if isinstance(problem, (SMBException, OSError, ValueError)):
                raise _unreachable(account.source, host, port, problem) from problem
            raise

    @staticmethod
    def is_refusal(problem: BaseException) -> bool:
        """Whether there is no connection because the server does not want one; trying again may lock the account."""
        return isinstance(problem.__cause__, (SMBResponseException, SMBAuthenticationError))

    @property
    def most_read(self) -> int:
        """Most bytes of one READ."""
        return int(self._connection.max_read_size)

    @property
    def most_answered(self) -> int:
        """Most bytes of one answer to anything else."""
        return int(self._connection.max_transact_size)

    def tree(self, share: str) -> TreeConnect:
        """A share of the server.

        Raises:
            SmbStatusError: it is not there, or not for this account.
            LineLostError: see there.
        """
        with self._lock, self._told():
            known = self._trees.get(share)
            if known is None:
                known = TreeConnect(self._session, rf"\\{self.host}\{share}")
                known.connect()
                self._trees[share] = known
            return known

    def exchange(self, tree: TreeConnect, messages: Sequence[Any]) -> list[Answer]:
        """Send requests as one chain, in which the later ones are about what the first one opens.

        Raises:
            LineLostError: see there.
        """
        with self._lock, self._told():
            requests = self._connection.send_compound(
                list(messages),
                self._session.session_id,
                tree.tree_connect_id,
                related=len(messages) > 1,
            )
            return [self._answer(request) for request in requests]

    def taken_over(self, credits_: int) -> TakenOver:
        """The connection, for whoever wants to speak over it alone; the line is good for hanging up only then.

        An echo, which asks for credits, is the last that ``smbprotocol`` sends.

        Raises:
            LineLostError: see there.
        """
        with self._lock, self._told():
            connection, reader = self._connection, self._connection._t_worker  # noqa: SLF001
            connection.transport = leaving = _Leaving(connection)
            session = self._session.session_id
            asked = connection.send(SMB2Echo(), sid=session, credit_request=credits_)
            reader.join(connection.patience)
            if reader.is_alive():
                raise LineLostError("the server does not answer")
            connection.receive(asked)
            low, high = (connection.sequence_window[end] for end in ("low", "high"))
            charged = bool(connection.supports_multi_credit)
            return TakenOver(leaving.under._sock, low, high - low, charged)  # noqa: SLF001

    def close(self) -> None:
        """Hang up; the server closes what was open."""
        if self._connection.transport is not None:
            self._connection.disconnect(close=False)

    def _sign_in(self, account: Account) -> Session:
        session = Session(
            self._connection,
            username=account.user,
            password=account.password,
            require_encryption=account.encrypt,
        )
        session.connect()
        return session

    def _answer(self, request: Any) -> Answer:
        try:
            response = self._connection.receive(request)
        except SMBResponseException as problem:
            if problem.status in LOST:
                raise LineLostError(told(problem.status)) from problem
            return Answer(problem.status, problem.header["data"].get_value())
        return Answer(0, response["data"].get_value())

    @contextmanager
    def _told(self) -> Iterator[None]:
        try:
            yield
        except (LineLostError, SmbStatusError):
            raise
        except SMBResponseException as problem:
            if problem.status in LOST:
                raise LineLostError(told(problem.status)) from problem
            raise SmbStatusError(problem.status) from problem
        except Exception as problem:
            # its worker's own, of any kind: the connection is of no use any more
            raise LineLostError(str(problem)) from problem


def _unreachable(
    source: str, host: str, port: int, problem: BaseException
) -> SourceUnreachableError:
    """Why there is no connection, and what to do."""
    if isinstance(problem, SMBResponseException):
        what, advice = told(problem.status), "user 와 password_file 을 확인하세요 (check both)"
        if problem.status not in LOGON and problem.status != BAD_NETWORK_NAME:
            advice = "서버의 상태를 확인하세요 (check the server)"
    elif isinstance(problem, SMBAuthenticationError):
        what = f"로그인할 수 없습니다 (cannot sign in): {problem}"
        advice = "user 와 password_file 을, Kerberos 면 티켓을 확인하세요 (check both, or the Kerberos ticket)"
    elif _NO_ENCRYPTION in str(problem):
        what = "서버가 암호화를 지원하지 않습니다 (the server cannot encrypt)"
        advice = "SMB 3 을 켜거나 encrypt = false (turn on SMB 3, or go without)"
    elif isinstance(problem.__cause__, socket.gaierror):
        what = f"{host} 호스트를 찾을 수 없습니다 (host unknown)"
        advice = "url 의 이름과 DNS 를 확인하세요 (check the name and DNS)"
    else:
        what = f"{host}:{port} 에 연결할 수 없습니다 (cannot be reached): {problem.__cause__ or problem}"
        advice = "서버와 방화벽을 확인하세요 (check the server and the firewall)"
    return SourceUnreachableError(
        f"source {source}: {what}", advice=f"{advice}; {_NOTHING_CHANGED}"
    )
