"""Records of an HWP 5 body: which lies below which, and what of them is kept."""

from __future__ import annotations

import random
from types import SimpleNamespace

import pytest

from parsers.hwp.records import Record, Tag, read_records, record_tree

HEADER, TEXT, SHAPES, LINES, CONTROL = (
    Tag.PARA_HEADER,
    Tag.PARA_TEXT,
    Tag.PARA_CHAR_SHAPE,
    69,
    Tag.CTRL_HEADER,
)
LEAVES = {TEXT, SHAPES, Tag.PARA_RANGE_TAG}


def tags(records: list[Record]) -> list[object]:
    """Tags as nested lists."""
    return [[record.tag, *tags(record.children)] for record in records]


def test_text_in_pieces_is_joined_and_the_first_letters_count(build: SimpleNamespace) -> None:
    data = build.record(HEADER, 0, b"h")
    data += build.record(TEXT, 1, b"ab") + build.record(SHAPES, 1, b"first")
    data += build.record(TEXT, 1, b"cd") + build.record(SHAPES, 1, b"second")
    (paragraph,) = record_tree(data)
    assert (paragraph.text, paragraph.letters) == (b"abcd", b"first")
    assert paragraph.children == []


@pytest.mark.parametrize("above", [LINES, TEXT])
def test_what_lies_below_a_record_that_nobody_looks_into_is_left_out(
    build: SimpleNamespace, above: int
) -> None:
    data = build.record(HEADER, 0) + build.record(above, 1)
    data += build.record(HEADER, 2) + build.record(CONTROL, 3)
    data += build.record(CONTROL, 1) + build.record(HEADER, 0)
    assert tags(record_tree(data)) == [[HEADER, [CONTROL]], [HEADER]]


def test_a_stream_that_is_cut_off_is_read_up_to_there(build: SimpleNamespace) -> None:
    data = build.record(HEADER, 0, b"x" * 5000) + build.record(HEADER, 0, b"y" * 40)
    kept = record_tree(data[:-35])
    assert [len(record.data) for record in kept] == [5000, 5]
    assert list(read_records(data[:-35], {HEADER}))[1] == (HEADER, b"y" * 5)
    assert [len(record.data) for record in record_tree(data[:5009])] == [5000]


def plainly(records: list[tuple[int, int, bytes]]) -> list[object]:
    """Each below the nearest earlier one of a smaller level, as section 4.1 says; then what the reader keeps of that."""
    top: list[tuple[int, bytes, list]] = []
    path: list[tuple[int, list]] = [(-1, top)]
    for tag, level, data in records:
        while path[-1][0] >= level:
            path.pop()
        below: list = []
        path[-1][1].append((tag, data, below))
        path.append((level, below))
    return [kept(entry) for entry in top if entry[0] not in LEAVES and entry[0] in set(Tag)]


def kept(entry: tuple[int, bytes, list]) -> list[object]:
    tag, data, below = entry
    text = b"".join(data for tag, data, _ in below if tag == TEXT)
    letters = next((data for tag, data, _ in below if tag == SHAPES), b"")
    inner = [kept(one) for one in below if one[0] not in LEAVES and one[0] in set(Tag)]
    return [int(tag), data, text, letters, inner]


def read(records: list[Record]) -> list[object]:
    return [[r.tag, r.data, r.text, r.letters, read(r.children)] for r in records]


def test_any_order_of_levels_gives_the_tree_of_the_specification(build: SimpleNamespace) -> None:
    rng = random.Random(3)  # noqa: S311  not for secrets
    known = [*map(int, Tag), LINES, 80, 200]
    for _ in range(300):
        level, records = 0, []
        for number in range(rng.randrange(1, 40)):
            level = max(0, level + rng.choice((-3, -2, -1, -1, 0, 0, 1, 1, 2)))
            records.append((rng.choice(known), level, b"%d" % number))
        data = b"".join(build.record(*record) for record in records)
        assert read(record_tree(data)) == plainly(records)
