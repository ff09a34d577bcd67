"""One view of a conversation, for who may read it."""

from __future__ import annotations

import json
from email.message import EmailMessage

import pytest


def letter(folder, name, subject, text, *, number, answers="", attachment=None):  # noqa: PLR0913
    message = EmailMessage()
    message["From"] = f"{name}@plant.example"
    message["To"] = "all@plant.example"
    message["Subject"] = subject
    message["Date"] = f"Tue, 05 Mar 2024 1{number}:00:00 +0900"
    message["Message-ID"] = f"<{number}@plant.example>"
    if answers:
        message["In-Reply-To"] = f"<{answers}@plant.example>"
        message["References"] = f"<{answers}@plant.example>"
    message.set_content(text)
    if attachment:
        message.add_attachment(attachment.encode(), "text", "markdown", filename="결정.md")
    folder.mkdir(exist_ok=True)
    (folder / f"{number}.eml").write_bytes(message.as_bytes())


@pytest.fixture(scope="module")
def seoga(tmp_path_factory, ingested):
    root = tmp_path_factory.mktemp("threads")
    drive = root / "drive"
    drive.mkdir()
    (drive / "acl.yaml").write_text(
        'realm: p\nfolders: {"": [{allow: user:kim}, {allow: user:lee}], 임원: [{deny: user:lee}, {allow: user:kim}]}\n'
    )
    (drive / "directory.yaml").write_text("realm: p\nusers: {kim: {}, lee: {}}\ngroups: {}\n")
    quoted = "\n\n2024년 3월 5일 (화) 오전 11:00, hong <hong@plant.example>님이 작성:\n\n> 토크 값을 정해 주세요."
    letter(drive / "메일", "hong", "토크 문의", "토크 값을 정해 주세요.", number=1)
    letter(
        drive / "메일",
        "park",
        "RE: 토크 문의",
        f"첨부로 답합니다.{quoted}",
        number=2,
        answers="1",
        attachment="# 결정\n\n체결 토크는 12.5 N·m로 확정한다.\n",
    )
    letter(drive / "임원", "boss", "RE: 토크 문의", "비공개로 승인합니다.", number=3, answers="2")
    letter(drive / "메일", "choi", "주차 안내", "지하 2층입니다.", number=4)
    return ingested(root)


def decision(seoga):
    hits = json.loads(seoga("search", "체결 토크 확정", "--as", "kim", "--json").stdout)["hits"]
    return next(hit for hit in hits if hit["path"].endswith("결정.md"))


def test_a_decision_in_an_attachment_is_found_with_its_mail_named(seoga):
    hit = decision(seoga)
    assert hit["path"] == "메일/2.eml!/결정.md"
    assert hit["context"].startswith("RE: 토크 문의")


def test_the_conversation_of_an_attachment_shows_each_text_once(seoga):
    found = json.loads(
        seoga("thread", decision(seoga)["document_id"], "--as", "kim", "--json").stdout
    )
    assert [m["text"] for m in found["messages"]] == [
        "토크 값을 정해 주세요.",
        "첨부로 답합니다.",
        "비공개로 승인합니다.",
    ]
    assert [name for _, name in found["messages"][1]["attachments"]] == ["결정.md"]
    assert not any(m["quoted"] for m in found["messages"])


def test_mails_that_the_reader_may_not_read_are_not_there(seoga):
    found = json.loads(
        seoga("thread", decision(seoga)["document_id"], "--as", "lee", "--json").stdout
    )
    assert len(found["messages"]) == 2
    assert "승인" not in seoga("thread", decision(seoga)["document_id"], "--as", "lee").stdout


def test_a_forbidden_mail_and_none_are_refused_alike(seoga):
    hits = json.loads(seoga("search", "비공개로 승인", "--as", "kim", "--json").stdout)["hits"]
    secret = next(hit for hit in hits if hit["path"] == "임원/3.eml")["document_id"]
    forbidden, absent = (
        seoga("thread", name, "--as", "lee") for name in (secret, "0" * len(secret))
    )
    assert forbidden.returncode == absent.returncode != 0
    assert forbidden.stderr.replace(secret, "X") == absent.stderr.replace("0" * len(secret), "X")
