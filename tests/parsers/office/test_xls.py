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
