"""A page read anew with other settings, beside what is indexed: what differs is told, and nothing that is stored changes."""

from __future__ import annotations

import re

import openpyxl
import pymupdf
import pytest

from app.rereading import BusyError, Rereader, choices_for
from app.wiring import open_kit, source_run
from contracts.documents import Block, BlockKind, Cell, Table
from dashboard.comparing import compared
from dashboard.desk import Wish


def paragraph(text, **more):
    return Block(kind=BlockKind.PARAGRAPH, text=text, **more)


def table(*texts, header_rows=0):
    cells = tuple(Cell(row, 0, text) for row, text in enumerate(texts))
    made = Table(cells=cells, rows=len(texts), columns=1, header_rows=header_rows)
    return Block(kind=BlockKind.TABLE, table=made)


def states(before, after):
    return [pair.state for pair in compared(before, after)]


def test_the_same_reading_twice_differs_in_nothing():
    blocks = [paragraph("세척액 온도"), table("기준", "60 도")]
    assert states(blocks, blocks) == ["same", "same"]
    assert states([paragraph("세척액  온도")], [paragraph("세척액\n온도")]) == ["same"]


def test_what_came_went_and_changed_is_told_in_reading_order():
    before = [paragraph("머리말"), paragraph("세척액 온도는 60 도이다"), paragraph("끝")]
    after = [paragraph("새로 읽은 글 줄"), paragraph("세척액 온도는 80 도이다"), paragraph("끝")]
    found = compared(before, after)
    assert [pair.state for pair in found] == ["removed", "added", "changed", "same"]
    changed = found[2]
    assert [piece.text for piece in changed.old if not piece.common] == ["60"]
    assert [piece.text for piece in changed.new if not piece.common] == ["80"]
    assert "".join(piece.text for piece in changed.new) == after[1].text


def test_the_same_words_as_another_kind_of_block_have_changed():
    heading = Block(kind=BlockKind.HEADING, text="세척 조건", level=1)
    assert states([paragraph("세척 조건")], [heading]) == ["changed"]
    assert states([table("기준", "60")], [table("기준", "60", header_rows=1)]) == ["changed"]


def test_one_reading_without_anything():
    assert states([], [paragraph("글")]) == ["added"]
    assert states([paragraph("글")], []) == ["removed"]


def scanned(path, shown, hidden):
    """A page whose picture says one thing, and whose text layer another."""
    drawn = pymupdf.open()
    page = drawn.new_page(width=400, height=160)
    page.insert_text((30, 80), shown, fontname="korea", fontsize=26)
    picture = page.get_pixmap(dpi=200).tobytes("png")
    made = pymupdf.open()
    sheet = made.new_page(width=400, height=160)
    sheet.insert_image(sheet.rect, stream=picture)
    sheet.insert_text((30, 80), hidden, fontname="korea", fontsize=12, render_mode=3)
    made.save(path)


@pytest.fixture(scope="module")
def own(make_plant):
    """A plant with a scan whose text layer is wrong, a long PDF, and a workbook."""
    made = make_plant()
    scanned(made.drive / "스캔.pdf", "세척액 온도 기준", "엉뚱한 글자만 들어 있는 글 층이다 " * 3)
    long = pymupdf.open()
    for number in range(1, 13):
        long.new_page().insert_text((60, 80), f"{number}쪽의 글", fontname="korea")
    long.save(made.drive / "긴문서.pdf")
    book = openpyxl.Workbook()
    book.active.append(["항목", "기준"])
    book.active.append(["온도", 60])
    book.save(made.drive / "대장.xlsx")
    with open_kit(made.settings) as kit:
        source_run(kit, made.source).content()
    return made


def version_at(plant, path):
    item = plant.catalog.items.by_path("drive", path)
    document = plant.catalog.documents.get(item.document_id)
    return plant.catalog.versions.get(document.version_id)


def stored(plant):
    """All that is kept of documents: rows of the catalog and files of the stores."""
    home = plant.settings.home
    files = {
        str(p.relative_to(home)): p.read_bytes()
        for folder in ("blobs", "index")
        for p in sorted((home / folder).rglob("*"))
        if p.is_file() and p.suffix != ".lock"
    }
    documents = list(plant.catalog.documents.stream())
    versions = [plant.catalog.versions.get(d.version_id) for d in documents if d.version_id]
    outcomes = [plant.catalog.outcomes.get(d.document_id) for d in documents]
    return documents, versions, outcomes, files


def test_forced_recognition_reads_what_the_page_shows_and_changes_nothing_stored(own):
    version = version_at(own, "스캔.pdf")
    rita = own.log_in("rita")
    before = stored(own)
    here = f"/review/pages/{version.version_id}/1/again"
    assert "엉뚱한" not in rita.get(here).text
    answer = rita.post(here, ocr="force", languages="kor")
    assert answer.status_code == 200
    left, right = re.findall(r'<div class="text">(.*?)</div>', answer.text, re.DOTALL)[:2]
    assert "엉뚱한" in left
    assert "엉뚱한" not in right
    assert "온도" in re.sub(r"<[^>]+>|\s", "", right)
    assert "OCR" in answer.text or "인식" in answer.text
    assert stored(own) == before


def test_what_was_read_anew_is_in_the_audit_log_with_its_settings(own):
    version = version_at(own, "스캔.pdf")
    olga = own.log_in("olga")
    olga.post(f"/review/pages/{version.version_id}/1/again", ocr="off", dpi="300")
    told = own.catalog.queries.tail(1)[0]
    assert (told.query, told.reader) == ("reread", "olga")
    assert told.document_ids == (version.document_id,)
    assert told.filters["ocr"] == "off"
    assert told.filters["dpi"] == 300
    assert "다시 읽어 비교" in own.log_in("sam").get("/permissions/actions").text


def test_another_reader_of_the_format_can_be_chosen(own):
    version = version_at(own, "대장.xlsx")
    rita = own.log_in("rita")
    here = f"/review/pages/{version.version_id}/0/again"
    assert 'value="openpyxl"' in rita.get(here).text
    answer = rita.post(here, reader="openpyxl")
    assert answer.status_code == 200
    assert "온도" in answer.text
    assert 'id="table-figures"' in answer.text


def test_what_cannot_be_chosen_is_not_done(own):
    version = version_at(own, "대장.xlsx")
    rita = own.log_in("rita")
    rita.post(f"/review/pages/{version.version_id}/0/again", reader="xlrd", ocr="force", dpi="9999")
    told = own.catalog.queries.tail(1)[0].filters
    assert set(told) == {"version", "page"}


def test_a_page_of_a_long_document_is_read_with_those_around_it(own):
    version = version_at(own, "긴문서.pdf")
    reader = Rereader(own.settings, own.catalog)
    found = reader.read(version, 9, Wish())
    pages = {block.position.page for block in found.document.blocks}
    assert pages == {6, 7, 8, 9, 10, 11, 12}
    assert {one.page for one in found.document.quality.pages} == pages
    assert not found.whole
    assert any("9쪽의" in b.text for b in found.document.blocks if b.position.page == 9)


def test_one_page_is_read_at_a_time(own):
    version = version_at(own, "긴문서.pdf")
    reader = Rereader(own.settings, own.catalog)
    reader._places.acquire()
    with pytest.raises(BusyError):
        reader.read(version, 1, Wish())
    reader._places.release()
    assert reader.read(version, 1, Wish()).document is not None


def test_an_original_that_has_changed_is_not_taken_for_the_one_that_was_read(make_plant):
    plant = make_plant()
    version = version_at(plant, "공개.txt")
    (plant.drive / "공개.txt").write_text("비밀로 바뀐 글", encoding="utf-8")
    rita = plant.log_in("rita")
    answer = rita.post(f"/review/pages/{version.version_id}/0/again")
    assert "원본이 없거나 그사이 바뀌었습니다" in answer.text
    assert "비밀로 바뀐 글" not in answer.text


def test_a_document_that_may_not_be_read_is_as_if_it_were_not_there(own):
    version = version_at(own, "비밀/인상안.txt")
    rita = own.log_in("rita")
    before = own.catalog.queries.tail(1)[0]
    for answer in (
        rita.get(f"/review/pages/{version.version_id}/0/again"),
        rita.post(f"/review/pages/{version.version_id}/0/again"),
    ):
        assert answer.status_code == 404
        assert "인상" not in answer.text
    told = own.catalog.queries.tail(1)[0]
    assert told == before


def test_engines_that_are_not_there_are_not_offered(own):
    found = choices_for("pdf", own.settings)
    assert found.ocr == ("set", "force", "off")
    assert found.engines[0] == own.settings.ocr.engine
    assert choices_for("txt", own.settings).engines == ()
    assert choices_for("hwp", own.settings).readers == ("pyhwp",)
