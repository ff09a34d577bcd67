"""The accounts of this machine (``getpwnam``, ``getgrouplist``): whatever NSS knows, SSSD and winbind included."""

from __future__ import annotations

import contextlib
import ctypes
import grp
import os
import pwd
import time
from typing import TYPE_CHECKING

from contracts.access import Reader
from contracts.errors import UnknownReaderError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from acl_sync.registry import DirectoryOptions

__all__ = ["LocalAccounts", "open_directories"]

_LONGEST_ENTRY = 4096
_NEVER = -1
_DAY = 86_400


def open_directories(options: DirectoryOptions) -> list[LocalAccounts]:
    """The accounts of this machine, unless they shall not count."""
    return [LocalAccounts()] if options.settings.local_accounts else []


class _Shadow(ctypes.Structure):
    """``struct spwd`` of ``<shadow.h>``; Python's own module for it ends with 3.12."""

    _fields_ = (
        ("name", ctypes.c_char_p),
        ("password", ctypes.c_char_p),
        ("changed", ctypes.c_long),
        ("least", ctypes.c_long),
        ("most", ctypes.c_long),
        ("warn", ctypes.c_long),
        ("inactive", ctypes.c_long),
        ("expires", ctypes.c_long),
        ("flags", ctypes.c_ulong),
    )


class LocalAccounts:
    """See :class:`contracts.sources.Directory`.

    The superuser gets no principal beyond its own: that it may read everything at the file server is no reason
    to show it everything here. An account is over from the day on that ``shadow(5)`` names as its expiration
    (``usermod --expiredate``), where this process may read it: as root, or in the group ``shadow``. A locked
    password ends no account, nor does it for who comes with a key.

    Args:
        realm: Realm of the numeric ids, as the permission reader names them.
    """

    def __init__(self, realm: str = "local") -> None:
        self.realm = realm

    def reader(self, name: str) -> Reader:
        """Resolve an account, as ``kim`` or ``kim@local``."""
        account = name.removesuffix(f"@{self.realm}")
        try:
            entry = pwd.getpwnam(account)
        except (KeyError, ValueError) as problem:
            raise UnknownReaderError(
                f"{name}: 이 컴퓨터에 없는 계정입니다 (no such account)"
            ) from problem
        return self._reader(name, entry)

    def account(self, principal: str) -> Reader | None:
        """See :class:`acl_sync.directory.FindsAccounts`."""
        number = principal.removeprefix("uid:").removesuffix(f"@{self.realm}")
        if principal != f"uid:{number}@{self.realm}" or not number.isdecimal():
            return None
        try:
            return self._reader(principal, pwd.getpwuid(int(number)))
        except (KeyError, OverflowError) as problem:
            raise UnknownReaderError(f"{principal}: 없는 계정입니다 (no such account)") from problem

    def _reader(self, name: str, entry: pwd.struct_passwd) -> Reader:
        if _expired(entry.pw_name):
            raise UnknownReaderError(f"{name}: 만료된 계정입니다 (the account has expired)")
        groups = os.getgrouplist(entry.pw_name, entry.pw_gid)
        account = f"uid:{entry.pw_uid}@{self.realm}"
        principals = {account, f"everyone@{self.realm}"}
        principals |= {f"gid:{group}@{self.realm}" for group in groups}
        return Reader(
            name=name,
            principals=frozenset(principals),
            realm=self.realm,
            account=frozenset({account}),
        )

    def people(self) -> list[str]:
        """See :class:`acl_sync.directory.ListsPeople`; accounts of services are people here, too."""
        return [entry.pw_name for entry in pwd.getpwall()]

    def who(self, principals: Iterable[str]) -> dict[str, str]:
        """See :class:`acl_sync.who.TellsWho`."""
        found: dict[str, str] = {}
        for principal in principals:
            kind, _, number = principal.removesuffix(f"@{self.realm}").partition(":")
            if not principal.endswith(f"@{self.realm}") or not number.isdecimal():
                continue
            with contextlib.suppress(KeyError, OverflowError):
                if kind == "uid":
                    found[principal] = pwd.getpwuid(int(number)).pw_name
                elif kind == "gid":
                    found[principal] = grp.getgrgid(int(number)).gr_name
        return found

    def group(self, name: str) -> Reader:
        """What a mere member of this group may name itself by."""
        try:
            entry = grp.getgrnam(name.removesuffix(f"@{self.realm}"))
        except (KeyError, ValueError) as problem:
            raise UnknownReaderError(
                f"{name}: 이 컴퓨터에 없는 그룹입니다 (no such group)"
            ) from problem
        principals = {f"gid:{entry.gr_gid}@{self.realm}", f"everyone@{self.realm}"}
        return Reader(name=name, principals=frozenset(principals), realm=self.realm)


def _expired(account: str) -> bool:
    """As ``pam_unix`` decides: from the day on, in days since 1970 (UTC); -1: never."""
    entry, found = _Shadow(), ctypes.c_void_p()
    buffer = ctypes.create_string_buffer(_LONGEST_ENTRY)
    place = (ctypes.byref(entry), buffer, ctypes.c_size_t(len(buffer)), ctypes.byref(found))
    failed = ctypes.CDLL(None).getspnam_r(os.fsencode(account), *place)
    if failed or found.value is None:  # not ours to read, or an account without an entry
        return False
    last = int(entry.expires)
    return last != _NEVER and time.time() // _DAY >= last
