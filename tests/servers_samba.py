"""A real SMB file server (Samba, standalone) on a port of its own; loaded by ``tests/conftest.py``."""

from __future__ import annotations

import os
import pwd
import shutil
import socket
import struct
import subprocess
import tempfile
import time
from contextlib import contextmanager, suppress
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING

import psutil
import pytest
import smbclient
from smbclient._pool import get_smb_tree
from smbprotocol.exceptions import SMBResponseException
from smbprotocol.file_info import InfoType
from smbprotocol.open import (
    Open,
    SMB2QueryInfoRequest,
    SMB2QueryInfoResponse,
    SMB2SetInfoRequest,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

_START_SECONDS = 60
_ACCESS_DENIED = 0xC0000022
_READ_DATA, _READ_CONTROL, _WRITE_LIST, _WRITE_OWNER = 0x1, 0x20000, 0x40000, 0x80000

_CONFIG = """[global]
  netbios name = FILES
  workgroup = PLANT
  server role = standalone server
  interfaces = lo
  bind interfaces only = yes
  smb ports = {port}
  disable netbios = yes
  map to guest = never
  passdb backend = tdbsam
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
  store dos attributes = yes
  hide dot files = no
  host msdfs = yes
  mangled names = no
"""


class FileServer:
    """The server FILES on ``127.0.0.1:port``; it must be started by root, since it becomes its users.

    Attributes:
        folder: Everything that it stores.
        port: Where it listens.
        password: Of every user.
    """

    host = "127.0.0.1"
    password = "Passw0rd!"  # noqa: S105

    def __init__(self, folder: Path, *options: str) -> None:
        if os.geteuid() != 0:
            pytest.fail("a file server that becomes its users must be started by root")
        for program in ("smbd", "smbpasswd", "smbcacls", "net"):
            if shutil.which(program) is None:
                pytest.fail(f"{program} is not installed on this machine: scripts/setup.sh test")
        self.folder = folder
        self.folder.chmod(0o755)
        for name in ("private", "state", "cache", "lock", "pid", "ncalrpc"):
            (folder / name).mkdir(exist_ok=True)
        with socket.socket() as probe:
            probe.bind((self.host, 0))
            self.port = probe.getsockname()[1]
        self.config = folder / "smb.conf"
        lines = [_CONFIG.format(folder=folder, port=self.port), *options, ""]
        self.config.write_text("\n".join(lines), encoding="utf-8")
        self._process: subprocess.Popen[bytes] | None = None
        self.administrator = self.add_user("root")

    # -- the server --------------------------------------------------------------------------------

    def start(self) -> None:
        """Start it, and wait until it listens."""
        command = ["smbd", "--foreground", "--no-process-group", f"--configfile={self.config}"]
        with (self.folder / "smbd.out").open("ab") as log:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,  # it ends its whole group with itself
            )
        end = time.monotonic() + _START_SECONDS
        while time.monotonic() < end and self._process.poll() is None:
            with socket.socket() as probe:
                if probe.connect_ex((self.host, self.port)) == 0:
                    return
            time.sleep(0.05)
        pytest.fail(f"smbd did not start: {(self.folder / 'smbd.out').read_text()[-2000:]}")

    def stop(self) -> None:
        """As if it were switched off: every connection is cut; ``start`` brings it back with its data."""
        if self._process is None:
            return
        self._process.terminate()
        self._process.wait(timeout=30)
        self._process = None
        end = time.monotonic() + 30
        while left := self._processes():
            if time.monotonic() > end:
                pytest.fail(f"smbd did not stop: {left}")
            for process in left:
                with suppress(psutil.NoSuchProcess):
                    process.kill()
            time.sleep(0.02)

    def hang_up(self) -> None:
        """Cut the connections of all clients, as a network does; the server goes on."""
        for process in psutil.Process(self._process.pid).children():
            with suppress(psutil.Error):  # it may have ended by itself
                if any(c.laddr.port == self.port for c in process.net_connections("tcp")):
                    process.kill()

    def share(self, name: str, path: Path, *options: str) -> None:
        """Share a folder with NT access lists, which alone decide; options as in ``smb.conf``."""
        path.mkdir(mode=0o777, parents=True, exist_ok=True)
        path.chmod(0o777)
        lines = [f"[{name}]", f"path = {path}", "read only = no", "vfs objects = acl_xattr"]
        lines += ["acl_xattr:ignore system acls = yes", *options]
        with self.config.open("a", encoding="utf-8") as file:
            file.write("\n" + "\n".join(lines) + "\n")
        if self._process is not None:
            self.run("smbcontrol", "smbd", "reload-config")

    def open_files(self) -> int:
        """Files and folders that clients have open."""
        return self.run("smbstatus", "--locks").count("DENY_")

    # -- people ------------------------------------------------------------------------------------

    def add_user(self, name: str) -> str:
        """Let an account of this machine sign in; its name."""
        pwd.getpwnam(name)
        secret = f"{self.password}\n{self.password}\n"
        command = ["smbpasswd", "-c", str(self.config), "-L", "-a", "-s", name]
        subprocess.run(command, input=secret, text=True, check=True, capture_output=True)
        return name

    def sid(self, name: str) -> str:
        """SID of an account."""
        printed = self.run("pdbedit", "-L", "-v", name)
        return next(x.split()[-1] for x in printed.splitlines() if x.startswith("User SID"))

    # -- files, as the administrator over SMB ------------------------------------------------------

    def client(self, share: str) -> ShareClient:
        """A client of a share, signed in as the administrator, whom no access list keeps out."""
        return ShareClient(self.host, self.port, share, self.administrator, self.password)

    def run(self, *command: str) -> str:
        """Run a tool of Samba with this server's configuration; what it prints."""
        configured = [*command, f"--configfile={self.config}"]
        done = subprocess.run(configured, capture_output=True, text=True, check=False, timeout=60)
        if done.returncode:
            raise RuntimeError(f"{command}: {done.stdout}{done.stderr}")
        return done.stdout

    def _processes(self) -> list[psutil.Process]:
        return [p for p in psutil.process_iter() if str(self.config) in " ".join(_command_of(p))]


class ShareClient:
    """What people do on a share; paths are relative to it, their parts joined by ``/``."""

    def __init__(self, host: str, port: int, share: str, user: str, password: str) -> None:
        self._base = rf"\\{host}\{share}"
        self._cache: dict[str, object] = {}
        self._options = {
            "username": user,
            "password": password,
            "port": port,
            "connection_cache": self._cache,
        }

    def write(self, path: str, data: bytes) -> None:
        """A file with these bytes, new or not."""
        with smbclient.open_file(self._at(path), mode="wb", **self._options) as file:
            file.write(data)

    def make(self, path: str) -> None:
        """A folder, with those above it."""
        smbclient.makedirs(self._at(path), exist_ok=True, **self._options)

    def rename(self, path: str, to: str) -> None:
        """Another name or place; nothing may be there."""
        smbclient.rename(self._at(path), self._at(to), **self._options)

    def replace(self, path: str, to: str) -> None:
        """The same, in the place of what is there."""
        smbclient.replace(self._at(path), self._at(to), **self._options)

    def remove(self, path: str) -> None:
        """Remove a file."""
        smbclient.remove(self._at(path), **self._options)

    def reads(self, path: str) -> bool:
        """Whether the server lets this client open a file to read its data: its own answer."""
        try:
            with self._opened(path, _READ_DATA):
                return True
        except SMBResponseException as problem:
            if problem.status != _ACCESS_DENIED:
                raise
            return False

    @contextmanager
    def held(self, path: str):
        """The file is open, for nobody else, as an editor holds it."""
        with self._opened(path, _READ_DATA, share=0):
            yield

    def descriptor(self, path: str) -> bytes:
        """Owner, group and list of an object, as its bytes."""
        with self._opened(path, _READ_CONTROL) as opened:
            query = SMB2QueryInfoRequest()
            query["info_type"] = InfoType.SMB2_0_INFO_SECURITY
            query["output_buffer_length"] = 1 << 16
            query["additional_information"] = 7
            query["file_id"] = opened.file_id
            data = self._send(opened, query)["data"].get_value()
        answer = SMB2QueryInfoResponse()
        answer.unpack(data)
        return answer["buffer"].get_value()

    def protect(self, path: str, descriptor: bytes) -> None:
        """Give an object another owner, group or list: what the descriptor holds."""
        owner, group = (int.from_bytes(descriptor[at : at + 4], "little") for at in (4, 8))
        parts = 4 | bool(owner) | 2 * bool(group)
        with self._opened(path, _WRITE_LIST | _WRITE_OWNER * bool(owner or group)) as opened:
            change = SMB2SetInfoRequest()
            change["info_type"] = InfoType.SMB2_0_INFO_SECURITY
            change["additional_information"] = parts
            change["file_id"] = opened.file_id
            change["buffer"] = descriptor
            self._send(opened, change)

    def close(self) -> None:
        """Hang up."""
        smbclient.reset_connection_cache(connection_cache=self._cache)

    @contextmanager
    def _opened(self, path: str, access: int, share: int = 7):
        tree, name = get_smb_tree(self._at(path), **self._options)
        opened = Open(tree, name)
        opened.create(2, access, 0, share, 1, 0)
        try:
            yield opened
        finally:
            opened.close()

    def _send(self, opened: Open, message: object) -> object:
        tree = opened.tree_connect
        connection = tree.session.connection
        request = connection.send(message, tree.session.session_id, tree.tree_connect_id)
        return connection.receive(request)

    def _at(self, path: str) -> str:
        return f"{self._base}\\{path}".replace("/", "\\").rstrip("\\")


def descriptor(
    entries: Sequence[tuple[str, int, int, str]] | None, owner: str = "", group: str = ""
) -> bytes:
    """A self-relative security descriptor (MS-DTYP 2.4.6).

    Args:
        entries: ``("allow" | "deny", flags, mask, sid)``, in order; None: a list that is NULL.
        owner: SID, or "" for none.
        group: The same.
    """
    aces = b""
    for effect, flags, mask, sid in entries or ():
        body = struct.pack("<I", mask) + sid_bytes(sid)
        aces += struct.pack("<BBH", effect == "deny", flags, 4 + len(body)) + body
    parts, offsets, at = b"", [], 20
    for sid in (owner, group):
        offsets.append(at if sid else 0)
        packed = sid_bytes(sid) if sid else b""
        parts, at = parts + packed, at + len(packed)
    acl = (
        b""
        if entries is None
        else struct.pack("<BBHHH", 2, 0, 8 + len(aces), len(entries), 0) + aces
    )
    offset = at if acl else 0
    # self-relative, with a list that is protected from what the folder hands down: it is exactly this
    head = struct.pack("<BBHIIII", 1, 0, 0x8000 | 0x0004 | 0x1000, *offsets, 0, offset)
    return head + parts + acl


def sid_bytes(sid: str) -> bytes:
    """MS-DTYP 2.4.2.2."""
    _, revision, authority, *parts = sid.split("-")
    head = bytes([int(revision), len(parts)]) + int(authority).to_bytes(6, "big")
    return head + b"".join(int(part).to_bytes(4, "little") for part in parts)


def new_file_server(*options: str) -> FileServer:
    """One that runs, with more of ``smb.conf``; the caller stops it and removes its folder."""
    server = FileServer(Path(tempfile.mkdtemp(prefix="seoga-smb-", dir="/tmp")), *options)
    server.start()
    return server


@pytest.fixture(scope="session")
def smb_tools():
    """What this module offers, for other servers."""
    return SimpleNamespace(
        ShareClient=ShareClient, descriptor=descriptor, new_file_server=new_file_server
    )


@pytest.fixture(scope="session")
def file_server():
    """An SMB server of this test session."""
    server = new_file_server()
    try:
        yield server
    finally:
        server.stop()
        shutil.rmtree(server.folder)


def _command_of(process: psutil.Process) -> list[str]:
    try:
        return process.cmdline()
    except psutil.Error:
        return []
