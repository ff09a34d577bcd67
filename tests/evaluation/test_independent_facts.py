"""Facts that other tools find in documents: what the parsers are judged by has to be right itself."""

from __future__ import annotations

import json
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from openpyxl import Workbook

ROOT = Path(__file__).parents[2]
W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"


@pytest.fixture
def facts_of(tmp_path):
    """Facts of the files of a folder, by their names."""

    def run(*more: str):
        out = tmp_path / "facts.jsonl"
        script = ROOT / "scripts/independent_facts.py"
        command = [sys.executable, script, tmp_path, "--out", out, *more]
        subprocess.run(command, check=True, capture_output=True, timeout=100)
        lines = map(json.loads, out.read_text(encoding="utf-8").splitlines())
        return {line["path"]: line for line in lines}

    return run


def paragraph(text, style="", *, mark="w:t", around="{}"):
    run = around.format(f"<w:r><{mark}>{text}</{mark}></w:r>")
    return f'<w:p><w:pPr><w:pStyle w:val="{style}"/></w:pPr>{run}</w:p>'


def cell(text, properties=""):
    return f"<w:tc><w:tcPr>{properties}</w:tcPr>{paragraph(text)}</w:tc>"


def test_a_document_tells_its_deleted_text_headings_and_shown_cells(tmp_path, facts_of):
    body = (
        paragraph("첫째 장의 제목", "h1")
        + paragraph("본문의 첫 문단이다")
        + paragraph("지워진 문장이다", mark="w:delText", around="<w:del>{}</w:del>")
        + paragraph("옮겨 간 문장이다", around="<w:moveFrom>{}</w:moveFrom>")
        + paragraph("둘째 장의 제목", "h1")
        + "<w:tbl><w:tr>"
        + cell("항목", '<w:vMerge w:val="restart"/>')
        + cell("하한")
        + "</w:tr><w:tr>"
        + cell("병합 아래 남은 글", "<w:vMerge/>")
        + cell("상한")
        + "</w:tr></w:tbl>"
    )
    styles = f'<w:styles xmlns:w="{W}"><w:style w:styleId="h1"><w:name w:val="heading 1"/></w:style></w:styles>'
    with zipfile.ZipFile(tmp_path / "made.docx", "w") as package:
        package.writestr(
            "word/document.xml",
            f'<w:document xmlns:w="{W}"><w:body>{body}</w:body></w:document>',
        )
        package.writestr("word/styles.xml", styles)
        package.writestr(
            "word/footnotes.xml",
            f'<w:footnotes xmlns:w="{W}">{paragraph("각주로 적은 말")}</w:footnotes>',
        )
    facts = facts_of("--only", "docx")["made.docx"]
    assert facts["must_not_contain"] == ["지워진 문장이다"]
    assert facts["order"] == ["첫째 장의 제목", "둘째 장의 제목"]
    assert facts["tables"] == [{"row": ["항목", "하한"]}]
    assert {"본문의 첫 문단이다", "각주로 적은 말"} <= set(facts["must_contain"])
    assert not {"병합 아래 남은 글", "옮겨 간 문장이다"} & set(facts["must_contain"])


def test_a_workbook_tells_values_under_all_their_headers_as_they_are_shown(tmp_path, facts_of):
    book = Workbook()
    sheet = book.active
    sheet.title = "생산 실적"
    for row in (["설비", "계획", None, "비율"], [None, "상반기", "하반기", None]):
        sheet.append(row)
    for name, *values in (("1호기", 1200, 1300, 0.125), ("2호기", 900, 950, 0.1785)):
        sheet.append([name, *values])
    for merged in ("A1:A2", "B1:C1", "D1:D2"):
        sheet.merge_cells(merged)
    for row in (3, 4):
        sheet.cell(row, 2).number_format = "#,##0"
        sheet.cell(row, 4).number_format = "0.0%"
    sheet["E3"] = "숨긴 열에 적은 말"
    sheet.column_dimensions["E"].hidden = True
    book.save(tmp_path / "made.xlsx")
    facts = facts_of("--only", "xlsx", "--most", "50")["made.xlsx"]
    values = {
        (*table["header_path"], *table["row_key"]): table["value"]
        for table in facts["tables"]
        if "value" in table
    }
    assert values == {
        ("계획", "상반기", "1호기"): "1,200",
        ("계획", "하반기", "1호기"): "1300",
        ("비율", "1호기"): "12.5%",
        ("계획", "상반기", "2호기"): "900",
        ("계획", "하반기", "2호기"): "950",
    }  # 17.85 % lies half way: how that is shown is not for LibreOffice to say
    assert facts["order"] == ["생산 실적"]
    assert "숨긴 열에 적은 말" in facts["must_contain"]
    assert not any("숨긴 열에 적은 말" in table.get("row", ()) for table in facts["tables"])
