"""Whose accounts a server has: its own, or those of the domain that it controls (MS-LSAT, MS-LSAD)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from acl_sync.smb.ndr import NdrReader, NdrWriter
from acl_sync.smb.rpc import Pipe, RpcError

if TYPE_CHECKING:
    from acl_sync.smb.line import Line

__all__ = ["account_domain"]

_INTERFACE = ("12345778-1234-abcd-ef00-0123456789ab", 0, 0)
_CLOSE, _QUERY, _OPEN2 = 0, 7, 44
_PRIMARY, _ACCOUNT = 3, 5  # PolicyPrimaryDomainInformation, PolicyAccountDomainInformation
_VIEW = 0x1  # POLICY_VIEW_LOCAL_INFORMATION


def account_domain(line: Line) -> tuple[str, bool]:
    """SID of the server's accounts, and whether they are those of a domain: then it is a domain controller.

    Raises:
        RpcError: the account may not ask.
        ValueError: an answer is malformed.
    """
    with Pipe(line, "lsarpc", _INTERFACE) as pipe:
        request = NdrWriter()
        request.pointer()
        request.text(f"\\\\{line.host}")
        for number in (24, 0, 0, 0, 0, 0):  # LSAPR_OBJECT_ATTRIBUTES, which nobody looks at
            request.integer(number)
        request.integer(_VIEW)
        policy = _done(pipe, _OPEN2, request).handle()
        own, primary = (_domain(pipe, policy, what) for what in (_ACCOUNT, _PRIMARY))
        request = NdrWriter()
        request.raw(policy)
        pipe.call(_CLOSE, request.stub)
    if not own:
        raise RpcError("lsarpc", 0)
    return own, own == primary


def _domain(pipe: Pipe, policy: bytes, what: int) -> str:
    """SID of one of the two domains, "" where the server is in none."""
    request = NdrWriter()
    request.raw(policy)
    request.integer(what, 2)
    answer = _done(pipe, _QUERY, request)
    if not answer.integer():
        return ""
    answer.integer(2)
    answer.align()
    answer.integer(2)
    answer.integer(2)
    name, sid = answer.integer(), answer.integer()
    if name:
        answer.text()
    return answer.sid() if sid else ""


def _done(pipe: Pipe, call: int, request: NdrWriter) -> NdrReader:
    answer = NdrReader(pipe.call(call, request.stub))
    if answer.status():
        raise RpcError("lsarpc", answer.status())
    return answer
