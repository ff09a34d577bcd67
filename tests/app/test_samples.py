"""Pages drawn for people to compare, what they see, and what their verdicts amount to."""

from __future__ import annotations

import base64
import io
import re
import struct
import subprocess
import sys
import zipfile
from typing import TYPE_CHECKING

import pymupdf
import pytest
from click.testing import CliRunner
from PIL import Image

from app.commands.review import command
from app.sample_page import page_html, page_picture, rendered_picture
from app.sample_preview import Preview, missing_words, own_preview
from catalog.records import PageVerdict
from contracts.documents import Block, BlockKind, Cell, ParsedDocument, Position, Table
from contracts.settings import ParseSettings
from dashboard.samples import agreements, right_pages

if TYPE_CHECKING:
    from pathlib import Path

HWPML = "http://www.hancom.co.kr/hwpml/2011"


def verdicts(by: str, *words: str) -> list[PageVerdict]:
    return [
        PageVerdict(version_id="v", page=page, by=by, verdict=word)
        for page, word in enumerate(words, 1)
    ]


def test_the_share_of_right_pages_has_wilsons_interval():
    # 8 of 10: Wilson 95 % is 0.490 to 0.943 (Newcombe 1998, table I).
    share = right_pages(verdicts("kim", *["good"] * 6, "minor", "minor", "bad", "bad"))
    assert (share.right, share.pages) == (8, 10)
    assert (share.low, share.high) == pytest.approx((0.490, 0.943), abs=0.001)
    assert right_pages([]).pages == 0


def test_a_page_that_two_people_saw_counts_once_and_a_tie_is_not_right():
    both = [*verdicts("kim", "good", "bad"), *verdicts("lee", "good", "good")]
    assert (right_pages(both).right, right_pages(both).pages) == (1, 2)


def test_agreement_beyond_chance_is_cohens_kappa():
    # Cohen's kappa of the 2 x 2 table 20, 5, 10, 15 is 0.4.
    kim = ["good"] * 25 + ["bad"] * 25
    lee = ["good"] * 20 + ["bad"] * 5 + ["good"] * 10 + ["bad"] * 15
    (one,) = agreements([*verdicts("kim", *kim), *verdicts("lee", *lee), *verdicts("park")])
    assert (one.first, one.second, one.pages) == ("kim", "lee", 50)
    assert one.agreed == pytest.approx(0.7)
    assert one.kappa == pytest.approx(0.4)
    (same,) = agreements([*verdicts("a", "good"), *verdicts("b", "good")])
    assert same.kappa is None


def test_a_page_stands_beside_its_blocks(tmp_path):
    pdf = pymupdf.open()
    pdf.new_page(width=200, height=100)
    path = tmp_path / "a.pdf"
    pdf.save(path)
    table = Table(cells=(Cell(0, 0, "<합계>"), Cell(0, 1, "3", column_span=2)), rows=1, columns=3)
    blocks = (
        Block(kind=BlockKind.TABLE, table=table, position=Position(page=1, box=(20, 10, 120, 60))),
        Block(kind=BlockKind.PARAGRAPH, text="둘째 쪽", position=Position(page=2)),
    )
    picture = page_picture(path, "pdf", 1)
    assert picture is not None
    assert picture[0].startswith(b"\x89PNG")
    shown = page_html(ParsedDocument(format="pdf", blocks=blocks), 1, "a <b>.pdf", picture)
    assert "&lt;합계&gt;" in shown
    assert "둘째 쪽" not in shown
    assert "left:10.00%;top:10.00%;width:50.00%;height:50.00%" in shown
    assert page_picture(path, "pdf", 2) is None
    assert page_picture(path, "hwp", 1) is None


def picture(kind: str, size: tuple[int, int] = (40, 60)) -> bytes:
    out = io.BytesIO()
    Image.new("RGB", size, "#336699").save(out, kind)
    return out.getvalue()


def hwp(path: Path, streams: dict[str, bytes]) -> None:
    """An HWP 5 file without text, with the streams of a preview."""
    from extract_msg import OleWriter

    header = b"HWP Document File".ljust(32, b"\0") + struct.pack("<II", 0x05010001, 0)
    writer = OleWriter()
    for name, data in {"FileHeader": header.ljust(256, b"\0"), **streams}.items():
        writer.addEntry([name], data)
    out = io.BytesIO()
    writer.write(out)
    path.write_bytes(out.getvalue())


def hwpx(path: Path, text: str, parts: dict[str, bytes]) -> None:
    """An HWPX package with one paragraph and the given parts."""
    section = (
        f'<hs:sec xmlns:hs="{HWPML}/section" xmlns:hp="{HWPML}/paragraph"><hp:p id="0">'
        f'<hp:run charPrIDRef="0"><hp:t>{text}</hp:t></hp:run></hp:p></hs:sec>'
    )
    with zipfile.ZipFile(path, "w") as package:
        package.writestr("mimetype", "application/hwp+zip")
        package.writestr("Contents/section0.xml", section)
        for name, data in parts.items():
            package.writestr(name, data)


@pytest.mark.parametrize("kind", ["PNG", "GIF", "BMP"])
def test_hwp_and_hwpx_bring_their_own_preview(tmp_path, kind):
    text = "작업 표준\r\n<온도><60도>\r\n"
    hwp(tmp_path / "a.hwp", {"PrvImage": picture(kind), "PrvText": text.encode("utf-16-le")})
    parts = {"Preview/PrvText.txt": text.encode(), f"Preview/PrvImage.{kind}": picture(kind)}
    hwpx(tmp_path / "a.hwpx", "본문", parts)
    for name in ("hwp", "hwpx"):
        preview = own_preview(tmp_path / f"a.{name}", name, ParseSettings())
        assert preview is not None
        assert preview.text == "작업 표준\n<온도><60도>"
        with Image.open(io.BytesIO(preview.picture)) as shown:
            assert (shown.format, shown.size) == ("PNG", (40, 60))
            assert shown.getpixel((5, 5)) == (0x33, 0x66, 0x99)


def test_a_preview_that_cannot_be_read_is_none(tmp_path):
    limits = ParseSettings()
    hwp(tmp_path / "none.hwp", {})
    hwp(tmp_path / "bad.hwp", {"PrvImage": b"\x89PNG\r\n\x1a\nno picture", "PrvText": b""})
    (tmp_path / "cut.hwp").write_bytes((tmp_path / "none.hwp").read_bytes()[:700])
    hwpx(tmp_path / "a.hwpx", "본문", {"Preview/PrvImage.png": picture("PNG")[:60]})
    for name in ("none.hwp", "bad.hwp", "cut.hwp", "a.hwpx"):
        assert own_preview(tmp_path / name, name.rpartition(".")[2], limits) is None
    assert own_preview(tmp_path / "a.hwpx", "docx", limits) is None


def test_slides_are_drawn_by_libreoffice_and_hwp_is_not_tried(tmp_path):
    from pptx import Presentation

    show = Presentation()
    for title in ("첫째", "둘째"):
        show.slides.add_slide(show.slide_layouts[5]).shapes.title.text = title
    show.save(tmp_path / "a.pptx")
    drawn = rendered_picture(tmp_path / "a.pptx", "pptx", 2, "auto")
    assert drawn is not None
    assert drawn[0].startswith(b"\x89PNG")
    assert drawn[1] == pytest.approx((720, 540), abs=1)
    assert rendered_picture(tmp_path / "a.pptx", "pptx", 3, "auto") is None
    assert rendered_picture(tmp_path / "a.pptx", "pptx", 1, "off") is None
    assert rendered_picture(tmp_path / "a.pptx", "hwp", 1, "auto") is None


def test_words_of_the_preview_that_were_not_read_stand_out():
    table = Table(cells=(Cell(0, 0, "온도"), Cell(0, 1, "60 ± 3 도")), rows=1, columns=2)
    blocks = (
        Block(kind=BlockKind.LIST_ITEM, label="1.", text="목적"),
        Block(kind=BlockKind.TABLE, table=table),
    )
    text = "1. 목적\n<온도><60±3도>\n<압력> 목"
    assert missing_words(text, blocks) == ["압력"]
    document = ParsedDocument(format="hwp", blocks=blocks)
    shown = page_html(document, 1, "a.hwp", None, Preview(picture("PNG"), text))
    assert "<mark>압력</mark>" in shown
    assert shown.count("<mark>") == 1
    assert "낱말 1개" in shown
    assert base64.b64encode(picture("PNG")).decode() in shown
    # the blocks of a document without pages stand beside it, whatever page the sample names
    assert "목적" in shown.partition("<main>")[2]
    assert "60 ± 3 도" in shown.partition("<main>")[2]
    assert "원본을 여세요" in page_html(document, 1, "a.hwp", None)


@pytest.fixture
def review(tmp_path, monkeypatch):
    """``seoga review`` over a small ingested drive."""
    folder = tmp_path / "drive"
    folder.mkdir()
    (folder / "acl.yaml").write_text('realm: p\nfolders: {"": [{allow: user:kim}]}\n')
    (folder / "directory.yaml").write_text("realm: p\nusers: {kim: {}}\ngroups: {}\n")
    pdf = pymupdf.open()
    for number in (1, 2):
        pdf.new_page().insert_text((60, 60), f"page {number} of the manual", fontsize=12)
    pdf.save(folder / "manual.pdf")
    (folder / "note.md").write_text("# 메모\n\n본문\n", encoding="utf-8")
    parts = {"Preview/PrvText.txt": "작업 표준 빠진말".encode()}
    hwpx(folder / "work.hwpx", "작업 표준 본문", parts | {"Preview/PrvImage.png": picture("PNG")})
    hwpx(tmp_path / "in.hwpx", "안쪽 문서", {"Preview/PrvText.txt": "안쪽 예고".encode()})
    with zipfile.ZipFile(tmp_path / "inner.zip", "w") as archive:
        archive.write(tmp_path / "in.hwpx", "폴더/in.hwpx")
    with zipfile.ZipFile(folder / "outer.zip", "w") as archive:
        archive.write(tmp_path / "inner.zip", "inner.zip")
    monkeypatch.setenv("SEOGA_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("SEOGA_EMBEDDER__ENGINE", "hash")
    ingest = [sys.executable, "-c", "from app.cli import main; main()", "ingest", str(folder)]
    subprocess.run(ingest, check=True, capture_output=True, timeout=100)

    def run(*words: str, status: int = 0) -> str:
        done = CliRunner().invoke(command, words)
        assert done.exit_code == status, done.output
        return done.output

    return run


def key_of(review, name: str) -> str:
    lines = review("list", "--samples").splitlines()
    (key,) = [line.split()[0] for line in lines if line.endswith(name)]
    return key


@pytest.mark.slow
def test_from_a_sample_to_the_share_of_right_pages(tmp_path, review):
    listed = review("list", "--samples").splitlines()
    assert review("list", "--samples").splitlines() == listed
    names = {line.split()[-1].rpartition("/")[2] for line in listed}
    assert {"manual.pdf", "note.md", "work.hwpx", "in.hwpx"} <= names
    key = key_of(review, "manual.pdf")
    out = tmp_path / "page.html"
    review("show", key, "--out", str(out))
    page = key.rpartition(":")[2]
    assert f"page {page} of the manual" in out.read_text(encoding="utf-8")
    assert "data:image/png" in out.read_text(encoding="utf-8")
    review("mark", key, "page", "good", "--by", "kim")
    review("mark", key, "page", "fine", "--by", "kim", status=2)
    assert "1/1 = 1.000" in review("report")
    assert "  good  " in review("list", "--samples")


@pytest.mark.slow
def test_a_sample_of_hwpx_stands_beside_its_preview_wherever_it_lies(tmp_path, review):
    out = tmp_path / "page.html"
    review("show", key_of(review, "work.hwpx"), "--out", str(out))
    left, _, right = out.read_text(encoding="utf-8").partition("<main>")
    assert re.findall(r"<mark>(.*?)</mark>", left) == ["빠진말"]
    assert "data:image/png" in left
    assert "작업 표준 본문" in right
    review("show", key_of(review, "in.hwpx"), "--out", str(out))
    left, _, right = out.read_text(encoding="utf-8").partition("<main>")
    assert re.findall(r"<mark>(.*?)</mark>", left) == ["예고"]
    assert "안쪽 문서" in right
    hwpx(tmp_path / "drive" / "work.hwpx", "새 본문", {"Preview/PrvText.txt": "새 예고".encode()})
    review("show", key_of(review, "work.hwpx"), "--out", str(out))
    left, _, right = out.read_text(encoding="utf-8").partition("<main>")
    assert "새 예고" not in left  # it is no preview of what was read
    assert "작업 표준 본문" in right
    (tmp_path / "drive" / "work.hwpx").unlink()
    review("show", key_of(review, "work.hwpx"), "--out", str(out))
    assert "작업 표준 본문" in out.read_text(encoding="utf-8")
