"""Real directory servers of a test session: OpenLDAP, and a second Active Directory domain; loaded by ``tests/conftest.py``.

Samba listens on fixed ports, but on an address of one's own: the domain OTHER is on one of 127.0.0.2 to 127.0.0.9 and
serves LDAP alone, so that it may run beside the one of ``servers_ad.py``, and beside those of other test processes.
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
import pytest

_IDLE_SECONDS = 300
_START_SECONDS = 60
_LOCK = "/tmp/seoga-test-domain-{}.lock"  # noqa: S108  one place for all
_ADDRESSES = [f"127.0.0.{number}" for number in range(2, 10)]
_PASSWORD = "Passw0rd!"  # noqa: S105  of the tests' own servers

_SAMBA = """[global]
  netbios name = DC2
  workgroup = OTHER
  realm = OTHER.EXAMPLE
  server role = active directory domain controller
  server services = ldap
  interfaces = {host}/8
  bind interfaces only = yes
  ldap server require strong auth = no
  prefork children = 1
  private dir = {folder}/private
  state directory = {folder}/state
  cache directory = {folder}/cache
  lock directory = {folder}/lock
  pid directory = {folder}/pid
  ncalrpc dir = {folder}/ncalrpc
  usershare path =
  log file = {folder}/log.%m
  tls keyfile = {folder}/tls/server.key
  tls certfile = {folder}/tls/server.pem
  tls cafile = {folder}/tls/ca.pem
"""

_SLAPD = """include /etc/ldap/schema/core.schema
include /etc/ldap/schema/cosine.schema
include /etc/ldap/schema/nis.schema
include /etc/ldap/schema/inetorgperson.schema
include /etc/ldap/schema/dyngroup.schema
modulepath /usr/lib/ldap
moduleload back_mdb
moduleload dynlist
moduleload ppolicy
pidfile {folder}/slapd.pid
TLSCACertificateFile {folder}/tls/ca.pem
TLSCertificateFile {folder}/tls/server.pem
TLSCertificateKeyFile {folder}/tls/server.key
sizelimit 100
sizelimit size.pr=100 size.prtotal=unlimited
database mdb
suffix "dc=hanbit,dc=example"
rootdn "cn=admin,dc=hanbit,dc=example"
rootpw {password}
directory {folder}/data
index objectClass,uid,cn,member,memberUid,entryUUID,modifyTimestamp eq
access to attrs=userPassword by anonymous auth by * none
access to * by users read by anonymous auth
overlay dynlist
dynlist-attrset groupOfURLs memberURL member+memberOf@groupOfNames
overlay ppolicy
"""

_SID_HISTORY = """
import sys
import ldb
from samba.auth import system_session
from samba.dcerpc import security
from samba.ndr import ndr_pack
from samba.param import LoadParm
from samba.samdb import SamDB
config, database, dn, sid = sys.argv[1:]
lp = LoadParm()
lp.load(config)
db = SamDB(url=database, session_info=system_session(), lp=lp)
change = ldb.Message(ldb.Dn(db, dn))
value = ndr_pack(security.dom_sid(sid))
change["sIDHistory"] = ldb.MessageElement([value], ldb.FLAG_MOD_ADD, "sIDHistory")
db.modify(change, ["relax:0"])
"""
"""For the Python of the distribution, which has Samba's modules."""


class _Server:
    """A server process with one folder, its administrator, and an account that may only read."""

    host = "127.0.0.1"
    base = ""
    administrator = ""
    reader = ""
    password = _PASSWORD

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.ca_file = folder / "tls" / "ca.pem"
        self.password_file = folder / "password"
        self.password_file.write_text(f"{self.password}\n")
        self._process: subprocess.Popen[bytes] | None = None
        self._used = 0.0
        self._ldap: ldap3.Connection | None = None

    @property
    def url(self) -> str:
        """Its address, with TLS."""
        raise NotImplementedError

    @property
    def running(self) -> bool:
        """Whether it was started."""
        return self._process is not None

    @property
    def ldap(self) -> ldap3.Connection:
        """The administrator's connection."""
        if self._ldap is not None and time.monotonic() - self._used > _IDLE_SECONDS:
            self._ldap.strategy.close()  # the server ends what nobody uses
            self._ldap = None
        self._used = time.monotonic()
        if self._ldap is None:
            tls = ldap3.Tls(validate=ssl.CERT_NONE)  # the suite looks at certificates itself
            server = ldap3.Server(self.url, tls=tls, get_info=ldap3.NONE)
            self._ldap = ldap3.Connection(
                server, self.administrator, self.password, auto_bind=True, receive_timeout=30
            )
        return self._ldap

    def start(self) -> None:
        """Start it, with the data that it has, and wait until it answers."""
        with (self.folder / "out").open("ab") as log:
            self._process = subprocess.Popen(
                self._command(),
                stdin=subprocess.PIPE,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        end = time.monotonic() + _START_SECONDS
        while time.monotonic() < end and self._process.poll() is None:
            if self._listens():  # a failed attempt of ldap3 leaves its socket behind
                self.ldap.search(self.base, "(objectClass=*)", search_scope="BASE")
                return
            time.sleep(0.1)
        pytest.fail(f"the directory server did not start: {self._log()}")

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
        while self._listens() and time.monotonic() < end:
            time.sleep(0.05)

    def add(self, dn: str, kind: str | list[str], **values: object) -> None:
        """A new entry."""
        self._done(self.ldap.add(dn, kind, values))

    def change(self, dn: str, **values: object) -> None:
        """Replace attributes; None removes one."""
        lists = {
            k: v if isinstance(v, list) else [] if v is None else [v] for k, v in values.items()
        }
        changes = {key: [(ldap3.MODIFY_REPLACE, found)] for key, found in lists.items()}
        self._done(self.ldap.modify(dn, changes))

    def remove(self, dn: str) -> None:
        """Delete an entry."""
        self._done(self.ldap.delete(dn))

    def move(self, dn: str, name: str, parent: str = "") -> None:
        """Rename an entry, or put it elsewhere."""
        self._done(self.ldap.modify_dn(dn, name, new_superior=parent or None))

    def entries(self, wanted: str, *attributes: str) -> list[dict]:
        """What the administrator sees."""
        found = self.ldap.extend.standard.paged_search(
            self.base, wanted, attributes=list(attributes) or None, paged_size=100, generator=False
        )
        return [entry for entry in found if entry["type"] == "searchResEntry"]

    def _command(self) -> list[str]:
        raise NotImplementedError

    def _listens(self) -> bool:
        raise NotImplementedError

    def _done(self, done: bool) -> None:  # noqa: FBT001  what ldap3 returns
        assert done, self.ldap.result

    def _log(self) -> str:
        return (self.folder / "out").read_text(errors="replace")[-4000:]


class OtherDomain(_Server):
    """The domain OTHER (``other.example``); people and groups of the tests are in ``OU=people`` below the base."""

    base = "DC=other,DC=example"
    place = "OU=people,DC=other,DC=example"
    administrator = "Administrator@OTHER.EXAMPLE"
    reader = "reader@OTHER.EXAMPLE"

    def __init__(self, folder: Path, host: str) -> None:
        super().__init__(folder)
        self.host = host

    @property
    def url(self) -> str:
        """Its address, with TLS."""
        return f"ldaps://{self.host}"

    def person(self, name: str, **values: object) -> str:
        """A new account that may sign in; its distinguished name."""
        dn = f"CN={name},{self.place}"
        secret = f'"{self.password}"'.encode("utf-16-le")
        about = {"sAMAccountName": name, "userAccountControl": 0x10200, "unicodePwd": secret}
        self.add(dn, "user", **(about | values))
        return dn

    def group(self, name: str, members: list[str] | None = None, **values: object) -> str:
        """A new security group; its distinguished name."""
        dn = f"CN={name},{self.place}"
        about = {"sAMAccountName": name, "groupType": -0x7FFFFFFE}
        self.add(dn, "group", **(about | ({"member": members} if members else {}) | values))
        return dn

    def close_account(self, dn: str) -> None:
        """It may not sign in any more."""
        self.change(dn, userAccountControl=0x10202)

    def sid(self, dn: str) -> str:
        """SID of an entry."""
        self.ldap.search(dn, "(objectClass=*)", search_scope="BASE", attributes=["objectSid"])
        value = self.ldap.response[0]["raw_attributes"]["objectSid"][0]
        words = [int.from_bytes(value[at : at + 4], "little") for at in range(8, len(value), 4)]
        head = f"S-{value[0]}-{int.from_bytes(value[2:8], 'big')}"
        return "-".join([head, *map(str, words)])

    def write_sid_history(self, name: str, sid: str) -> None:
        """What a migration from another domain leaves: no client may write it, so it goes into the database itself."""
        place = (f"{self.folder}/etc/smb.conf", f"{self.folder}/private/sam.ldb")
        done = subprocess.run(
            ["/usr/bin/python3", "-c", _SID_HISTORY, *place, f"CN={name},{self.place}", sid],
            text=True, capture_output=True, check=False,
        )  # fmt: skip
        assert not done.returncode, done.stderr

    def clear(self) -> None:
        """Nobody of the tests' own is there."""
        for kind in ("user", "group"):  # a group that is somebody's primary one cannot go
            for entry in self.entries(f"(objectClass={kind})"):
                if entry["dn"].endswith(f",{self.place}"):
                    self.remove(entry["dn"])

    def _command(self) -> list[str]:
        return [
            "samba",
            "--interactive",
            f"--configfile={self.folder}/etc/smb.conf",
            "--debuglevel=1",
        ]

    def _listens(self) -> bool:
        return _listens(self.host, 636)


class OpenLdapServer(_Server):
    """The tree ``dc=hanbit,dc=example`` with ``ou=people`` and ``ou=groups``."""

    base = "dc=hanbit,dc=example"
    people = f"ou=people,{base}"
    groups = f"ou=groups,{base}"
    administrator = f"cn=admin,{base}"
    reader = f"uid=reader,{base}"

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.plain_port, self.port = _free_ports(2)

    @property
    def url(self) -> str:
        """Its address, with TLS."""
        return f"ldaps://{self.host}:{self.port}"

    @property
    def plain_url(self) -> str:
        """Its address without, for StartTLS."""
        return f"ldap://localhost:{self.plain_port}"

    def person(self, name: str, **values: object) -> str:
        """A new account; its distinguished name."""
        dn = f"uid={_escaped(name)},{self.people}"
        kinds = ["inetOrgPerson"]
        kinds += ["posixAccount"] if "uidNumber" in values else []
        kinds += ["shadowAccount"] if "shadowExpire" in values else []
        about = {"cn": name, "sn": name}
        if "uidNumber" in values:
            about |= {"homeDirectory": "/"}
        self.add(dn, kinds, **(about | values))
        return dn

    def group(self, name: str, members: list[str]) -> str:
        """A new group of names; its distinguished name."""
        dn = f"cn={_escaped(name)},{self.groups}"
        self.add(dn, "groupOfNames", member=members or [f"cn=nobody,{self.base}"])
        return dn

    def close_account(self, dn: str) -> None:
        """It may not sign in any more."""
        self.change(dn, pwdAccountLockedTime="000001010000Z")

    def clear(self) -> None:
        """Nobody of the tests' own is there."""
        found = [entry["dn"] for entry in self.entries("(objectClass=*)")]
        for dn in sorted(found, key=len, reverse=True):
            if dn.endswith((f",{self.people}", f",{self.groups}")):
                self.remove(dn)

    def _command(self) -> list[str]:
        return [f"{self.folder}/slapd", "-f", f"{self.folder}/slapd.conf", "-d", "0", "-h",
                f"ldap://localhost:{self.plain_port} {self.url}"]  # fmt: skip

    def _listens(self) -> bool:
        return _listens(self.host, self.port)


@pytest.fixture(scope="session")
def other_domain():
    """A second Active Directory domain, LDAP alone, for the whole session."""
    _need("samba", "samba-tool")
    with _address() as host, _folder("seoga-other-") as folder:
        _certificates(folder / "tls", f"DNS:dc2.other.example,IP:{host}")
        server = OtherDomain(folder, host)
        _provision(folder, server)
        with _stopped(server):
            server.add(server.place, "organizationalUnit")
            server.person("reader")
            server.move(f"CN=reader,{server.place}", "CN=reader", f"CN=Users,{server.base}")
            yield server


@pytest.fixture(scope="session")
def openldap_server():
    """An OpenLDAP server for the whole session."""
    _need("slapd")
    with _folder("seoga-slapd-") as folder:
        names = "DNS:localhost,IP:127.0.0.1"
        _certificates(folder / "tls", names)
        (folder / "data").mkdir()
        # a copy: where AppArmor is on, the program in its place may read no other configuration than the system's
        shutil.copy(shutil.which("slapd"), folder / "slapd")
        config = _SLAPD.format(folder=folder, password=_PASSWORD)
        (folder / "slapd.conf").write_text(config)
        server = OpenLdapServer(folder)
        load = [
            f"dn: {server.base}\nobjectClass: dcObject\nobjectClass: organization\no: hanbit\n",
            f"dn: {server.people}\nobjectClass: organizationalUnit\n",
            f"dn: {server.groups}\nobjectClass: organizationalUnit\n",
            f"dn: {server.reader}\nobjectClass: account\nobjectClass: simpleSecurityObject\nuserPassword: {_PASSWORD}\n",
        ]
        added = subprocess.run(
            [f"{folder}/slapd", "-T", "add", "-f", f"{folder}/slapd.conf"], input="\n".join(load), text=True,
            capture_output=True, check=False,
        )  # fmt: skip
        if added.returncode:
            pytest.fail(f"slapadd: {added.stderr}")
        with _stopped(server):
            yield server


@contextmanager
def _address():
    """An address of loopback that no other test process has taken."""
    for host in _ADDRESSES:
        with Path(_LOCK.format(host)).open("a") as lock:
            with suppress(PermissionError):
                Path(lock.name).chmod(0o666)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                continue
            if not any(_listens(host, port) for port in (389, 636)):
                yield host
                return
    pytest.fail(f"every address of {_ADDRESSES} is taken")


@contextmanager
def _stopped(server: _Server):
    try:
        server.start()
        yield
    finally:
        server.stop()


@contextmanager
def _folder(prefix: str):
    folder = Path(tempfile.mkdtemp(prefix=prefix, dir="/tmp"))
    try:
        (folder / "tls").mkdir()
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _provision(folder: Path, server: OtherDomain) -> None:
    done = subprocess.run(
        [
            "samba-tool", "domain", "provision", "--realm=OTHER.EXAMPLE", "--domain=OTHER",
            "--server-role=dc", "--dns-backend=NONE", f"--adminpass={server.password}",
            f"--targetdir={folder}", "--host-name=dc2", f"--host-ip={server.host}",
            f"--option=interfaces={server.host}/8", "--option=bind interfaces only=yes",
        ],
        capture_output=True, text=True, check=False, timeout=110,
    )  # fmt: skip
    if done.returncode:
        pytest.fail(f"samba-tool domain provision: {done.stdout[-2000:]}{done.stderr[-2000:]}")
    for name in ("cache", "lock", "pid", "ncalrpc"):
        (folder / name).mkdir(exist_ok=True)
    (folder / "etc" / "smb.conf").write_text(
        _SAMBA.format(folder=folder, host=server.host), encoding="utf-8"
    )


def _certificates(folder: Path, names: str) -> None:
    """A certificate authority, and the server's certificate that it signed."""
    (folder / "names").write_text(f"subjectAltName={names}\nbasicConstraints=CA:FALSE\n")
    ca, server = folder / "ca", folder / "server"
    new = ["openssl", "req", "-newkey", "rsa:2048", "-nodes"]
    sign = ["openssl", "x509", "-req", "-days", "2", "-CAcreateserial"]
    for command in (
        [*new, "-x509", "-days", "2", "-subj", "/CN=test CA", "-keyout", f"{ca}.key", "-out", f"{ca}.pem"],
        [*new, "-subj", "/CN=server", "-keyout", f"{server}.key", "-out", f"{server}.csr"],
        [*sign, "-in", f"{server}.csr", "-CA", f"{ca}.pem", "-CAkey", f"{ca}.key",
         "-extfile", f"{folder}/names", "-out", f"{server}.pem"],
    ):  # fmt: skip
        subprocess.run(command, check=True, capture_output=True)
    Path(f"{server}.key").chmod(0o600)  # else it is refused


def _need(*programs: str) -> None:
    for program in programs:
        if shutil.which(program) is None:
            pytest.fail(f"{program} is not installed on this machine: scripts/setup.sh test")


def _escaped(text: str) -> str:
    """A value within a distinguished name (RFC 4514 2.4)."""
    escaped = "".join(f"\\{c}" if c in '\\,+"<>;=#' else c for c in text)
    return f"\\{escaped}" if escaped.startswith(" ") else escaped


def _listens(host: str, port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex((host, port)) == 0


def _free_ports(count: int) -> list[int]:
    with contextmanager(_bound)(count) as sockets:
        return [one.getsockname()[1] for one in sockets]


def _bound(count: int):
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    try:
        yield sockets
    finally:
        for one in sockets:
            one.close()
