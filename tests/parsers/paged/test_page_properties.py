"""What holds for every page, whatever stands on it."""

from __future__ import annotations

from collections import Counter

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from contracts.documents import Block, BlockKind, Table

WORDS = (
    "금형",
    "교체",
    "주기는",
    "EQ-PRESS-07",
    "점검",
    "2.5",
    "mm",
    "Rev.C",
    "제3조",
    "합계",
    "불량률",
)
SETTINGS = settings(
    max_examples=25,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)

line = st.lists(st.sampled_from(WORDS), min_size=1, max_size=6).map(" ".join)
paragraph = st.tuples(
    st.sampled_from((50.0, 60.0, 310.0)),
    st.integers(60, 760),
    st.lists(line, min_size=1, max_size=5),
    st.sampled_from((8, 10, 12, 18)),
)
grid = st.tuples(
    st.integers(60, 600),
    st.integers(1, 4),
    st.integers(1, 5),
    st.lists(st.sampled_from(WORDS), min_size=20, max_size=20),
    st.sets(st.integers(0, 19), max_size=4),
)
page = st.tuples(
    st.lists(paragraph, max_size=5), st.lists(grid, max_size=1), st.sampled_from((0, 90, 180, 270))
)


class Room:
    """What is taken on a page: texts that would run over each other are left out."""

    def __init__(self) -> None:
        self.taken: list[tuple[float, float, float, float]] = []

    def free(self, box: tuple[float, float, float, float]) -> bool:
        """Take the place, if it is free and on the page."""
        clear = all(
            box[2] < o[0] or o[2] < box[0] or box[3] < o[1] or o[3] < box[1] for o in self.taken
        )
        if clear and box[2] < 560 and box[3] < 800:
            self.taken.append(box)
            return True
        return False


def drawn(maker, content) -> None:
    """Write a page."""
    paragraphs, grids, turn = content
    room = Room()
    for top, columns, rows, words, without in grids:
        xs = [60 + 110.0 * i for i in range(columns + 1)]
        ys = [top + 24.0 * i for i in range(rows + 1)]
        if room.free((xs[0] - 6, ys[0] - 6, xs[-1] + 6, ys[-1] + 6)):
            walls(maker, xs, ys, without)
            for place in range(rows * columns):
                x, y = xs[place % columns], ys[place // columns]
                maker.text(x + 6, y + 16, words[place], 10)
    for x, y, lines, size in paragraphs:
        width = max(len(text) for text in lines) * size
        if room.free((x, y - size, x + width, y + 1.5 * size * len(lines))):
            maker.lines(x, y, *lines, size=size, step=1.5 * size)
    maker.page.set_rotation(turn)


def walls(maker, xs: list[float], ys: list[float], without: set[int]) -> None:
    """The borders of a table; a missing inner wall is a merged cell."""
    for y in ys:
        maker.page.draw_line((xs[0], y), (xs[-1], y))
    for place, x in enumerate(xs):
        for row in range(len(ys) - 1):
            if not (0 < place < len(xs) - 1 and row * 4 + place in without):
                maker.page.draw_line((x, ys[row]), (x, ys[row + 1]))


def spoken(blocks: tuple[Block, ...]) -> str:
    parts: list[str] = []

    def of_table(table: Table) -> None:
        for cell in table.cells:
            parts.append(cell.text)
            for inner in cell.tables:
                of_table(inner)

    for block in blocks:
        parts.extend((block.label, block.text))
        if block.table is not None:
            of_table(block.table)
    return "".join("".join(parts).split())


def letters(text: str) -> Counter[str]:
    return Counter(char for char in text if char.isalnum())


@SETTINGS
@given(st.lists(page, min_size=1, max_size=3))
def test_text_boxes_order_and_tables(new_maker, parse, pages):
    maker = new_maker()
    for number, content in enumerate(pages):
        if number:
            maker.new_page()
        drawn(maker, content)
    written = "".join(page.get_text() for page in maker.pdf)
    if not written.strip():
        return
    sizes = [(page.rect.width, page.rect.height) for page in maker.pdf]
    document = parse(maker.data())

    # All that is written is in some block, and once; a table head that the next page repeats is dropped.
    missing = letters(written) - letters(spoken(document.blocks))
    joined = any(block.table is not None and block.table.parts for block in document.blocks)
    assert not missing or joined, missing
    assert not letters(spoken(document.blocks)) - letters(written)

    # Pages come in order, and every box lies on its page as shown.
    numbers = [block.position.page for block in document.blocks]
    assert numbers == sorted(numbers)
    for block in document.blocks:
        if block.position.box is not None:
            left, top, right, bottom = block.position.box
            width, height = sizes[block.position.page - 1]
            assert -1 <= left <= right <= width + 1
            assert -1 <= top <= bottom <= height + 1

    # Cells and their spans fill the table without lying over each other.
    for block in document.blocks:
        if block.kind is BlockKind.TABLE:
            table = block.table
            places = [
                (row, column)
                for cell in table.cells
                for row in range(cell.row, cell.row + cell.row_span)
                for column in range(cell.column, cell.column + cell.column_span)
            ]
            assert len(places) == len(set(places))
            assert all(row < table.rows and column < table.columns for row, column in places)


def test_rows_of_a_table_over_two_pages_know_their_page(maker, parse):
    from ingest.chunking.tables import table_units

    def part(rows: list[tuple[str, str]], top: float) -> None:
        maker.grid([60.0, 200.0, 400.0], [top + 20.0 * i for i in range(len(rows) + 1)])
        for index, texts in enumerate(rows):
            for x, text in zip((66, 206), texts, strict=True):
                maker.text(x, top + 14 + 20 * index, text, 10)

    head = ("품번", "수량")
    part([head, *((f"HX-{i}", str(100 + i)) for i in range(8))], 600)
    maker.new_page()
    part([head, *((f"HX-{i}", str(100 + i)) for i in range(8, 12))], 60)
    (block,) = [b for b in parse(maker.data()).blocks if b.table is not None]
    assert [(first, place.page) for first, place in block.table.parts] == [(0, 1), (9, 2)]
    units = table_units(block, 0, 1000)
    assert {u.position.page for u in units if "HX-3" in u.text} == {1}
    assert {u.position.page for u in units if "HX-10" in u.text} == {2}


def test_addresses_behind_words_are_kept(maker, parse):
    import pymupdf

    maker.text(60, 60, "지침은 여기 참조, https://example.invalid/shown", 11)
    for uri in ("https://example.invalid/hidden", "https://example.invalid/shown"):
        maker.page.insert_link(
            {"kind": pymupdf.LINK_URI, "from": pymupdf.Rect(60, 40, 200, 64), "uri": uri}
        )
    (note,) = [b for b in parse(maker.data()).blocks if b.label == "link"]
    assert note.text == "https://example.invalid/hidden"
