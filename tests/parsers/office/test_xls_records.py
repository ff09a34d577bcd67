"""Records of old workbooks, version by version: what the reader of our own makes of them, and that xlrd sees the same cells."""

from __future__ import annotations

import struct

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contracts.documents import BlockKind, Layer
from contracts.parsing import ParserInput
from contracts.settings import OcrSettings, ParseSettings
from parsers.common.number_format import format_value
from parsers.common.whole_numbers import decimal_writer
from parsers.context import SpoolContext, full_budget
from parsers.registry import parser_for
from parsers.sniff import sniff

BOF = 0x0809
EOF = struct.pack("<HH", 0x000A, 0)


def record(kind, data=b""):
    return struct.pack("<HH", kind, len(data)) + data


def cell(kind, row, column, style, value):
    return record(kind, struct.pack("<HHH", row, column, style) + value)


def number(row, column, value, style=0):
    return cell(0x0203, row, column, style, struct.pack("<d", value))


def shared(row, column, text, style=0):
    return cell(0x00FD, row, column, style, struct.pack("<I", text))


def wide(text, size="<H"):
    return struct.pack(size, len(text)) + b"\x01" + text.encode("utf-16-le")


def label(row, column, text, style=0):
    return cell(0x0204, row, column, style, wide(text))


def strings(*texts):
    """Shared strings that fit one record."""
    return record(0x00FC, struct.pack("<II", len(texts), len(texts)) + b"".join(map(wide, texts)))


def font(*, bold=False):
    return record(
        0x0031, struct.pack("<HHHHHBBBB", 200, 0, 8, 700 if bold else 400, 0, 0, 0, 0, 0) + wide("", "<B")
    )  # fmt: skip


def style(*, font=0, form=0, fill=0):
    return record(0x00E0, struct.pack("<HHHBBBBIIH", font, form, 0, 0, 0, 0, 0, 0, fill << 26, 8))


def workbook(*sheets, tables=b""):
    """A BIFF8 stream; a sheet is (name, state, records)."""
    start = record(BOF, struct.pack("<HHHHII", 0x0600, 0x0005, 0, 0, 0, 0)) + tables
    names = [wide(name, "<B") for name, _, _ in sheets]
    place = len(start) + sum(10 + len(name) for name in names) + 4
    bodies = []
    for name, (_, state, records) in zip(names, sheets, strict=True):
        begin = record(BOF, struct.pack("<HHHHII", 0x0600, 0x0010, 0, 0, 0, 0))
        bodies.append(begin + b"".join(records) + EOF)
        start += record(0x0085, struct.pack("<IBB", place, state, 0) + name)
        place += len(bodies[-1])
    return start + EOF + b"".join(bodies)


@pytest.fixture
def both(parse, look, tmp_path):
    """``both(bytes)``: as read, after xlrd was seen to give the same blocks."""

    def read(data):
        path = tmp_path / "xlrd.xls"
        path.write_bytes(data)
        limits = ParseSettings(alternatives=("xls:xlrd",))
        context = SpoolContext(
            limits=limits,
            ocr=OcrSettings(),
            budget=full_budget(limits),
            spool_folder=tmp_path,
            container_bytes=len(data),
        )
        other = parser_for("xls", limits.alternatives).load()
        theirs = other.parse(ParserInput(path=path, name=path.name, format="xls"), context)
        ours = parse(data, "xls")
        assert ours.blocks == theirs.blocks
        assert ours.properties == theirs.properties
        assert ours.quality.grade == "A"
        return look(ours)

    return read


def grid(shown, place=0):
    return shown.grid(shown.tables()[place])


# -- strings ---------------------------------------------------------------------------------------


def test_shared_strings_go_on_in_further_records_in_another_width(both):
    text = "긴글" * 30
    rich = (
        struct.pack("<HBH", 2, 0x08 | 1, 1) + "굵게".encode("utf-16-le") + struct.pack("<HH", 0, 1)
    )
    spoken = struct.pack("<HBI", 2, 0x04 | 1, 6) + "발음".encode("utf-16-le") + b"phonet"
    first = wide(text)[: 3 + 2 * 25]
    last = b"\x01" + text[25:40].encode("utf-16-le")
    narrow = struct.pack("<HB", 9, 0) + b"abc"
    parts = [
        struct.pack("<II", 5, 5) + rich + spoken[:-2],  # the guide ends in the next record
        spoken[-2:] + first,
        last,  # a third part of the same string
        b"\x01" + text[40:].encode("utf-16-le") + narrow,
        b"\x01" + "가나다라마바".encode("utf-16-le") + wide("끝"),  # narrow, then wide
    ]
    tables = record(0x00FC, parts[0]) + b"".join(record(0x003C, part) for part in parts[1:])
    rows = [label(0, n, f"열 {n}") for n in range(5)] + [shared(1, n, n) for n in range(5)]
    shown = both(workbook(("가", 0, [*rows, number(2, 0, 1)]), tables=tables))
    assert grid(shown)[1] == ["굵게", "발음", text, "abc가나다라마바", "끝"]


def test_a_table_of_strings_that_breaks_off_keeps_the_others(parse, look):
    whole = strings("품번", "수량", "HX-1")
    (length,) = struct.unpack_from("<H", whole, 2)
    cut = struct.pack("<HH", 0x00FC, length - 4) + whole[4:-4]
    rows = [shared(0, 0, 0), shared(0, 1, 1), shared(1, 0, 2), number(1, 1, 5)]
    shown = look(parse(workbook(("가", 0, rows), tables=cut), "xls"))
    assert {"품번", "수량", "5"} <= set(shown.everything().split())
    assert shown.document.quality.grade == "C"
    assert any("strings break off" in warning for warning in shown.document.warnings)


def test_a_string_that_nobody_stored_is_an_empty_cell(parse, look):
    rows = [label(0, 0, "이름"), label(0, 1, "값"), shared(1, 0, 7), number(1, 1, 5)]
    assert grid(look(parse(workbook(("가", 0, rows)), "xls")))[1] == ["", "5"]


# -- values ----------------------------------------------------------------------------------------


def test_numbers_in_all_their_records_with_their_formats(both):
    def rk(value, *, whole, hundredths):
        bits = value << 2 | 2 if whole else struct.unpack("<Q", struct.pack("<d", value))[0] >> 32
        return struct.pack(
            "<I", (bits & 0xFFFFFFFC if not whole else bits & 0xFFFFFFFF) | hundredths
        )

    code = record(0x041E, struct.pack("<H", 164) + wide('#,##0.00"원"'))
    tables = font() + code + style() + style(form=164) + style(form=9) + style(form=31)
    many = [(0, rk(7, whole=True, hundredths=0)), (1, rk(123456, whole=True, hundredths=1))]
    mul = struct.pack("<HH", 2, 0) + b"".join(struct.pack("<H", s) + v for s, v in many)
    rows = [
        *(label(0, n, f"열{n}") for n in range(4)),
        cell(0x027E, 1, 0, 0, rk(-5, whole=True, hundredths=0)),
        cell(0x027E, 1, 1, 0, rk(0.5, whole=False, hundredths=0)),
        number(1, 2, 0.25, 2),
        number(1, 3, 0.0001),
        record(0x00BD, mul + struct.pack("<H", 1)),
        number(2, 2, 1234.5, 1),
    ]
    shown = both(workbook(("값", 0, rows), tables=tables))
    assert grid(shown)[1:] == [
        ["-5", "0.5", "25%", "0.0001"],
        ["7", "1,234.56원", "1,234.50원", ""],
    ]


@pytest.mark.parametrize(("since_1904", "shown"), [(False, "2024-01-15"), (True, "2028-01-16")])
def test_dates_without_a_format_of_their_own_are_shown_as_here(parse, look, since_1904, shown):
    tables = record(0x0022, struct.pack("<H", since_1904)) + font() + style() + style(form=14)
    rows = [label(0, 0, "항목"), label(0, 1, "일자"), label(1, 0, "납기"), number(1, 1, 45306, 1)]
    assert grid(look(parse(workbook(("가", 0, rows), tables=tables), "xls")))[1] == ["납기", shown]


def test_formulas_show_the_values_that_were_computed(both):
    def formula(row, column, result, size=0):
        return record(0x0006, struct.pack("<HHH", row, column, 0) + result + bytes(6 + size))

    def special(kind, value=0):
        return bytes((kind, 0, value, 0, 0, 0, 0xFF, 0xFF))

    text = "계산된 긴 글" * 20
    cut = struct.pack("<HB", len(text), 1) + text[:50].encode("utf-16-le")
    rows = [
        *(label(0, n, name) for n, name in enumerate("가나다라마")),
        formula(1, 0, struct.pack("<d", 12.5)),
        formula(1, 1, special(0)),
        record(0x04BC, bytes(20)),  # a shared formula stands between a formula and its text
        record(0x0207, cut),
        record(0x003C, b"\x01" + text[50:].encode("utf-16-le")),
        formula(1, 2, special(1, 1)),
        formula(1, 3, special(2, 0x07)),
        formula(1, 4, special(3)),
        formula(2, 0, struct.pack("<d", 3.0), size=12),
        cell(0x0205, 2, 1, 0, b"\0\0"),
        cell(0x0205, 2, 2, 0, b"\x2a\1\0"),  # nine bytes, as other programs write it
    ]
    shown = both(workbook(("가", 0, rows)))
    assert grid(shown)[1:] == [
        ["12.5", text, "TRUE", "#DIV/0!", ""],
        ["3", "FALSE", "#N/A", "", ""],
    ]


# -- sheets ----------------------------------------------------------------------------------------


def test_merges_hidden_columns_and_panes_shape_the_table(both):
    rows = [
        record(0x007D, struct.pack("<HHHHHH", 2, 2, 2560, 0, 1, 0)),
        label(0, 0, "구분"), label(0, 1, "실적"), label(1, 1, "1월"), label(1, 2, "2월"), label(1, 3, "3월"),
        label(2, 0, "A"), number(2, 1, 1), number(2, 2, 77), number(2, 3, 3),
        record(0x023E, struct.pack("<HHHIHHI", 0x08, 0, 0, 64, 0, 0, 0)),
        record(0x0041, struct.pack("<HHHHB", 1, 2, 2, 1, 0)),
        record(0x00E5, struct.pack("<H8H", 2, 0, 1, 0, 0, 0, 0, 1, 3)),
    ]  # fmt: skip
    shown = both(workbook(("가", 0, rows)))
    table = shown.tables()[0]
    assert shown.address(table, "3") == (("실적", "3월"), ("A",))
    assert "77" not in shown.everything(Layer.BODY)
    assert "77" in shown.everything(Layer.HIDDEN)


def test_rows_without_a_record_are_hidden_where_the_sheet_hides_them_by_default(parse, look):
    rows = [
        record(0x0225, struct.pack("<HH", 2, 255)),
        record(0x0208, struct.pack("<HHHHHHI", 0, 0, 2, 255, 0, 0, 0x100)),
        label(0, 0, "보이는 글"),
        label(1, 0, "숨은 글"),
    ]
    shown = look(parse(workbook(("가", 0, rows)), "xls"))
    assert "숨은 글" not in shown.everything(Layer.BODY)
    assert "숨은 글" in shown.everything(Layer.HIDDEN)


def test_notes_have_their_authors_and_cells(both):
    text = "다시 재어 보세요"
    rows = [
        label(0, 0, "치수"),
        record(0x005D, struct.pack("<HHHHHIII", 0x15, 18, 0x19, 5, 0, 0, 0, 0) + bytes(4)),
        record(0x01B6, struct.pack("<HHHHHHI", 0, 0, 0, 0, len(text), 16, 0)[:10] + struct.pack("<HHI", len(text), 16, 0)),
        record(0x003C, b"\x01" + text.encode("utf-16-le")),
        record(0x003C, bytes(16)),
        record(0x001C, struct.pack("<HHHH", 3, 1, 0, 5) + wide("이대리") + b"\0"),
    ]  # fmt: skip
    (note,) = [
        b for b in both(workbook(("가", 0, rows))).document.blocks if b.kind is BlockKind.NOTE
    ]
    assert (note.text, note.label, note.position.cells) == (text, "이대리", "B4")


def test_a_large_sheet_written_column_by_column_is_read_row_by_row(parse, look):
    rows = [label(0, 0, "품번"), *(label(n, 0, f"HX-{n}") for n in range(1, 3001))]
    rows += [label(0, 1, "수량"), *(number(n, 1, n / 2) for n in range(1, 3001))]
    shown = look(parse(workbook(("대장", 0, rows)), "xls", max_cells=1))
    (table,) = shown.tables()
    assert (table.stored.rows, table.stored.columns[1].total) == (3000, 3000 * 3001 / 4)
    assert shown.address(table, "0.5") == (("수량",), ("HX-1",))


def test_text_of_formulas_in_the_later_part_of_a_large_sheet(parse, look):
    text = "판정 " * 40
    rows = [label(0, 0, "번호"), label(0, 1, "판정")]
    for n in range(1, 2500):
        rows += [number(n, 0, n)]
        rows += [record(0x0006, struct.pack("<HHH", n, 1, 0) + b"\0\0\0\0\0\0\xff\xff" + bytes(6))]
        rows += [record(0x0207, struct.pack("<HB", len(text), 1) + text[:9].encode("utf-16-le"))]
        rows += [record(0x003C, b"\x01" + text[9:].encode("utf-16-le"))]
    (table,) = look(parse(workbook(("대장", 0, rows)), "xls", max_cells=1)).tables()
    column = table.stored.columns[1]
    assert (column.filled, column.distinct) == (2499, 1)


# -- earlier versions ------------------------------------------------------------------------------


def ledger_2():
    """Excel 2: attributes in the cells, or the numbers of formats."""

    def at(row, column, attributes=b"\0\0\0"):
        return struct.pack("<HH", row, column) + attributes

    text = "수량".encode("cp949")
    return [
        record(0x0009, struct.pack("<HH", 2, 0x10)),
        record(0x0042, struct.pack("<H", 949)),
        record(0x0031, struct.pack("<HH", 200, 0) + b"\5Arial"),
        record(0x001E, b"\7General"),
        record(0x001E, b"\4" + b"0.00"),
        record(0x0004, at(0, 0) + bytes((len("품번".encode("cp949")),)) + "품번".encode("cp949")),
        record(0x0004, at(0, 1) + bytes((len(text),)) + text),
        record(0x0004, at(1, 0) + b"\4HX-1"),
        record(0x0002, at(1, 1) + struct.pack("<H", 12)),
        record(0x0004, at(2, 0) + b"\4HX-2"),
        record(0x0003, at(2, 1, b"\0\1\0") + struct.pack("<d", 7.5)),
        record(0x0004, at(3, 0) + b"\4HX-3"),
        record(0x0006, at(3, 1) + struct.pack("<d", 3.25) + bytes(3)),
        record(0x0005, at(4, 1) + b"\1\0"),
        EOF,
    ]  # fmt: skip


def ledger_34(version):
    bof, form, cell_format, formula = {
        3: (0x0209, 0x001E, 0x0243, 0x0206),
        4: (0x0409, 0x041E, 0x0443, 0x0406),
    }[version]
    codes = (b"General", b"0.00", b"yyyy\\-mm\\-dd")
    head = b"" if version == 3 else b"\0\0"

    def xf(key):
        return record(cell_format, struct.pack("<BB", 0, key) + bytes(10))

    def text(row, column, value):
        value = value.encode("cp949")
        return cell(0x0204, row, column, 0, struct.pack("<H", len(value)) + value)

    return [
        record(bof, struct.pack("<HHH", version << 8, 0x10, 0)),
        record(0x0042, struct.pack("<H", 949)),
        record(0x0231, struct.pack("<HHH", 200, 0, 0x7FFF) + b"\5Arial"),
        *(record(form, head + bytes((len(code),)) + code) for code in codes),
        *(xf(key) for key in range(3)),
        text(0, 0, "품번"), text(0, 1, "수량"), text(0, 2, "일자"),
        text(1, 0, "HX-1"), number(1, 1, 12.5, 1), number(1, 2, 45306, 2),
        text(2, 0, "HX-2"), record(formula, struct.pack("<HHH", 2, 1, 0) + struct.pack("<d", 3.0) + bytes(4)),
        EOF,
    ]  # fmt: skip


def test_excel_2_3_and_4_hold_one_sheet(both):
    assert grid(both(b"".join(ledger_2())))[1:] == [
        ["HX-1", "12"], ["HX-2", "7.50"], ["HX-3", "3.25"], ["", "TRUE"],
    ]  # fmt: skip
    for version in (3, 4):
        shown = both(b"".join(ledger_34(version)))
        assert grid(shown)[1:] == [["HX-1", "12.50", "2024-01-15"], ["HX-2", "3", ""]]


def test_a_workbook_of_excel_4_holds_several(parse, look):
    sheets = [b"".join(ledger_34(4)), b"".join(ledger_34(4)).replace(b"HX-1", b"QX-9")]
    data = record(0x0409, struct.pack("<HHH", 0x0400, 0x0100, 0))
    data += record(0x0042, struct.pack("<H", 949))
    names = ["앞".encode("cp949"), "뒤".encode("cp949")]
    data += b"".join(record(0x0085, bytes((len(name),)) + name) for name in names)
    for name, sheet in zip(names, sheets, strict=True):
        data += record(0x008F, struct.pack("<IB", len(sheet), len(name)) + name) + sheet
    shown = look(parse(data + EOF, "xls"))
    assert list(dict.fromkeys(b.position.sheet for b in shown.document.blocks)) == ["앞", "뒤"]
    assert grid(shown, 0)[1] == ["HX-1", "12.50", "2024-01-15"]
    assert grid(shown, 1)[1] == ["QX-9", "12.50", "2024-01-15"]


def test_a_file_that_is_a_stream_of_records_is_known_by_its_begin(tmp_path):
    for name, data in {
        "2": b"".join(ledger_2()), "3": b"".join(ledger_34(3)), "4": b"".join(ledger_34(4)),
        "8": workbook(("가", 0, [number(0, 0, 1)])),
    }.items():  # fmt: skip
        path = tmp_path / f"{name}.xls"
        path.write_bytes(data)
        assert sniff(path, path.name).format == "xls", name


# -- damage ----------------------------------------------------------------------------------------


def test_a_damaged_record_costs_itself_alone(parse, look):
    rows = [
        label(0, 0, "품번"), label(0, 1, "수량"), label(1, 0, "HX-1"),
        record(0x0203, b"\1\0\1"),  # too short
        record(0x00BD, struct.pack("<HHH", 1, 3, 2)),  # ends before it begins
        cell(0x0203, 1, 999, 0, struct.pack("<d", 1)),  # beyond the last column
        record(0x00E5, struct.pack("<H4H", 500, 5, 4, 0, 0)),
        number(1, 1, 5),
    ]  # fmt: skip
    shown = look(parse(workbook(("가", 0, rows)), "xls"))
    assert grid(shown)[1] == ["HX-1", "5"]
    assert any("damaged record" in warning for warning in shown.document.warnings)
    assert shown.document.quality.grade == "C"


def test_a_sheet_that_breaks_off_keeps_its_cells_and_one_that_is_elsewhere_is_told(parse, look):
    data = workbook(
        ("앞", 0, [label(0, 0, "글"), number(1, 0, 1)]), ("뒤", 0, [label(0, 0, "끝글")])
    )
    shown = look(parse(data[:-4], "xls"))
    assert "끝글" in shown.everything()
    assert any("breaks off" in warning for warning in shown.document.warnings)
    places = [data.index(record(0x0085, b"")[:2], 20)]
    twice = bytearray(data)
    at = data.index(b"\x85\x00", places[0] + 4)
    twice[at + 4 : at + 8] = data[places[0] + 4 : places[0] + 8]
    shown = look(parse(bytes(twice), "xls"))
    assert "글" in shown.everything()
    assert any("cannot be read" in warning for warning in shown.document.warnings)


# -- number formats ----------------------------------------------------------------------------------


@settings(max_examples=300, deadline=None)
@given(
    st.sampled_from(
        ("0.00", "#,##0.0", "#,##0", "0%", "0.0%", '"₩"#,##0.00', '#,##0.00"원";[Red]-#,##0.00"원"', '0.000" kg"', "_-* #,##0.00_-")
    ),
    st.one_of(
        st.floats(min_value=1e-7, max_value=9.9e11),
        st.integers(1, 10**9).map(lambda number: number / 1000),
        st.integers(1, 10**7).map(lambda number: (number + 0.5) / 100),
    ),
)  # fmt: skip
def test_the_quick_way_to_write_a_number_is_the_same_as_the_long_one(code, value):
    write = decimal_writer(code)
    assert write is not None
    assert write(value) == format_value(value, code)


@pytest.mark.parametrize(
    "code", ["yyyy-mm-dd", "0.00E+00", "# ?/?", "[>100]0.0;0.00", "0.0,", "@", "0.##"]
)
def test_other_formats_have_no_quick_way(code):
    assert decimal_writer(code) is None
