"""Markdown as design §8 promises it."""

from __future__ import annotations

from contracts.documents import Block, BlockKind, Cell, Layer, ParsedDocument, Position, Table
from parsers.markdown import document_lines


def lines(*blocks: Block, form: str = "x") -> list[str]:
    document = ParsedDocument(format=form, blocks=blocks)
    return [line for line in document_lines(document) if line]


def table_block(table: Table, **more) -> Block:
    return Block(kind=BlockKind.TABLE, table=table, **more)


# 서울 and 종로구 stand once, over two rows; 2016 over two columns; 중구 has a blank city, as ledgers do.
LEDGER = Table(
    cells=(
        Cell(0, 0, "시도", 2), Cell(0, 1, "구", 2), Cell(0, 2, "구분", 2), Cell(0, 3, "2016", 1, 2),
        Cell(1, 3, "계"), Cell(1, 4, "20 - 24세"),
        Cell(2, 0, "서울", 2), Cell(2, 1, "종로구", 2), Cell(2, 2, "남"), Cell(2, 3, "10"), Cell(2, 4, "1"),
        Cell(3, 2, "여"), Cell(3, 3, "20"), Cell(3, 4, "2"),
        Cell(4, 1, "중구"), Cell(4, 2, "남"), Cell(4, 3, "30"),
        Cell(5, 0, "합계"), Cell(5, 3, "60"),
    ),
    rows=6, columns=5, header_rows=2, header_columns=3,
)  # fmt: skip


def test_each_value_of_a_sheet_has_its_row_key_and_header_path():
    shown = lines(table_block(LEDGER, position=Position(sheet="인구")))
    assert [line[2:] for line in shown if line.startswith("- ")] == [
        "서울 / 종로구 / 남 | 2016 / 계: 10",
        "서울 / 종로구 / 남 | 2016 / 20 - 24세: 1",
        "서울 / 종로구 / 여 | 2016 / 계: 20",
        "서울 / 종로구 / 여 | 2016 / 20 - 24세: 2",
        "서울 / 중구 / 남 | 2016 / 계: 30",
        "합계 | 2016 / 계: 60",
    ]


def test_a_delimited_text_is_as_good_as_a_sheet():
    shown = lines(table_block(LEDGER), form="csv")
    assert "- 합계 | 2016 / 계: 60" in shown


def test_tables_elsewhere_have_rows_only():
    assert not [line for line in lines(table_block(LEDGER)) if line.startswith("- ")]


def test_each_row_is_one_line_and_cells_over_rows_stand_in_each():
    shown = lines(table_block(LEDGER))
    assert shown[3] == "| 서울 | 종로구 | 남 | 10 | 1 |"
    assert shown[4] == "| 서울 | 종로구 | 여 | 20 | 2 |"
    assert shown[2].startswith("|---|")


def test_line_breaks_and_bars_in_cells_keep_the_row_whole():
    table = Table(cells=(Cell(0, 0, "a\nb"), Cell(0, 1, "c|d")), rows=1, columns=2)
    assert lines(table_block(table))[0] == "| a b | c\\|d |"


def test_nested_tables_follow_their_row():
    inner = Table(cells=(Cell(0, 0, "안1"), Cell(0, 1, "안2")), rows=1, columns=2)
    outer = Table(cells=(Cell(0, 0, "밖", tables=(inner,)), Cell(1, 0, "다음")), rows=2, columns=1)
    rows = [line.strip() for line in lines(table_block(outer)) if "---" not in line]
    assert rows == ["| 밖 |", "| 안1 | 안2 |", "| 다음 |"]


def test_a_sheet_table_without_row_keys_names_its_columns_in_each_line():
    table = Table(
        cells=(Cell(0, 0, "품번"), Cell(0, 1, "수량"), Cell(1, 0, "A-1"), Cell(1, 1, "3")),
        rows=2, columns=2, header_rows=1,
    )  # fmt: skip
    assert lines(table_block(table, position=Position(sheet="s")))[-1] == "- 품번: A-1 | 수량: 3"


def test_layers_other_than_the_body_are_marked_on_every_line():
    shown = lines(
        Block(kind=BlockKind.PARAGRAPH, text="본문"),
        Block(kind=BlockKind.NOTE, text="발표 메모\n둘째", layer=Layer.NOTES),
        Block(kind=BlockKind.PARAGRAPH, text="숨김", layer=Layer.HIDDEN),
        table_block(Table(cells=(Cell(0, 0, "숨긴 칸"),), rows=1, columns=1), layer=Layer.HIDDEN),
        Block(kind=BlockKind.PARAGRAPH, text="지난 메일", layer=Layer.QUOTED),
        Block(kind=BlockKind.HEADER, text="머리말", layer=Layer.FURNITURE),
    )
    assert shown == [
        "본문",
        "> [notes] 발표 메모<br>둘째",
        "> [hidden] 숨김",
        "> [hidden] | 숨긴 칸 |",
        "> [hidden] |---|",
        "> [quoted] 지난 메일",
        "> [furniture] 머리말",
    ]


def test_headings_lists_and_places():
    shown = lines(
        Block(kind=BlockKind.HEADING, text="목적", label="1.", level=2, position=Position(page=3)),
        Block(
            kind=BlockKind.LIST_ITEM, text="하나", label="가.", level=2, position=Position(page=3)
        ),
    )
    assert shown == ["<!-- page 3 -->", "## 1. 목적", "  - 가. 하나"]


def test_text_of_the_document_is_never_read_as_markup_or_terminal_commands():
    shown = lines(
        Block(
            kind=BlockKind.PARAGRAPH, text="# 아님\n10 < 20 > 5 &lt; \x1b[31m\n- 목록 아님\n1. 아님"
        )
    )
    assert shown == ["\\# 아님", "10 &lt; 20 &gt; 5 &amp;lt; [31m", "\\- 목록 아님", "1\\. 아님"]
