"""Signatures, disclaimers and quotations are cut off a mail's own text; nothing that a person wrote is."""

from __future__ import annotations

import pytest

from contracts.documents import Layer
from evaluation.bench_mail import measure
from evaluation.mails.held_out import held_out_samples


def mail(text: str, subject: str = "s") -> bytes:
    head = (
        f"From: kim@plant.example\nSubject: {subject}\nContent-Type: text/plain; charset=utf-8\n\n"
    )
    return (head + text).encode()


def mail_from(sender: str, text: str, *, subject: str = "s", kind: str = "plain") -> bytes:
    head = f"From: {sender}\nSubject: {subject}\nContent-Type: text/{kind}; charset=utf-8\n\n"
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


def test_the_mails_of_another_hand_are_cut_where_they_should_be():
    seen = measure(held_out_samples(1))
    assert seen.precision >= 0.99, seen.wrong
    assert seen.recall >= 0.99, seen.wrong
    unseen = measure(held_out_samples(0))
    assert unseen.precision >= 0.9
    assert unseen.recall >= 0.85
    assert seen.lost + unseen.lost == 0


@pytest.mark.parametrize(
    ("sender", "signature"),
    [
        ("윤서진 <a@p.example>", "윤서진 드림"),
        ("윤서진 <a@p.example>", "윤 서 진"),
        ("윤서진/품질팀/가람 <a@p.example>", "품질팀 윤서진"),
        ("품질보증팀 <qa@p.example>", "가람정밀 품질보증팀 드림"),
        ("<seojin_yun@p.example>", "Seojin Yun\nGaram Works\nQuality, Bldg 2"),
        ('"Yun, Seojin" <a@p.example>', "Seojin"),
        ("윤서진 <a@p.example>", "윤서진 과장 | 생산기술팀"),
        ("윤서진 <a@p.example>", "┏━━━━━━┓\n┃ 가람정밀 생산기술팀 과장 윤서진 ┃\n┃ 전화 031-000-1234 ┃\n┗━━━━━━┛"),
    ],
)  # fmt: skip
def test_a_signature_without_contact_data_is_told_by_the_name(parse_as, sender, signature):
    document = parse_as(mail_from(sender, f"도면을 보냅니다.\n\n{signature}"), "eml")
    assert lines(document, Layer.BODY) == ["도면을 보냅니다."]
    assert lines(document, Layer.FURNITURE) == signature.split("\n")


@pytest.mark.parametrize(
    "text",
    [
        "담당을 나눴습니다.\n윤서진 설비 점검\n한지우 부품 발주",
        "참석자:\n한지우 과장\n윤서진 과장",
        "불량 수량입니다.\n윤서진\n1호기 12개\n2호기 7개\n3호기 9개",
        "계산 방법은 다음과 같습니다.\n소수 셋째 자리에서 올림",
        "외부 업체가 보낸 메일에 있던 도면의 치수 주의하세요, 홀은 8.8입니다.\n수고하세요.",
        "압력 경보를 바꿔 주세요.\n\n> 0.6 MPa : 주의\n> 0.7 MPa : 경보\n\n기록을 남겨 주세요.",
        "조건입니다.\n\nFrom: 1월\nTo: 3월\nSubject: 하우징\nDate: 매월 말일\n\n확인 부탁드립니다.",
    ],
)
def test_text_that_only_looks_like_a_closing_or_a_quotation_stays(parse_as, text):
    document = parse_as(mail_from("윤서진 <a@p.example>", text), "eml")
    assert lines(document, Layer.BODY) == [line for line in text.split("\n") if line]


def test_marked_lines_are_quoted_in_answers_and_below_who_wrote_them(parse_as):
    marked = "> 지난 글\n> 둘째 줄"
    answer = parse_as(mail_from("a@p.example", f"네.\n\n{marked}", subject="Re: x"), "eml")
    assert lines(answer, Layer.QUOTED) == ["지난 글", "둘째 줄"]
    text = f"네.\n\nOn 2024-03-05, Kim <k@p.example> wrote:\n{marked}"
    named = parse_as(mail_from("a@p.example", text), "eml")
    assert lines(named, Layer.BODY) == ["네."]


@pytest.mark.parametrize(
    "banner",
    [
        "[외부메일] 사외에서 온 메일입니다. 첨부파일과 링크에 주의하세요.",
        "CAUTION: This email originated from outside of the company. Do not click links.",
        "이 메일은 외부에서 발송된 메일입니다. 링크 클릭에 유의 바랍니다.",
    ],
)
def test_a_banner_of_the_mail_server_is_no_text(parse_as, banner):
    document = parse_as(mail(f"{banner}\n\n단가를 보냅니다."), "eml")
    assert lines(document, Layer.BODY) == ["단가를 보냅니다."]
    assert lines(document, Layer.FURNITURE) == [banner]


def test_what_markup_calls_a_signature_is_one_unless_somebody_wrote_an_answer_there(parse_as):
    place = "<p>확인 바랍니다.</p><div id='Signature'><p>{}</p></div>"
    card = parse_as(mail_from("a@p.example", place.format("Rivet Team"), kind="html"), "eml")
    assert lines(card, Layer.FURNITURE) == ["Rivet Team"]
    for answer in ("금형은 수요일에 반출합니다.", "금형 반출은 수요일"):
        document = parse_as(mail_from("a@p.example", place.format(answer), kind="html"), "eml")
        assert lines(document, Layer.BODY) == ["확인 바랍니다.", answer]
    alone = "<div class='gmail_signature'>Rivet Team</div>"
    document = parse_as(mail_from("a@p.example", alone, kind="html"), "eml")
    assert lines(document, Layer.BODY) == ["Rivet Team"]


def test_headers_that_notes_draws_in_boxes_begin_the_old_mail(parse_as):
    box = "|------------>\n| From:      |\n|------------>\n  >-----|\n  |Kim|\n  >-----|"
    document = parse_as(mail(f"승인합니다.\n\n{box}\n\n출하해도 됩니까?"), "eml")
    assert lines(document, Layer.BODY) == ["승인합니다."]
    assert "출하해도 됩니까?" in lines(document, Layer.QUOTED)


@pytest.mark.timeout(30)
def test_a_line_of_a_million_spaces_does_not_take_the_square_of_its_length(parse_as):
    text = f"본문입니다.\n{' ' * 1_000_000}다{' ' * 1_000_000}x\n윤서진"
    document = parse_as(mail_from("윤서진 <a@p.example>", text), "eml")
    assert lines(document, Layer.BODY)[0] == "본문입니다."
