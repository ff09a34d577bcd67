"""The life of a mail: listed, found, moved, deleted, numbered anew; and what listing costs."""

from __future__ import annotations

import base64

import pytest

from acl_sync.registry import make_permission_reader
from app.threads import conversation
from app.wiring import open_access
from contracts.errors import ConfigError, ItemBusyError, ItemGoneError, SourceUnreachableError
from contracts.settings import SourceSettings
from contracts.sources import SourceFolder
from ingest.sources.registry import make_source

HEADER_FETCH = "HEADER.FIELDS"


def outcomes(installation):
    """Why what was skipped was skipped, by path."""
    with installation.kit() as kit:
        rows = kit.catalog.outcomes.current("drive", after=0)
        return {row.path: row.outcome.reason for row in rows if row.outcome.kind == "skipped"}


def test_a_mail_is_found_with_its_folder_subject_and_address(mail):
    mail.deliver("INBOX", mail.letter("주간 보고", "이번 주 보고입니다.", number="1"))
    uid = mail.deliver(
        "품질/고객 불만", mail.letter("누유 불량 회신", "패킹을 교체합니다.", number="2")
    )
    mail.client.setacl("품질/고객 불만", "kim", "lr")
    assert mail.ingest().work["parsed"] == 2
    (hit,) = mail.hits("패킹 교체")
    assert hit.title == "누유 불량 회신"
    assert hit.path.startswith("품질/고객 불만/누유 불량 회신 [")
    assert hit.path.endswith("].eml")
    validity = mail.client.status("품질/고객 불만", ["UIDVALIDITY"])["UIDVALIDITY"]
    assert hit.source_link.startswith(f"imap://{mail.user}@127.0.0.1:")
    assert hit.source_link.endswith(
        f"/%ED%92%88%EC%A7%88/%EA%B3%A0%EA%B0%9D%20%EB%B6%88%EB%A7%8C;UIDVALIDITY={validity}/;UID={uid}"
    )
    assert mail.server.password not in hit.source_link


def test_a_decision_in_an_attachment_is_found_with_its_mail_and_conversation(mail):
    mail.deliver("INBOX", mail.letter("토크 문의", "토크 값을 정해 주세요.", number="1"))
    answer = mail.letter(
        "RE: 토크 문의",
        "첨부로 답합니다.",
        number="2",
        answers="1",
        date="Tue, 05 Mar 2024 12:00:00 +0900",
        attachment=("결정.md", "# 결정\n\n체결 토크는 12.5 N·m로 확정한다.\n"),
    )
    mail.deliver("보낸 편지함", answer)
    for folder in ("INBOX", "보낸 편지함"):
        mail.client.setacl(folder, "kim", "lr")
    mail.ingest()
    (hit,) = mail.hits("체결 확정")
    assert hit.path.endswith("!/결정.md")
    assert hit.context.startswith("RE: 토크 문의")
    with mail.kit() as kit:
        view = open_access(kit.settings, kit.catalog).filter_for("kim")
        found = conversation(kit.catalog, kit.blobs, view, hit.document_id, "kim")
    assert [m.subject for m in found.messages] == ["토크 문의", "RE: 토크 문의"]
    assert [name for _, name in found.messages[1].attachments] == ["결정.md"]


def test_a_second_listing_asks_each_folder_for_its_numbers_and_nothing_else(mail, relay):
    for number in range(30):
        mail.deliver(
            f"품질/{number % 3}", mail.letter("보고", f"내용 {number}", number=str(number))
        )
    mail.source_options |= {"url": relay.url}
    first = mail.ingest()
    assert first.work["parsed"] == 30
    relay.commands.clear()
    second = mail.ingest()
    assert second.scan["listed"] == second.scan["unchanged"] == 30
    assert second.work["items"] == second.work["parsed"] == 0
    assert relay.counts("EXAMINE") == relay.counts("FETCH") == relay.counts("SEARCH") == 0
    asked = [c for c in relay.commands if c.startswith("STATUS") and "UIDNEXT" in c]
    assert len(asked) == len(set(asked)) == 4  # three folders and INBOX; 품질 holds no mail


def test_a_new_mail_costs_its_own_headers_only(mail, relay):
    for number in range(40):
        mail.deliver("INBOX", mail.letter("보고", f"내용 {number}", number=str(number)))
    mail.source_options |= {"url": relay.url}
    mail.ingest()
    mail.deliver("INBOX", mail.letter("새 소식", "새 내용", number="new"))
    relay.commands.clear()
    summary = mail.ingest()
    assert (summary.scan["new"], summary.scan["unchanged"]) == (1, 40)
    listed = [c for c in relay.commands if HEADER_FETCH in c and "RFC822.SIZE" in c]
    assert len(listed) == 1
    assert listed[0].split()[1] == "41"


def test_a_server_that_can_do_little_is_listed_the_same(mail, relay, tmp_path):
    for number in range(8):
        mail.deliver("INBOX", mail.letter("보고", f"내용 {number}", number=str(number)))
    mail.deliver("Trash", mail.letter("버림", "버릴 것", number="t"))
    able = list(make_source(SourceSettings(**mail.source_options)).list())
    relay.hidden = (
        b"CONDSTORE",
        b"QRESYNC",
        b"NAMESPACE",
        b"SPECIAL-USE",
        b"SASL-IR",
        b"AUTH=PLAIN",
    )
    source = make_source(
        SourceSettings(**mail.source_options | {"url": relay.url}), tmp_path / "kept"
    )
    assert _known(source.list()) == _known(able)
    relay.commands.clear()
    assert _known(source.list()) == _known(able)
    assert relay.counts("FETCH") == 0
    mail.client.select_folder("INBOX")
    mail.client.delete_messages([2])
    assert len(_known(source.list())) == len(_known(able)) - 1
    mail.client.expunge()
    mail.client.delete_messages([4])
    mail.client.expunge()
    mail.deliver("INBOX", mail.letter("보고", "새 내용", number="new"))
    assert _known(source.list()) == _known(
        make_source(SourceSettings(**mail.source_options)).list()
    )
    assert relay.counts("HIGHESTMODSEQ") == 0


def _known(listing):
    """What identifies each mail; the addresses differ by the port."""
    return [(e.path, e.object_id, e.size) for e in listing if hasattr(e, "locator")]


def test_other_delimiters_and_slashes_in_names_are_paths_and_back(dotted_dovecot, tmp_path):
    server, user = dotted_dovecot, dotted_dovecot.user()
    folders = ("INBOX", "INBOX.품질", "INBOX.품질.고객/불만", "INBOX.50%2Fa")
    with server.login(user) as client:
        for folder in folders:
            client.create_folder(folder) if folder != "INBOX" else None
            client.append(folder, f"Message-ID: <{len(folder)}@x>\r\nSubject: m\r\n\r\nx".encode())
    source = make_source(SourceSettings(**server.settings(user)), tmp_path)
    found = {e.path.rpartition("/")[0]: e for e in source.list() if hasattr(e, "locator")}
    assert found.keys() == {"INBOX", "INBOX/품질", "INBOX/품질/고객%2F불만", "INBOX/50%252Fa"}
    for item in found.values():
        with source.fetch(item) as path:
            assert path.read_bytes().endswith(b"\r\n\r\nx")
    reader = make_permission_reader(SourceSettings(**server.settings(user)))
    for path in found:
        scope = reader.folder(SourceFolder(path=path, object_id="", access_tag=""))
        assert scope.groups == (f"user:{user}@127.0.0.1",), path
    part = SourceSettings(**server.settings(user) | {"url": server.url("INBOX/품질")})
    paths = [e.path for e in make_source(part).list() if hasattr(e, "locator")]
    assert [path.rpartition("/")[0] for path in paths] == ["", "고객%2F불만"]


def test_what_another_machine_has_listed_is_not_needed(mail, tmp_path):
    """Without what was kept the listing is the same: identities come from the mails alone."""
    for number in range(5):
        mail.deliver("INBOX", mail.letter("같은 제목", f"내용 {number}", number=f"{number % 3}"))
    mail.deliver("INBOX", mail.letter("번호 없음", "내용", number=""))
    settings = SourceSettings(**mail.source_options)
    kept = make_source(settings, tmp_path / "kept")
    first = list(kept.list())
    assert list(kept.list()) == first
    assert list(make_source(settings).list()) == first
    (state,) = (tmp_path / "kept").glob("*.db")
    state.write_bytes(b"not a database any more" * 100)
    assert list(make_source(settings, tmp_path / "kept").list()) == first


def test_two_listings_at_once_are_both_whole(mail, tmp_path):
    for number in range(5):
        mail.deliver("INBOX", mail.letter("제목", f"내용 {number}", number=str(number)))
    settings = SourceSettings(**mail.source_options)
    one, other = (make_source(settings, tmp_path / "kept").list() for _ in range(2))
    begun = [next(one), next(one)]
    assert begun + list(one) == list(other)


def test_mails_with_one_number_and_without_any_are_told_apart(mail):
    twins = [
        mail.letter("회람", f"{who}에게", number="same", date=f"Tue, 05 Mar 2024 1{i}:00:00 +0900")
        for i, who in enumerate(("영업", "품질", "생산"))
    ]
    for raw in twins:
        mail.deliver("INBOX", raw)
    mail.deliver("INBOX", twins[1])  # the very same once more
    mail.deliver("INBOX", mail.letter("무번호", "하나", number=""))
    mail.deliver(
        "INBOX", mail.letter("무번호", "둘", number="", date="Tue, 05 Mar 2024 15:00:00 +0900")
    )
    summary = mail.ingest()
    assert summary.scan["new"] == 6
    before = mail.documents()
    assert len(before) == 6
    mail.deliver(
        "INBOX", mail.letter("회람", "총무에게", number="same", sender="cho@plant.example")
    )
    summary = mail.ingest()
    assert (summary.scan["new"], summary.scan["unchanged"]) == (1, 6)
    after = mail.documents()
    assert before.items() <= after.items()


def test_a_folder_that_is_numbered_anew_parses_nothing_and_keeps_the_documents(mail, relay):
    letters = [mail.letter("보고", f"누유 {n}", number=str(n)) for n in range(10)]
    for raw in letters:
        mail.deliver("품질", raw)
    mail.client.setacl("품질", "kim", "lr")
    mail.source_options |= {"url": relay.url}
    mail.ingest()
    before, links = mail.documents(), {h.path: h.source_link for h in mail.hits("누유")}
    when = mail._when
    mail.client.unselect_folder() if mail.client._imap.state == "SELECTED" else None
    validity = mail.client.status("품질", ["UIDVALIDITY"])
    mail.client.delete_folder("품질")
    mail.client.create_folder("품질")
    mail.client.setacl("품질", "kim", "lr")
    mail._when = when - 10 * (when - when.replace(minute=when.minute - 1))
    mail.deliver("품질", letters[0])
    assert mail.client.status("품질", ["UIDVALIDITY"]) != validity
    for raw in letters[1:]:
        mail.deliver("품질", raw)
    relay.commands.clear()
    summary = mail.ingest()
    assert summary.scan["unchanged"] == 10
    assert summary.work["parsed"] == summary.work["items"] == 0
    assert relay.counts("BODY.PEEK[]") == 0
    assert mail.documents() == before
    now = {h.path: h.source_link for h in mail.hits("누유")}
    assert now.keys() == links.keys()
    assert all(now[path] != links[path] for path in links)  # people open them where they are now


def test_a_mail_that_was_listed_before_a_renumbering_is_read_after_the_next_scan(mail):
    """The number that it had may be another mail's by now."""
    first, second = (mail.letter("보고", text, number=str(len(text))) for text in ("하나", "둘"))
    mail.deliver("품질", first)
    settings = SourceSettings(**mail.source_options)
    source = make_source(settings)
    (item,) = [e for e in source.list() if getattr(e, "locator", "")]
    mail.client.delete_folder("품질")
    mail.deliver("품질", second)
    with pytest.raises((ItemBusyError, ItemGoneError)), source.fetch(item):
        pass


def test_a_mail_in_another_folder_is_another_document_with_the_same_parse(mail):
    mail.deliver("INBOX", mail.letter("보고", "접수한 누유", number="1"))
    mail.deliver("INBOX", mail.letter("남음", "남는 누유", number="2"))
    mail.client.create_folder("완료")
    for folder in ("INBOX", "완료"):
        mail.client.setacl(folder, "kim", "lr")
    mail.ingest()
    before = mail.documents()
    mail.client.select_folder("INBOX")
    mail.client.copy([1], "완료")
    summary = mail.ingest()
    assert (summary.scan["new"], summary.work["parsed"]) == (1, 0)
    mail.client.delete_messages([1])
    mail.client.expunge()
    assert mail.ingest().scan["deleted"] == 1
    after = mail.documents()
    (moved,) = [path for path in after if path.startswith("완료/")]
    assert after[moved] not in before.values()
    assert moved in mail.paths("접수한")
    assert not any(path.startswith("INBOX/보고") for path in mail.paths("누유"))


def test_a_deleted_mail_leaves_the_index_in_the_same_scan(mail):
    for number, text in (("1", "지울 문서"), ("2", "남는 문서")):
        mail.deliver("INBOX", mail.letter(text, text, number=number))
    mail.client.setacl("INBOX", "kim", "lr")
    mail.ingest()
    assert len(mail.paths("문서")) == 2
    mail.client.select_folder("INBOX")
    mail.client.delete_messages([1])
    assert mail.scan().scan["deleted"] == 1  # marked is enough
    (left,) = mail.paths("문서")
    assert left.startswith("INBOX/남는 문서")
    mail.client.remove_flags([1], [rb"\Deleted"])
    assert mail.scan().scan["new"] == 1
    mail.client.delete_messages([1])
    mail.client.expunge()
    assert mail.scan().scan["deleted"] == 1


def test_what_is_no_document_is_skipped_with_its_reason_unless_it_is_named(mail):
    mail.deliver("INBOX", mail.letter("본문", "읽을 것", number="1"))
    mail.deliver("INBOX", mail.letter("표시", "지울 것", number="2"), flags=(rb"\Deleted",))
    for folder in ("Trash", "임시보관함", "Spam"):
        mail.deliver(folder, mail.letter(folder, f"{folder} 내용", number=str(len(folder))))
    mail.ingest()
    found = outcomes(mail)
    assert {found.pop(path) for path in ("Trash", "임시보관함", "Spam")} == {"special_folder"}
    (marked,) = found
    assert marked.startswith("INBOX/표시")
    assert found[marked] == "deleted"
    assert len(mail.documents()) == 1
    mail.again(exclude=("!임시보관함/",))
    mail.ingest()
    assert {path.partition("/")[0] for path in mail.documents()} == {"INBOX", "임시보관함"}


def test_reading_leaves_every_mail_unread(mail):
    for number in range(3):
        mail.deliver("INBOX", mail.letter("보고", f"내용 {number}", number=str(number)))
    mail.ingest()
    mail.client.select_folder("INBOX", readonly=True)
    flags = mail.client.get_flags(mail.client.search())
    assert len(flags) == 3
    assert not any(rb"\Seen" in found for found in flags.values())


def test_a_connection_that_breaks_during_a_listing_is_opened_again(mail, relay):
    for number in range(6):
        mail.deliver(f"품질/{number}", mail.letter("보고", f"내용 {number}", number=str(number)))
    mail.source_options |= {"url": relay.url}
    broken = []

    def once(line):
        if HEADER_FETCH in line and len(broken) < 2 and "품질" not in broken:
            broken.append(line)
            return len(broken) == 2
        return False

    relay.cut = once
    summary = mail.ingest()
    assert len(broken) == 2
    assert summary.scan["new"] == 6
    assert not summary.alert


def test_a_server_that_does_not_answer_is_not_waited_for_without_end(mail, relay):
    mail.deliver("INBOX", mail.letter("보고", "내용", number="1"))
    mail.source_options |= {"url": relay.url, "timeout_seconds": 1}
    relay.stalled = lambda line: line.startswith("STATUS")
    with pytest.raises(SourceUnreachableError, match="제때 답하지 않습니다"):
        mail.ingest()
    assert relay.counts("STATUS") <= 2  # once more over a new connection


def test_headers_of_any_length_and_odd_subjects_are_names(mail):
    odd = "../\u202egpj.외근\u0000 보고/\\x"
    long = b"Subject: " + b"\r\n ".join([b"word" * 15] * 2000) + b"\r\n"
    for head in (long + b"Message-ID: <late@x>\r\n", b"Message-ID: <early@x>\r\n" + long, long):
        mail.deliver("INBOX", head + b"From: a@b\r\n\r\nx\r\n")
    encoded = base64.b64encode(odd.encode()).decode()
    mail.deliver("INBOX", f"Subject: =?utf-8?b?{encoded}?=\r\nMessage-ID: <o@x>\r\n\r\nx".encode())
    mail.deliver("INBOX", "Subject: 품질 회의\r\nMessage-ID: <k@x>\r\n\r\nx".encode("cp949"))
    source = make_source(SourceSettings(**mail.source_options))
    items = [e for e in source.list() if hasattr(e, "locator")]
    names = sorted(item.path.removeprefix("INBOX/").partition(" [")[0] for item in items)
    cut = f"{'word' * 15} {'word' * 15}"[:80]
    assert names == ["gpj.외근 보고 x", cut, cut, cut, "품질 회의"]
    for item in items:
        with source.fetch(item) as path:
            assert path.stat().st_size == item.size


def test_a_connection_that_breaks_during_a_fetch_is_opened_again(mail, relay):
    mail.deliver("INBOX", mail.letter("보고", "내용", number="1"))
    mail.source_options |= {"url": relay.url}
    broken = []

    def once(line):
        if "BODY.PEEK[]" in line:
            broken.append(line)
        return "BODY.PEEK[]" in line and len(broken) == 1

    relay.cut = once
    assert mail.ingest().work["parsed"] == 1
    assert len(broken) == 2


def test_a_server_that_goes_away_before_a_fetch_leaves_the_mail_for_later(mail, relay):
    for number in range(3):
        mail.deliver("INBOX", mail.letter("보고", f"누유 {number}", number=str(number)))
    mail.client.setacl("INBOX", "kim", "lr")
    mail.source_options |= {"url": relay.url}

    def at_the_first(line):
        relay.down = relay.down or "BODY.PEEK[]" in line
        return relay.down

    relay.cut = at_the_first
    with pytest.raises(SourceUnreachableError):
        mail.ingest()
    assert "127.0.0.1" in mail.alert()
    relay.cut, relay.down = (lambda _line: False), False
    assert mail.ingest().work["parsed"] == 3
    assert len(mail.paths("누유")) == 3


def test_a_server_that_goes_away_during_a_listing_purges_nothing(mail, relay):
    for number in range(6):
        mail.deliver(f"품질/{number}", mail.letter("보고", f"누유 {number}", number=str(number)))
        mail.client.setacl(f"품질/{number}", "kim", "lr")
    mail.source_options |= {"url": relay.url}
    mail.ingest()
    assert len(mail.paths("누유")) == 6
    mail.client.select_folder("품질/1")
    mail.client.delete_messages([1])
    mail.client.expunge()
    seen = []

    def after_some(line):
        seen.append(line)
        relay.down = relay.down or (line.startswith("STATUS") and "&1IjJyA-/3" in line)
        return relay.down

    relay.cut = after_some
    with pytest.raises(SourceUnreachableError):
        mail.ingest()
    assert relay.down
    assert "127.0.0.1" in mail.alert()
    assert len(mail.paths("누유")) == 6
    relay.cut, relay.down = (lambda _line: False), False
    summary = mail.ingest()
    assert summary.scan["deleted"] == 1
    assert summary.work["parsed"] == 0
    assert mail.alert() == ""
    assert len(mail.paths("누유")) == 5


def test_a_long_first_listing_goes_on_where_it_broke_off(mail, relay):
    raw = [mail.letter("보고", f"내용 {number}", number=str(number)) for number in range(1200)]
    for message in raw:
        mail.client.append("INBOX", message)
    source_options = mail.source_options | {"url": relay.url}
    source = make_source(SourceSettings(**source_options), mail.home / "kept")
    fetched = []

    def third(line):
        if HEADER_FETCH in line:
            fetched.append(line.split()[1])
        relay.down = len(fetched) == 3
        return relay.down

    relay.cut = third
    with pytest.raises(SourceUnreachableError):
        list(source.list())
    relay.cut, relay.down = (lambda _line: False), False
    relay.commands.clear()
    found = [e for e in source.list() if not isinstance(e, SourceFolder)]
    assert len(found) == 1200
    assert relay.counts(HEADER_FETCH) == 1  # of the last 200


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"url": "imap://mail.plant.example"}, "암호화하지 않은"),
        ({"url": "http://127.0.0.1"}, "메일 서버 주소가 아닙니다"),
        ({"url": "imaps://kim:secret@127.0.0.1"}, "주소에 적지 않습니다"),
        ({"user": ""}, "계정이 필요합니다"),
        ({"password_file": "/nowhere/password"}, "암호 파일을 읽을 수 없습니다"),
        ({"ca_file": "/nowhere/ca.pem"}, "인증서 파일을 읽을 수 없습니다"),
    ],
)
def test_a_setting_that_cannot_work_says_what_is_wrong(mail, changed, words):
    with pytest.raises(ConfigError, match=words):
        make_source(SourceSettings(**mail.source_options | changed)).check()


@pytest.mark.parametrize(
    ("wrong", "words"),
    [("password", "로그인이 거절되었습니다"), ("ca_file", "인증서를 믿을 수 없습니다")],
)
def test_a_server_that_lets_nobody_in_says_what_is_wrong(mail, tmp_path, wrong, words):
    (tmp_path / "wrong").write_text("wrong")
    changed = {"password_file": tmp_path / "wrong"} if wrong == "password" else {"ca_file": None}
    with pytest.raises(SourceUnreachableError, match=words) as caught:
        make_source(SourceSettings(**mail.source_options | changed)).check()
    assert str(mail.source_options["password_file"].read_text().strip()) not in str(caught.value)
