"""Signatures, disclaimers and quotations are cut off a mail's own text; nothing that a person wrote is."""

from __future__ import annotations

import pytest

from contracts.documents import Layer
from evaluation.bench_mail import measure


def mail(text: str, subject: str = "s") -> bytes:
    head = (
        f"From: kim@plant.example\nSubject: {subject}\nContent-Type: text/plain; charset=utf-8\n\n"
    )
    return (head + text).encode()


def lines(document, layer: Layer) -> list[str]:
    return [line for b in document.blocks if b.layer is layer for line in b.text.split("\n")]


def test_the_self_written_mails_are_cut_where_they_should_be():
    cuts = measure()
    assert cuts.samples >= 60
    assert cuts.precision >= 0.99, cuts.wrong
    assert cuts.recall >= 0.98, cuts.wrong
    assert cuts.lost == 0, cuts.wrong


@pytest.mark.parametrize(
    "text",
    [
        "담당자 연락처 보내드립니다.\n\n구매팀 정하은 대리 010-0000-1234\n품질팀 한지우 과장 010-0000-5678",
        "납품처 주소입니다.\n\n경기도 평택시 산단로 12번길 34 2공장\n담당 최서연 대리 010-0000-4321",
        "(주)가람정밀\n한지우 과장\n010-0000-5678",
        "회의 참석자:\n- 한지우 과장\n- 박도윤 대리",
        "전화 주세요.\n010-0000-1234",
        "링크입니다.\nhttps://intra.example/doc/123\nhttps://intra.example/doc/124",
        "이 문서는 대외비이므로 외부 유출을 금지합니다.\n회의 자료는 삭제해 주시기 바랍니다.",
        "Please destroy the confidential samples. Unauthorised copying of this drawing is prohibited, see attachment.",
        "발행 부탁드립니다.\n\n상호: (주)가람정밀\n대표: 한지우\n주소: 경기도 평택시 산단로 12\n이메일: tax@garam.example",
        "Hello,\n\nShip to:\nMuster Antriebe GmbH\nIndustriestr. 5, 12345 Berlin\nPhone +49 30 5550 1000\n\nThanks",
    ],
)
def test_contact_data_that_is_the_message_stays(parse_as, text):
    document = parse_as(mail(text), "eml")
    assert lines(document, Layer.BODY) == [line for line in text.split("\n") if line]


def test_a_mail_that_is_handed_on_keeps_its_signatures(parse_as):
    text = "아래 메일 전달합니다.\n\n한지우 과장\n(주)가람정밀\nT. 031-000-1234"
    document = parse_as(mail(text, "FW: 견적"), "eml")
    assert not lines(document, Layer.FURNITURE)


def test_the_signature_above_a_quotation_is_cut_too(parse_as):
    text = (
        "확정합니다.\n\n한지우 과장\n(주)가람정밀\nT. 031-000-1234 | jiwoo@garam.example\n\n"
        "-----Original Message-----\nFrom: 이준호\nSent: 2024-03-05\nTo: 한지우\nSubject: 문의\n\n토크 값은?"
    )
    document = parse_as(mail(text), "eml")
    assert lines(document, Layer.BODY) == ["확정합니다."]
    assert lines(document, Layer.FURNITURE)[0] == "한지우 과장"
    assert "토크 값은?" in lines(document, Layer.QUOTED)


def test_a_mailbox_is_no_bomb_however_many_mails_it_has(parse_as):
    box = b"".join(
        b"From a@b Tue Mar  5 15:00:00 2024\n" + mail(f"text {n}", f"mail {n}") + b"\n\n"
        for n in range(30)
    )
    document = parse_as(box, "mbox", archive_members=10)
    assert len(document.children) == 30
    assert not any(child.failure for child in document.children)
    cut = parse_as(box, "mbox", mailbox_messages=10)
    assert [bool(child.failure) for child in cut.children] == [False] * 10 + [True]
    assert cut.children[-1].failure == "too_large"
