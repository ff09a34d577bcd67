"""What passages a reader gets from tables and ledgers."""

from __future__ import annotations

from contracts.documents import Cell, Position, Table
from ingest.chunking import profile_warnings

LEDGER = (
    "품번 | 토크 (N·m) | < | 비고",
    "^ | 하한 | 상한 | ^",
    "HB-1001 | 10.5 | 12.5 | 양호",
    "HB-1002 | 11 | 13 |",
)


def sheet(paper, *rows, **options):
    columns = rows[0].count("|") + 1
    numbers = {
        "row_numbers": tuple(range(5, 5 + len(rows))),
        "column_numbers": tuple(range(2, 2 + columns)),
    }
    return paper(format="xlsx").at(sheet="대장").table(*rows, **{**numbers, **options})


def test_every_value_stands_beside_its_row_key_and_its_whole_header_path(paper):
    (chunk,) = sheet(paper, *LEDGER, header_rows=2, header_columns=1).cut()
    assert chunk.text.split("\n")[1:] == [
        "HB-1001 | 토크 (N·m) › 하한: 10.5 | 토크 (N·m) › 상한: 12.5 | 비고: 양호",
        "HB-1002 | 토크 (N·m) › 하한: 11 | 토크 (N·m) › 상한: 13",
    ]
    assert chunk.headings == ("대장",)


def test_the_citation_names_exactly_the_cells_of_the_passage(paper):
    rows = ["품번 | 값", *(f"HB-{n} | {n}" for n in range(1000, 1040))]
    chunks = sheet(paper, *rows, header_rows=1, header_columns=1).cut(target_tokens=64)
    assert len(chunks) > 2
    for chunk in chunks[1:]:
        keys = [line.split(" | ")[0] for line in chunk.text.split("\n")]
        first, last = (
            rows.index(next(r for r in rows if r.startswith(k))) for k in (keys[0], keys[-1])
        )
        assert chunk.positions == (Position(sheet="대장", cells=f"B{first + 5}:C{last + 5}"),)


def test_headers_are_repeated_in_every_passage(paper):
    rows = ["공정 | 온도", *(f"공정{n} | {n}" for n in range(200))]
    chunks = sheet(paper, *rows, header_rows=1, header_columns=1).cut(target_tokens=64)
    assert all("온도: " in chunk.text for chunk in chunks)


def test_a_merged_value_belongs_to_every_row_that_it_covers(paper):
    (chunk,) = sheet(
        paper, "라인 | 설비 | 상태", "1라인 | EQ-01 | 정상", "^ | EQ-02 | 점검", header_rows=1
    ).cut()
    assert "라인: 1라인 | 설비: EQ-02 | 상태: 점검" in chunk.text


def test_a_table_without_headers_keeps_its_rows(paper):
    (chunk,) = paper().table("바깥 지름 | 12.0", "안지름 | 8.4").cut()
    assert chunk.text == "바깥 지름 | 12.0\n안지름 | 8.4"


def test_a_title_block_reads_as_fields_whatever_was_taken_for_its_headers(paper):
    rows = (
        "문서번호 | WS-MC-014 | 개정번호 | 3",
        "표준명 | 세척 | 시행일 | 2024.03.01",
        "승인 | | 검토 | 김하늘",
    )
    (chunk,) = paper().table(*rows, header_rows=1, header_columns=1).cut()
    assert chunk.text.split("\n") == [
        "문서번호: WS-MC-014 | 개정번호: 3",
        "표준명: 세척 | 시행일: 2024.03.01",
        "승인 | 검토: 김하늘",
    ]


def test_a_list_whose_columns_are_named_like_fields_is_no_form(paper):
    (chunk,) = paper().table("품번 | 수량 | 비고", "HB-1 | 4 | 급함", header_rows=1).cut()
    assert chunk.text == "품번: HB-1 | 수량: 4 | 비고: 급함"


def test_columns_without_values_and_header_only_tables_are_still_found(paper):
    (empty,) = paper().table("성명 | 서명", "김하늘 |", header_rows=1).cut()
    assert "서명" in empty.text
    (header,) = paper().table("성명 | 서명", header_rows=1).cut()
    assert header.text == "성명 | 서명"


def test_the_header_above_a_value_that_spans_columns_is_still_found(paper):
    (chunk,) = paper().table("구분 | 접수기간 | 발표", "1차 | 별도 공지 | <", header_rows=1).cut()
    assert "접수기간" in chunk.text
    assert "발표" in chunk.text
    assert "접수기간: 별도 공지" not in chunk.text  # it belongs to both


def test_a_nested_table_stays_in_its_row(paper, table):
    inner = table("크기 | 수량", "M8 | 4", header_rows=1)
    outer = Table(
        cells=(Cell(0, 0, "볼트", tables=(inner,)), Cell(0, 1, "합격"), Cell(1, 0, "너트")),
        rows=2,
        columns=2,
    )
    made = paper().table("자리 | 채움")
    made.blocks[0] = made.blocks[0].__class__(kind=made.blocks[0].kind, table=outer)
    (chunk,) = made.cut()
    assert chunk.text.split("\n") == ["볼트 [크기: M8 | 수량: 4] | 합격", "너트"]


def test_a_caption_heads_every_passage_of_its_table(paper):
    rows = ["품번 | 값", *(f"HB-{n} | {n}" for n in range(100))]
    chunks = paper().caption("표 2. 체결 토크").table(*rows, header_rows=1).cut(target_tokens=64)
    assert len(chunks) > 2
    assert all(chunk.text.startswith("표 2. 체결 토크\n") for chunk in chunks)


def test_a_row_that_is_too_long_is_split_and_keeps_its_key(paper):
    cells = " | ".join(f"값{n} 설명 문장" for n in range(60))
    heads = " | ".join(f"항목{n}" for n in range(60))
    made = paper().table(f"품번 | {heads}", f"HB-1001 | {cells}", header_rows=1, header_columns=1)
    chunks = made.cut(max_tokens=64, target_tokens=64)
    rows = [chunk.text for chunk in chunks]
    assert max(chunk.tokens for chunk in chunks) <= 64
    assert all("HB-1001" in text for text in rows)
    joined = "".join(rows).replace("\n", "").replace(" ", "")
    assert all(f"값{n}설명" in joined for n in range(60))


def huge(paper, count):
    rows = [
        f"HB-{n:06d} | {n % 7 + 10}.5 | {'불량' if n == 3333 else '양호'} | 2024-01-{n % 28 + 1:02d}"
        for n in range(count)
    ]
    return sheet(paper, "품번 | 토크 | 판정 | 일자", *rows, header_rows=1, header_columns=1)


def test_a_huge_ledger_becomes_a_profile_and_key_rows(paper):
    made = huge(paper, 6000)
    chunks = made.cut(table_rows_budget=200)
    text = "\n".join(chunk.text for chunk in chunks)
    assert text.startswith("표 요약")
    assert "6,000행" in text
    assert "토크: 값 6,000개, 서로 다른 값 7개; 최소 10.5, 최대 16.5" in text
    assert "판정: 값 6,000개, 서로 다른 값 2개; 값별 건수 양호 (5,999), 불량 (1)" in text
    assert "기간 2024-01-01 – 2024-01-28" in text
    assert "HB-000000 | 토크: 10.5" in text
    assert "HB-005999 | 토크: " in text
    assert "HB-003333 | 토크: 11.5 | 판정: 불량" in text  # the only one of its kind
    assert len([line for line in text.split("\n") if " | 토크: " in line]) == 200
    assert profile_warnings(made.document(), 200) == (
        "sheet 대장: 5,800 of 6,000 rows are only profiled (chunk.table_rows_budget = 200)",
    )


def test_the_keys_of_profiled_rows_lead_to_their_cells(paper):
    chunks = huge(paper, 1000).cut(table_rows_budget=200)
    (holder,) = [chunk for chunk in chunks if "HB-000400" in chunk.text]
    (position,) = holder.positions
    top, bottom = (int(part[1:]) for part in position.cells.split(":"))
    assert top <= 5 + 1 + 400 <= bottom


def test_a_table_within_the_budget_is_not_profiled(paper):
    made = huge(paper, 200)
    assert profile_warnings(made.document(), 200) == ()
    assert "표 요약" not in made.cut(table_rows_budget=200)[0].text
