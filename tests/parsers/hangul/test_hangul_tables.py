"""Tables of Hangul documents whose addresses and spans do not fit together."""

from __future__ import annotations

import time

import pytest

from parsers.common.hangul_tables import PlacedCell, build_table


def test_a_cell_on_a_taken_place_moves_so_that_no_text_is_lost():
    cells = [
        PlacedCell(0, 0, 1, 2, "가"),
        PlacedCell(0, 1, 1, 1, "나"),
        PlacedCell(0, 1, 1, 1, "다"),
    ]
    table, share = build_table(cells, 1, 2)
    assert [(c.column, c.column_span, c.text) for c in table.cells] == [
        (0, 2, "가"),
        (2, 1, "나"),
        (3, 1, "다"),
    ]
    assert table.columns == 4
    assert share == pytest.approx(1 / 3)


def test_spans_end_where_the_table_ends():
    table, share = build_table([PlacedCell(0, 0, 9, 9, "가"), PlacedCell(1, 1, 1, 1, "나")], 2, 2)
    assert (table.cells[0].row_span, table.cells[0].column_span) == (2, 2)
    assert share == 0


def test_absurd_sizes_cost_nothing():
    start = time.perf_counter()
    cells = [PlacedCell(0, 0, 65_535, 4_095, "가")]
    cells += [PlacedCell(0, 0, 1, 1, str(n)) for n in range(20_000)]
    table, _ = build_table(cells, 65_535, 4_095)
    assert len(table.cells) == 20_001
    assert time.perf_counter() - start < 5
