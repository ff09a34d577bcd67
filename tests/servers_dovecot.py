"""A real IMAP server (Dovecot) with TLS, access lists and shared folders; loaded by ``tests/conftest.py``.

It runs without rights of its own: as root it is started as another account. Any user may log in with the password
``PASSWORD``; a user's mail lies in ``mail/NAME``, one file a message. Everybody sees what others share below
``shared/OWNER/…`` and the public folders below ``public/…``.
"""

from __future__ import annotations

import grp
import os
import pwd
import shutil
import signal
import socket
import ssl
import subprocess
import tempfile
import time
from contextlib import contextmanager
from itertools import count
from pathlib import Path

import pytest
from imapclient.exceptions import IMAPClientError

from acl_sync.imap_client import MailClient

PASSWORD = "correct-horse"  # noqa: S105  of a server of this test
MEMBERS = {"kim": ("qa",), "lee": ("sales",), "choi": ("qa", "sales"), "park": ()}
"""Users with their groups; all others have none."""
_START_SECONDS = 10

_CONFIG = """
protocols = imap
listen = 127.0.0.1
base_dir = {folder}/run
state_dir = {folder}/state
instance_name = seoga-tests
log_path = {folder}/log
default_login_user = {account}
default_internal_user = {account}
default_internal_group = {group}
first_valid_uid = 1
first_valid_gid = 1
ssl = yes
ssl_cert = <{folder}/server.pem
ssl_key = <{folder}/server.key
ssl_dh =
disable_plaintext_auth = no
auth_mechanisms = plain login
auth_username_chars =
mail_uid = {account}
mail_gid = {group}
mail_home = {folder}/mail/%u
mail_location = sdbox:~/box
mail_plugins = acl {escapes}
mail_max_userip_connections = 200
mail_fsync = never
lock_method = fcntl
default_process_limit = 300
auth_failure_delay = 0

passdb {{
  driver = static
  args = password={password}
}}
userdb {{
  driver = passwd-file
  args = {folder}/members
}}
userdb {{
  driver = static
  args = uid={uid} gid={gid} home={folder}/mail/%u
}}

namespace inbox {{
  inbox = yes
  separator = {separator}
  prefix = {prefix}
  mailbox Trash {{
    special_use = \\Trash
  }}
  mailbox 임시보관함 {{
    special_use = \\Drafts
  }}
  mailbox Spam {{
    special_use = \\Junk
  }}
  mailbox INBOX{separator}Trash {{
    special_use = \\Trash
  }}
  mailbox INBOX{separator}임시보관함 {{
    special_use = \\Drafts
  }}
}}
namespace {{
  type = shared
  separator = {separator}
  prefix = shared{separator}%%u{separator}
  location = sdbox:{folder}/mail/%%u/box:INDEXPVT={folder}/mail/%u/shared/%%u
  subscriptions = no
  list = children
}}
namespace {{
  type = public
  separator = {separator}
  prefix = public{separator}
  location = sdbox:{folder}/public
  subscriptions = no
  list = children
}}

plugin {{
  acl = vfile
  acl_shared_dict = file:{folder}/shared-mailboxes
  acl_anyone = allow
}}
protocol imap {{
  mail_plugins = acl {escapes} imap_acl
  imap_max_line_length = 64k
}}

service auth {{
  client_limit = 4000
}}
service anvil {{
  unix_listener anvil-auth-penalty {{
    mode = 0
  }}
  client_limit = 4000
  chroot =
}}
service stats {{
  chroot =
}}
service imap-login {{
  chroot =
  inet_listener imap {{
    port = {port}
  }}
  inet_listener imaps {{
    port = {tls_port}
    ssl = yes
  }}
  process_min_avail = 1
  service_count = 0
}}
service imap {{
  process_min_avail = 1
  service_count = 100
}}
"""


class Dovecot:
    """The running server; ``folder`` holds everything that it stores.

    Attributes:
        port: Of plain IMAP, on 127.0.0.1.
        tls_port: Of IMAP over TLS.
        ca_file: Its certificate, for 127.0.0.1 and localhost; it signed itself.
    """

    password = PASSWORD
    members = MEMBERS
    host = "127.0.0.1"

    def __init__(self, folder: Path, *, separator: str = "/", prefix: str = "") -> None:
        self.folder = folder
        self.port, self.tls_port = _free_port(), _free_port()
        self.ca_file = folder / "server.pem"
        self._account = _account()
        self._process: subprocess.Popen[bytes] | None = None
        self._names = count(1)
        self._prepare(separator, prefix)

    def url(self, folder: str = "", *, plain: bool = False) -> str:
        """The address, as a user would write it in ``url``."""
        scheme, port = ("imap", self.port) if plain else ("imaps", self.tls_port)
        return f"{scheme}://{self.host}:{port}" + (f"/{folder}" if folder else "")

    def settings(self, user: str) -> dict[str, object]:
        """The settings of a source over all that a user may read."""
        password_file = self.folder / "password"
        password_file.write_text(f"{PASSWORD}\n")
        return {
            "name": "drive", "kind": "imap", "url": self.url(), "user": user,
            "password_file": password_file, "ca_file": self.ca_file,
        }  # fmt: skip

    def user(self) -> str:
        """A user whom nobody has used so far."""
        return f"user{next(self._names)}"

    @contextmanager
    def login(self, user: str):
        """A connection of the test's own."""
        context = ssl.create_default_context(cafile=os.fspath(self.ca_file))
        with MailClient(self.host, self.tls_port, ssl_context=context) as client:
            client.plain_login(user, PASSWORD)
            yield client

    def forget_shares(self) -> None:
        """From now on nobody sees what was shared with others so far."""
        (self.folder / "shared-mailboxes").unlink(missing_ok=True)

    def messages(self, user: str, folder: str) -> list[Path]:
        """Files of a user's messages, in the order of their UIDs; ``folder`` as it lies on the disk."""
        found = (self.folder / "mail" / user / "box" / "mailboxes" / folder / "dbox-Mails").glob(
            "u.*"
        )
        return sorted(found, key=lambda path: int(path.suffix[1:]))

    def log(self) -> str:
        """What it has written about itself."""
        return (self.folder / "log").read_text(errors="replace")

    def start(self) -> None:
        """Start it, and wait until it answers."""
        command = [_program(), "-F", "-c", self.folder / "dovecot.conf"]
        environment = {"PATH": f"{os.defpath}:/usr/sbin", "LC_ALL": "C.UTF-8", "TZ": "UTC"}
        with (self.folder / "output").open("ab") as output:
            self._process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=output, stderr=output,
                cwd=self.folder, env=environment, **self._account,
            )  # fmt: skip
        end = time.monotonic() + _START_SECONDS
        while time.monotonic() < end and self._process.poll() is None:
            try:
                with self.login("somebody"):
                    return
            except (OSError, IMAPClientError):
                time.sleep(0.05)
        pytest.fail(f"Dovecot did not start: {(self.folder / 'output').read_text()}{self.log()}")

    def stop(self) -> None:
        """Stop it with its children."""
        self._process.send_signal(signal.SIGTERM)
        self._process.wait(timeout=30)

    def _prepare(self, separator: str, prefix: str) -> None:
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
             "-nodes", "-days", "2", "-subj", "/CN=127.0.0.1",
             "-addext", "subjectAltName=IP:127.0.0.1,DNS:localhost",
             "-keyout", self.folder / "server.key", "-out", self.ca_file],
            check=True, capture_output=True,
        )  # fmt: skip
        identity = pwd.getpwuid(self._account.get("user", os.geteuid()))
        values = {
            "separator": separator, "prefix": prefix, "escapes": "listescape" if prefix else "",
            "folder": self.folder, "port": self.port, "tls_port": self.tls_port,
            "password": PASSWORD, "account": identity.pw_name, "uid": identity.pw_uid,
            "gid": identity.pw_gid, "group": _group(identity.pw_gid),
        }  # fmt: skip
        (self.folder / "dovecot.conf").write_text(_CONFIG.format(**values))
        fields = f"::{identity.pw_uid}:{identity.pw_gid}::{self.folder}/mail"
        (self.folder / "members").write_text(
            "".join(
                f"{user}{fields}/{user}::userdb_acl_groups={','.join(groups)}\n"
                for user, groups in MEMBERS.items()
            )
        )
        for name in ("mail", "public", "run", "state"):
            (self.folder / name).mkdir()
        if self._account:
            for path in (self.folder, *self.folder.rglob("*")):
                os.chown(path, identity.pw_uid, identity.pw_gid)


@pytest.fixture(scope="session")
def dovecot():
    """An IMAP server of this test session."""
    with running() as server:
        yield server


@pytest.fixture(scope="session")
def dotted_dovecot():
    """One whose folders are called as on Cyrus and Courier: ``INBOX.품질.불만``; names may hold a slash."""
    with running(separator=".", prefix="INBOX.") as server:
        yield server


@contextmanager
def running(**options: str):
    """A server of one's own."""
    folder = Path(tempfile.mkdtemp(prefix="seoga-imap-", dir="/tmp"))
    try:
        server = Dovecot(folder, **options)
        server.start()
        try:
            yield server
        finally:
            server.stop()
    finally:
        shutil.rmtree(folder)


def _program() -> str:
    found = shutil.which("dovecot", path=f"{os.environ['PATH']}:/usr/sbin")
    if found is None:
        pytest.fail("Dovecot is not installed on this machine: apt-get install dovecot-imapd")
    return found


def _account() -> dict[str, object]:
    """It should have no rights of its own, so root lends it another account."""
    if os.geteuid() != 0:
        return {}
    entry = pwd.getpwnam("nobody")
    return {"user": entry.pw_uid, "group": entry.pw_gid, "extra_groups": []}


def _group(number: int) -> str:
    return grp.getgrgid(number).gr_name


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
