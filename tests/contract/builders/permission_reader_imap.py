"""Mail folders with access lists: the INBOX of an account is the root."""

from __future__ import annotations

import contextlib
import hashlib
import unicodedata

from imapclient.exceptions import IMAPClientError

from acl_sync.registry import make_permission_reader
from contracts.settings import SourceSettings
from ingest.sources.registry import make_source

SERVERS = ("dovecot",)
ITEM_LISTS = False
ROOT = "INBOX"
_LETTERS = str.maketrans("0123456789abcdef", "abcdefghijklmnop")


def bench(folder, server):
    """A bench over a new account."""
    return MailListBench(folder, server)


class MailListBench:
    """See ``tests/contract/test_permission_reader.py``."""

    one = frozenset({"user:one@plant", "group:staff@plant", "everyone@plant"})
    stranger = frozenset({"user:stranger@plant", "group:others@plant", "everyone@plant"})
    traps = (
        "a",
        "b",
        "a#1",
        "a:b",
        "a[",
        "ff",
        "a&b",
        unicodedata.normalize("NFC", "품질"),
        "가 나",
    )

    def __init__(self, folder, server):  # noqa: ARG002  as the others
        self._server = server
        self.user = server.user()
        self._stack = contextlib.ExitStack()
        self._client = self._stack.enter_context(server.login(self.user))
        values = {"url": server.url(ROOT), "acl": {"kind": "imap", "realm": "plant"}}
        self._settings = SourceSettings(**server.settings(self.user) | values)
        self._client.setacl(ROOT, "anyone", "lr")

    def source(self):
        """Lists what is there."""
        return make_source(self._settings)

    def reader(self):
        """Reads the lists of what is there."""
        return make_permission_reader(self._settings)

    def at(self, path):
        """Path of the document that ``put(path)`` makes."""
        above, _, name = path.rpartition("/")
        tag = hashlib.sha256(b"id\0" + self._id(path)).hexdigest()[:12].translate(_LETTERS)
        plain = "".join(c if c not in '\\:*?"<>|' else " " for c in name).strip()
        return f"{above}/{plain} [{tag}].eml" if above else f"{plain} [{tag}].eml"

    def put(self, path):
        """A message, in folders that are made where missing, each open to everyone."""
        parts = path.split("/")[:-1]
        for end in range(1, len(parts) + 1):
            self._make("/".join((ROOT, *parts[:end])))
        name = path.rpartition("/")[2]
        head = b"Message-ID: <%s>\r\nSubject: %s\r\n\r\nx" % (self._id(path), name.encode())
        self._client.append("/".join((ROOT, *parts)), head)

    def allow(self, path, who):
        """Let ``everyone``, ``one`` or ``nobody`` read what is in a folder and below it."""
        for name in self._folders(path):
            for other, rights in (("anyone", "everyone"), ("one", "one")):
                self._client.setacl(name, other, "lr" if who == rights else "l")

    def say_nothing(self, path):
        """No list but the one that the server has by itself."""
        for name in self._folders(path):
            for who in ("anyone", "one"):
                self._client._command_and_check("deleteacl", f'"{self._encoded(name)}"', who)

    def hide_list(self, path):
        """From now on the list cannot be read: the folder is not there any more."""
        (top,) = self._folders(path)
        names = [folder.name for folder in self._client.folders() if folder.name.startswith(top)]
        for name in sorted(names, reverse=True):
            self._client.delete_folder(name)

    def changes(self, path):
        """Ways to change the list that decides for a message: what is done, and a call that does it."""
        (name, *_) = self._folders(path)
        lists = {
            "nobody": ("anyone", "l"),
            "all again": ("anyone", "lr"),
            "a user": ("one", "lr"),
            "a group": ("$staff", "lr"),
            "taken from a user": ("-one", "r"),
            "taken from a group": ("-$staff", "r"),
            "those who are signed in": ("authenticated", "lr"),
        }
        return {
            what: lambda who=who, rights=rights: self._client.setacl(name, who, rights)
            for what, (who, rights) in lists.items()
        }

    def wait(self):
        """Nothing here depends on a clock."""

    def close(self):
        """Sign out."""
        self._stack.close()

    def _id(self, path):
        return hashlib.sha1(path.encode()).hexdigest().encode()  # noqa: S324  any digest

    def _make(self, folder):
        with contextlib.suppress(IMAPClientError):  # it is there
            self._client.create_folder(folder)
            self._client.setacl(folder, "anyone", "lr")

    def _folders(self, path):
        """The folder, or that of a message, and those below it."""
        top = f"{ROOT}/{path}".rstrip("/")
        if not self._client.folder_exists(top):
            return [top.rpartition("/")[0]]
        names = [folder.name for folder in self._client.folders()]
        return [name for name in names if name == top or name.startswith(f"{top}/")]

    def _encoded(self, name):
        return self._client._normalise_folder(name).decode().strip('"')
