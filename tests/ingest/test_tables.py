"""Tables of documents answer questions that sum and count."""

from __future__ import annotations

import pytest

from contracts.documents import Block, BlockKind, Cell, Layer, ParsedDocument, Position, Table
from contracts.errors import QueryError
from ingest.ids import tables_key
from ingest.reading import stored_document
from ingest.tables import open_stored_tables, open_tables, value_of

GRID = (
    ("품번", "수량", "불량률", "검사일"),
    ("HX-001", "1,200", "12.5%", "2026. 3. 15."),
    ("HX-002", "800", "2.5%", "2026년 4월 2일"),
    ("00123", "△30", "-", "2026-05-01"),
)


def table(grid=GRID, **options):
    cells = tuple(Cell(r, c, text) for r, row in enumerate(grid) for c, text in enumerate(row))
    sizes = {"rows": len(grid), "columns": len(grid[0]), "header_rows": 1, "header_columns": 1}
    return Table(cells=cells, **{**sizes, **options})


@pytest.fixture
def opened(tmp_path):
    def run(*tables):
        blocks = tuple(
            Block(kind=BlockKind.TABLE, table=one, position=Position(sheet="대장"))
            for one in tables
        )
        path = tmp_path / "tables.db"
        path.write_bytes(b"")
        return open_tables(ParsedDocument(format="xlsx", blocks=blocks), path)

    return run


def test_a_table_of_a_document_can_be_summed_and_counted(opened):
    with opened(table()) as tables:
        (info,) = tables.tables
        assert (info.name, info.rows, info.columns) == ("대장", 3, GRID[0])
        answer = tables.ask('SELECT sum("수량"), count(*), max("검사일") FROM "대장"')
        assert answer.rows == ((1970, 3, "2026-05-01"),)


def test_two_tables_of_one_name_are_told_apart(opened):
    with opened(table(), table()) as tables:
        assert [info.name for info in tables.tables] == ["대장", "대장 2"]


def test_a_question_cannot_change_anything(opened, tmp_path):
    with opened(table()) as tables:
        for sql in (
            'DELETE FROM "대장"', "DROP TABLE 대장", f"ATTACH '{tmp_path}/other.db' AS other",
            "PRAGMA writable_schema = 1", "SELECT load_extension('x')", "SELECT 1; SELECT 2", "",
        ):  # fmt: skip
            if sql:
                with pytest.raises(QueryError):
                    tables.ask(sql)
        assert tables.ask('SELECT count(*) FROM "대장"').rows == ((3,),)
    assert not (tmp_path / "other.db").exists()


def test_a_question_without_end_is_given_up(opened):
    endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n"
    with opened(table()) as tables, pytest.raises(QueryError, match=r"0\.2 s"):
        tables.ask(endless, seconds=0.2)


def test_a_long_answer_is_cut_and_says_so(opened):
    with opened(table()) as tables:
        answer = tables.ask('SELECT * FROM "대장"', most_rows=2)
        assert (len(answer.rows), answer.cut) == (2, True)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1,234.5", 1234.5), ("₩ 3,000", 3000), ("3,000원", 3000), ("(250)", -250), ("△12", -12), ("12.5%", 0.125),
        ("0012", "0012"), ("1234567890123456", "1234567890123456"), ("12,34", "12,34"), ("(250", "(250"),
        ("2026.03.05", "2026-03-05"), ("2026-13-05", "2026-13-05"), ("3kg", "3kg"), (" ", None), ("0.5", 0.5),
    ],
)  # fmt: skip
def test_values_are_read_as_people_read_them(text, value):
    assert value_of(text) == value


def test_hidden_tables_say_so(tmp_path):
    block = Block(kind=BlockKind.TABLE, table=table(), layer=Layer.HIDDEN)
    path = tmp_path / "t.db"
    path.touch()
    with open_tables(ParsedDocument(format="xlsx", blocks=(block,)), path) as tables:
        assert tables.tables[0].layer is Layer.HIDDEN


def test_an_ingested_ledger_can_be_asked_until_it_is_deleted(installation):
    lines = "\n".join(f"HX-{n:04d},{n},{n % 7}" for n in range(3000))
    ledger = installation.write("대장.csv", f"품번,수량,불량\n{lines}\n")
    installation.write("다른 글.txt", "남는 글")
    installation.options = {
        "parse": {"workers": 1, "timeout_seconds": 60, "max_cells": 1},
    }
    installation.ingest()
    with installation.kit() as kit:
        (document,) = [d for d in kit.catalog.documents.stream() if d.path == "대장.csv"]
        (version,) = kit.catalog.versions.get_many([document.version_id]).values()
        parsed = stored_document(kit.blobs, version.parse_key)
        with open_stored_tables(kit.blobs, version.parse_key, parsed) as tables:
            (info,) = tables.tables
            assert info.name == "table"
            asked = 'SELECT count(*), sum("수량") FROM "table" WHERE "불량" = 3'
            assert tables.ask(asked).rows == ((429, sum(range(3, 3000, 7))),)
        key = tables_key(version.parse_key)
        assert key in set(kit.blobs.keys())
    assert any("표 요약" in hit.text for hit in installation.hits("수량 합계"))
    ledger.unlink()
    installation.ingest()
    with installation.kit() as kit:
        assert key not in set(kit.blobs.keys())
