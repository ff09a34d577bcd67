"""Formats are recognised by content, whatever the name says."""

from __future__ import annotations

import io
import zipfile

import pytest

from contracts.failures import FailureClass
from parsers.sniff import sniff


def zip_of(members: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return out.getvalue()


def content_types(part: str, main: str) -> bytes:
    return (
        '<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/'
        f'content-types"><Override PartName="{part}" ContentType="application/{main}"/></Types>'
    ).encode()


WORD = "vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"
SHEET = "vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"
SHOW = "vnd.openxmlformats-officedocument.presentationml.slideshow.main+xml"
MACRO = "vnd.ms-excel.sheet.macroEnabled.main+xml"
PARAGRAPH = "품질 점검표는 매주 월요일에 생산1팀이 작성하여 보관한다.\n작업 표준을 개정하면 이전 판은 폐기한다.\n"
MAIL = "From: kim@plant.example\nTo: lee@plant.example\nSubject: 시험\nDate: Mon, 1 Jan 2024 12:00:00 +0900\n\n본문\n"

CASES = {
    "pdf": (b"%PDF-1.7\n1 0 obj", "pdf"),
    "pdf after junk": (b"\xff" * 900 + b"%PDF-1.4\n", "pdf"),
    "docx": (zip_of({"[Content_Types].xml": content_types("/word/document.xml", WORD)}), "docx"),
    "docx without types": (zip_of({"word/document.xml": b"<w/>"}), "docx"),
    "xlsx": (zip_of({"[Content_Types].xml": content_types("/xl/workbook.xml", SHEET)}), "xlsx"),
    "xlsm": (zip_of({"[Content_Types].xml": content_types("/xl/workbook.xml", MACRO)}), "xlsx"),
    "ppsx": (zip_of({"[Content_Types].xml": content_types("/ppt/p.xml", SHOW)}), "pptx"),
    "hwpx": (zip_of({"mimetype": b"application/hwp+zip"}), "hwpx"),
    "hwpx by part": (zip_of({"Contents/content.hpf": b"<opf/>", "Contents/section0.xml": b"<s/>"}), "hwpx"),
    "hwpx backslash": (zip_of({"Contents\\content.hpf": b"<opf/>"}), "hwpx"),
    "odt": (zip_of({"mimetype": b"application/vnd.oasis.opendocument.text"}), "odt"),
    "zip": (zip_of({"a.txt": b"x"}), "zip"),
    "7z": (b"7z\xbc\xaf\x27\x1c\0\4", "7z"),
    "rar": (b"Rar!\x1a\x07\x01\0", "rar"),
    "gz": (b"\x1f\x8b\x08\0", "gz"),
    "tar": (b"a.txt".ljust(257, b"\0") + b"ustar\x0000" + b"\0" * 248, "tar"),
    "png": (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "png"),
    "jpeg": (b"\xff\xd8\xff\xe0\0\x10JFIF", "jpeg"),
    "tiff": (b"II*\0\x08\0\0\0", "tiff"),
    "bmp": (b"BM\x36\0\x10\0\0\0\0\0\x36\0\0\0\x28\0\0\0", "bmp"),
    "webp": (b"RIFF\x24\0\0\0WEBPVP8 ", "webp"),
    "hwp3": (b"HWP Document File V3.00 \x1a\1\2\3\4\5", "hwp3"),
    "rtf": (b"{\\rtf1\\ansi hello}", "rtf"),
    "mail": (MAIL.encode(), "eml"),
    "mail cp949": (MAIL.encode("cp949"), "eml"),
    "mail utf-16": (MAIL.encode("utf-16"), "eml"),
    "mail quoting a pdf": ((MAIL + "%PDF-1.4\n").encode(), "eml"),
    "mailbox": (b"From kim@plant.example Mon Jan  1 12:00:00 2024\n" + MAIL.encode(), "mbox"),
    "html": (b"\n<!-- c --><!DOCTYPE html><html><body>x</body></html>", "html"),
    "html utf-16": ("<html><body>문서</body></html>".encode("utf-16"), "html"),
    "html table": ("<table><tr><td>품번</td></tr></table>".encode("cp949"), "html"),
    "hwpml": (b'<?xml version="1.0"?><HWPML Version="2.8"></HWPML>', "hwpml"),
    "xml": (b'<?xml version="1.0"?><a><b/></a>', "xml"),
    "text cp949": (PARAGRAPH.encode("cp949"), "txt"),
    "text utf-8": (PARAGRAPH.encode(), "txt"),
    "text utf-16 without mark": (PARAGRAPH.encode("utf-16-le"), "txt"),
    "csv cp949": ("품번,품명,수량\nA-1,볼트,3\nA-2,너트,5\nA-3,와셔,7\n".encode("cp949"), "csv"),
    "markdown": ("# 제목\n\n본문\n\n## 절\n\n- 하나\n- 둘\n".encode(), "md"),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("name", ["x", "x.bin", "x.xlsm"])
def test_content_decides(tmp_path, case, name):
    data, expected = CASES[case]
    path = tmp_path / "file"
    path.write_bytes(data)
    found = sniff(path, name)
    assert (found.format, found.failure) == (expected, None)


@pytest.mark.parametrize(("name", "expected"), [("a.md", "md"), ("a.CSV", "csv"), ("a.txt", "txt")])
def test_the_name_decides_between_kinds_of_text(tmp_path, name, expected):
    path = tmp_path / "file"
    path.write_text(PARAGRAPH, encoding="utf-8")
    assert sniff(path, name).format == expected


FAILURES = {
    "nothing": (b"", FailureClass.EMPTY),
    "white space": (b" \r\n\t" * 10, FailureClass.EMPTY),
    "zeros": (b"\0" * 200_000, FailureClass.EMPTY),
    "comment only": ("\n\n<!-- 2013 김 -->\n".encode(), FailureClass.EMPTY),
    "fasoo": (b"\x9b DRMONE  This Document is encrypted and protected by Fasoo" + b"\1" * 50, FailureClass.DRM_FASOO),
    "softcamp": (b"SCDSA004\0\0\xf0\x06" + bytes(range(256)), FailureClass.DRM_SOFTCAMP),
    "markany": (b"<MARKANY_DOCUMENTSAFER>\4\xbf\xcf", FailureClass.DRM_MARKANY),
    "document safer": (b"<DOCUMENTSAFER_0>\0\xbf\xcf", FailureClass.DRM_MARKANY),
    "rpmsg": (b"\x76\xe8\x04\x60\xc4\x11\xe3\x86\1\2", FailureClass.DRM_MIP),
    "purview pdf": (b"%PDF-1.7\n<</Encrypt 5 0 R>>\n5 0 obj <</Filter /MicrosoftIRMServices>>", FailureClass.DRM_MIP),
    "hwpx with password": (
        zip_of({"mimetype": b"application/hwp+zip", "META-INF/manifest.xml": b"<odf:encryption-data/>"}),
        FailureClass.ENCRYPTED,
    ),
    "cut zip": (zip_of({"word/document.xml": b"x" * 500})[:300], FailureClass.TRUNCATED),
    "empty zip": (zip_of({}), FailureClass.EMPTY),
    "converted as text": ("\ufffd\ufffd\x11\u0871".encode() + b"\0" * 30 + "\ufffd".encode() * 20, FailureClass.CORRUPT),
    "cut compound file": (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 100, FailureClass.TRUNCATED),
}  # fmt: skip


@pytest.mark.parametrize("case", FAILURES)
def test_containers_that_say_themselves_why_they_cannot_be_opened(tmp_path, case):
    data, expected = FAILURES[case]
    path = tmp_path / "file"
    path.write_bytes(data)
    assert sniff(path, "업무.hwp").failure is expected


def test_noise_is_damaged_where_the_name_promises_a_format_and_unsupported_elsewhere(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(bytes((n * 193 + n * n * 7 + 11) % 256 for n in range(5000)))
    assert sniff(path, "a.pdf").failure is FailureClass.CORRUPT
    assert sniff(path, "a.dat").failure is FailureClass.UNSUPPORTED
