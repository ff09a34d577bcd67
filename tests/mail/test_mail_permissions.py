"""Who finds which mail: access lists given, taken away, unreadable, and servers without any."""

from __future__ import annotations

import pytest

from acl_sync.access import passes_gate
from acl_sync.imap import Realm, gates_of
from acl_sync.registry import make_permission_reader
from contracts.settings import SourceSettings
from contracts.sources import SourceFolder

WORD = "누유"


@pytest.fixture
def two_folders(mail):
    """A mail in each of two folders, nobody but the owner allowed."""
    for folder in ("품질", "영업"):
        mail.deliver(
            folder,
            mail.letter(
                f"{folder} 보고", f"{folder}의 {WORD} 보고", number=folder[0].encode().hex()
            ),
        )
    mail.ingest()
    return mail


def found(mail, reader):
    return {path.partition("/")[0] for path in mail.paths(WORD, reader)}


def test_a_mailbox_is_its_owners_alone_until_it_is_shared(two_folders):
    mail = two_folders
    assert found(mail, mail.user) == {"품질", "영업"}
    for reader in ("kim", "lee", "choi"):
        assert found(mail, reader) == set()


def test_rights_given_and_taken_away_count_with_the_next_permission_run(two_folders):
    mail = two_folders
    mail.client.setacl("품질", "kim", "lr")
    mail.client.setacl("영업", "$sales", "lr")
    summary = mail.scan()
    assert summary.scan["scopes_changed"] == 2
    assert found(mail, "kim") == {"품질"}
    assert found(mail, "lee") == {"영업"}
    assert found(mail, "choi") == set()
    mail.client.setacl("품질", "anyone", "lr")
    mail.client.setacl("품질", "-lee", "r")
    mail.client.setacl("영업", "$sales", "l")
    mail.scan()
    assert found(mail, "choi") == {"품질"}
    assert found(mail, "lee") == set()
    mail.client.setacl("품질", "kim", "l")  # a user's own entry stands before that of everybody
    mail.client.setacl("품질", "-lee", "w")
    mail.scan()
    assert found(mail, "kim") == set()
    assert found(mail, "lee") == {"품질"}


def test_the_folder_above_neither_opens_nor_closes(mail):
    mail.deliver("품질", mail.letter("위", f"위의 {WORD}", number="1"))
    mail.deliver("품질/불만", mail.letter("아래", f"아래의 {WORD}", number="2"))
    mail.client.setacl("품질/불만", "kim", "lr")
    mail.client.setacl("품질", "lee", "lr")
    mail.ingest()
    assert [p.startswith("품질/불만/") for p in mail.paths(WORD, "kim")] == [True]
    assert [p.startswith("품질/위") for p in mail.paths(WORD, "lee")] == [True]


def test_the_attachment_of_a_mail_is_for_who_may_read_the_mail(two_folders):
    mail = two_folders
    raw = mail.letter(
        "첨부", "본문", number="9", attachment=("결정.md", f"# 결정\n\n{WORD} 확정\n")
    )
    mail.deliver("품질", raw)
    mail.client.setacl("품질", "kim", "lr")
    mail.ingest()
    assert any(path.endswith("!/결정.md") for path in mail.paths(WORD, "kim"))
    assert mail.paths(WORD, "lee") == []


def test_shared_folders_are_read_as_their_owners_let_and_unreadable_lists_are_nobodys(mail):
    """Another account's folders, once with the right to see the list and once without."""
    owner = mail.server.user()
    with mail.server.login(owner) as client:
        for folder in ("공유", "공유/비밀"):
            client.create_folder(folder)
            client.append(folder, mail.letter(folder, f"{folder} {WORD}", number=f"s{len(folder)}"))
            client.setacl(folder, "kim", "lr")
        client.setacl("공유", mail.user, "lra")
        client.setacl("공유/비밀", mail.user, "lr")
    mail.ingest()
    assert min(mail.documents()).startswith(f"shared/{owner}/공유/")
    assert len(mail.documents()) == 2
    assert [p.startswith(f"shared/{owner}/공유/공유") for p in mail.paths(WORD, "kim")] == [True]
    assert mail.paths(WORD, mail.user) != []
    with mail.kit() as kit:
        scopes = {s.key: s for s in kit.catalog.scopes.all("drive")}
    assert scopes[f"shared/{owner}/공유/비밀"].readable is False
    assert scopes[f"shared/{owner}/공유"].readable


def test_a_server_without_access_lists_has_one_reader(two_folders, relay):
    mail = two_folders
    mail.client.setacl("품질", "anyone", "lr")
    relay.hidden = (b"ACL",)
    mail.again(url=relay.url)
    mail.scan()
    assert found(mail, mail.user) == {"품질", "영업"}
    assert found(mail, "kim") == set()


def test_identifiers_beyond_ascii_and_folders_with_brackets_are_read(mail):
    mail.deliver("[공지", mail.letter("공지", f"공지 {WORD}", number="1"))
    folder = next(
        p for p in (mail.server.folder / "mail" / mail.user).rglob("dbox-Mails") if "[" in str(p)
    )
    (folder / "dovecot-acl").write_text(
        '"user=김 하늘" lr\nuser=홍 lr\nuser=kim l\n', encoding="utf-8"
    )
    reader = make_permission_reader(SourceSettings(**mail.source_options))
    scope = reader.folder(SourceFolder(path="[공지", object_id="", access_tag=""))
    assert scope.readable
    assert {"user:김 하늘@plant", "user:홍@plant"} <= set(scope.groups)
    assert "user:kim@plant" not in scope.groups


def test_a_folder_made_during_a_run_is_known(mail):
    mail.deliver("INBOX", mail.letter("보고", "내용", number="1"))
    reader = make_permission_reader(SourceSettings(**mail.source_options))
    reader.folder(SourceFolder(path="INBOX", object_id="", access_tag=""))
    mail.client.create_folder("새 폴더")
    mail.client.setacl("새 폴더", "kim", "lr")
    scope = reader.folder(SourceFolder(path="새 폴더", object_id="", access_tag=""))
    assert "user:kim@plant" in scope.groups


def readers_of(listed, owner="boss", realm=None):
    """Which of the people pass all gates of a list."""
    realm = realm or Realm("plant")
    groups = {"kim": ["qa"], "lee": ["sales"], "choi": ["qa", "sales"], "boss": []}
    passed = set()
    for name, of in groups.items():
        principals = {f"user:{name}@plant", "everyone@plant", *(f"group:{g}@plant" for g in of)}
        if all(passes_gate(g, frozenset(principals)) for g in gates_of(listed, realm, owner)):
            passed.add(name)
    return passed


ALL = {"kim", "lee", "choi", "boss"}


@pytest.mark.parametrize(
    ("listed", "readers"),
    [
        ([], set()),
        ([("kim", "l")], set()),
        ([("kim", "lrs"), ("lee", "lws")], {"kim"}),
        ([("owner", "lr")], {"boss"}),
        ([("anyone", "lr")], ALL),
        ([("authenticated", "lr")], ALL),
        ([("anonymous", "lr"), ("administrators", "lr")], set()),
        ([("$qa", "lr")], {"kim", "choi"}),
        ([("group=qa", "lr"), ("group:sales", "l")], {"kim", "choi"}),
        ([("anyone", "lr"), ("kim", "l")], ALL - {"kim"}),  # the more specific entry decides
        ([("anyone", "lr"), ("$qa", "l")], {"lee", "boss"}),
        ([("$qa", "lr"), ("kim", "l")], {"choi"}),
        (
            [("!$qa", "l"), ("kim", "lr"), ("lee", "lr")],
            {"lee"},
        ),  # a group that stands before users
        ([("anyone", "lr"), ("-lee", "r")], ALL - {"lee"}),
        ([("anyone", "lr"), ("-$qa", "lr")], {"lee", "boss"}),
        (
            [("kim", "lr"), ("-$qa", "r")],
            set(),
        ),  # what is taken from a group is taken from its members
        ([("anyone", "lr"), ("-anyone", "r")], set()),
        ([("anyone", "lr"), ("-lee", "w")], ALL),
        ([("-lee", "r")], set()),
        (
            [("#anyone", "l"), ("kim", "lr")],
            set(),
        ),  # the server's own list stands before the folder's
        ([("#kim", "lr"), ("kim", "l")], {"kim"}),
        ([("kim@other.example", "lr")], set()),
        ([("user=kim", "lr")], {"kim"}),
    ],
)
def test_a_list_lets_through_whom_it_names(listed, readers):
    assert readers_of(listed) == readers


def test_names_of_the_accounts_own_domain_belong_to_the_configured_realm():
    realm = Realm.of("plant", "seoga@Mail.Example", "127.0.0.1")
    assert readers_of([("kim@mail.example", "lr"), ("lee@other.example", "lr")], realm=realm) == {
        "kim"
    }
    assert realm.principal("user", "lee@other.example") == "user:lee@other.example"
    assert Realm.of("", "seoga@mail.example", "mx1").principal("user", "kim") == "user:kim@mx1"
