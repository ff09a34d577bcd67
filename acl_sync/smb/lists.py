"""Security descriptors of a share's objects, many at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from smbprotocol.file_info import InfoType

from acl_sync.smb.messages import LAST, asking, closing, opening
from acl_sync.smb.statuses import OBJECT_NAME_INVALID, SmbStatusError
from acl_sync.smb.wire import buffer_of, created

if TYPE_CHECKING:
    from collections.abc import Sequence

    from acl_sync.smb.drive import Drive
    from acl_sync.smb.line import Answer
    from acl_sync.smb.messages import Packed

__all__ = ["Listed", "read_lists"]

_READ_CONTROL, _READ_ATTRIBUTES, _BACKUP = 0x20000, 0x80, 0x4000
_OWNER_GROUP_LIST, _MOST = 0x7, 1 << 16
_ASK = asking(InfoType.SMB2_0_INFO_SECURITY, 0, _MOST, _OWNER_GROUP_LIST)
_CLOSE = closing(LAST)


class Listed(NamedTuple):
    """When an object was made (FILETIME), and its security descriptor: owner, group and discretionary list."""

    created: int
    descriptor: bytes

    def may_be(self, object_id: str) -> bool:
        """As for :class:`acl_sync.smb.wire.Found`."""
        return object_id.endswith(f"-{self.created:x}")


def read_lists(drive: Drive, paths: Sequence[str]) -> list[Listed | SmbStatusError]:
    """What the server says of each object, or why it does not.

    Each is opened for reading its list, asked and closed, in one chain; chains of many objects are on their way at once.

    Args:
        drive: Where.
        paths: As for ``Drive.entries``.

    Raises:
        SourceUnreachableError: no server answers.
    """
    found: dict[int, Listed | SmbStatusError] = {}
    drive.trying(lambda: _ask(drive, paths, found))
    return [found[number] for number in range(len(paths))]


def _ask(drive: Drive, paths: Sequence[str], found: dict[int, Listed | SmbStatusError]) -> None:
    """Ask for what is not found yet: what was answered before a connection was lost is not asked for again."""
    lane = drive.lane()
    numbers: list[int] = []
    chains: list[tuple[Packed, ...]] = []
    left_open: list[bytes] = []
    for number, name in enumerate(drive.sent_names(lane.tree, paths)):
        if number in found:
            continue
        try:
            first = opening(name, _READ_CONTROL | _READ_ATTRIBUTES, _BACKUP)
        except UnicodeEncodeError:
            found[number] = SmbStatusError(OBJECT_NAME_INVALID)
            continue
        numbers.append(number)
        chains.append((first, _ASK, _CLOSE))

    def take(place: int, answers: list[Answer]) -> None:
        made, asked, closed = answers
        if made.status:
            found[numbers[place]] = SmbStatusError(made.status)
            return
        seen, handle = created(made.body, 0)
        if (
            closed.status
        ):  # a server may give up a chain at the first request that fails (MS-SMB2 3.3.5.2.7.2)
            left_open.append(handle)
        found[numbers[place]] = (
            SmbStatusError(asked.status)
            if asked.status
            else Listed(seen.created, buffer_of(asked.body))
        )

    lane.exchange_all(chains, take)
    lane.exchange_all([(closing(handle),) for handle in left_open], lambda _place, _answers: None)
