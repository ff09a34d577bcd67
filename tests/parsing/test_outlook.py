"""Outlook messages: what lies in them, and what a signature covers."""

from __future__ import annotations

import io
import struct
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import extract_msg
import olefile
import pytest

from contracts.documents import ChildRelation, ParsedDocument
from contracts.errors import ParseFailure
from contracts.failures import FailureClass
from contracts.settings import OcrSettings, ParseSettings
from parsers.common.compound import CompoundFile
from parsers.common.compound_writer import compound_bytes
from parsers.pool import ParsePool

Parse = Callable[..., ParsedDocument]
ATTACHED = "__attach_version1.0_#00000000/"
OBJECT = ATTACHED + "__substg1.0_3701000D/"


def texts(document: ParsedDocument) -> list[str]:
    return [block.text for block in document.body()]


def wide(text: str) -> bytes:
    return text.encode("utf-16-le")


def fixed(header: int, *properties: tuple[int, bytes]) -> bytes:
    """A property stream (MS-OXMSG 2.4): its header, then id and type, flags and value of each."""
    return bytes(header) + b"".join(
        struct.pack("<II", tag, 6) + value.ljust(8, b"\0") for tag, value in properties
    )


def outlook(streams: dict[str, bytes]) -> bytes:
    """A message of the streams, long ones by property (``0037001F``), beside what every message has."""
    given = {
        path if "_" in path or "/" in path else f"__substg1.0_{path}": data
        for path, data in streams.items()
    }
    empty = {f"__nameid_version1.0/__substg1.0_{tag}": b"" for tag in ("00020102", "00030102")}
    return compound_bytes({"__properties_version1.0": fixed(32), **empty, **given})


def filetime(moment: datetime) -> bytes:
    since = moment - datetime(1601, 1, 1, tzinfo=UTC)
    return int(since.total_seconds() * 10_000_000).to_bytes(8, "little")


def test_an_attached_message_becomes_a_message_that_others_open_too(
    parse_as: Parse, spool: Path
) -> None:
    inner = OBJECT + "__substg1.0_"
    data = outlook(
        {
            "0037001F": wide("겉 메일"),
            "1000001F": wide("첨부를 보세요."),
            ATTACHED + "__properties_version1.0": fixed(8, (0x37050003, b"\5")),
            ATTACHED + "__substg1.0_3001001F": wide("속 메일"),
            OBJECT + "__properties_version1.0": fixed(24, (0x00390040, filetime(datetime(2024, 5, 3, 1, 2, 3, tzinfo=UTC)))),
            inner + "0037001F": wide("8D 보고/3차"),
            inner + "1000001F": wide("원인은 금형 마모입니다.\n" * 400),
            inner + "001A001F": wide("IPM.Note"),
            OBJECT + "__recip_version1.0_#00000000/__properties_version1.0": fixed(8, (0x0C150003, b"\2")),
            OBJECT + "__recip_version1.0_#00000000/__substg1.0_3001001F": wide("이영희"),
        }
    )  # fmt: skip
    (child,) = parse_as(data, "msg").children
    assert (child.name, child.relation) == ("8D 보고_3차.msg", ChildRelation.MESSAGE)
    alone = (spool / child.sha256).read_bytes()
    with olefile.OleFileIO(io.BytesIO(alone), raise_defects=olefile.DEFECT_INCORRECT) as ole:
        assert ole.exists("__nameid_version1.0/__substg1.0_00020102")
    with extract_msg.openMsg(alone) as other:
        assert other.subject == "8D 보고/3차"
        assert other.body.count("금형 마모") == 400
        assert [recipient.name for recipient in other.recipients] == ["이영희"]
    document = parse_as(alone, "msg")
    assert document.title == "8D 보고/3차"
    assert document.properties["cc"] == "이영희"
    assert document.properties["date"] == "2024-05-03T01:02:03+00:00"


def test_extract_msg_reads_the_same_of_a_message(tmp_path: Path, parse_as: Parse) -> None:
    data = outlook(
        {
            "0037001F": wide("금형 수리"),
            "1000001F": wide("수리 일정입니다."),
            "__recip_version1.0_#00000000/__properties_version1.0": fixed(8, (0x0C150003, b"\1")),
            "__recip_version1.0_#00000000/__substg1.0_3001001F": wide("김철수"),
            "__recip_version1.0_#00000000/__substg1.0_3003001F": wide("kim@plant.example"),
            ATTACHED + "__properties_version1.0": fixed(8, (0x37050003, b"\1")),
            ATTACHED + "__substg1.0_3707001F": wide("일정.txt"),
            ATTACHED + "__substg1.0_37010102": b"A-2",
        }
    )
    ours = parse_as(data, "msg")
    path = tmp_path / "a.msg"
    path.write_bytes(data)
    settings = ParseSettings(alternatives=("msg:extract-msg",), workers=1)
    with ParsePool(settings, OcrSettings(enabled=False)) as pool:
        theirs = pool.parse(path, "a.msg", tmp_path / "other").document
    assert theirs is not None
    assert ours.properties["to"] == "김철수 <kim@plant.example>"
    assert (theirs.blocks, theirs.children) == (ours.blocks, ours.children)
    assert theirs.properties == ours.properties


def test_an_object_in_a_mail_becomes_a_file(parse_as: Parse, spool: Path) -> None:
    sheet = b"\x09\x08\x10\0\0\6\5\0" + bytes(5000)
    data = outlook(
        {
            "0037001F": wide("표"),
            ATTACHED + "__properties_version1.0": fixed(8, (0x37050003, b"\6")),
            ATTACHED + "__substg1.0_3001001F": wide("Microsoft Excel 워크시트"),
            OBJECT + "Workbook": sheet,
            OBJECT + "\1CompObj": b"x",
        }
    )
    (child,) = parse_as(data, "msg").children
    assert (child.name, child.relation) == ("Microsoft Excel 워크시트", ChildRelation.EMBEDDED)
    assert CompoundFile(spool / child.sha256).read("Workbook") == sheet


def test_a_packed_file_in_a_mail_is_taken_out(parse_as: Parse, spool: Path) -> None:
    body = "검사 성적서".encode()
    native = b"\2\0report.txt\0C:\\report.txt\0" + bytes(4)
    native += struct.pack("<I", 4) + b"tmp\0" + struct.pack("<I", len(body)) + body
    packed = struct.pack("<I", len(native)) + native
    data = outlook(
        {
            "0037001F": wide("포장"),
            ATTACHED + "__properties_version1.0": fixed(8, (0x37050003, b"\6")),
            OBJECT + "\1Ole10Native": packed,
        }
    )
    (child,) = parse_as(data, "msg").children
    assert child.name == "report.txt"
    assert (spool / child.sha256).read_bytes() == body


def test_a_link_is_an_attachment_without_bytes(parse_as: Parse) -> None:
    data = outlook(
        {
            "1000001F": wide("링크를 보세요."),
            ATTACHED + "__properties_version1.0": fixed(8, (0x37050003, b"\7")),
            ATTACHED + "__substg1.0_3707001F": wide("도면.dwg"),
        }
    )
    (child,) = parse_as(data, "msg").children
    assert (child.name, child.failure) == ("도면.dwg", "empty")


SIGNED = (
    b'Content-Type: multipart/signed; protocol="application/pkcs7-signature"; boundary=b\r\n\r\n'
    b"--b\r\nContent-Type: multipart/mixed; boundary=c\r\n\r\n"
    b"--c\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n"
    + "서명한 본문입니다.".encode()
    + b"\r\n--c\r\nContent-Type: text/plain; name=spec.txt\r\n"
    b"Content-Disposition: attachment; filename=spec.txt\r\n\r\n60 +- 3\r\n--c--\r\n"
    b"--b\r\nContent-Type: application/pkcs7-signature; name=smime.p7s\r\n\r\nx\r\n--b--\r\n"
)


def secured(kind: str, data: bytes) -> bytes:
    return outlook(
        {
            "001A001F": wide(kind),
            "0037001F": wide("서명한 메일"),
            ATTACHED + "__properties_version1.0": fixed(8, (0x37050003, b"\1")),
            ATTACHED + "__substg1.0_3707001F": wide("smime.p7m"),
            ATTACHED + "__substg1.0_37010102": data,
        }
    )


def item(tag: int, content: bytes) -> bytes:
    return bytes([tag]) + b"\x82" + len(content).to_bytes(2, "big") + content


def cms(kind: str, content: bytes) -> bytes:
    """RFC 5652, 3 and 5.1: ContentInfo { kind, SignedData { 1, {}, { data, content }, {} } }."""
    data = bytes.fromhex("06092a864886f70d010701")
    inside = item(0x30, data + item(0xA0, item(0x04, content)))
    signed = item(0x30, item(0x02, b"\1") + item(0x31, b"") + inside + item(0x31, b""))
    return item(0x30, bytes.fromhex(kind) + item(0xA0, signed))


SIGNED_DATA, ENVELOPED_DATA = "06092a864886f70d010702", "06092a864886f70d010703"


@pytest.mark.parametrize(
    ("kind", "data"),
    [
        ("IPM.Note.SMIME.MultipartSigned", SIGNED),
        ("IPM.Note.SMIME", cms(SIGNED_DATA, SIGNED)),
    ],
)
def test_what_a_signature_covers_is_read(
    parse_as: Parse, spool: Path, kind: str, data: bytes
) -> None:
    document = parse_as(secured(kind, data), "msg")
    assert document.title == "서명한 메일"
    assert texts(document) == ["서명한 본문입니다."]
    (child,) = document.children
    assert child.name == "spec.txt"
    assert (spool / child.sha256).read_bytes().strip() == b"60 +- 3"


def test_an_encrypted_message_is_said_to_be_one(parse_as: Parse) -> None:
    with pytest.raises(ParseFailure) as caught:
        parse_as(secured("IPM.Note.SMIME", cms(ENVELOPED_DATA, b"...")), "msg")
    assert caught.value.failure is FailureClass.ENCRYPTED


def test_a_time_that_stands_for_none_gives_way_to_the_next(parse_as: Parse) -> None:
    never = (915_151_392_000_000_000).to_bytes(8, "little")  # the last day of 4500
    delivered = filetime(datetime(2023, 11, 2, 8, 30, tzinfo=UTC))
    times = fixed(32, (0x00390040, never), (0x0E060040, delivered), (0x30070040, bytes(8)))
    data = outlook({"__properties_version1.0": times, "1000001F": wide("본문")})
    assert parse_as(data, "msg").properties["date"] == "2023-11-02T08:30:00+00:00"
