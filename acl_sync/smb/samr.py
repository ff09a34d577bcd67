"""Groups of a server's own and who is in them (MS-SAMR)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from acl_sync.smb.ndr import NdrReader, NdrWriter
from acl_sync.smb.rpc import Pipe, RpcError

if TYPE_CHECKING:
    from acl_sync.smb.line import Line

__all__ = ["local_groups"]

_INTERFACE = ("12345778-1234-abcd-ef00-0123456789ac", 1, 0)
_CONNECT2, _CLOSE, _LOOKUP_DOMAIN, _ENUMERATE_DOMAINS = 57, 1, 5, 6
_OPEN_DOMAIN, _ENUMERATE_ALIASES, _OPEN_ALIAS, _MEMBERS_OF_ALIAS = 7, 15, 27, 33
_SERVER_ACCESS = 0x31  # connect, enumerate and look up domains
_DOMAIN_ACCESS = 0x304  # read other parameters, list accounts, look up ids
_ALIAS_ACCESS = 0x4  # list members
_MORE = 0x0000_0105
_AT_ONCE = 1 << 16
_BUILTIN = "builtin"


def local_groups(line: Line, *, accounts: bool) -> dict[str, frozenset[str] | None]:
    """Members (SIDs) of each group of the server's own, by the group's SID; None where they cannot be read.

    Groups within groups are resolved.

    Args:
        line: The connection.
        accounts: Also those that administrators made on the server; on a domain controller they are the domain's, which
            its directory knows better.

    Raises:
        RpcError: the account may not ask. Since Windows Server 2016 that takes the policy "Network access: restrict
            clients allowed to make remote calls to SAM", or an administrator.
        ValueError: an answer is malformed.
    """
    with Pipe(line, "samr", _INTERFACE) as pipe:
        sam = _Sam(pipe, line.host)
        direct: dict[str, frozenset[str] | None] = {}
        for name in sam.domains():
            if accounts or name.lower() == _BUILTIN:
                direct |= sam.aliases(name)
    return _resolved(direct)


def _resolved(direct: dict[str, frozenset[str] | None]) -> dict[str, frozenset[str] | None]:
    return {sid: _members(sid, direct, frozenset()) for sid in direct}


def _members(
    sid: str, direct: dict[str, frozenset[str] | None], above: frozenset[str]
) -> frozenset[str] | None:
    members = direct[sid]
    if members is None:
        return None
    found: set[str] = set()
    for member in members:
        if member not in direct:
            found.add(member)
        elif member not in above:
            nested = _members(member, direct, above | {sid})
            if nested is None:
                return None
            found |= nested
    return frozenset(found)


class _Sam:
    """The calls, one by one."""

    def __init__(self, pipe: Pipe, host: str) -> None:
        self._pipe = pipe
        request = NdrWriter()
        request.pointer()
        request.text(f"\\\\{host}")
        request.integer(_SERVER_ACCESS)
        self._server = self._done(_CONNECT2, request).handle()

    def domains(self) -> list[str]:
        """Names of the account domain and of ``Builtin``."""
        return [name for _, name in self._enumerated(_ENUMERATE_DOMAINS, self._server)]

    def aliases(self, domain: str) -> dict[str, frozenset[str] | None]:
        """Members of each group of a domain."""
        request = NdrWriter()
        request.raw(self._server)
        request.counted_text(domain)
        answer = self._done(_LOOKUP_DOMAIN, request)
        answer.integer()
        sid = answer.sid()
        request = NdrWriter()
        request.raw(self._server)
        request.integer(_DOMAIN_ACCESS)
        request.sid(_packed(sid))
        handle = self._done(_OPEN_DOMAIN, request).handle()
        found = self._enumerated(_ENUMERATE_ALIASES, handle)
        members = {f"{sid}-{number}": self._members(handle, number) for number, _ in found}
        self._close(handle)
        return members

    def _members(self, domain: bytes, number: int) -> frozenset[str] | None:
        request = NdrWriter()
        request.raw(domain)
        request.integer(_ALIAS_ACCESS)
        request.integer(number)
        try:
            alias = self._done(_OPEN_ALIAS, request).handle()
        except RpcError as problem:
            if problem.denied:
                return None
            raise
        request = NdrWriter()
        request.raw(alias)
        answer = self._done(_MEMBERS_OF_ALIAS, request)
        count, pointer = answer.count(), answer.integer()
        if pointer:
            answer.integer()
            pointers = [answer.integer() for _ in range(count)]
            found = frozenset(answer.sid() for pointer in pointers if pointer)
        else:
            found = frozenset()
        self._close(alias)
        return found

    def _enumerated(self, call: int, handle: bytes) -> list[tuple[int, str]]:
        """Numbers and names, however many answers they take."""
        found: list[tuple[int, str]] = []
        context, status = 0, _MORE
        while status == _MORE:
            request = NdrWriter()
            request.raw(handle)
            request.integer(context)
            request.integer(_AT_ONCE)
            answer = self._done(call, request)
            status = answer.status()
            context = answer.integer()
            found += _enumeration(answer)
        return found

    def _close(self, handle: bytes) -> None:
        request = NdrWriter()
        request.raw(handle)
        self._done(_CLOSE, request)

    def _done(self, call: int, request: NdrWriter) -> NdrReader:
        answer = NdrReader(self._pipe.call(call, request.stub))
        if answer.status() not in {0, _MORE}:
            raise RpcError("samr", answer.status())
        return answer


def _enumeration(answer: NdrReader) -> list[tuple[int, str]]:
    """``SAMPR_ENUMERATION_BUFFER`` (2.2.3.10)."""
    if not answer.integer():
        return []
    count, pointer = answer.count(), answer.integer()
    if not pointer:
        return []
    answer.integer()
    heads = []
    for _ in range(count):
        number = answer.integer()
        answer.integer(2)
        answer.integer(2)
        heads.append((number, answer.integer()))
    return [(number, answer.text() if pointer else "") for number, pointer in heads]


def _packed(sid: str) -> bytes:
    """MS-DTYP 2.4.2.2."""
    _, revision, authority, *parts = sid.split("-")
    head = bytes([int(revision), len(parts)]) + int(authority, 0).to_bytes(6, "big")
    return head + b"".join(int(part).to_bytes(4, "little") for part in parts)
