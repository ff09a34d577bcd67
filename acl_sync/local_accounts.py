"""The accounts of this machine (``getpwnam``, ``getgrouplist``): whatever NSS knows, SSSD and winbind included."""

from __future__ import annotations

import grp
import os
import pwd
from typing import TYPE_CHECKING

from contracts.access import Reader
from contracts.errors import UnknownReaderError

if TYPE_CHECKING:
    from acl_sync.registry import DirectoryOptions

__all__ = ["LocalAccounts", "open_directories"]


def open_directories(options: DirectoryOptions) -> list[LocalAccounts]:
    """The accounts of this machine, unless they shall not count."""
    return [LocalAccounts()] if options.settings.local_accounts else []


class LocalAccounts:
    """See :class:`contracts.ports.Directory`.

    The superuser gets no principal beyond its own: that it may read everything at the file server is no reason
    to show it everything here.

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
        groups = os.getgrouplist(entry.pw_name, entry.pw_gid)
        principals = {f"uid:{entry.pw_uid}@{self.realm}", f"everyone@{self.realm}"}
        principals |= {f"gid:{group}@{self.realm}" for group in groups}
        return Reader(name=name, principals=frozenset(principals), realm=self.realm)

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
