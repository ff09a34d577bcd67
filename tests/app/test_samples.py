"""Pages drawn for people to compare, what they see, and what their verdicts amount to."""

from __future__ import annotations

import subprocess
import sys

import pymupdf
import pytest
from click.testing import CliRunner

from app.commands.review import command
from app.sample_page import page_html, page_picture
from app.samples import agreements, right_pages
from catalog.records import PageVerdict
from contracts.documents import Block, BlockKind, Cell, ParsedDocument, Position, Table


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


@pytest.mark.slow
def test_from_a_sample_to_the_share_of_right_pages(tmp_path, monkeypatch):
    folder = tmp_path / "drive"
    folder.mkdir()
    (folder / "acl.yaml").write_text('realm: p\nfolders: {"": [{allow: user:kim}]}\n')
    (folder / "directory.yaml").write_text("realm: p\nusers: {kim: {}}\ngroups: {}\n")
    pdf = pymupdf.open()
    for number in (1, 2):
        pdf.new_page().insert_text((60, 60), f"page {number} of the manual", fontsize=12)
    pdf.save(folder / "manual.pdf")
    (folder / "note.md").write_text("# 메모\n\n본문\n", encoding="utf-8")
    monkeypatch.setenv("SEOGA_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("SEOGA_EMBEDDER__ENGINE", "hash")
    ingest = [sys.executable, "-c", "from app.cli import main; main()", "ingest", str(folder)]
    subprocess.run(ingest, check=True, capture_output=True, timeout=100)

    def review(*words: str, status: int = 0) -> str:
        done = CliRunner().invoke(command, words)
        assert done.exit_code == status, done.output
        return done.output

    listed = review("list", "--samples").splitlines()
    assert review("list", "--samples").splitlines() == listed
    assert {line.split()[-1] for line in listed} == {"manual.pdf", "note.md"}
    (key,) = [line.split()[0] for line in listed if line.endswith("manual.pdf")]
    out = tmp_path / "page.html"
    review("show", key, "--out", str(out))
    page = key.rpartition(":")[2]
    assert f"page {page} of the manual" in out.read_text(encoding="utf-8")
    assert "data:image/png" in out.read_text(encoding="utf-8")
    review("mark", key, "page", "good", "--by", "kim")
    review("mark", key, "page", "fine", "--by", "kim", status=2)
    assert "1/1 = 1.000" in review("report")
    assert "  good  " in review("list", "--samples")
