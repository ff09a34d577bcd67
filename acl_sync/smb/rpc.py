"""Calls of a server's own services over named pipes (MS-RPCE, connection-oriented).

They have no authentication of their own: the SMB session below signs or encrypts them.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Any
from uuid import UUID

from smbprotocol.open import (
    CreateDisposition,
    ImpersonationLevel,
    Open,
    SMB2CloseRequest,
    SMB2ReadRequest,
    SMB2WriteRequest,
)

from acl_sync.smb.statuses import ACCESS_DENIED, BUFFER_OVERFLOW, SmbStatusError
from acl_sync.smb.wire import created, read_of

if TYPE_CHECKING:
    from typing import Self

    from acl_sync.smb.line import Line

__all__ = ["Pipe", "RpcError"]

_HEADER = struct.Struct(
    "<BBBB4sHHI"
)  # version, minor, kind, flags, data representation, length, auth length, call
_LITTLE_ENDIAN = b"\x10\0\0\0"
_REQUEST, _RESPONSE, _FAULT, _BIND, _BIND_ACK = 0, 2, 3, 11, 12
_FIRST, _LAST = 1, 2
_NDR = UUID("8a885d04-1ceb-11c9-9fe8-08002b104860").bytes_le + struct.pack("<HH", 2, 0)
_FRAGMENT = 4280
_MOST = 1 << 24
_PIPE_ACCESS = 0x12_019F  # read and write data, attributes and extended attributes, synchronize
_RPC_ACCESS_DENIED = 5


class RpcError(Exception):
    """A call failed; ``status`` as the service says (``ACCESS_DENIED`` where the account may not)."""

    def __init__(self, service: str, status: int) -> None:
        super().__init__(f"{service}: {status:#010x}")
        self.status = ACCESS_DENIED if status == _RPC_ACCESS_DENIED else status

    @property
    def denied(self) -> bool:
        """Whether the account may not ask that."""
        return self.status == ACCESS_DENIED


class Pipe:
    """A service of a server, within a ``with`` block.

    Args:
        line: The connection.
        service: Name of its pipe: ``srvsvc``, ``samr``.
        interface: UUID and version.

    Raises:
        RpcError: it is not there, or not for this account.
        LineLostError: the connection is gone.
    """

    def __init__(self, line: Line, service: str, interface: tuple[str, int, int]) -> None:
        self._line = line
        self._service = service
        self._interface = interface
        self._calls = 0

    def __enter__(self) -> Self:
        try:
            self._tree = self._line.tree("IPC$")
        except SmbStatusError as problem:
            raise RpcError(self._service, problem.status) from problem
        message, _ = Open(self._tree, self._service).create(
            ImpersonationLevel.Impersonation,
            _PIPE_ACCESS,
            0,
            3,
            CreateDisposition.FILE_OPEN,
            0,
            send=False,
        )
        self._handle = created(self._send(message), 0)[1]
        uuid, major, minor = self._interface
        syntax = UUID(uuid).bytes_le + struct.pack("<HH", major, minor)
        context = struct.pack("<B3xHBx", 1, 0, 1) + syntax + _NDR
        self._write(_BIND, struct.pack("<HHI", _FRAGMENT, _FRAGMENT, 0) + context)
        kind, _, _ = self._fragment()
        if kind != _BIND_ACK:
            raise RpcError(self._service, 0)
        return self

    def __exit__(self, *_: object) -> None:
        message = SMB2CloseRequest()
        message["file_id"] = self._handle
        self._line.exchange(self._tree, [message])

    def call(self, number: int, stub: bytes) -> bytes:
        """The answer's body.

        Raises:
            RpcError: the service refuses the call.
        """
        self._calls += 1
        self._write(_REQUEST, struct.pack("<IHH", len(stub), 0, number) + stub)
        answer = bytearray()
        while True:
            kind, flags, body = self._fragment()
            if kind == _FAULT:
                raise RpcError(self._service, int.from_bytes(body[8:12], "little"))
            if kind != _RESPONSE or len(answer) > _MOST:
                raise RpcError(self._service, 0)
            answer += body[8:]
            if flags & _LAST:
                return bytes(answer)

    def _write(self, kind: int, body: bytes) -> None:
        size = _HEADER.size + len(body)
        head = _HEADER.pack(5, 0, kind, _FIRST | _LAST, _LITTLE_ENDIAN, size, 0, self._calls)
        message = SMB2WriteRequest()
        message["file_id"] = self._handle
        message["buffer"] = head + body
        self._send(message)

    def _fragment(self) -> tuple[int, int, bytes]:
        """Kind, flags and body of the next fragment."""
        data = self._read()
        if len(data) < _HEADER.size:
            raise RpcError(self._service, 0)
        _, _, kind, flags, _, size, _, _ = _HEADER.unpack_from(data)
        while len(data) < size:
            more = self._read()
            if not more:
                raise RpcError(self._service, 0)
            data += more
        return kind, flags, data[_HEADER.size : size]

    def _read(self) -> bytes:
        message = SMB2ReadRequest()
        message["length"] = _FRAGMENT
        message["file_id"] = self._handle
        message["padding"] = b"\x50"
        return read_of(self._send(message, BUFFER_OVERFLOW))

    def _send(self, message: Any, *fine: int) -> bytes:
        (answer,) = self._line.exchange(self._tree, [message])
        if answer.status and answer.status not in fine:
            raise RpcError(self._service, answer.status)
        return answer.body
