"""Pages that were recognised before: taken from where they lie, asked for where they are many, and nothing twice."""

from __future__ import annotations

import io
from array import array
from pathlib import Path

import pymupdf
import pytest
from PIL import Image

from contracts.documents import Word
from contracts.failures import FailureClass
from contracts.settings import OcrSettings, ParseSettings
from ingest.pages import ItemPages
from parsers.common.paged.ruling import Rule
from parsers.common.paged.textline import TextLine
from parsers.context import full_budget
from parsers.ocr.kept import decode_page, encode_page, problem_page
from parsers.ocr.prepare import Placement
from parsers.ocr.recognizer import RecognisedPage, RecognitionProblem
from parsers.pages import NotAssembled, PageFolder, PageWaits, pages_in
from parsers.pool import PageJob, ParsePool
from parsers.slices import LocalPages, SlicedParses

PAGES = 23


def page_with(text: str) -> RecognisedPage:
    words = tuple(
        Word(word, (10.0 + 40 * n, 10.1, 45.0 + 40 * n, 20.2), 0.93)
        for n, word in enumerate(text.split())
    )
    line = TextLine(
        text=text,
        box=(10.0, 10.1, 170.3, 20.2),
        size=11.3,
        edges=array("f", [10.0 + 4.1 * n for n in range(len(text) + 1)]),
        confidence=0.93,
        words=words,
    )
    rule = Rule(at=3.3, low=1.1, high=90.7)
    placement = Placement(200.4, 100.2, 90, 0.4, (100.2, 200.4))
    return RecognisedPage((line,), (rule,), (), placement, 0.93)


def pictures() -> list[Image.Image]:
    return [Image.new("L", (200, 100), 255 - number) for number in range(PAGES)]


def as_pdf() -> bytes:
    document = pymupdf.open()
    for picture in pictures():
        data = io.BytesIO()
        picture.save(data, "PNG")
        page = document.new_page(width=200, height=100)
        page.insert_image(page.rect, stream=data.getvalue())
    return document.tobytes()


def as_tiff() -> bytes:
    data = io.BytesIO()
    first, *others = pictures()
    first.save(data, "TIFF", save_all=True, append_images=others, dpi=(72, 72))
    return data.getvalue()


@pytest.fixture(scope="module")
def pool():
    """Recognition would fail: there is no such language."""
    with ParsePool(ParseSettings(workers=1), OcrSettings(languages="nolanguage")) as made:
        yield made


@pytest.fixture(params=["pdf", "tiff"])
def scan(request, tmp_path) -> Path:
    path = tmp_path / f"scan.{request.param}"
    path.write_bytes(as_pdf() if request.param == "pdf" else as_tiff())
    return path


def test_a_page_comes_back_as_it_was_recognised():
    page = page_with("조임 토크 45 Nm")
    assert decode_page(encode_page(page)) == page


def test_a_page_that_could_not_be_recognised_says_why_again():
    with pytest.raises(RecognitionProblem, match="time limit"):
        decode_page(problem_page("tesseract: time limit"))


def fill(folder: Path, numbers) -> None:
    for number in numbers:
        PageFolder(folder).put(number, encode_page(page_with(f"쪽 {number} 검사")))


def test_a_document_is_made_of_pages_that_lie_there(tmp_path, pool, scan):
    fill(tmp_path / "pages", range(1, PAGES + 1))
    result = pool.parse(
        scan, scan.name, tmp_path / "spool", pages=PageJob(folder=tmp_path / "pages", most=20)
    )
    assert result.document is not None
    text = " ".join(block.text for block in result.document.blocks)
    assert [n for n in range(1, PAGES + 1) if f"쪽 {n} 검사" not in text] == []


def test_many_pages_are_asked_for_and_few_are_not(tmp_path, pool, scan):
    job = PageJob(folder=tmp_path / "pages", most=20)
    fill(job.folder, [2])
    result = pool.parse(scan, scan.name, tmp_path / "spool", pages=job)
    assert (result.document, result.failure) == (None, None)
    assert result.waiting == (1, *range(3, PAGES + 1))
    fill(job.folder, range(5, PAGES + 1))
    few = pool.parse(scan, scan.name, tmp_path / "spool", pages=job)
    assert few.waiting == ()
    assert few.document is not None
    assert "not recognised" in " ".join(few.document.warnings)
    assert {number for number, _ in pages_in(job.folder)} == set(range(1, PAGES + 1))


def test_where_no_page_can_be_recognised_a_long_scan_says_so(tmp_path, pool, scan):
    sliced = SlicedParses(pool, LocalPages(tmp_path / "pages"))
    result = sliced.parse(scan, scan.name, tmp_path / "spool", full_budget(pool.limits), "sha")
    assert result.failure is FailureClass.UNSUPPORTED
    assert "nolanguage" in result.detail


def test_time_runs_out_between_two_pages_not_within_one(tmp_path):
    folder = PageFolder(tmp_path, seconds=1e-9)
    folder.begin(3)
    with pytest.raises(PageWaits):
        folder.get(1)
    with pytest.raises(NotAssembled) as ended:
        folder.settle([1, 2, 3])
    assert ended.value.waiting == (1, 2, 3)


def test_why_recognition_was_given_up_is_told_once(tmp_path, pool, scan):
    sliced = SlicedParses(pool, LocalPages(tmp_path / "pages"), ask=True)
    budget = full_budget(pool.limits)
    assert sliced.parse(scan, scan.name, tmp_path / "spool", budget, "sha").waiting
    sliced.give_up("sha", pool.parse(tmp_path / "none", "x", tmp_path / "spool"))
    assert (
        sliced.parse(scan, scan.name, tmp_path / "spool", budget, "sha").failure
        is FailureClass.UNREADABLE
    )
    assert sliced.parse(scan, scan.name, tmp_path / "spool", budget, "sha").waiting


def test_pages_and_file_travel_from_machine_to_machine(tmp_path, home_blobs):
    one = ItemPages(home_blobs, tmp_path / "one", "f" * 32, 7)
    two = ItemPages(home_blobs, tmp_path / "two", "f" * 32, 7)
    sha256 = "a" * 64
    content = tmp_path / "content"
    content.write_bytes(bytes(range(256)) * 70_000)  # more than one part
    fill(one.folder(sha256), [1, 3])
    one.lend(sha256, content)
    assert two.borrow(sha256, tmp_path / "borrowed")
    assert (tmp_path / "borrowed").read_bytes() == content.read_bytes()
    two.fetch(sha256, [3])
    assert [number for number, _ in pages_in(two.folder(sha256))] == [3]
    fill(two.folder(sha256), [4])
    two.keep(sha256)
    one.fetch(sha256)
    assert {number for number, _ in pages_in(one.folder(sha256))} == {1, 3, 4}
    one.drop(sha256)
    assert not list(home_blobs.keys())
    assert not one.folder(sha256).exists()


@pytest.fixture
def home_blobs(tmp_path):
    from contracts.settings import BlobSettings
    from ingest.blob_registry import make_blobs

    return make_blobs(BlobSettings(), tmp_path / "home")
