"""What an SMB server answers, and what it means to us (codes of MS-ERREF 2.3)."""

from __future__ import annotations

__all__ = ["BUSY", "GONE", "LOST", "NO_MORE_FILES", "PATH_NOT_COVERED", "SmbStatusError", "told"]

NO_MORE_FILES = 0x8000_0006
NO_SUCH_FILE = 0xC000_000F
END_OF_FILE = 0xC000_0011
BUFFER_OVERFLOW = 0x8000_0005
OBJECT_NAME_INVALID = 0xC000_0033
ACCESS_DENIED = 0xC000_0022
BAD_NETWORK_NAME = 0xC000_00CC
PATH_NOT_COVERED = 0xC000_0257

GONE = frozenset(
    {
        0xC000_0034,  # OBJECT_NAME_NOT_FOUND
        0xC000_003A,  # OBJECT_PATH_NOT_FOUND
        OBJECT_NAME_INVALID,
        0xC000_0039,  # OBJECT_PATH_INVALID
        NO_SUCH_FILE,
        0xC000_0056,  # DELETE_PENDING
        0xC000_00BA,  # FILE_IS_A_DIRECTORY
        0xC000_0103,  # NOT_A_DIRECTORY
        0xC000_0123,  # FILE_DELETED
        0xC000_0225,  # NOT_FOUND
        0x8000_002D,  # STOPPED_ON_SYMLINK: a link is there now
    }
)
"""The object that was listed is not there any more."""

BUSY = frozenset({0xC000_0043, 0xC000_0054, 0xC000_0055, 0xC000_0194})
"""Somebody else holds it: SHARING_VIOLATION, FILE_LOCK_CONFLICT, LOCK_NOT_GRANTED, POSSIBLE_DEADLOCK."""

LOST = frozenset(
    {
        0xC000_00C9,  # NETWORK_NAME_DELETED
        0xC000_0203,  # USER_SESSION_DELETED
        0xC000_035C,  # NETWORK_SESSION_EXPIRED
        0xC000_020C,  # CONNECTION_DISCONNECTED
        0xC000_020D,  # CONNECTION_RESET
        0xC000_00B5,  # IO_TIMEOUT
        0xC000_0205,  # INSUFF_SERVER_RESOURCES
    }
)
"""The connection or what was open on it is gone: a new one may do."""

LOGON = {
    0xC000_006D: "계정 또는 비밀번호가 틀립니다 (the server refuses the account or its password)",
    0xC000_006A: "비밀번호가 틀립니다 (wrong password)",
    0xC000_0064: "그런 계정이 없습니다 (no such account)",
    0xC000_006E: "계정에 제한이 있습니다 (the account is restricted)",
    0xC000_006F: "지금은 로그인할 수 없는 시간입니다 (the account may not sign in at this hour)",
    0xC000_0070: "이 컴퓨터에서는 로그인할 수 없습니다 (the account may not sign in from this machine)",
    0xC000_0071: "비밀번호가 만료되었습니다 (the password has expired)",
    0xC000_0072: "계정이 꺼져 있습니다 (the account is disabled)",
    0xC000_015B: "네트워크 로그인 권한이 없습니다 (the account may not sign in over the network)",
    0xC000_0193: "계정이 만료되었습니다 (the account has expired)",
    0xC000_0224: "비밀번호를 바꿔야 합니다 (the password must be changed)",
    0xC000_0234: "계정이 잠겼습니다 (the account is locked out)",
}
"""Why an account does not get in."""

_TOLD = {
    ACCESS_DENIED: "접근이 거부되었습니다 (access denied)",
    BAD_NETWORK_NAME: "그런 공유가 없습니다 (no such share)",
    PATH_NOT_COVERED: "DFS 링크의 대상을 찾을 수 없습니다 (a DFS link without a target that answers)",
    0xC000_0043: "다른 프로그램이 열고 있습니다 (held open by somebody else)",
    0xC000_0054: "일부가 잠겨 있습니다 (a part of it is locked)",
    0x8000_002D: "링크입니다 (a link)",
    **LOGON,
}


class SmbStatusError(Exception):
    """The server refused a request.

    Attributes:
        status: Its code.
    """

    def __init__(self, status: int) -> None:
        super().__init__(told(status))
        self.status = status


def told(status: int) -> str:
    """A code in words, for an operator."""
    if status in GONE and status not in _TOLD:
        return "없어졌습니다 (is not there any more)"
    return _TOLD.get(status, f"서버가 거절했습니다 (the server refused): {status:#010x}")
