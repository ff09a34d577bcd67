"""Mail as Korean offices send and keep it."""

from __future__ import annotations

import base64
import io
import quopri
import struct

import pytest

from contracts.documents import ChildRelation, Layer
from contracts.errors import ParseFailure
from contracts.failures import FailureClass

HEAD = "From: kim@plant.example\nTo: lee@plant.example\nSubject: {subject}\nDate: Mon, 1 Jan 2024 12:00:00 +0900\n"


def mail(body: bytes, *, subject: str = "s", more: str = "") -> bytes:
    return (HEAD.format(subject=subject) + more + "\n").encode() + body


def texts(document, layer=Layer.BODY):
    return [block.text for block in document.blocks if block.layer is layer]


def word(text: str, charset: str, label: str) -> str:
    return f"=?{label}?B?{base64.b64encode(text.encode(charset)).decode()}?="


@pytest.mark.parametrize("label", ["euc-kr", "ks_c_5601-1987", "EUC-KR", "cp949", "ms949"])
def test_korean_labels_all_mean_the_extended_set(parse_as, label):
    text = "똠방각하 펲시콜라"  # syllables that EUC-KR itself lacks
    data = mail(
        text.encode("cp949"),
        subject=word(text, "cp949", label),
        more=f"Content-Type: text/plain; charset={label}\n",
    )
    document = parse_as(data, "eml")
    assert document.properties["subject"] == document.title == text
    assert texts(document) == [text]


def test_a_character_cut_between_encoded_words_is_whole_again(parse_as):
    raw = "생산계획".encode("cp949")
    first, second = (base64.b64encode(part).decode() for part in (raw[:3], raw[3:]))
    subject = f"=?euc-kr?B?{first}?=\n =?euc-kr?B?{second}?= 확정"
    assert parse_as(mail(b"x", subject=subject), "eml").title == "생산계획 확정"


def test_base64_cut_within_its_quantum_is_joined(parse_as):
    whole = base64.b64encode("생산계획 검토".encode("cp949")).decode().rstrip("=")
    subject = f"=?euc-kr?B?{whole[:7]}?= =?euc-kr?B?{whole[7:]}?="
    assert parse_as(mail(b"x", subject=subject), "eml").title == "생산계획 검토"


def test_raw_bytes_in_headers_are_read_with_the_others(parse_as):
    data = "From: 김철수 <kim@plant.example>\nSubject: 회의록 송부\nTo: lee@plant.example\n\n본문입니다".encode(
        "cp949"
    )
    document = parse_as(data, "eml")
    assert document.properties["from"] == "김철수 <kim@plant.example>"
    assert document.title == "회의록 송부"


@pytest.mark.parametrize(
    ("charset", "declared"),
    [("cp949", "utf-8"), ("cp949", "us-ascii"), ("cp949", "iso-8859-1"), ("utf-8", "euc-kr"), ("cp949", "x-unknown"), ("utf-8", "")],
)  # fmt: skip
def test_wrong_or_missing_charsets_are_corrected_by_the_bytes(parse_as, charset, declared):
    text = "금형 수리 요청서를 첨부하니 확인 후 회신 바랍니다."
    more = f"Content-Type: text/plain; charset={declared}\n" if declared else ""
    assert texts(parse_as(mail(text.encode(charset), more=more), "eml")) == [text]


def test_properties_are_as_the_contract_names_them(parse_as):
    more = (
        "Cc: park@plant.example\nMessage-ID: <m2@plant>\nIn-Reply-To: <m1@plant>\n"
        "References: <m0@plant> <m1@plant>\nThread-Topic: 8D\n"
    )
    found = parse_as(mail(b"x", subject="RE: 8D", more=more), "eml").properties
    assert found == {
        "from": "kim@plant.example", "to": "lee@plant.example", "cc": "park@plant.example",
        "subject": "RE: 8D", "date": "2024-01-01T12:00:00+09:00", "message_id": "<m2@plant>",
        "in_reply_to": "<m1@plant>", "references": "<m0@plant> <m1@plant>", "thread_topic": "8D",
    }  # fmt: skip


def test_blocks_stand_in_message_one(parse_as):
    assert parse_as(mail(b"x"), "eml").blocks[0].position.message == 1


QUOTES = {
    "arrows": ("답변드립니다.\n\n> 지난 메일입니다.\n> 두 줄\n\n추가 답변", ["답변드립니다.", "추가 답변"]),
    "english": ("Done.\n\nOn Mon, 1 Jan 2024 at 09:00, Kim <k@p.example> wrote:\n> old", ["Done."]),
    "gmail": ("확인했습니다.\n\n2024년 1월 1일 (월) 오후 3:00, 김철수 <k@p.example>님이 작성:\n\n> 지난 메일", ["확인했습니다."]),
    "divider": ("처리 완료\n\n-----Original Message-----\nFrom: 이영희\nSent: 2024\n지난 글", ["처리 완료"]),
    "korean divider": ("처리 완료\n\n----- 원본 메시지 -----\n지난 글\n\n또", ["처리 완료"]),
    "daum": ("처리 완료\n\n--------- 원본 메일 ---------\n보낸사람: a\n지난 글", ["처리 완료"]),
    "outlook": ("처리 완료\n\n보낸 사람: 이영희\n보낸 날짜: 2024-01-01\n받는 사람: 김철수\n제목: 문의\n\n지난 글", ["처리 완료"]),
}  # fmt: skip


@pytest.mark.parametrize("case", QUOTES)
def test_what_an_answer_repeats_is_quoted(parse_as, case):
    text, own = QUOTES[case]
    document = parse_as(mail(text.encode(), subject="RE: x"), "eml")
    assert texts(document) == own
    assert texts(document, Layer.QUOTED)


@pytest.mark.parametrize("subject", ["FW: x", "Fwd: x", "전달: x"])
def test_what_a_mail_hands_on_is_its_content(parse_as, subject):
    text = "참고하세요.\n\n-----Original Message-----\nFrom: 이영희\n규격이 변경되었습니다."
    document = parse_as(mail(text.encode(), subject=subject), "eml")
    assert "규격이 변경되었습니다." in "\n".join(texts(document))


def test_prose_is_never_taken_for_a_quotation(parse_as):
    text = "제목: 회의\n\n2024년 계획을 품질팀이 작성\n\n다음 주에 봅시다.\nFrom here on we wait."
    document = parse_as(mail(text.encode()), "eml")
    assert not texts(document, Layer.QUOTED)


def test_html_becomes_text_with_tables_quotes_and_hidden_parts(parse_as):
    markup = (
        "<html><head><style>p{}</style></head><body><p>안녕하세요<br>둘째 줄</p>"
        "<table><tr><th>품번</th><th>수량</th></tr><tr><td>A-1</td><td>3</td></tr></table>"
        '<div style="display:none">추적 문구</div>'
        '<blockquote type="cite">지난 메일</blockquote></body></html>'
    )
    document = parse_as(
        mail(markup.encode(), more="Content-Type: text/html; charset=utf-8\n"), "eml"
    )
    assert texts(document)[0] == "안녕하세요\n둘째 줄"
    assert texts(document, Layer.QUOTED) == ["지난 메일"]
    assert texts(document, Layer.HIDDEN) == ["추적 문구"]
    table = next(block.table for block in document.blocks if block.table)
    assert [cell.text for cell in table.cells] == ["품번", "수량", "A-1", "3"]
    assert table.header_rows == 1


def parts(*items: str, kind: str = "mixed") -> bytes:
    body = "".join(f"--B\n{item}\n" for item in items) + "--B--\n"
    return mail(
        body.encode(), more=f'MIME-Version: 1.0\nContent-Type: multipart/{kind}; boundary="B"\n'
    )


def test_alternatives_are_read_once(parse_as):
    data = parts("Content-Type: text/plain; charset=utf-8\n\n같은 내용", "Content-Type: text/html; charset=utf-8\n\n<p>같은 내용</p>", kind="alternative")  # fmt: skip
    assert texts(parse_as(data, "eml")) == ["같은 내용"]


def test_html_wins_where_the_plain_part_is_a_stub(parse_as):
    plain = "Content-Type: text/plain; charset=utf-8\n\nHTML 메일입니다."
    rich = "Content-Type: text/html; charset=utf-8\n\n<p>설비 점검 일정이 다음 달 3일로 변경되었으니 생산 계획에 반영해 주시기 바랍니다.</p>"
    assert texts(parse_as(parts(plain, rich, kind="alternative"), "eml"))[0].startswith("설비 점검")


@pytest.mark.parametrize(
    "header",
    [
        'Content-Disposition: attachment; filename="' + word("도면 12.pdf", "cp949", "euc-kr") + '"',
        "Content-Disposition: attachment; filename*=euc-kr''" + quopri.encodestring("도면 12.pdf".encode("cp949"), quotetabs=True).decode().replace("=", "%"),
        "Content-Disposition: attachment;\n filename*0*=utf-8''%EB%8F%84%EB%A9%B4;\n filename*1=\" 12.pdf\"",
        "Content-Disposition: attachment;\n filename*0*=utf-8''%EB%8F%84;\n filename*1=\"면 12.pdf\"",
        'Content-Disposition: attachment; filename="도면 12.pdf"',
        'Content-Disposition: attachment; filename="..\\\\도면 12.pdf"',
    ],
)  # fmt: skip
def test_attachment_names_in_every_spelling(parse_as, spool, header):
    data = parts(
        "Content-Type: text/plain\n\nx", f"Content-Type: application/pdf\n{header}\n\nPDFBYTES"
    )
    (child,) = parse_as(data, "eml").children
    assert child.name == "도면 12.pdf"
    assert child.relation is ChildRelation.ATTACHMENT
    assert (spool / child.sha256).read_bytes() == b"PDFBYTES"


def test_inner_mails_and_inline_images_are_children_of_their_kind(parse_as, spool):
    inner = "Content-Type: message/rfc822\n\n" + HEAD.format(subject="안쪽") + "\n속 본문"
    image = "Content-Type: image/png; name=logo.png\nContent-ID: <l>\n\nPNG"
    document = parse_as(parts("Content-Type: text/plain\n\nx", inner, image), "eml")
    assert [(c.name, c.relation) for c in document.children] == [
        ("안쪽.eml", ChildRelation.MESSAGE),
        ("logo.png", ChildRelation.INLINE),
    ]
    within = parse_as((spool / document.children[0].sha256).read_bytes(), "eml")
    assert within.title == "안쪽"
    assert texts(within) == ["속 본문"]


def test_a_cut_mail_gives_what_is_there_and_says_so(parse_as):
    data = parts("Content-Type: text/plain\n\nfirst", "Content-Type: text/plain\n\nsecond")
    document = parse_as(data[: data.index(b"second") + 4], "eml")
    assert texts(document) == ["first", "seco"]
    assert any("cut off" in warning for warning in document.warnings)


@pytest.mark.parametrize(
    ("more", "failure"),
    [
        ("Content-Type: application/pkcs7-mime; smime-type=enveloped-data; name=smime.p7m\n", FailureClass.ENCRYPTED),
        ("Content-Type: multipart/encrypted; boundary=B\n", FailureClass.ENCRYPTED),
        ("Content-Type: application/x-microsoft-rpmsg-message; name=message.rpmsg\n", FailureClass.DRM_MIP),
    ],
)  # fmt: skip
def test_locked_mail_says_so(parse_as, more, failure):
    body = b"--B\nContent-Type: application/octet-stream\n\nMIAG\n--B--\n"
    with pytest.raises(ParseFailure) as caught:
        parse_as(mail(body, more=more), "eml")
    assert caught.value.failure is failure


def test_a_mail_in_an_opaque_signature_is_read(parse_as):
    inner = "Content-Type: text/plain; charset=utf-8\n\n서명 안의 본문".encode()

    def item(tag, content):
        size = len(content)
        return (
            bytes([tag])
            + (bytes([size]) if size < 128 else b"\x82" + size.to_bytes(2, "big"))
            + content
        )

    def oid(text):
        return item(0x06, bytes.fromhex(text))

    # RFC 5652, 3 and 5.1: ContentInfo { signedData, SignedData { 1, {}, { data, content }, {} } }
    half = len(inner) // 2
    octets = item(0x24, item(0x04, inner[:half]) + item(0x04, inner[half:]))
    content = item(0x30, oid("2a864886f70d010701") + item(0xA0, octets))
    signed = item(0x30, item(0x02, b"\x01") + item(0x31, b"") + content + item(0x31, b""))
    data = item(0x30, oid("2a864886f70d010702") + item(0xA0, signed))
    more = (
        "Content-Type: application/pkcs7-mime; name=smime.p7m\nContent-Transfer-Encoding: base64\n"
    )
    assert texts(parse_as(mail(base64.encodebytes(data), more=more), "eml")) == ["서명 안의 본문"]


def test_nothing_at_all_is_empty(parse_as):
    with pytest.raises(ParseFailure) as caught:
        parse_as(b"\n\n", "eml")
    assert caught.value.failure is FailureClass.EMPTY


def test_a_mailbox_has_its_mails_as_children(parse_as, spool):
    letters = [mail(f"본문 {n}\n\n>From 공장\n".encode(), subject=f"제목 {n}") for n in (1, 2)]
    data = b"".join(b"From kim Mon Jan  1 12:00:00 2024\n" + letter + b"\n" for letter in letters)
    children = parse_as(data, "mbox").children
    assert [child.name for child in children] == ["00001 제목 1.eml", "00002 제목 2.eml"]
    first = parse_as((spool / children[0].sha256).read_bytes(), "eml")
    assert texts(first) == ["본문 1", "From 공장"]


def outlook(**streams: bytes) -> bytes:
    from extract_msg import OleWriter

    writer = OleWriter()
    writer.addEntry(["__properties_version1.0"], b"\0" * 32)
    for tag in ("00020102", "00030102", "00040102"):
        writer.addEntry(["__nameid_version1.0", f"__substg1.0_{tag}"], b"")
    for tag, data in streams.items():
        writer.addEntry([f"__substg1.0_{tag.removeprefix('p')}"], data)
    out = io.BytesIO()
    writer.write(out)
    return out.getvalue()


def test_outlook_messages_without_unicode_are_read_by_evidence(parse_as):
    text = "금형 수리 요청서를 보냅니다. 확인 바랍니다."
    data = outlook(
        p001A001E=b"IPM.Note", p0037001E="금형 수리".encode("cp949"), p1000001E=text.encode("cp949")
    )
    document = parse_as(data, "msg")
    assert document.title == "금형 수리"
    assert texts(document) == [text]


def test_outlook_html_within_rtf_is_read_as_html():
    from parsers.mail.rtf import rtf_text

    rtf = (
        rb"{\rtf1\ansi\ansicpg949\fromhtml1 {\fonttbl{\f0\fcharset129 Gulim;}}"
        rb"{\*\htmltag64 <p>}\htmlrtf {\htmlrtf0 \'b1\'dd\'c7\'fc {\*\htmltag84 <b>}\u-10756?"
        rb"\htmlrtf }\htmlrtf0 {\*\htmltag72 </b></p>}}"
    )
    kind, markup = rtf_text(rtf)
    assert kind == "html"
    assert markup == "<p>금형 <b>\ud5fc</b></p>".replace("\ud5fc", chr(65536 - 10756))


def tnef(*attributes: tuple[int, bytes]) -> bytes:
    """MS-OXTNEF 2.1.3: signature, key, attributes with their checksums."""
    out = struct.pack("<LH", 0x223E9F78, 1)
    for tag, value in attributes:
        out += (
            struct.pack("<BLL", 1, tag, len(value)) + value + struct.pack("<H", sum(value) % 65536)
        )
    return out


def properties(*found: tuple[int, int, bytes]) -> bytes:
    """A property list; strings and binaries with count and length, padded to four bytes."""
    out = struct.pack("<L", len(found))
    for kind, number, value in found:
        out += struct.pack("<HH", kind, number)
        if kind in {0x1E, 0x1F, 0x102}:
            out += struct.pack("<LL", 1, len(value)) + value + b"\0" * (-len(value) % 4)
        else:
            out += value.ljust(4, b"\0")
    return out


def test_winmail_dat_gives_its_text_and_attachments(parse_as, spool):
    rtf = (
        b"{\\rtf1\\ansi\\ansicpg949 "
        + "".join(f"\\'{b:02x}" for b in "검사 결과".encode("cp949")).encode()
        + b"}"
    )
    packed = struct.pack("<LL4sL", len(rtf) + 12, len(rtf), b"MELA", 0) + rtf
    message = properties(
        (0x0B, 0x0E1F, b"\1"),
        (0x1F, 0x0037, "겉봉 제목".encode("utf-16-le")),
        (0x102, 0x1009, packed),
    )
    file = properties((0x1F, 0x3707, "도면 12.txt".encode("utf-16-le")))
    data = tnef(
        (0x00069007, struct.pack("<LL", 949, 0)), (0x00069003, message),
        (0x00069002, b"\0" * 14), (0x00018010, b"DOC1.TXT\0"), (0x0006800F, b"drawing text"), (0x00069005, file),
    )  # fmt: skip
    document = parse_as(data, "tnef")
    assert document.title == "겉봉 제목"
    assert texts(document) == ["검사 결과"]
    (child,) = document.children
    assert child.name == "도면 12.txt"
    assert (spool / child.sha256).read_bytes() == b"drawing text"
    cut = parse_as(data[:-60], "tnef")
    assert cut.title == "겉봉 제목"
    assert any("cut off" in warning for warning in cut.warnings)


@pytest.mark.parametrize("coded", ["6rCA6rCA=6rCA", "6rCA=A", "6", "%%%", "6rCA6"])
def test_damaged_base64_in_a_header_gives_what_is_there(parse_as, coded):
    document = parse_as(f"Subject: =?utf-8?B?{coded}?=\r\n\r\nbody\r\n".encode(), "eml")
    assert texts(document) == ["body"]
    if coded.startswith("6rCA"):
        assert document.title.startswith("가")
