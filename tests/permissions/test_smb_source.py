"""What happens to a Windows share while it is read, on a real server: cut lines, files held open, odd names, namespaces."""

from __future__ import annotations

import contextlib
import os
import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from acl_sync.registry import make_permission_reader
from contracts.documents import SourceItem
from contracts.errors import ItemBusyError, ItemGoneError, SourceUnreachableError
from contracts.outcomes import SkipReason
from contracts.sources import ListProblem, Skipped, SourceFolder
from ingest.sources.reparse import odd_point

pytestmark = pytest.mark.integration


def items_of(source):
    return {found.path: found for found in source.list() if isinstance(found, SourceItem)}


def read(source, item):
    with source.fetch(item) as path, path.open("rb") as file:
        return file.read()


# -- lines that are cut ----------------------------------------------------------------------------


def test_a_line_that_is_cut_while_listing_is_made_anew_and_nothing_is_missing(share):
    share.fill(8)
    source, found = share.source(), []
    for number, entry in enumerate(source.list()):
        found.append(entry.path)
        if number % 7 == 3:
            share.server.hang_up()
    assert found == [
        "",
        *sorted(p for n in range(8) for p in (f"{n:02}", *(f"{n:02}/{i}.txt" for i in range(3)))),
    ]


def test_a_line_that_is_cut_while_reading_gives_all_bytes_and_no_byte_twice(share):
    data = os.urandom(24_000_000)
    share.client.write("big.bin", data)
    source = share.source()
    item = items_of(source)["big.bin"]
    cut = threading.Timer(0.05, share.server.hang_up)
    cut.start()
    assert read(source, item) == data
    cut.join()


def test_workers_read_at_once_over_lines_that_are_cut(share):
    share.fill(4, files=10)
    source = share.source()
    items = list(items_of(source).values())
    with ThreadPoolExecutor(8) as workers:
        reading = [workers.submit(read, source, item) for item in items * 5]
        for _ in range(3):
            time.sleep(0.05)
            share.server.hang_up()
        assert {work.result() for work in reading} == {b"x" * 10}


def test_a_process_that_is_forked_has_a_line_of_its_own(share):
    share.fill(1)
    source = share.source()
    items = items_of(source)
    child = os.fork()
    if child == 0:
        fine = False
        with contextlib.suppress(Exception):
            fine = items_of(source) == items
        os._exit(0 if fine else 1)
    assert os.waitpid(child, 0)[1] == 0
    assert items_of(source) == items


def test_a_server_that_goes_away_while_listing_ends_the_listing(share):
    share.fill(6)
    listing = share.source().list()
    assert [next(listing).path for _ in range(3)] == ["", "00", "00/0.txt"]
    share.server.stop()
    try:
        with pytest.raises(SourceUnreachableError, match="연결") as caught:
            list(listing)
        assert caught.value.transient
        assert "바꾸지 않았습니다" in caught.value.advice
    finally:
        share.server.start()
    assert len(items_of(share.source())) == 18


def test_a_server_that_takes_connections_and_says_nothing_is_unreachable_in_time(share):
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1]
        source = share.source(url=f"smb://127.0.0.1:{port}/x", timeout_seconds=1)
        began = time.monotonic()
        with pytest.raises(SourceUnreachableError, match=r"127\.0\.0\.1"):
            source.check()
        assert time.monotonic() - began < 10


# -- files in use ----------------------------------------------------------------------------------


def test_a_file_that_somebody_holds_open_is_busy_and_read_later(share):
    share.client.write("open.xlsx", b"data")
    source = share.source()
    item = items_of(source)["open.xlsx"]
    with share.client.held("open.xlsx"):
        with pytest.raises(ItemBusyError, match="열고 있습니다") as caught:
            read(source, item)
        assert caught.value.transient
    assert read(source, item) == b"data"


def test_nobody_is_kept_from_saving_while_a_file_is_read(share):
    share.client.write("a.txt", b"1" * 3_000_000)
    source = share.source()
    with source.fetch(items_of(source)["a.txt"]):
        share.client.write("new.txt", b"2")
        share.client.replace("new.txt", "a.txt")
        share.client.remove("a.txt")


def test_a_list_that_was_changed_after_the_listing_keeps_the_reader_out(share, smb_tools):
    share.client.write("a.txt", b"1")
    source = share.source()
    item = items_of(source)["a.txt"]
    share.client.protect("a.txt", smb_tools.descriptor([]))
    with pytest.raises(ItemBusyError, match="거부"):
        read(source, item)


# -- names -----------------------------------------------------------------------------------------


def test_paths_beyond_260_characters_are_read(share):
    path = "/".join(["긴 이름의 폴더" * 4] * 12) + "/문서.txt"
    assert len(path) > 260
    share.client.make(path.rpartition("/")[0])
    share.client.write(path, b"deep")
    source = share.source()
    assert read(source, items_of(source)[path]) == b"deep"


def test_streams_of_a_file_are_no_files(new_share):
    share = new_share("streams", "vfs objects = acl_xattr streams_xattr")
    share.client.write("a.txt", b"main")
    share.client.write("a.txt:Zone.Identifier", b"[ZoneTransfer]")
    source = share.source()
    assert {path: read(source, item) for path, item in items_of(source).items()} == {
        "a.txt": b"main"
    }
    share.client.close()


@pytest.mark.parametrize("name", ["a:b.txt", "a\\b.txt"])
def test_a_name_that_means_something_else_to_the_server_is_a_problem(share, name):
    """Such names come from Unix; asked for, they would name a stream or another folder's file."""
    share.client.write("a", b"another file")
    (share.folder / name).write_bytes(b"x")
    found = list(share.source().list())
    assert [entry.path for entry in found if isinstance(entry, SourceItem)] == ["a"]
    assert [entry.path for entry in found if isinstance(entry, ListProblem)] == [name]


def test_a_name_that_the_server_can_no_longer_have_meant_is_gone(share):
    item = SourceItem(
        source="files", object_id="1-2", path="\ud800.txt", locator="", size=1, modified_ns=0
    )
    share.client.write("a.txt", b"1")
    with pytest.raises(ItemGoneError):
        read(share.source(), item)


@pytest.mark.parametrize(
    ("tag", "told"),
    [
        (0xA000000C, SkipReason.SYMLINK),
        (0xA0000003, SkipReason.SYMLINK),
        (0x80000023, SkipReason.SPECIAL_FILE),
        (0x8000000A, "DFS"),
        (0x80001234, "0x80001234"),
        (0x80000013, None),
        (0x9000301A, None),
    ],
)
def test_a_reparse_point_is_told_unless_it_is_a_file_like_any_other(tag, told):
    found = odd_point("x", tag)
    if told is None:
        assert found is None
    elif isinstance(found, Skipped):
        assert found.reason == told
    else:
        assert told in found.problem


# -- namespaces ------------------------------------------------------------------------------------


@pytest.fixture
def namespace(new_share, share):
    """A namespace with a link to the share."""
    made = new_share(f"{share.name}-root", "msdfs root = yes")
    (made.folder / "문서").symlink_to(f"msdfs:127.0.0.1\\{share.name}")
    made.client.write("a.txt", b"in the namespace")
    return made


def test_a_link_of_a_namespace_below_the_root_is_told(namespace, share):
    share.client.write("b.txt", b"in its target")
    found = list(namespace.source().list())
    (problem,) = [entry for entry in found if isinstance(entry, ListProblem)]
    assert problem.path == "문서"
    assert "DFS" in problem.problem
    assert [entry.path for entry in found if isinstance(entry, SourceItem)] == ["a.txt"]
    found = list(namespace.source(exclude=("문서",)).list())
    assert [type(entry) for entry in found] == [SourceFolder, SourceItem, Skipped]


@pytest.mark.parametrize("below", ["", "sub"])
def test_a_root_in_a_namespace_is_read_where_it_is_kept(namespace, share, below):
    share.client.make("sub/deep")
    share.client.write("sub/deep/b.txt", b"in its target")
    url = f"{namespace.settings().url}/문서/{below}".rstrip("/")
    source = namespace.source(url=url)
    items = items_of(source)
    assert list(items) == ["deep/b.txt" if below else "sub/deep/b.txt"]
    (item,) = items.values()
    assert read(source, item) == b"in its target"
    assert item.locator.startswith(f"smb://127.0.0.1:{share.server.port}/{namespace.name}/")
    acl = {"kind": "smb", "share": ("allow Everyone",)}
    scope = make_permission_reader(namespace.settings(url=url, acl=acl)).item(item)
    assert "sid:S-1-1-0" in scope.groups


def test_the_next_target_serves_where_the_first_does_not_answer(namespace, share):
    share.client.write("b.txt", b"in the second target")
    link = f"msdfs:127.0.0.2\\nobody,127.0.0.1\\{share.name}"
    (namespace.folder / "둘").symlink_to(link)
    source = namespace.source(url=f"{namespace.settings().url}/둘")
    assert list(items_of(source)) == ["b.txt"]


def test_a_link_without_a_target_is_unreachable(namespace):
    (namespace.folder / "dead").symlink_to("msdfs:127.0.0.1\\nowhere")
    with pytest.raises(SourceUnreachableError, match=r"DFS|공유"):
        namespace.source(url=f"{namespace.settings().url}/dead").check()
