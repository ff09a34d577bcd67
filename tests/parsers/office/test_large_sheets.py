"""Large sheets: every row is stored as a table, the block shows some, and nothing is lost on the way."""

from __future__ import annotations

import datetime as dt
import random
import sqlite3
from collections import Counter
from contextlib import closing

import pytest
import xlsxwriter

from contracts.documents import Layer

ROWS = 900


@pytest.fixture
def write(tmp_path):
    """A workbook as xlsxwriter writes it: ``write(fill, streamed=False)``, ``fill(book, sheet)``."""

    def run(fill, *, streamed=False):
        path = tmp_path / "large.xlsx"
        with xlsxwriter.Workbook(path, {"constant_memory": streamed}) as book:
            fill(book, book.add_worksheet("대장"))
        return path

    return run


@pytest.fixture
def read(parse, look):
    def run(path):
        return look(parse(path, "xlsx", max_cells=1))

    return run


@pytest.fixture
def ask(spool_folder):
    """Ask the database of a parsed document."""

    def run(shown, sql):
        database = spool_folder / shown.document.database
        with closing(sqlite3.connect(database)) as connection:
            return connection.execute(sql).fetchall()

    return run


def lines(count=ROWS):
    chance = random.Random(3)  # noqa: S311  a fixed mix
    return [
        (
            f"HX-{n:05d}",
            chance.choice(["브라켓", "커버 & 캡", "하우징"]),
            chance.randrange(10_000),
            round(chance.random(), 4),
            dt.date(2024, 1, 1) + dt.timedelta(days=chance.randrange(900)),
        )
        for n in range(count)
    ]


def ledger(rows):
    def fill(book, sheet):
        day, share = (
            book.add_format({"num_format": "yyyy-mm-dd"}),
            book.add_format({"num_format": "0.0%"}),
        )
        sheet.write_row(0, 0, ["품번", "품명", "수량", "불량률", "일자"])
        for number, (code, name, quantity, rate, when) in enumerate(rows, start=1):
            sheet.write_string(number, 0, code)
            sheet.write_string(number, 1, name)
            sheet.write_number(number, 2, quantity)
            sheet.write_number(number, 3, rate, share)
            sheet.write_datetime(number, 4, dt.datetime.combine(when, dt.time()), day)

    return fill


@pytest.mark.parametrize("streamed", [False, True], ids=["shared strings", "inline strings"])
def test_sums_and_counts_over_all_rows_are_those_of_the_workbook(write, read, ask, streamed):
    rows = lines()
    shown = read(write(ledger(rows), streamed=streamed))
    (found,) = ask(
        shown, 'SELECT count(*), sum("수량"), min("일자"), max("일자"), total("불량률") FROM "대장"'
    )
    assert found[:4] == (
        ROWS,
        sum(row[2] for row in rows),
        min(row[4] for row in rows).isoformat(),
        max(row[4] for row in rows).isoformat(),
    )
    assert found[4] == pytest.approx(sum(row[3] for row in rows))
    assert dict(ask(shown, 'SELECT "품명", count(*) FROM "대장" GROUP BY 1')) == Counter(
        row[1] for row in rows
    )


def test_each_stored_row_is_the_row_of_the_sheet(write, read, ask):
    rows = lines()
    shown = read(write(ledger(rows)))
    stored = ask(
        shown, 'SELECT _row, "품번", "품명", "수량", "불량률", "일자" FROM "대장" ORDER BY _row'
    )
    assert stored == [
        (number, *row[:4], row[4].isoformat()) for number, row in enumerate(rows, start=2)
    ]


def test_the_block_shows_first_and_last_rows_with_their_headers(write, parse, look):
    rows = lines(44_000)
    shown = look(parse(write(ledger(rows)), "xlsx"))
    (table,) = shown.tables()
    assert table.stored.rows == 44_000
    assert table.rows < 4_000
    assert shown.address(table, f"{rows[0][3] * 100:.1f}%")[0] == ("불량률",)
    first, last = table.row_numbers[1], table.row_numbers[-1]
    assert (first, last) == (2, 44_001)
    assert rows[-1][0] in shown.everything()
    highest = max(range(44_000), key=lambda n: rows[n][2])
    assert rows[highest][0] in shown.everything()
    assert shown.document.quality.grade == "A"


def test_the_profile_says_what_a_column_holds(write, read):
    rows = lines()
    shown = read(write(ledger(rows)))
    columns = {column.name: column for column in shown.tables()[0].stored.columns}
    quantity = columns["수량"]
    assert (quantity.kind, quantity.filled, quantity.total) == (
        "number",
        ROWS,
        sum(r[2] for r in rows),
    )
    assert (quantity.least, quantity.most) == (
        str(min(r[2] for r in rows)),
        str(max(r[2] for r in rows)),
    )
    assert dict(columns["품명"].values) == Counter(row[1] for row in rows)
    assert columns["일자"].kind == "date"
    assert columns["품번"].distinct == ROWS


def test_a_header_of_several_merged_rows_names_the_columns(write, read, ask):
    def fill(_, sheet):
        sheet.merge_range("A1:A2", "라인")
        sheet.merge_range("B1:C1", "불량")
        sheet.write_row(1, 1, ["건수", "금액"])
        for number in range(2, 1500):
            sheet.write_row(number, 0, [f"L{number % 7}", number, number * 10])

    shown = read(write(fill))
    assert [column.name for column in shown.tables()[0].stored.columns] == [
        "라인",
        "불량 / 건수",
        "불량 / 금액",
    ]
    assert ask(shown, 'SELECT sum("불량 / 건수"), count(*) FROM "대장"') == [
        (sum(range(2, 1500)), 1498)
    ]


def test_hidden_rows_and_columns_are_counted_apart(write, read, ask):
    def fill(_, sheet):
        sheet.write_row(0, 0, ["품번", "수량", "원가"])
        for number in range(1, 1501):
            sheet.write_row(number, 0, [f"HX-{number}", number, 7])
            if number % 10 == 0:
                sheet.set_row(number, None, None, {"hidden": True})
        sheet.set_column("C:C", None, None, {"hidden": True})

    shown = read(write(fill))
    stored = shown.tables()[0].stored
    visible = [n for n in range(1, 1501) if n % 10]
    assert (stored.rows, stored.hidden_rows) == (1350, 150)
    assert ask(shown, 'SELECT count(*), sum("수량") FROM "대장"') == [(1350, sum(visible))]
    assert [column.name for column in stored.columns] == ["품번", "수량"]
    assert "HX-1490" not in shown.everything(Layer.BODY)
    assert "원가" not in shown.everything(Layer.BODY)


def test_gaps_odd_types_and_late_columns_do_not_shift_anything(write, read, ask):
    rows = []
    chance = random.Random(5)  # noqa: S311  a fixed mix
    for number in range(1200):
        row = [
            f"HX-{number}",
            number if chance.random() < 0.7 else None,
            chance.choice([1.5, "측정 불가", None, True]),
        ]
        rows.append([*row, "추가" if number > 1100 else None])

    def fill(_, sheet):
        sheet.write_row(0, 0, ["품번", "수량", "판정"])
        for number, row in enumerate(rows, start=1):
            for column, value in enumerate(row):
                if value is not None:
                    sheet.write(number, column, value)

    shown = read(write(fill))
    stored = ask(shown, "SELECT c1, c2, c3, c4 FROM t1 ORDER BY _row")
    assert stored == [tuple("TRUE" if value is True else value for value in row) for row in rows]


def test_formulas_keep_their_stored_values(write, read, ask):
    def fill(_, sheet):
        sheet.write_row(0, 0, ["품번", "수량", "두배"])
        for number in range(1, 1200):
            sheet.write_row(number, 0, [f"HX-{number}", number])
            sheet.write_formula(number, 2, f"=B{number + 1}*2", None, number * 2)

    shown = read(write(fill))
    assert ask(shown, 'SELECT sum("두배") FROM "대장"') == [(2 * sum(range(1, 1200)),)]


def test_two_large_sheets_are_two_tables_of_one_database(tmp_path, parse, look, ask):
    path = tmp_path / "two.xlsx"
    with xlsxwriter.Workbook(path) as book:
        for name in ("상반기", "하반기"):
            sheet = book.add_worksheet(name)
            sheet.write_row(0, 0, ["품번", "수량", "비고"])
            for number in range(1, 1200):
                sheet.write_row(number, 0, [f"{name}-{number}", number, "확인"])
    shown = look(parse(path, "xlsx", max_cells=1))
    assert [table.stored.view for table in shown.tables()] == ["상반기", "하반기"]
    assert ask(shown, 'SELECT count(*) FROM "하반기" WHERE "품번" LIKE \'하반기%\'') == [(1199,)]


def test_a_small_workbook_has_no_database(write, parse, look):
    shown = look(parse(write(ledger(lines(20))), "xlsx"))
    assert shown.document.database == ""
    assert shown.tables()[0].stored is None


def test_nothing_unfinished_stays_behind(write, read, spool_folder):
    shown = read(write(ledger(lines())))
    assert [path.name for path in spool_folder.iterdir()] == [shown.document.database]
