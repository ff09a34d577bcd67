"""Old workbooks: the same reading as for new ones, from record streams that the test writes itself."""

from __future__ import annotations

import sqlite3
import struct
from contextlib import closing

import pytest

from contracts.documents import Layer
from contracts.errors import ParseFailure
from contracts.failures import FailureClass


def record(kind, data=b""):
    return struct.pack("<HH", kind, len(data)) + data


def label(row, column, text):
    encoded = text.encode("cp949")
    return record(0x0204, struct.pack("<HHHH", row, column, 0, len(encoded)) + encoded)


def number(row, column, value):
    return record(0x0203, struct.pack("<HHHd", row, column, 0, value))


def hidden_row(row):
    return record(0x0208, struct.pack("<HHHHHHI", row, 0, 9, 255, 0, 0, 0x20))


def workbook(*sheets):
    """A BIFF5 stream (MS-XLS 2.4) with Korean code page; a sheet is (name, hidden, records)."""
    begin = record(0x0809, struct.pack("<HHHH", 0x0500, 0x0005, 0, 0)) + record(
        0x0042, struct.pack("<H", 949)
    )
    names = [name.encode("cp949") for name, _, _ in sheets]
    offset = len(begin) + sum(4 + 7 + len(name) for name in names) + 4
    bodies = []
    for name, (_, hidden, records) in zip(names, sheets, strict=True):
        body = (
            record(0x0809, struct.pack("<HHHH", 0x0500, 0x0010, 0, 0))
            + b"".join(records)
            + record(0x000A)
        )
        begin += record(0x0085, struct.pack("<IBBB", offset, hidden, 0, len(name)) + name)
        offset += len(body)
        bodies.append(body)
    return begin + record(0x000A) + b"".join(bodies)


def ledger():
    rows = [("품번", "수량"), ("HX-1", 12.5), ("HX-2", 20)]
    return [
        label(r, c, value) if isinstance(value, str) else number(r, c, value)
        for r, row in enumerate(rows)
        for c, value in enumerate(row)
    ]


def test_values_stand_under_their_headers(parse, look):
    shown = look(parse(workbook(("대장", 0, ledger())), "xls"))
    (table,) = shown.tables()
    assert shown.address(table, "12.5") == (("수량",), ("HX-1",))
    assert shown.texts()[0] == "대장"


def test_hidden_sheets_and_rows_are_kept_apart(parse, look):
    data = workbook(("열린", 0, [hidden_row(2), *ledger()]), ("숨긴", 1, [label(0, 0, "급여")]))
    shown = look(parse(data, "xls"))
    assert "HX-2" not in shown.everything(Layer.BODY)
    assert "급여" not in shown.everything(Layer.BODY)
    assert "HX-2" in shown.everything(Layer.HIDDEN)
    assert "급여" in shown.everything(Layer.HIDDEN)


def test_a_long_sheet_is_stored_whole(parse, look, spool_folder):
    records = [label(0, 0, "품번"), label(0, 1, "수량")]
    for n in range(1, 2001):
        records += [label(n, 0, f"HX-{n}"), number(n, 1, n * 1.5)]
    shown = look(parse(workbook(("대장", 0, [*records, hidden_row(1500)])), "xls", max_cells=1))
    stored = shown.tables()[0].stored
    assert (stored.rows, stored.hidden_rows) == (1999, 1)
    with closing(sqlite3.connect(spool_folder / shown.document.database)) as connection:
        asked = 'SELECT count(*), sum("수량") FROM "대장"'
        assert connection.execute(asked).fetchone() == (1999, sum(range(1, 2001)) * 1.5 - 2250)


@pytest.mark.parametrize("cut", range(8, 180, 9))
def test_a_damaged_stream_ends_as_corrupt_or_reads_its_sound_part(parse, cut):
    whole = workbook(("대장", 0, ledger()))
    try:
        document = parse(whole[:cut], "xls")
    except ParseFailure as failure:
        assert failure.failure is FailureClass.CORRUPT  # noqa: PT017  either end is right
    else:
        assert document.format == "xls"


def test_a_code_page_that_nobody_knows_is_damage(parse):
    known, other = (record(0x0042, struct.pack("<H", page)) for page in (949, 637))
    with pytest.raises(ParseFailure) as caught:
        parse(workbook(("대장", 0, ledger())).replace(known, other), "xls")
    assert caught.value.failure is FailureClass.CORRUPT


def test_a_password_is_named_as_such(parse):
    data = record(0x0809, struct.pack("<HHHH", 0x0500, 0x0005, 0, 0)) + record(0x002F, b"\0" * 4)
    with pytest.raises(ParseFailure) as caught:
        parse(data, "xls")
    assert caught.value.failure is FailureClass.ENCRYPTED


def test_sectors_in_a_circle_are_named_not_followed(parse):
    # A compound file (MS-CFB 2.2): header, table of sectors, directory, table of small sectors, small sectors.
    free, end = 0xFFFFFFFF, 0xFFFFFFFE
    header = bytes.fromhex("d0cf11e0a1b11ae1") + bytes(16) + struct.pack(
        "<HHHHH6xIIIIIIIIII", 0x3E, 3, 0xFFFE, 9, 6, 0, 1, 1, 0, 4096, 2, 1, end, 0, 0
    )  # fmt: skip
    header += b"\xff" * (512 - len(header))

    def entry(name, kind, child, start, size):
        text = name.encode("utf-16-le") + b"\0\0"
        head = text.ljust(64, b"\0") + struct.pack("<HBBIII", len(text), kind, 1, free, free, child)
        return head + bytes(36) + struct.pack("<IQ", start, size)

    fat = struct.pack("<4I", 0xFFFFFFFD, end, end, end).ljust(512, b"\xff")
    directory = entry("Root Entry", 5, 1, 3, 512) + entry("Book", 2, free, 0, 284)
    small = struct.pack("<8I", *[0] * 8).ljust(512, b"\xff")
    data = header + fat + directory.ljust(512, b"\0") + small + bytes(512)
    with pytest.raises(ParseFailure) as caught:
        parse(data, "xls")
    assert caught.value.failure is FailureClass.CORRUPT


# -- charts and text boxes -------------------------------------------------------------------------


def wide(text, size="<H"):
    """A string of Excel 97 on: its length, the mark of two bytes a character, characters."""
    return struct.pack(size, len(text)) + b"\x01" + text.encode("utf-16-le")


def narrow(text, size="<H"):
    """A string of Excel 5 in its code page."""
    return struct.pack(size, len(text.encode("cp949"))) + text.encode("cp949")


def workbook8(*sheets, links=b""):
    """A BIFF8 stream; a sheet is (name, kind of its stream, records)."""
    kinds = {0x0010: 0, 0x0020: 2}
    start = record(0x0809, struct.pack("<HHHHII", 0x0600, 0x0005, 0, 0, 0, 0)) + links
    names = [wide(name, "<B") for name, _, _ in sheets]
    offset = len(start) + sum(4 + 6 + len(name) for name in names) + 4
    bodies = []
    for name, (_, kind, records) in zip(names, sheets, strict=True):
        begin = record(0x0809, struct.pack("<HHHHII", 0x0600, kind, 0, 0, 0, 0))
        body = begin + b"".join(records) + record(0x000A)
        start += record(0x0085, struct.pack("<IBB", offset, 0, kinds[kind]) + name)
        offset += len(body)
        bodies.append(body)
    return start + record(0x000A) + b"".join(bodies)


def chart_records(short, long):
    """Two series with kept values, a trend line, titles of chart and value axis; strings as the version has them."""
    brai = [record(0x1051, struct.pack("<BBHHH", part, 1, 0, 0, 0)) for part in (0, 1, 2)]
    found = []
    for name, derived in (("계획", False), ("실적", False), ("추세", True)):
        found += [record(0x1003, bytes(12)), brai[0], record(0x100D, b"\0\0" + short(name))]
        found += [brai[1], brai[2], *([record(0x104A, b"\x01\0")] if derived else [])]
    for text, link in (("월별 생산", 1), ("수량", 2), ("점 하나", 4)):
        found += [record(0x1025, bytes(32)), brai[0], record(0x100D, b"\0\0" + short(text))]
        found += [record(0x1027, struct.pack("<HHH", link, 0, 0))]
    cells = [record(0x1065, b"\x01\0")]
    for series, values in enumerate(((10.0, 12.5), (9.0, 0.1 + 0.2), (1.0, 2.0))):
        cells += [number(row, series, value) for row, value in enumerate(values)]
    cells += [record(0x1065, b"\x02\0")]
    for series in range(2):
        for row, text in enumerate(("1월", "2월")):
            cells += [record(0x0204, struct.pack("<HHH", row, series, 0) + long(text))]
    return [*found, *cells]


def check_chart(shown):
    table = shown.tables()[-1]
    assert table.caption == "월별 생산 · 수량"
    assert shown.grid(table) == [
        ["", "계획", "실적"],
        ["1월", "10", "9"],
        ["2월", "12.5", "0.3"],
    ]
    assert shown.address(table, "12.5") == (("계획",), ("2월",))
    assert "점 하나" not in shown.everything()
    assert "추세" not in shown.everything()


def test_charts_of_excel_5_are_tables_below_the_cells(parse, look):
    chart = [
        record(0x0809, struct.pack("<HHHH", 0x0500, 0x0020, 0, 0)),
        *chart_records(lambda text: narrow(text, "<B"), narrow),
        record(0x000A),
    ]
    after = number(9, 9, 77)  # cells after the chart belong to the sheet again
    shown = look(parse(workbook(("생산", 0, [*ledger(), *chart, after])), "xls"))
    check_chart(shown)
    assert "77" in shown.everything(Layer.BODY)
    assert {block.position.sheet for block in shown.document.blocks} == {"생산"}


def test_charts_of_hidden_sheets_are_hidden(parse, look):
    chart = [
        record(0x0809, struct.pack("<HHHH", 0x0500, 0x0020, 0, 0)),
        record(0x1025, bytes(32)),
        record(0x100D, b"\0\0" + narrow("숨긴 그림", "<B")),
        record(0x1027, struct.pack("<HHH", 1, 0, 0)),
        record(0x000A),
    ]
    shown = look(parse(workbook(("가", 0, ledger()), ("나", 1, chart)), "xls"))
    assert shown.texts(layer=Layer.HIDDEN) == ["숨긴 그림"]


def test_a_chart_sheet_keeps_its_place_and_text_boxes_are_read(parse, look):
    def box(kind, text, *, cut=0):
        parts = [text[:cut], text[cut:]] if cut else [text]
        return [
            record(0x005D, struct.pack("<HHHHHII I", 0x15, 18, kind, 1, 0, 0, 0, 0)),
            record(0x01B6, struct.pack("<HHHHHHI", 0, 0, 0, 0, 0, len(text), 0)),
            *(record(0x003C, b"\x01" + part.encode("utf-16-le")) for part in parts),
            record(0x003C, bytes(16)),
        ]

    cells = [
        number(0, 0, 5),
        *box(0x06, "확인 후 배포\n담당 이대리", cut=4),
        *box(0x19, "메모의 글"),
    ]
    data = workbook8(
        ("앞", 0x0010, [number(0, 0, 1)]),
        ("그래프", 0x0020, chart_records(lambda t: wide(t, "<B"), wide)),
        ("뒤", 0x0010, cells),
    )
    shown = look(parse(data, "xls"))
    check_chart(shown)
    sheets = list(dict.fromkeys(block.position.sheet for block in shown.document.blocks))
    assert sheets == ["앞", "그래프", "뒤"]
    assert "확인 후 배포\n담당 이대리" in shown.texts(layer=Layer.BODY)
    assert "메모의 글" not in shown.texts(layer=Layer.BODY)


def test_a_chart_that_keeps_no_values_takes_them_from_the_cells_that_it_names(parse, look):
    def brai(part, formula):
        return record(0x1051, struct.pack("<BBHHH", part, 2, 0, 0, len(formula)) + formula)

    def one(link, row, column):
        return struct.pack("<BHHH", 0x3A, link, row, 0xC000 | column)

    def area(link, column):
        return struct.pack("<BHHHHH", 0x3B, link, 1, 2, column, column)

    def series(link, column):
        parts = (one(link, 0, column), area(link, column), area(link, 0))
        return [record(0x1003, bytes(12)), *(brai(n, part) for n, part in enumerate(parts))]

    chart = [
        record(0x0809, struct.pack("<HHHHII", 0x0600, 0x0020, 0, 0, 0, 0)),
        *series(1, 1),
        *series(1, 2),
        *series(0, 1),
        record(0x000A),
    ]
    text = [
        record(0x0204, struct.pack("<HHH", row, column, 0) + wide(name))
        for row, column, name in (
            (0, 0, "월"), (0, 1, "1호기"), (0, 2, "2호기"), (1, 0, "1월"), (2, 0, "2월"),
        )
    ]  # fmt: skip
    values = [number(1, 1, 3), number(2, 1, 4.25), number(1, 2, 5), number(2, 2, 6)]
    # Link 0 names another workbook, link 1 the second sheet of this one.
    links = record(0x01AE, struct.pack("<H", 1) + wide("다른.xls"))
    links += record(0x01AE, struct.pack("<H", 2) + b"\x01\x04")
    links += record(0x0017, struct.pack("<H6H", 2, 0, 0, 0, 1, 1, 1))
    sheets = (("그림", 0x0010, chart), ("자료", 0x0010, [*text, *values]))
    shown = look(parse(workbook8(*sheets, links=links), "xls"))
    drawn, cells = shown.tables()
    assert shown.grid(drawn) == [["", "1호기", "2호기"], ["1월", "3", "5"], ["2월", "4.25", "6"]]
    assert shown.grid(cells)[0] == ["월", "1호기", "2호기"]
    places = [block.position.sheet for block in shown.document.blocks if block.table]
    assert places == ["그림", "자료"]


def test_a_damaged_chart_leaves_the_cells_and_is_told(parse, look):
    chart = [
        record(0x0809, struct.pack("<HHHH", 0x0500, 0x0020, 0, 0)),
        record(0x1051, b"\x01"),
        record(0x000A),
    ]
    shown = look(parse(workbook(("가", 0, [*ledger(), *chart])), "xls"))
    assert "HX-1" in shown.everything()
    assert any("charts cannot be read" in warning for warning in shown.document.warnings)
    assert shown.document.quality.grade == "C"
