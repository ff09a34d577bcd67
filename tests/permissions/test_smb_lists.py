"""Lists of a Windows share that are read many at a time, on a real server: each is the object's own, or why there is none."""

from __future__ import annotations

import shutil
import threading

import pytest

from acl_sync.registry import make_permission_reader
from acl_sync.smb import reader as reading
from acl_sync.smb.drive import Drive
from acl_sync.smb.line import Answer
from acl_sync.smb.lists import read_lists
from acl_sync.smb.messages import Packed, closing, opening
from acl_sync.smb.seal import Encryption, Signature
from acl_sync.smb.statuses import ACCESS_DENIED, GONE, OBJECT_NAME_INVALID, SmbStatusError
from acl_sync.smb.wire import created
from contracts.errors import SourceUnreachableError

pytestmark = pytest.mark.integration

FULL, READ, READ_DATA = 0x1F01FF, 0x120089, 0x1
READER = "S-1-1-0"


def protect(share, tools, path, number):
    """A list that no other file has."""
    entries = [("allow", 0, FULL, READER), ("allow", 0, READ, f"S-1-5-21-1-2-3-{1000 + number}")]
    share.client.protect(path, tools.descriptor(entries))


def descriptors(found):
    """What was read; statuses where nothing was."""
    return [f.status if isinstance(f, SmbStatusError) else f.descriptor for f in found]


@pytest.fixture
def listed(share, smb_tools):
    """Forty files, each with a list of its own; paths and what a plain client reads of each."""
    share.fill(4, files=10)
    paths = [f"{folder:02}/{name}.txt" for folder in range(4) for name in range(10)]
    for number, path in enumerate(paths):
        protect(share, smb_tools, path, number)
    return paths, [share.client.descriptor(path) for path in paths]


def test_each_object_gets_its_own_list(share, listed):
    paths, expected = listed
    assert len(set(expected)) == len(paths)
    found = read_lists(Drive(share.settings()), paths * 30)
    assert descriptors(found) == expected * 30


def test_what_cannot_be_read_is_told_at_its_place_and_the_others_are_read(share, smb_tools, listed):
    paths, expected = listed
    share.client.protect(paths[7], smb_tools.descriptor([]))
    share.client.remove(paths[20])
    long = "/".join(["긴 이름의 폴더" * 4] * 12) + "/문서.txt"
    share.client.make(long.rpartition("/")[0])
    share.client.write(long, b"deep")
    asked = [*paths, "\ud800.txt", "없음/x", long, "", "03"]
    with share.client.held(paths[30]):
        found = read_lists(Drive(share.settings()), asked)
    told = descriptors(found)
    assert told.pop(7) == ACCESS_DENIED
    assert told.pop(19) in GONE
    assert told[:38] == [e for n, e in enumerate(expected) if n not in {7, 20}]
    assert told[38] == OBJECT_NAME_INVALID
    assert told[39] in GONE
    assert told[40:] == [share.client.descriptor(path) for path in (long, "", "03")]


def test_a_line_that_is_cut_on_the_way_loses_no_list(share, listed, monkeypatch):
    monkeypatch.setattr("acl_sync.smb.drive._PAUSES", (0.1,) * 50)
    paths, expected = listed
    drive = Drive(share.settings())
    read_lists(drive, paths)
    first, done = drive.lane(), threading.Event()

    def cut():
        while not done.wait(0.1):
            share.server.hang_up()

    cutting = threading.Thread(target=cut)
    cutting.start()
    try:
        found = read_lists(drive, paths * 100)
    finally:
        done.set()
        cutting.join()
    assert descriptors(found) == expected * 100
    assert drive.lane() is not first


def test_a_server_that_goes_away_is_told(share, listed, monkeypatch):
    monkeypatch.setattr("acl_sync.smb.drive._PAUSES", (0.1,))
    paths, _ = listed
    drive = Drive(share.settings())
    read_lists(drive, paths)
    share.client.close()
    share.server.stop()
    try:
        with pytest.raises(SourceUnreachableError, match="연결"):
            read_lists(drive, paths)
    finally:
        share.server.start()
    assert all(not isinstance(found, SmbStatusError) for found in read_lists(drive, paths))


def test_a_server_that_says_that_it_is_at_it_is_waited_for(share, listed, monkeypatch):
    """Somebody keeps a file in his cache, and the server asks him for it before it opens the file for others."""
    paths, expected = listed
    somebody = Drive(share.settings(encrypt=False))
    holder = somebody.lane()
    plain = opening(paths[3].replace("/", "\\"), READ_DATA, 0)
    # MS-SMB2 2.2.13: the fourth byte is the leave that is asked for, to read, write and open without asking
    asking = Packed(plain.COMMAND, plain.data[:3] + b"\x09" + plain.data[4:])
    (made,) = holder.exchange([asking])
    assert made.body[2] == 0x9
    handle = created(made.body, 0)[1]
    # by then the server has asked for it, which the holder has not read yet
    later = threading.Timer(1.0, lambda: holder.exchange([closing(handle)]))
    drive, told = Drive(share.settings()), []
    lane = drive.lane()
    real = lane._answered

    def answered(number, answer, take, interim):
        told.append(interim)
        real(number, answer, take, interim)

    monkeypatch.setattr(lane, "_answered", answered)
    later.start()
    assert descriptors(read_lists(drive, paths)) == expected
    assert True in told
    later.join()
    assert holder.exchange([plain])[0].status == 0, "a question that it did not ask for is no harm"


def test_two_threads_read_at_once(share, listed):
    paths, expected = listed
    drive, found = Drive(share.settings()), {}

    def read(name):
        found[name] = descriptors(read_lists(drive, paths * 10))

    threads = [threading.Thread(target=read, args=(name,)) for name in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == dict.fromkeys(range(3), expected * 10)


# -- how it is sealed, and how much a server lets one ask ------------------------------------------

SEALS = [
    ((), True, Encryption),
    (("  server smb3 encryption algorithms = AES-256-GCM",), True, Encryption),
    (("  server smb3 encryption algorithms = AES-256-CCM",), True, Encryption),
    (("  server max protocol = SMB3_00",), True, Encryption),
    (("  server smb encrypt = required",), False, Encryption),
    (("  server signing = mandatory",), False, Signature),
    (("  server smb3 signing algorithms = AES-128-CMAC",), False, Signature),
    (("  server smb3 signing algorithms = HMAC-SHA256",), False, Signature),
    (("  server max protocol = SMB3_02",), False, Signature),
    (("  server max protocol = SMB2_10",), False, Signature),
    (("  server max protocol = SMB2_02",), False, Signature),
    (("  smb2 max credits = 4",), True, Encryption),
    (("  smb2 max credits = 16",), True, Encryption),
    (("  smb2 max credits = 16", "  server max protocol = SMB2_10"), False, Signature),
]


@pytest.mark.parametrize(("options", "encrypt", "seal"), SEALS)
def test_every_agreement_on_keys_and_credits_gives_the_same_lists(
    smb_tools, share, options, encrypt, seal
):
    server = smb_tools.new_file_server(*options)
    try:
        server.add_user("games")
        server.share("drive", server.folder / "drive")
        client = server.client("drive")
        client.protect("", smb_tools.descriptor([("allow", 3, FULL, READER)]))
        names = [f"{number}.txt" for number in range(20)]
        for number, name in enumerate(names):
            client.write(name, b"x")
            entries = [("allow", 0, FULL, READER), ("deny", 0, READ, f"S-1-5-21-9-9-9-{number}")]
            client.protect(name, smb_tools.descriptor(entries))
        expected = [client.descriptor(name) for name in names]
        client.close()
        url = f"smb://{server.host}:{server.port}/drive"
        drive = Drive(share.settings(url=url, encrypt=encrypt))
        assert isinstance(drive.lane()._seal, seal)
        assert sorted(found.name for found in drive.entries("")) == sorted(names)
        assert descriptors(read_lists(drive, names * 20)) == expected * 20
    finally:
        server.stop()
        shutil.rmtree(server.folder)


def test_a_share_that_must_be_encrypted_is_though_the_rest_of_the_server_is_not(new_share, share):
    made = new_share(f"{share.name}-sealed", "smb encrypt = required")
    made.client.write("a.txt", b"1")
    drive = Drive(made.settings(encrypt=False))
    assert isinstance(drive.lane()._seal, Encryption)
    assert descriptors(read_lists(drive, ["a.txt"])) == [made.client.descriptor("a.txt")]


def test_a_folder_that_no_answer_has_room_for_is_listed_whole(share):
    names = {f"{'긴 이름 ' * 12}{number:05}.txt" for number in range(3000)}
    (share.folder / "많음").mkdir(mode=0o777)
    for name in names:
        (share.folder / "많음" / name).touch()
    found = Drive(share.settings()).entries("많음")
    assert len(found) == len(names)
    assert {each.name for each in found} == names


@pytest.mark.parametrize("encrypt", [True, False])
def test_an_answer_that_is_changed_on_the_way_is_never_taken(share, listed, encrypt, monkeypatch):
    monkeypatch.setattr("acl_sync.smb.drive._PAUSES", ())
    paths, expected = listed
    drive = Drive(share.settings(encrypt=encrypt))
    assert descriptors(read_lists(drive, paths)) == expected
    lane = drive.lane()
    lane._socket = Meddler(lane._socket)
    with pytest.raises(SourceUnreachableError):
        read_lists(drive, paths)
    assert lane._socket.meddled
    assert descriptors(read_lists(drive, paths)) == expected


class Meddler:
    """Somebody on the line who changes one byte of what the server says."""

    def __init__(self, under):
        self._under, self.meddled = under, False

    def sendall(self, data):
        """As it is."""
        self._under.sendall(data)

    def recv(self, size):
        """With another last bit."""
        data = bytearray(self._under.recv(size))
        data[-1] ^= 1
        self.meddled = True
        return bytes(data)


def test_a_handle_that_a_server_left_open_is_closed(share, listed, monkeypatch):
    """Windows gives up a chain at the request that fails, so that its last one closes nothing."""
    paths, _ = listed
    drive = Drive(share.settings())
    lane, sent = drive.lane(), []
    (made,) = lane.exchange([opening(paths[0].replace("/", "\\"), 0x20000, 0)])
    assert share.server.open_files() == 1, "it can be seen"
    lane.exchange([closing(created(made.body, 0)[1])])
    real, refused = lane.exchange_all, Answer(ACCESS_DENIED, b"")

    def given_up(chains, take):
        """The server opens the object; asking and closing are left out, and refused."""
        chains = list(chains)
        sent.extend(chains)

        def taken(place, answers):
            take(place, [*answers, *[refused] * (len(chains[place]) - 1)])

        real([chain[:1] for chain in chains], taken)

    monkeypatch.setattr(lane, "exchange_all", given_up)
    assert share.server.open_files() == 0
    found = read_lists(drive, paths[:5])
    assert descriptors(found) == [ACCESS_DENIED] * 5
    assert [len(chain) for chain in sent] == [3] * 5 + [1] * 5
    assert share.server.open_files() == 0


def test_equal_lists_of_a_folder_are_looked_at_once(share, monkeypatch):
    share.fill(1, files=30)
    acl = {"kind": "smb", "share": ("allow Everyone",)}
    reader = make_permission_reader(share.settings(acl=acl))
    found = [each for each in share.source().list() if each.path]
    parsed = []
    real = reading.read_descriptor
    monkeypatch.setattr(reading, "read_descriptor", lambda data: parsed.append(data) or real(data))
    reader.read_ahead(found)
    asked = []
    monkeypatch.setattr(reading, "read_lists", lambda *_: asked.append(1))
    reader.folder(found[0])
    scopes = {reader.item(item) for item in found[1:]}
    assert len(scopes) == 1
    assert len(parsed) == 2, "the folder's and its files'"
    assert not asked, "all were read ahead"
