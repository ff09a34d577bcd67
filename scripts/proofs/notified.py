"""Of which changed lists a file server tells whoever watches a whole share (MS-SMB2 2.2.35, CHANGE_NOTIFY).

Asked for are changes of security, the tree below included. What is not told cannot be relied on, so that permission
runs do without; this shows what there would be.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from smbprotocol.change_notify import ChangeNotifyFlags, CompletionFilter, FileSystemWatcher
from smbprotocol.connection import Connection
from smbprotocol.file_info import FileAttributes
from smbprotocol.open import (
    CreateDisposition,
    CreateOptions,
    DirectoryAccessMask,
    ImpersonationLevel,
    Open,
    ShareAccess,
)
from smbprotocol.session import Session
from smbprotocol.tree import TreeConnect

__all__ = ["tells_of"]

_PATIENCE = 4.0
"""Seconds until nothing more is expected."""


def tells_of(server: Any, share: str, change: Callable[[], object]) -> bool:
    """Whether somebody who watches all of a share hears of a change within four seconds."""
    with _root(server, share) as root:
        watcher = FileSystemWatcher(root)
        watcher.start(
            CompletionFilter.FILE_NOTIFY_CHANGE_SECURITY, flags=ChangeNotifyFlags.SMB2_WATCH_TREE
        )
        change()
        heard: bool = watcher.response_event.wait(_PATIENCE)
        if not heard:
            watcher.cancel()
        return heard


@contextmanager
def _root(server: Any, share: str) -> Iterator[Open]:
    connection = Connection(uuid.uuid4(), server.host, server.port)
    connection.connect()
    try:
        session = Session(connection, server.administrator, server.password)
        session.connect()
        tree = TreeConnect(session, rf"\\{server.host}\{share}")
        tree.connect()
        root = Open(tree, "")
        root.create(
            ImpersonationLevel.Impersonation,
            DirectoryAccessMask.FILE_LIST_DIRECTORY | DirectoryAccessMask.FILE_READ_ATTRIBUTES,
            FileAttributes.FILE_ATTRIBUTE_DIRECTORY,
            ShareAccess.FILE_SHARE_READ
            | ShareAccess.FILE_SHARE_WRITE
            | ShareAccess.FILE_SHARE_DELETE,
            CreateDisposition.FILE_OPEN,
            CreateOptions.FILE_DIRECTORY_FILE,
        )
        yield root
    finally:
        connection.disconnect()
