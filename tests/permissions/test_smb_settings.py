"""What an operator says of a Windows share, and is told: addresses, accounts, encryption, the share's own list."""

from __future__ import annotations

import shutil

import pytest

from acl_sync.registry import make_permission_reader
from acl_sync.smb.place import Place, place_of
from contracts.errors import ConfigError, SourceUnreachableError
from contracts.settings import SourceSettings
from contracts.sources import SourceFolder

pytestmark = pytest.mark.integration

EVERYONE = "S-1-1-0"


def test_everything_is_encrypted_unless_the_operator_says_otherwise(share):
    share.client.write("a.txt", b"1")
    for encrypt in (True, False):
        source = share.source(encrypt=encrypt)
        source.check()
        session = source._drive.line()._session
        assert bool(session.encrypt_data) is encrypt
        assert encrypt or session.signing_required


def test_a_server_without_encryption_is_told_of(smb_tools, share):
    server = smb_tools.new_file_server("  server smb encrypt = off")
    try:
        server.add_user("games")
        server.share("drive", server.folder / "drive")
        url = f"smb://{server.host}:{server.port}/drive"
        with pytest.raises(SourceUnreachableError, match="암호화") as caught:
            share.source(url=url).check()
        assert "encrypt = false" in caught.value.advice
        with pytest.raises(SourceUnreachableError, match="비어"):
            share.source(url=url, encrypt=False).check()
    finally:
        server.stop()
        shutil.rmtree(server.folder)


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"user": "nobody-here"}, "계정 또는 비밀번호"),
        ({"url": "smb://files.invalid/x"}, "호스트를 찾을 수 없습니다"),
        ({"url": "smb://127.0.0.1:9/x"}, "연결할 수 없습니다"),
    ],
)
def test_an_operator_is_told_what_to_look_at(share, options, told):
    with pytest.raises(SourceUnreachableError, match=told) as caught:
        share.source(**options).check()
    assert caught.value.advice


@pytest.mark.parametrize(
    "url", ["smb://", "smb://host", "smb://host/", "ftp://host/x", "smb://a@host/x", "smb://h:0/x",
            "smb://h:x/x", "smb://h/x/../y", "smb://h/x//y", "smb://h/x%5Cy"],
)  # fmt: skip
def test_an_address_that_names_no_share_is_refused(share, url):
    with pytest.raises(ConfigError, match="url"):
        share.source(url=url)


def test_an_address_may_hold_what_names_hold():
    settings = SourceSettings(name="f", kind="smb", url="smb://Files:4450/품질%20문서/a%23b/c")
    place = place_of(settings)
    assert place == Place("files", 4450, "품질 문서", "a#b/c")
    assert place.address("d e.txt") == (
        "smb://files:4450/%ED%92%88%EC%A7%88%20%EB%AC%B8%EC%84%9C/a%23b/c/d%20e.txt"
    )


def test_a_password_file_that_cannot_be_read_is_told(share, tmp_path):
    with pytest.raises(ConfigError, match="password_file"):
        share.source(password_file=tmp_path / "missing")


def test_a_share_whose_own_list_nobody_tells_is_nobodys_and_the_operator_is_told(share):
    share.client.write("a.txt", b"1")
    with pytest.raises(ConfigError, match="공유 권한") as caught:
        make_permission_reader(share.settings(acl={"kind": "smb"}))
    assert "acl.share" in caught.value.advice


@pytest.mark.parametrize(
    "line", ["everyone", "permit Everyone", "allow", "allow kim", "allow sid:"]
)
def test_a_list_of_a_share_that_says_nothing_clear_is_refused(share, line):
    share.client.write("a.txt", b"1")
    with pytest.raises(ConfigError, match=r"acl\.share"):
        make_permission_reader(share.settings(acl={"kind": "smb", "share": (line,)}))


def test_a_list_of_a_share_is_kept_in_its_order(share):
    share.client.write("a.txt", b"1")
    lines = ("deny sid:S-1-5-21-1-2-3-1001", "allow Authenticated Users", "allow group:qa@plant")
    reader = make_permission_reader(share.settings(acl={"kind": "smb", "share": lines}))
    folder = next(f for f in share.source().list() if isinstance(f, SourceFolder))
    (gate,) = reader.folder(folder).gates
    assert [(e.effect.value, e.principal) for e in gate.entries] == [
        ("deny", "sid:S-1-5-21-1-2-3-1001"),
        ("allow", "sid:S-1-5-11"),
        ("allow", "group:qa@plant"),
    ]


def test_an_administrators_account_reads_the_list_of_the_share_itself(share):
    share.client.write("a.txt", b"1")
    share.server.run(
        "sharesec", share.name, "--setsddl=D:(D;;FA;;;S-1-5-21-1-2-3-1001)(A;;FA;;;WD)"
    )
    share.client.close()
    share.server.stop()  # the service that tells of shares reads its configuration when it starts
    share.server.start()
    reader = make_permission_reader(
        share.settings(user=share.server.administrator, acl={"kind": "smb"})
    )
    folder = next(f for f in share.source().list() if isinstance(f, SourceFolder))
    (gate,) = reader.folder(folder).gates
    assert [e.principal for e in gate.entries] == ["sid:S-1-5-21-1-2-3-1001", f"sid:{EVERYONE}"]


def test_a_probe_that_may_not_write_tells_so_and_what_the_server_says(share, smb_tools):
    share.client.write("a.txt", b"1")
    share.client.protect("", smb_tools.descriptor([("allow", 0, 0x1200A9, "S-1-1-0")]))
    found = share.source().probe(write=True)
    assert "거부" in found.notes[0]
    assert found.access_lists
    assert not found.change_time
    assert [entry.path for entry in share.source().list()] == ["", "a.txt"]


def test_samba_is_known_for_a_change_time_that_does_not_tell(share):
    share.client.write("a.txt", b"1")
    reader = make_permission_reader(
        share.settings(acl={"kind": "smb", "share": ("allow Everyone",)})
    )
    assert not reader.tags_tell
    told, tried = share.source().probe(), share.source().probe(write=True)
    assert told.change_time is tried.change_time is False
    assert "Samba" in told.notes[0]
    assert tried.birth_time
    assert not tried.case_sensitive
