"""An installation over the mail of an account on a real server."""

from __future__ import annotations

import contextlib
import datetime as dt
import importlib.util
import socket
import socketserver
import sys
import threading
from email.message import EmailMessage
from pathlib import Path
from typing import Any

import pytest

from app.sources import add_source
from contracts.settings import SourceSettings

_spec = importlib.util.spec_from_file_location(
    "seoga_ingest_conftest", Path(__file__).parents[1] / "ingest" / "conftest.py"
)
_ingest = importlib.util.module_from_spec(_spec)
sys.modules[_spec.name] = _ingest  # its data classes look it up
_spec.loader.exec_module(_ingest)

PEOPLE = """\
realm: plant
users:
  kim: {name: 김, groups: [quality]}
  lee: {name: 이, groups: [sales]}
  choi: {name: 최, groups: [quality]}
  {owner}: {name: 품질 공용}
groups:
  quality: {name: 품질}
  sales: {name: 영업}
"""


class MailInstallation(_ingest.Installation):
    """One home folder over one mail account.

    Attributes:
        server: The IMAP server.
        user: The account.
        client: A connection of the account's own.
    """

    def __init__(self, folder: Path, server: Any) -> None:
        super().__init__(folder / "home", folder)
        self.server, self.user = server, server.user()
        people = folder / "people.yaml"
        people.write_text(PEOPLE.replace("{owner}", self.user), encoding="utf-8")
        self.options["directory"] = {"cache_seconds": 0, "files": [people], "local_accounts": False}
        self.source_options = server.settings(self.user) | {"acl": {"realm": "plant"}}
        self._when = dt.datetime(2024, 3, 5, 9, tzinfo=dt.UTC)

    def source(self, kit):
        """The account as a source."""
        known = kit.catalog.sources.get("drive")
        if known is not None:
            return SourceSettings.model_validate(dict(known.config))
        return add_source(kit.catalog, SourceSettings(**self.source_options), origin="cli")

    def again(self, **changed):
        """Another setting of the source, from the next run on."""
        with self.kit() as kit:
            found = kit.catalog.sources.get("drive")
            config = SourceSettings(**{**found.config, **changed}).model_dump(mode="json")
            record = type(found)(name="drive", kind=found.kind, config=config, origin=found.origin)
            kit.catalog.sources.upsert(record)

    def letter(self, subject: str, text: str, *, number: str, **fields: Any) -> bytes:
        """A mail; ``answers``: the number of the one that it answers; ``attachment``: a name and a text."""
        message = EmailMessage()
        message["From"] = fields.get("sender", "kim@plant.example")
        message["To"] = "all@plant.example"
        message["Subject"] = subject
        message["Date"] = fields.get("date", "Tue, 05 Mar 2024 11:00:00 +0900")
        if number:
            message["Message-ID"] = f"<{number}@plant.example>"
        if answers := fields.get("answers"):
            message["In-Reply-To"] = message["References"] = f"<{answers}@plant.example>"
        message.set_content(text)
        if attachment := fields.get("attachment"):
            name, inside = attachment
            message.add_attachment(inside.encode(), "text", "markdown", filename=name)
        return message.as_bytes()

    def deliver(self, folder: str, raw: bytes, flags: tuple[bytes, ...] = ()) -> int:
        """Put a mail into a folder, which is made where it is missing; its number there."""
        if not self.client.folder_exists(folder):
            self.client.create_folder(folder)
        self._when += dt.timedelta(minutes=1)
        self.client.append(folder, raw, flags, self._when)
        return self.client.status(folder, ["UIDNEXT"])["UIDNEXT"] - 1

    def alert(self) -> str:
        """What the operator sees."""
        with self.kit() as kit:
            return kit.catalog.sources.get("drive").alert

    def documents(self) -> dict[str, str]:
        """Ids of the documents that are there, by path."""
        with self.kit() as kit:
            return {
                d.path: d.document_id for d in kit.catalog.documents.stream() if d.state != "gone"
            }


@pytest.fixture
def mail(tmp_path, dovecot):
    """A new account, and an installation that reads it."""
    dovecot.forget_shares()
    made = MailInstallation(tmp_path, dovecot)
    with dovecot.login(made.user) as client:
        made.client = client
        yield made


class Relay:
    """Stands between a client and the plain port of the server: counts commands, and cuts when told to.

    Attributes:
        commands: Every command line of clients, without its tag.
        cut: Given a command line, whether the connection breaks instead.
        down: No connection is taken.
        stalled: Given a command line, whether nothing is passed on from there.
        hidden: Words that are taken out of what the server says of its abilities.
    """

    def __init__(self, host: str, port: int) -> None:
        self.commands: list[str] = []
        self.cut = lambda _line: False
        self.down = False
        self.stalled = lambda _line: False
        self.hidden: tuple[bytes, ...] = ()
        relay = self

        class Handler(socketserver.StreamRequestHandler):
            def handle(self) -> None:
                if not relay.down:
                    relay.pass_on(self.request, self.rfile, (host, port))

        self._server = socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"imap://127.0.0.1:{self._server.server_address[1]}"
        self._thread = threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.02}
        )
        self._thread.start()

    def pass_on(self, client, lines, place) -> None:
        """Both ways, until one of them closes."""
        with socket.create_connection(place) as server:
            back = threading.Thread(target=self._back, args=(server, client))
            back.start()
            for line in lines:
                text = line.decode("utf-8", "replace").strip()
                self.commands.append(text.partition(" ")[2])
                if self.cut(self.commands[-1]):
                    break
                if self.stalled(self.commands[-1]):
                    continue
                server.sendall(line)
            with contextlib.suppress(OSError):
                server.shutdown(socket.SHUT_RDWR)
            back.join()

    def counts(self, word: str) -> int:
        """How many commands begin with, or hold, this word."""
        return sum(word in command for command in self.commands)

    def close(self) -> None:
        """Take no more connections."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def _back(self, server, client) -> None:
        with contextlib.suppress(OSError):
            while data := server.recv(1 << 16):
                if b"CAPABILITY" in data:
                    for word in self.hidden:
                        data = data.replace(b" " + word, b"")
                client.sendall(data)
            client.shutdown(socket.SHUT_RDWR)


@pytest.fixture
def relay(dovecot):
    """A relay before the server's plain port."""
    made = Relay(dovecot.host, dovecot.port)
    yield made
    made.close()
