"""Segments of postings: what is stored comes back, merged or not."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from contracts.errors import IndexUnavailableError
from search.backends.embedded import segments
from search.backends.embedded.segments import GONE, SegmentFiles, term_key, to_merge

POSTINGS = st.dictionaries(
    st.tuples(st.integers(0, 12), st.integers(0, 40)), st.integers(1, 255), min_size=1, max_size=60
)
"""Key and row → times."""


def stored(segment):
    found = {}
    for place, key in enumerate(segment.keys.tolist()):
        for at in range(*segment.starts[place : place + 2].tolist()):
            found[key, int(segment.rows[at])] = int(segment.times[at])
    return found


def write(files, number, postings):
    entries = sorted(postings.items(), key=lambda entry: entry[0][1])
    files.write(
        number,
        np.array([key for (key, _), _ in entries], np.uint64),
        np.array([row for (_, row), _ in entries], np.uint32),
        np.array([times for _, times in entries], np.uint8),
    )


@given(
    parts=st.lists(POSTINGS, min_size=1, max_size=5),
    removed=st.sets(st.integers(0, 240)),
    block=st.integers(1, 80),
)
def test_a_merged_segment_holds_what_its_parts_held_without_the_rows_left_out(
    tmp_path_factory, parts, removed, block
):
    files = SegmentFiles(tmp_path_factory.mktemp("segments"))
    wanted = {}
    for number, part in enumerate(parts):
        # every part has rows of its own, as every write has
        own = {(key, row + 41 * number): times for (key, row), times in part.items()}
        write(files, number, own)
        wanted |= own
    place = np.arange(41 * len(parts), dtype=np.uint32)
    gone = [row for row in removed if row < len(place)]
    place[gone] = GONE
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(segments, "_BLOCK", block)
        size = files.merge(99, files.open(range(len(parts))), place if gone else None)
    (merged,) = files.open([99])
    left = {(key, row): times for (key, row), times in wanted.items() if row not in gone}
    assert stored(merged) == left
    assert size == merged.postings == len(left)
    assert merged.keys.tolist() == sorted({key for key, _ in left})
    for first, last in zip(merged.starts[:-1], merged.starts[1:], strict=True):
        assert np.all(np.diff(merged.rows[first:last].astype(np.int64)) > 0)


def test_rows_get_their_new_numbers_where_others_are_left_out(tmp_path):
    files = SegmentFiles(tmp_path)
    write(files, 1, {(8, 0): 1, (8, 1): 2, (9, 1): 3, (9, 2): 4})
    files.merge(2, files.open([1]), np.array([GONE, 0, 1], np.uint32))
    (merged,) = files.open([2])
    assert stored(merged) == {(8, 0): 2, (9, 0): 3, (9, 1): 4}


@pytest.mark.parametrize("writes", [1, 7, 8, 9, 100, 1000])
def test_few_segments_are_left_and_every_posting_is_copied_few_times(writes):
    sizes, copied = [], 0
    for _ in range(writes):
        sizes.append(100_000)
        while (chosen := to_merge(sizes)) is not None:
            copied += sum(sizes[chosen])
            sizes[chosen] = [sum(sizes[chosen])]
    assert sum(sizes) == writes * 100_000
    levels = int(np.log(writes) / np.log(8) + 1)
    assert len(sizes) <= 8 * levels
    assert copied <= levels * sum(sizes)


def test_a_key_tells_fields_apart_and_is_the_same_in_every_process():
    assert len({term_key(term, field) for term in ("토크", "toque") for field in range(4)}) == 8
    assert term_key("토크", 3) == 10553874346819907523


def test_a_segment_that_was_cut_off_is_reported(tmp_path):
    files = SegmentFiles(tmp_path)
    write(files, 1, {(8, 0): 1, (9, 1): 2})
    path = files.path(1)
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(IndexUnavailableError, match=r"postings-000000001\.seg is not whole"):
        SegmentFiles(tmp_path).open([1])
    path.write_bytes(b"")
    with pytest.raises(IndexUnavailableError, match="not whole"):
        SegmentFiles(tmp_path).open([1])


def test_what_no_commit_names_is_removed_and_what_is_named_stays(tmp_path):
    files = SegmentFiles(tmp_path)
    for number in (1, 2):
        write(files, number, {(8, number): 1})
    (tmp_path / "postings-000000003.seg.part").write_bytes(b"a writer died here")
    files.remove_others([2])
    assert [path.name for path in tmp_path.iterdir()] == ["postings-000000002.seg"]
