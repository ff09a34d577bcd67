"""Where a DFS namespace keeps a folder (MS-DFSC): referrals, which a server of the namespace gives."""

from __future__ import annotations

from typing import TYPE_CHECKING

from smbprotocol.dfs import DFSReferralRequest, DFSReferralResponse
from smbprotocol.ioctl import CtlCode, IOCTLFlags, SMB2IOCTLRequest, SMB2IOCTLResponse

from acl_sync.smb.place import PORT, Place
from acl_sync.smb.statuses import SmbStatusError

if TYPE_CHECKING:
    from acl_sync.smb.line import Line

__all__ = ["targets_of"]

_ANSWER = 56 * 1024
_NO_FILE = b"\xff" * 16


def targets_of(line: Line, place: Place) -> list[Place]:
    """Where a place is really kept, the preferred one first; none where the server knows of none.

    Targets on the place's own host are asked for at its port; a referral names none.
    """
    asked = "\\".join(("", place.host, place.share, *place.folder.split("/"))).rstrip("\\")
    request = DFSReferralRequest()
    request["request_file_name"] = asked
    message = SMB2IOCTLRequest()
    message["ctl_code"] = CtlCode.FSCTL_DFS_GET_REFERRALS
    message["file_id"] = _NO_FILE
    message["max_output_response"] = _ANSWER
    message["flags"] = IOCTLFlags.SMB2_0_IOCTL_IS_FSCTL
    message["buffer"] = request
    try:
        (answer,) = line.exchange(line.tree("IPC$"), [message])
    except SmbStatusError:
        return []
    if answer.status:
        return []
    envelope = SMB2IOCTLResponse()
    envelope.unpack(answer.body)
    response = DFSReferralResponse()
    response.unpack(envelope["buffer"].get_value())
    rest = asked[response["path_consumed"].get_value() // 2 :].strip("\\")
    found = []
    for entry in response["referral_entries"].get_value():
        if isinstance(entry.network_address, str):
            found += _place(entry.network_address, rest, place)
    return [target for target in found if target != place]


def _place(address: str, rest: str, of: Place) -> list[Place]:
    host, _, path = address.strip("\\").partition("\\")
    share, _, folder = path.partition("\\")
    if not host or not share:
        return []
    port = of.port if host.lower() == of.host.lower() else PORT
    parts = [part for part in (folder, rest) if part]
    return [Place(host, port, share, "\\".join(parts).replace("\\", "/"))]
