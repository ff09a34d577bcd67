"""A real Active Directory domain with its file server (Samba); loaded by ``tests/conftest.py``.

Its ports are fixed (88, 389, 445, 636 on loopback) and winbind's socket has one place on a machine, so there is one at
a time: a lock in ``/tmp`` makes other test processes wait. Provisioning takes some six seconds.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import signal
import socket
import ssl
import subprocess
import tempfile
import time
from contextlib import contextmanager, suppress
from pathlib import Path

import ldap3
import psutil
import pytest
from ldap3.utils.conv import escape_filter_chars

_LOCK = Path("/tmp/seoga-test-ad.lock")  # noqa: S108  one place for all
_PORTS = (88, 389, 445, 636)
_WINBIND = Path("/run/samba/winbindd/pipe")
_START_SECONDS = 90
_PATIENCE_SECONDS = 900
_GROUP_TYPES = {"global": 2, "domain-local": 4, "universal": 8}
_SECURITY_ENABLED = -0x80000000
_NORMAL_ACCOUNT, _NO_EXPIRY, _DISABLED = 0x200, 0x10000, 2
_ACTIVE = _NORMAL_ACCOUNT | _NO_EXPIRY

_CONFIG = """[global]
  netbios name = DC1
  workgroup = PLANT
  realm = PLANT.EXAMPLE
  server role = active directory domain controller
  server services = s3fs, rpc, ldap, kdc, winbindd
  interfaces = lo
  bind interfaces only = yes
  ldap server require strong auth = no
  private dir = {folder}/private
  state directory = {folder}/state
  cache directory = {folder}/cache
  lock directory = {folder}/lock
  pid directory = {folder}/pid
  ncalrpc dir = {folder}/ncalrpc
  usershare path =
  load printers = no
  disable spoolss = yes
  log file = {folder}/log.%m
  tls keyfile = {folder}/tls/server.key
  tls certfile = {folder}/tls/server.pem
  tls cafile = {folder}/tls/ca.pem
  template shell = /bin/false
  idmap_ldb:use rfc2307 = yes

[drive]
  path = {folder}/drive
  read only = no
  vfs objects = dfs_samba4 acl_xattr
  acl_xattr:ignore system acls = yes
  hide dot files = no
  store dos attributes = yes
"""


class DomainController:
    """The domain PLANT (``plant.example``), whose server ``127.0.0.1`` also shares the folder ``drive``.

    Attributes:
        folder: Everything that it stores.
        drive: What the share ``drive`` shows; files are best written over SMB.
        ca_file: Certificate that signed the one of ``ldaps://127.0.0.1`` (``localhost``, ``dc1.plant.example`` too).
    """

    host = "127.0.0.1"
    realm = "PLANT.EXAMPLE"
    domain = "PLANT"
    base = "DC=plant,DC=example"
    administrator = "Administrator"
    password = "Passw0rd!"  # noqa: S105  of the administrator and of everyone who is given none

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.drive = folder / "drive"
        self.ca_file = folder / "tls" / "ca.pem"
        self._process: subprocess.Popen[bytes] | None = None
        self._ldap: ldap3.Connection | None = None

    # -- the server --------------------------------------------------------------------------------

    def start(self) -> None:
        """Start it, and wait until it answers over LDAP and SMB, winbind included."""
        with (self.folder / "samba.out").open("ab") as log:
            self._process = subprocess.Popen(
                ["samba", "--interactive", f"--configfile={self.config}", "--debuglevel=1"],
                stdin=subprocess.PIPE,  # it ends when this process does
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        end = time.monotonic() + _START_SECONDS
        while time.monotonic() < end and self._process.poll() is None:
            if self._answers():
                return
            time.sleep(0.2)
        pytest.fail(f"the domain controller did not start: {self._log()}")

    def stop(self) -> None:
        """As if its host were switched off; ``start`` brings it back with its data."""
        if self._ldap is not None:
            self._ldap.strategy.close()
            self._ldap = None
        if self._process is None:
            return
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGTERM)
        self._process.wait(timeout=30)
        self._process.stdin.close()
        self._process = None
        end = time.monotonic() + 30
        while left := self._left():
            if time.monotonic() > end:
                pytest.fail(f"the domain controller did not stop: {left}")
            for process in left:  # its helpers for RPC have sessions of their own
                with suppress(psutil.NoSuchProcess):
                    process.kill()
            time.sleep(0.05)

    @property
    def config(self) -> Path:
        """Its ``smb.conf``."""
        return self.folder / "etc" / "smb.conf"

    def share(self, name: str, path: Path, *options: str) -> None:
        """Another share with NT access lists; the server reads its configuration again."""
        path.mkdir(mode=0o777, exist_ok=True)
        path.chmod(0o777)
        lines = [f"[{name}]", f"path = {path}", "read only = no", "vfs objects = acl_xattr"]
        lines += ["acl_xattr:ignore system acls = yes", *options]
        with self.config.open("a", encoding="utf-8") as file:
            file.write("\n" + "\n".join(lines) + "\n")
        self.run("smbcontrol", "smbd", "reload-config")

    # -- people and groups -------------------------------------------------------------------------

    def add_user(self, name: str, password: str = "", **attributes: object) -> str:
        """A new account that may sign in; its SID. ``attributes``: more of LDAP's."""
        secret = f'"{password or self.password}"'.encode("utf-16-le")
        values = {
            "sAMAccountName": name,
            "userPrincipalName": f"{name}@{self.realm.lower()}",
            "userAccountControl": _ACTIVE,
            "unicodePwd": secret,
            **attributes,
        }
        self._add(f"CN={name},CN=Users,{self.base}", "user", values)
        return self.sid(name)

    def add_group(self, name: str, *members: str, kind: str = "global") -> str:
        """A new security group (``global``, ``domain-local`` or ``universal``) with its members; its SID."""
        values = {"sAMAccountName": name, "groupType": _GROUP_TYPES[kind] + _SECURITY_ENABLED}
        self._add(f"CN={name},CN=Users,{self.base}", "group", values)
        if members:
            self.add_members(name, *members)
        return self.sid(name)

    def add_members(self, group: str, *members: str) -> None:
        """Add accounts or groups, by name."""
        self._member(group, ldap3.MODIFY_ADD, members)

    def remove_members(self, group: str, *members: str) -> None:
        """Take accounts or groups out."""
        self._member(group, ldap3.MODIFY_DELETE, members)

    def set_primary_group(self, user: str, group: str) -> None:
        """Make a group that the user is a member of the user's primary one (it is in ``memberOf`` no more)."""
        self.set(user, primaryGroupID=int(self.sid(group).rpartition("-")[2]))

    def set(self, name: str, **attributes: object) -> None:
        """Replace attributes of an account or group; None removes one."""
        changes = {
            key: [(ldap3.MODIFY_REPLACE, [] if value is None else [value])]
            for key, value in attributes.items()
        }
        self._done(self.ldap.modify(self.dn(name), changes))

    def disable(self, name: str) -> None:
        """The account may not sign in any more."""
        self.set(name, userAccountControl=_ACTIVE | _DISABLED)

    def enable(self, name: str) -> None:
        """It may again."""
        self.set(name, userAccountControl=_ACTIVE)

    def rename(self, name: str, new: str) -> None:
        """Another name for the same account (same SID)."""
        dn = self.dn(name)
        self.set(name, sAMAccountName=new, userPrincipalName=f"{new}@{self.realm.lower()}")
        self._done(self.ldap.modify_dn(dn, f"CN={new}"))

    def delete(self, name: str) -> None:
        """Remove an account or group."""
        self._done(self.ldap.delete(self.dn(name)))

    def dn(self, name: str) -> str:
        """Distinguished name of an account or group."""
        return self._find(name)[0]

    def sid(self, name: str) -> str:
        """Its SID."""
        return self._find(name)[1]

    @property
    def ldap(self) -> ldap3.Connection:
        """The administrator's connection, over LDAPS."""
        if self._ldap is None:
            self._ldap = self._connect()
        return self._ldap

    # -- tools of Samba ----------------------------------------------------------------------------

    def smbcacls(self, share: str, path: str, *options: str, user: str = "") -> str:
        """Look at or change a security descriptor as the administrator (or ``user``); what is printed."""
        login = f"{self.domain}\\{user or self.administrator}%{self.password}"
        command = ["smbcacls", f"//{self.host}/{share}", path, "-U", login, *options]
        return self.run(*command)

    def net_rpc(self, *arguments: str) -> str:
        """``net rpc`` as the administrator, for share permissions and local groups."""
        login = f"{self.domain}\\{self.administrator}%{self.password}"
        command = ["net", "rpc", *arguments, "-S", self.host, "-U", login]
        return self.run(*command)

    def run(self, *command: str) -> str:
        """Run a tool of Samba with this server's configuration; what it prints."""
        configured = [*command, f"--configfile={self.config}"]
        done = subprocess.run(configured, capture_output=True, text=True, check=False, timeout=60)
        if done.returncode:
            raise RuntimeError(f"{command[0]}: {done.stdout}{done.stderr}")
        return done.stdout

    # -- inside ------------------------------------------------------------------------------------

    def _left(self) -> list[psutil.Process]:
        return [
            process
            for process in psutil.process_iter()
            if any(str(self.folder) in part for part in _command_of(process))
        ]

    def _connect(self) -> ldap3.Connection:
        tls = ldap3.Tls(validate=ssl.CERT_NONE)  # the suite of the directory looks at certificates
        server = ldap3.Server(f"ldaps://{self.host}", tls=tls, get_info=ldap3.NONE)
        user = f"{self.administrator}@{self.realm}"
        return ldap3.Connection(server, user, self.password, auto_bind=True, receive_timeout=30)

    def _answers(self) -> bool:
        if not all(_listens(port) for port in _PORTS) or not _WINBIND.exists():
            return False
        login = f"{self.domain}\\{self.administrator}%{self.password}"
        try:
            self.run("smbclient", "-c", "ls", f"//{self.host}/drive", "-U", login)
        except RuntimeError:
            return False
        self._ldap = self._connect()
        return True

    def _add(self, dn: str, kind: str, values: dict[str, object]) -> None:
        self._done(self.ldap.add(dn, kind, values))

    def _member(self, group: str, how: str, members: tuple[str, ...]) -> None:
        changes = {"member": [(how, [self.dn(member) for member in members])]}
        self._done(self.ldap.modify(self.dn(group), changes))

    def _find(self, name: str) -> tuple[str, str]:
        wanted = f"(sAMAccountName={escape_filter_chars(name)})"
        self.ldap.search(self.base, wanted, attributes=["objectSid"])
        entries = [e for e in self.ldap.response if e["type"] == "searchResEntry"]
        (entry,) = entries
        return entry["dn"], _sid_text(entry["raw_attributes"]["objectSid"][0])

    def _done(self, done: bool) -> None:  # noqa: FBT001  what ldap3 returns
        assert done, self.ldap.result

    def _log(self) -> str:
        return (self.folder / "samba.out").read_text(errors="replace")[-4000:]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Whoever waits for the domain of another process waits longer than a test may take."""
    for item in items:
        if "domain_controller" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.timeout(_PATIENCE_SECONDS))


@pytest.fixture(scope="module")
def domain_controller():
    """A domain of this test module's own."""
    for program in ("samba", "samba-tool", "smbcacls"):
        if shutil.which(program) is None:
            pytest.fail(f"{program} is not installed on this machine: scripts/setup.sh test")
    with _alone():
        folder = Path(tempfile.mkdtemp(prefix="seoga-ad-", dir="/tmp"))
        folder.chmod(0o755)
        controller = DomainController(folder)
        try:
            _provision(controller)
            controller.start()
            yield controller
        finally:
            controller.stop()
            shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def _alone():
    """Wait until no other process of this machine runs a domain controller for tests."""
    with _LOCK.open("a") as lock:
        with suppress(PermissionError):
            _LOCK.chmod(0o666)
        fcntl.flock(lock, fcntl.LOCK_EX)
        taken = [port for port in _PORTS if _listens(port)]
        if taken:
            pytest.fail(
                f"ports {taken} of 127.0.0.1 are taken: is another file server running here?"
            )
        yield


def _provision(controller: DomainController) -> None:
    folder = controller.folder
    done = subprocess.run(
        [
            "samba-tool", "domain", "provision",
            f"--realm={controller.realm}", f"--domain={controller.domain}",
            "--server-role=dc", "--dns-backend=NONE", f"--adminpass={controller.password}",
            f"--targetdir={folder}", "--host-name=dc1", "--host-ip=127.0.0.1",
            "--option=interfaces=lo", "--option=bind interfaces only=yes",
        ],
        capture_output=True, text=True, check=False, timeout=110,
    )  # fmt: skip
    if done.returncode:
        pytest.fail(f"samba-tool domain provision: {done.stdout[-2000:]}{done.stderr[-2000:]}")
    for name in ("drive", "cache", "lock", "pid", "ncalrpc", "tls"):
        (folder / name).mkdir(exist_ok=True)
    controller.drive.chmod(0o777)
    _certificates(folder / "tls")
    controller.config.write_text(_CONFIG.format(folder=folder), encoding="utf-8")


def _certificates(folder: Path) -> None:
    """A certificate authority, and the server's certificate that it signed."""
    names = "DNS:dc1.plant.example,DNS:localhost,IP:127.0.0.1"
    (folder / "names").write_text(f"subjectAltName={names}\nbasicConstraints=CA:FALSE\n")
    ca, server = folder / "ca", folder / "server"
    new = ["openssl", "req", "-newkey", "rsa:2048", "-nodes"]
    authority = ["-x509", "-days", "2", "-subj", "/CN=plant test CA"]
    sign = ["openssl", "x509", "-req", "-days", "2", "-CAcreateserial"]
    for command in (
        [*new, *authority, "-keyout", f"{ca}.key", "-out", f"{ca}.pem"],
        [*new, "-subj", "/CN=dc1.plant.example", "-keyout", f"{server}.key", "-out", f"{server}.csr"],
        [*sign, "-in", f"{server}.csr", "-CA", f"{ca}.pem", "-CAkey", f"{ca}.key",
         "-extfile", f"{folder}/names", "-out", f"{server}.pem"],
    ):  # fmt: skip
        subprocess.run(command, check=True, capture_output=True)
    Path(f"{server}.key").chmod(0o600)  # else it is refused


def _command_of(process: psutil.Process) -> list[str]:
    try:
        return process.cmdline()
    except psutil.Error:
        return []


def _listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def _sid_text(value: bytes) -> str:
    """MS-DTYP 2.4.2.2: revision, count, six bytes of authority, then sub-authorities."""
    parts = [value[at : at + 4] for at in range(8, 8 + 4 * value[1], 4)]
    numbers = [int.from_bytes(value[2:8], "big"), *(int.from_bytes(p, "little") for p in parts)]
    return f"S-{value[0]}-" + "-".join(str(number) for number in numbers)
