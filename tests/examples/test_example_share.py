"""The example drive that `make demo` ingests, and the questions about it."""

from __future__ import annotations

import importlib
import json
import subprocess
import sys
import zipfile
from pathlib import Path

import openpyxl
import pymupdf
import pytest
import yaml

EXAMPLES = Path(__file__).parents[2] / "examples"


def make(target: Path) -> Path:
    subprocess.run(
        [sys.executable, str(EXAMPLES / "make_share.py"), str(target)],
        check=True,
        capture_output=True,
    )
    return target


@pytest.fixture(scope="module")
def share(tmp_path_factory):
    """The drive, made within this process; the comparison makes it in another one."""
    target = tmp_path_factory.mktemp("example") / "share"
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(EXAMPLES))
        importlib.import_module("make_share").make_share(target)
    return target


@pytest.fixture(scope="module")
def golden():
    """The questions."""
    lines = (EXAMPLES / "golden.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def test_it_has_the_documents_of_a_small_company(share):
    documents = [
        p for p in share.rglob("*") if p.is_file() and p.suffix != ".yaml" and p.name[0] != "~"
    ]
    assert len(documents) >= 25
    formats = {path.suffix for path in documents}
    assert formats >= {
        ".docx", ".hwpx", ".pdf", ".xlsx", ".pptx", ".eml", ".csv", ".html", ".md", ".txt", ".zip", ".dwg",
    }  # fmt: skip


def test_it_is_the_same_drive_every_time(share, tmp_path):
    again = make(tmp_path / "again")
    files = sorted(path.relative_to(share) for path in share.rglob("*") if path.is_file())
    assert files == sorted(path.relative_to(again) for path in again.rglob("*") if path.is_file())
    assert all((share / path).read_bytes() == (again / path).read_bytes() for path in files)


def test_five_people_and_four_groups_of_which_one_is_nested_and_one_person_is_denied(share):
    directory = yaml.safe_load((share / "directory.yaml").read_text(encoding="utf-8"))
    access = yaml.safe_load((share / "acl.yaml").read_text(encoding="utf-8"))
    assert directory["realm"] == access["realm"] == "hanbit"
    assert (len(directory["users"]), len(directory["groups"])) == (5, 4)
    assert [name for name, group in directory["groups"].items() if group.get("groups")] == [
        "quality"
    ]
    assert access["folders"]["품질/8D"][0] == {"deny": "user:choi"}
    known = {f"user:{name}" for name in directory["users"]}
    known |= {f"group:{name}" for name in directory["groups"]} | {"everyone"}
    lists = [*access["folders"].values(), *access["files"].values(), access["share"]]
    for entries in lists:
        for entry in entries["entries"] if isinstance(entries, dict) else entries:
            assert set(entry.values()) <= known
    for path in [*access["folders"], *access["files"]]:
        assert (share / path).exists()


def test_the_ledger_has_a_merged_header_of_two_lines_and_a_hidden_sheet(share):
    book = openpyxl.load_workbook(share / "생산/토크관리대장_202403.xlsx")
    merged = {str(area) for area in book["체결토크"].merged_cells.ranges}
    assert {"D3:F3", "A3:A4"} <= merged
    assert book["단가"].sheet_state == "hidden"


def test_the_scan_has_no_text_layer_and_the_payroll_needs_a_password(share):
    scan = pymupdf.open(share / "품질/검사성적서/수입검사성적서_20240312_스캔.pdf")
    assert scan[0].get_text() == ""
    assert len(scan[0].get_images()) == 1
    payroll = pymupdf.open(share / "경영/급여대장_202403.pdf")
    assert payroll.needs_pass
    assert payroll.authenticate("hanbit")
    assert "confidential" in payroll[0].get_text()


def test_the_archive_names_its_members_in_cp949(share):
    with zipfile.ZipFile(share / "공지/2023_자료모음.zip") as archive:
        names = [info.orig_filename.encode("cp437").decode("cp949") for info in archive.infolist()]
        assert not any(info.flag_bits & 0x800 for info in archive.infolist())
        assert archive.testzip() is None
    assert names == ["2023_에너지사용량.csv", "교육이력/2023_교육이력.txt"]


def test_every_question_names_documents_that_exist_and_a_reader_of_the_directory(share, golden):
    people = yaml.safe_load((share / "directory.yaml").read_text(encoding="utf-8"))["users"]
    assert len(golden) >= 12
    assert len({line["id"] for line in golden}) == len(golden)
    for line in golden:
        assert set(line) == {
            "id", "question", "reader", "type", "answerable", "docs", "answer", "evidence", "options",
        }  # fmt: skip
        assert line["reader"] in people
        assert bool(line["docs"]) == bool(line["answer"]) == line["answerable"]
        for path in line["docs"]:
            assert (share / path.split("!/")[0]).is_file()
    assert {"version", "permission", "mail", "scan", "table"} <= {line["type"] for line in golden}
