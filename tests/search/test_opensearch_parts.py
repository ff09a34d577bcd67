"""The parts of the OpenSearch backend that need no server."""

from __future__ import annotations

import random
import struct

import pytest

from contracts.errors import ConfigError, IndexUnavailableError
from contracts.settings import IndexSettings
from search.backends.opensearch.layout import Names
from search.backends.opensearch.roaring import roaring
from search.backends.opensearch.rows import path_key, row_fields
from search.backends.registry import make_index


def numbers_of(data):
    """Read a portable roaring bitmap by its specification (RoaringFormatSpec, no run containers)."""
    cookie, containers = struct.unpack_from("<II", data)
    assert cookie == 12346
    found = set()
    for place in range(containers):
        key, less = struct.unpack_from("<HH", data, 8 + 4 * place)
        (offset,) = struct.unpack_from("<I", data, 8 + 4 * containers + 4 * place)
        count = less + 1
        if count <= 4096:
            low = struct.unpack_from(f"<{count}H", data, offset)
        else:
            bits = data[offset : offset + 8192]
            low = [bit for bit in range(1 << 16) if bits[bit >> 3] >> (bit & 7) & 1]
            assert len(low) == count
        found |= {key << 16 | value for value in low}
    return found


@pytest.mark.parametrize(
    "numbers",
    [
        [],
        [0],
        [7, 3, 3, 1 << 16, (1 << 32) - 1],
        range(4096),
        range(4097),
        range(60_000, 140_000),
        random.Random(3).sample(range(1 << 20), 50_000),  # noqa: S311  numbers to write down
    ],
    ids=["none", "zero", "far apart", "array", "bits", "two containers", "many"],
)
def test_a_bitmap_holds_the_numbers_that_were_put_into_it(numbers):
    assert numbers_of(roaring(numbers)) == set(numbers)


def test_an_empty_bitmap_is_what_the_specification_says():
    assert roaring([]) == bytes.fromhex("3a30000000000000")


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"url": ""}, "index.url"),
        ({"url": "search.example:9200"}, "index.url"),
        ({"url": "ftp://search.example"}, "index.url"),
        ({"url": "https://ingest:secret@search.example"}, "SEOGA_INDEX_PASSWORD_FILE"),
        ({"url": "https://search.example", "ca_file": "/nowhere/ca.pem"}, "index.ca_file"),
    ],
)
def test_an_address_that_cannot_be_used_is_refused_by_the_name_of_its_setting(
    tmp_path, settings, said
):
    with pytest.raises(ConfigError, match=said):
        make_index(IndexSettings(backend="opensearch", **settings), tmp_path, 16, "test")


def test_a_server_that_does_not_answer_can_be_tried_again_later(tmp_path):
    settings = IndexSettings(backend="opensearch", url="http://127.0.0.1:9", timeout_seconds=2)
    with pytest.raises(IndexUnavailableError, match="does not answer"):
        make_index(settings, tmp_path, 16, "test")


def test_only_indexes_of_the_installation_count_as_its_own():
    names = Names("seoga")
    assert names.number("seoga-000001") == 1
    assert names.number(names.later(12, "ab12cd")) == 12
    for other in (
        "seoga",
        "seoga-test-000001",
        "seoga2-000001",
        "seoga-000001.own",
        "xseoga-000001",
    ):
        assert names.number(other) is None


def test_a_path_is_found_under_each_of_its_folders_and_containers():
    from contracts.chunks import DocumentRow

    row = DocumentRow(
        document_id="d",
        version_id="v",
        source="s",
        path="a/b.zip!/c/d\udcff.txt",
        source_link="",
        title="t",
        format="txt",
        scope_id="open",
    )
    keys = row_fields(row, 1, {"open": 1})["path_keys"]
    whole = "a/b.zip!/c/d\udcff.txt".encode("utf-8", "surrogateescape")
    wanted = [b"a", b"a/b.zip", b"a/b.zip!", b"a/b.zip!/c", whole]
    assert set(keys) == {path_key(path) for path in wanted}
