"""Many small requests at once over a connection of its own.

``smbprotocol`` makes the connection, signs in and opens the share; from then on the socket, the keys and the message
numbers are used here, without its structures and its thread. What is sent is bounded by the credits that the server
grants, and by what may wait for an answer: else both sides could write, and neither read.
"""

from __future__ import annotations

import struct
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING

from smbprotocol import MAX_PAYLOAD_SIZE

from acl_sync.smb.line import Answer, LineLostError
from acl_sync.smb.seal import HEADER, UnsealedError, seal_of
from acl_sync.smb.statuses import LOST, told

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from acl_sync.smb.line import Line
    from acl_sync.smb.messages import Packed

__all__ = ["Lane"]

_REQUEST = struct.Struct("<4sHHIHHIIQIIQ16s")  # MS-SMB2 2.2.1.2
_ANSWER = struct.Struct("<4sHHIHHIIQ")
_FRAME = struct.Struct(">I")  # MS-SMB2 2.1
_PROTOCOL, _NO_SIGNATURE = b"\xfeSMB", bytes(16)
_IS_ASYNC, _IS_RELATED, _IS_DFS = 0x2, 0x4, 0x1000_0000
_PENDING = 0x0000_0103
_UNASKED = 2**64 - 1
_CREDITS, _FEW, _MORE = 512, 192, 64
"""Credits that are asked for at first; where fewer than a few are left, so many more are asked for."""
_MOST_CHAINS, _MOST_BYTES = 64, 48 << 10
"""That wait for their answers."""
_RECEIVED = 1 << 18


@dataclass(slots=True)
class _Chain:
    number: int
    size: int
    left: int
    answers: list[Answer]


class Lane:
    """See the module; safe to use from several threads, one after the other.

    Args:
        line: A new connection, which is the lane's from now on.
        share: What it is for.
        timeout: Seconds without any answer after which the server is taken for gone.

    Attributes:
        tree: The share.
        most_answered: Most bytes of one answer.

    Raises:
        SmbStatusError: the share is not there, or not for this account.
        LineLostError: the connection is gone.
    """

    def __init__(self, line: Line, share: str, timeout: float) -> None:
        self.tree = line.tree(share)
        taken = line.taken_over(_CREDITS)
        # of a chain of four: the other three cost one each
        self.most_answered = min(line.most_answered, max(taken.credits - 3, 1) * MAX_PAYLOAD_SIZE)
        taken.socket.settimeout(timeout)
        self._line, self._socket = line, taken.socket
        self._number, self._credits, self._charged = taken.number, taken.credits, taken.charged
        self._seal = seal_of(self.tree)
        self._place = (self.tree.tree_connect_id, self.tree.session.session_id)
        self._flags = _IS_DFS if self.tree.is_dfs_share else 0
        self._waiting: dict[int, tuple[_Chain, int]] = {}
        self._chains = self._bytes = 0
        self._unread = bytearray()
        self._lock = threading.RLock()

    def exchange(self, messages: Sequence[Packed]) -> list[Answer]:
        """Send requests as one chain, in which the later ones are about what the first one opens.

        Raises:
            LineLostError: the connection is gone.
            ValueError: what came is no answer.
        """
        found: list[list[Answer]] = []
        self.exchange_all([messages], lambda _number, answers: found.append(answers))
        return found[0]

    def exchange_all(
        self, chains: Iterable[Sequence[Packed]], take: Callable[[int, list[Answer]], None]
    ) -> None:
        """Send chains of requests, many at a time.

        Args:
            chains: As for ``exchange``.
            take: Gets the answers to each chain, with its place among the chains; as they come, in any order.

        Raises:
            LineLostError: the connection is gone; what was not answered may have been done all the same.
            ValueError: what came is no answer.
        """
        with self._lock:
            try:
                self._exchange_all(chains, take)
            except (OSError, UnsealedError) as problem:
                self.close()
                raise LineLostError(str(problem)) from problem
            except BaseException:
                self.close()  # what was sent would be answered to somebody else
                raise

    def close(self) -> None:
        """Hang up; the server closes what was open."""
        self._line.close()

    def _exchange_all(
        self, chains: Iterable[Sequence[Packed]], take: Callable[[int, list[Answer]], None]
    ) -> None:
        ready: list[bytes] = []
        for number, messages in enumerate(chains):
            charge = sum([message.charge for message in messages])
            size = sum([len(message.data) + HEADER for message in messages])
            while not self._has_room(charge, size):
                self._send(ready)
                self._receive(take)
            frame = self._seal.close(self._packed(number, messages, size))
            ready += (_FRAME.pack(len(frame)), frame)
        self._send(ready)
        while self._waiting:
            self._receive(take)

    def _has_room(self, charge: int, size: int) -> bool:
        if self._credits < charge:
            if not self._waiting:
                raise LineLostError(f"the server grants {self._credits} requests at once")
            return False
        fits = self._chains < _MOST_CHAINS and self._bytes + size <= _MOST_BYTES
        return fits or not self._waiting

    def _packed(self, order: int, messages: Sequence[Packed], size: int) -> list[bytearray]:
        chain = _Chain(order, size, len(messages), [Answer(0, b"")] * len(messages))
        packed, flags, number = [], self._flags, self._number
        for place, message in enumerate(messages, 1):
            data, charge = message.data, message.charge
            padding = -len(data) % 8 if place < chain.left else 0  # the header is of 64 bytes
            head = _REQUEST.pack(
                _PROTOCOL, HEADER, charge if self._charged else 0, 0, message.COMMAND,
                charge + _MORE if self._credits < _FEW else charge, flags,
                HEADER + len(data) + padding if place < chain.left else 0,
                number, 0, *self._place, _NO_SIGNATURE,
            )  # fmt: skip
            packed.append(bytearray().join((head, data, bytes(padding))))
            self._waiting[number] = (chain, place - 1)
            self._credits -= charge
            number += charge
            flags |= _IS_RELATED
        self._number = number
        self._chains += 1
        self._bytes += size
        return packed

    def _send(self, ready: list[bytes]) -> None:
        if ready:
            self._socket.sendall(b"".join(ready))
            ready.clear()

    def _receive(self, take: Callable[[int, list[Answer]], None]) -> None:
        """Wait for more to come, and give on what is whole."""
        received = self._socket.recv(_RECEIVED)
        if not received:
            raise LineLostError("the server has hung up")
        self._unread += received
        at, end = 0, len(self._unread)
        with memoryview(self._unread) as unread:
            while end - at >= _FRAME.size:
                (size,) = _FRAME.unpack_from(unread, at)
                start, stop = at + _FRAME.size, at + _FRAME.size + size
                if end < stop:
                    break
                self._opened(self._seal.open(bytes(unread[start:stop])), take)
                at = stop
        del self._unread[:at]

    def _opened(self, data: bytes, take: Callable[[int, list[Answer]], None]) -> None:
        """Give on the answers of one frame."""
        at, end = 0, len(data)
        while at < end:
            if end < at + HEADER:
                raise ValueError("an answer that is cut off")
            protocol, _, _, status, _, credits_, flags, step, number = _ANSWER.unpack_from(data, at)
            stop = at + step if step else end
            if protocol != _PROTOCOL or not at + HEADER <= stop <= end:
                raise ValueError("an answer that is cut off")
            if number != _UNASKED:
                interim = status == _PENDING and bool(flags & _IS_ASYNC)
                if not interim:
                    self._seal.check(data[at:stop])
                self._credits += credits_ or not self._charged
                self._answered(number, Answer(status, data[at + HEADER : stop]), take, interim)
            at = stop

    def _answered(
        self,
        number: int,
        answer: Answer,
        take: Callable[[int, list[Answer]], None],
        interim: bool,  # noqa: FBT001
    ) -> None:
        if number not in self._waiting:
            raise LineLostError("an answer to nothing that was asked")
        if interim:  # 3.2.5.1.5: it is being done
            return
        if answer.status in LOST:
            raise LineLostError(told(answer.status))
        chain, place = self._waiting.pop(number)
        chain.answers[place] = answer
        chain.left -= 1
        if not chain.left:
            self._chains -= 1
            self._bytes -= chain.size
            take(chain.number, chain.answers)
