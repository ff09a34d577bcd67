"""What a server says of a share: its list (MS-SRVS)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from acl_sync.smb.ndr import NdrReader, NdrWriter
from acl_sync.smb.rpc import Pipe, RpcError

if TYPE_CHECKING:
    from acl_sync.smb.line import Line

__all__ = ["share_descriptor"]

_INTERFACE = ("4b324fc8-1670-01d3-1278-5a47bf6ee188", 3, 0)
_SHARE_GET_INFO = 16
_LEVEL = 502


def share_descriptor(line: Line, share: str) -> bytes:
    """The security descriptor of a share; empty where it has none (NetrShareGetInfo, level 502: 3.1.4.10).

    Raises:
        RpcError: the account may not ask (Windows lets administrators, server and print operators), or no such share.
        ValueError: the answer is malformed.
    """
    request = NdrWriter()
    request.pointer()
    request.text(f"\\\\{line.host}")
    request.text(share)
    request.integer(_LEVEL)
    with Pipe(line, "srvsvc", _INTERFACE) as pipe:
        answer = NdrReader(pipe.call(_SHARE_GET_INFO, request.stub))
    if answer.status():
        raise RpcError("srvsvc", answer.status())
    answer.integer()  # the level again
    if not answer.integer():
        return b""
    return _descriptor_of_502(answer)


def _descriptor_of_502(answer: NdrReader) -> bytes:
    """``SHARE_INFO_502_I`` (2.2.4.26)."""
    name = answer.integer()
    answer.integer()  # type
    remark = answer.integer()
    for _ in range(3):  # permissions, most and current uses
        answer.integer()
    path, password = answer.integer(), answer.integer()
    answer.integer()  # size of the descriptor
    has_descriptor = answer.integer()
    for pointer in (name, remark, path, password):
        if pointer:
            answer.text()
    return answer.conformant() if has_descriptor else b""
