"""A mail account as a source under test: its INBOX is the root, a message's subject and Message-ID are its name."""

from __future__ import annotations

import base64
import contextlib
import datetime as dt
import hashlib
import os
from email.header import Header

from hypothesis import strategies as st
from imapclient.exceptions import IMAPClientError

from contracts.errors import SeogaError
from contracts.settings import SourceSettings
from ingest.sources.registry import make_source

SERVERS = ("dovecot",)
MOVES = False
"""Design §3: a message is known by Message-ID and folder, so elsewhere it is another object."""
ROOT = "INBOX"
MARKER = "seoga-root"
_BEGIN = dt.datetime(2024, 3, 5, 9, tzinfo=dt.UTC)
_LETTERS = str.maketrans("0123456789abcdef", "abcdefghijklmnop")


def bench(folder, server):
    """A bench over a new account."""
    return MailBench(folder, server)


class MailBench:
    """See ``tests/contract/test_source.py``."""

    names = st.one_of(
        st.sampled_from(
            [
                "a",
                "a!",
                "a-",
                "a.b",
                "a0",
                "aa",
                "A",
                "가",
                "a[",
                "a b",
                "a~",
                "\uffee",
                "\U00010000",
            ]
        ),
        st.text(
            st.sampled_from("abzAZ09가힣각품질ÀÿЯ!#$&'()+,-.;=@[]^_`{}~ "), min_size=1, max_size=6
        ),
    ).filter(lambda name: name == name.strip(" .~") and "  " not in name)

    def __init__(self, folder, server):
        self._kept = folder / "kept"
        self._server = server
        self.user = server.user()
        self._stack = contextlib.ExitStack()
        self._client = self._stack.enter_context(server.login(self.user))
        self._seconds = 0
        self._away = 0

    def source(self, **options):
        """An adapter over what is there now; what one of them has listed serves the next."""
        values = self._server.settings(self.user) | {"url": self._server.url(ROOT)} | options
        return make_source(SourceSettings(**values), self._kept)

    def at(self, path):
        """Path of the document that ``put(path)`` makes."""
        tag = hashlib.sha256(b"id\0" + self._message_id(path).strip("<>").encode()).hexdigest()
        return f"{path} [{tag[:12].translate(_LETTERS)}].eml"

    def content(self, path, data=b"x"):
        """What is there after ``put(path, data)``."""
        subject = Header(path.rpartition("/")[2], "utf-8", maxlinelen=900).encode()
        body = base64.encodebytes(data).replace(b"\n", b"\r\n")
        head = (
            f"From: kim@plant.example\r\nMessage-ID: {self._message_id(path)}\r\nSubject: {subject}\r\n"
            "MIME-Version: 1.0\r\nContent-Type: application/octet-stream\r\n"
            "Content-Transfer-Encoding: base64\r\n\r\n"
        )
        return head.encode() + body

    def put(self, path, data=b"x", flags=()):
        """A message, in folders that are made where missing; one that was put there is taken away."""
        self._make(self._folder(path))
        self.remove(path)
        self._seconds += 1
        when = _BEGIN + dt.timedelta(seconds=self._seconds)
        self._client.append(self._folder(path), self.content(path, data), flags, when)

    def folder_at(self, path):
        """An empty folder."""
        self._make(f"{ROOT}/{path}")

    def replace(self, path, data):
        """Another message takes the place of the one at the path."""
        self.put(path, data)

    def move(self, path, to):
        """Rename a folder."""
        self._client.rename_folder(f"{ROOT}/{path}", f"{ROOT}/{to}")

    def remove(self, path):
        """Remove a message."""
        if found := self._find(path):
            self._client.delete_messages(found)
            self._client.expunge()

    def lead_away(self, path):
        """Take a message or a folder out of the root, with what is below it."""
        self._away += 1
        away = f"Elsewhere{self._away}"
        if self._client.folder_exists(f"{ROOT}/{path}"):
            self._client.unselect_folder()
            self._client.rename_folder(f"{ROOT}/{path}", away)
            return
        self._client.create_folder(away)
        self._client.move(self._find(path), away)

    def no_documents(self):
        """Make things that are no documents; their paths."""
        self.put("marked.txt", flags=[rb"\Deleted"])
        self.put("Trash/old.txt")
        self.put("Trash/deep/older.txt")
        self.put("임시보관함/unsent.txt")
        return {self.at("marked.txt"), "Trash", "임시보관함"}

    def spoilt(self):
        """What may be wrong with an account, each as an adapter."""
        self.put("a.txt")
        empty = self._server.user()
        wrong = self._server.folder / "wrong-password"
        wrong.write_text("wrong")
        return {
            "unreachable": self.source(url="imaps://127.0.0.1:1"),
            "empty": self.source(user=empty),
            "without its marker": self.source(marker=MARKER),
            "no such folder": self.source(url=self._server.url("none")),
            "wrong password": self.source(password_file=wrong),
            "unknown certificate": self.source(ca_file=None),
            "no host": self.source(url="imaps://nowhere.invalid"),
            "no TLS there": self.source(url=f"imaps://127.0.0.1:{self._server.port}"),
        }

    def marked(self):
        """An adapter over an account that has its marker."""
        self.put(f"{MARKER}/about.txt")
        return self.source(marker=MARKER)

    def without_rights(self, path, call):
        """The result of ``call()``, or the exception, where the account has no rights on the path."""
        undo = self._hide_message(path) if path and self._find(path) else self._hide_folders(path)
        try:
            return call()
        except SeogaError as problem:
            return problem
        finally:
            undo()

    def snapshot(self):
        """Everything that a visitor could have changed: folders, numbers, flags, times, bytes."""
        found = {}
        for name in self._names():
            chosen = self._client.select_folder(name, readonly=True)
            numbers = self._client.status(name, ["UIDVALIDITY", "UIDNEXT", "HIGHESTMODSEQ"])
            found[name] = (chosen[b"EXISTS"], chosen[b"RECENT"], tuple(sorted(numbers.items())))
            wanted = ["FLAGS", "INTERNALDATE", "BODY.PEEK[]"]
            for uid, answer in self._client.fetch(self._client.search(), wanted).items():
                found[f"{name}/{uid}"] = repr(sorted(answer.items()))
        return found

    def close(self):
        """Sign out."""
        self._stack.close()

    def _message_id(self, path):
        return f"<{hashlib.md5(path.encode()).hexdigest()}@plant.example>"  # noqa: S324  any digest

    def _folder(self, path):
        above = path.rpartition("/")[0]
        return f"{ROOT}/{above}" if above else ROOT

    def _make(self, folder):
        parts = folder.split("/")
        for end in range(2, len(parts) + 1):
            with contextlib.suppress(IMAPClientError):  # it is there
                self._client.create_folder("/".join(parts[:end]))

    def _names(self):
        return [
            folder.name
            for folder in self._client.folders()
            if b"\\noselect" not in folder.attributes
        ]

    def _find(self, path):
        try:
            self._client.select_folder(self._folder(path))
        except IMAPClientError:
            return []
        return self._client.search(["HEADER", "Message-ID", self._message_id(path)])

    def _hide_folders(self, path):
        top = f"{ROOT}/{path}" if path else ROOT
        names = self._names()
        hidden = [name for name in names if name == top or name.startswith(f"{top}/")]
        self._client.select_folder("Trash" if "Trash" in names else ROOT, readonly=True)
        for name in hidden:
            self._client.setacl(name, self.user, "l")
        return lambda: [self._client.setacl(name, self.user, "lrwstipekxa") for name in hidden]

    def _hide_message(self, path):
        (uid,) = self._find(path)
        folder = self._folder(path)
        encoded = os.fsdecode(self._client._normalise_folder(folder)).strip('"')
        files = {file.name: file for file in self._server.messages(self.user, encoded)}
        file = files[f"u.{uid}"]
        file.chmod(0)
        return lambda: file.chmod(0o600)
