"""Two processes at work on one drive: the worst moments, one by one."""

from __future__ import annotations

import threading
import time
import zipfile

import pytest

import ingest.lease
from app.wiring import source_run
from catalog.runs import RunStore
from contracts.errors import LeaseLostError
from ingest.drain import drain
from ingest.following import rescope
from search.backends.embedded.index import EmbeddedIndex


def change_scope(kit, path: str, scope: str) -> None:
    rescope(kit.catalog, [(kit.catalog.items.by_path("drive", path), scope)])


@pytest.fixture
def two(drive):
    """A document that staff may read, beside one of the board's."""
    drive.write("공개.txt", "납품 단가 공개본")
    drive.write("비밀/원가.txt", "납품 단가 비밀본")
    drive.ingest()
    return drive


class Interrupted:
    """An index whose first update of rows is preceded by something that another process does."""

    def __init__(self, index, before, then):
        self._index, self._before, self._then = index, before, then
        self.calls = 0

    def __getattr__(self, name):
        return getattr(self._index, name)

    def update_rows(self, rows):
        """As the index does, after what happens before."""
        self.calls += 1
        (self._before if self.calls == 1 else self._then)()
        self._index.update_rows(rows)


def test_a_document_closed_during_a_drain_stays_hidden(two, find):
    """The drain that is under way has read the old scope, and must not lift what hides the new one."""
    with two.kit() as kit:
        (document,) = [d for d in kit.catalog.documents.stream() if d.path == "공개.txt"]
        kit.catalog.outbox.add([document.document_id])
        seen: list = []
        index = Interrupted(
            kit.index,
            lambda: change_scope(kit, "공개.txt", "drive:비밀"),
            lambda: seen.append(find(kit, "납품 단가", "lee")),
        )
        drain(kit.catalog, index, kit.blobs)
        assert seen == [[]]
        assert find(kit, "납품 단가", "lee") == []
        assert len(find(kit, "납품 단가", "kim")) == 2


def test_a_slow_drain_does_not_restore_an_old_scope(two, find):
    with two.kit() as kit:
        (document,) = [d for d in kit.catalog.documents.stream() if d.path == "공개.txt"]
        kit.catalog.outbox.add([document.document_id])

        def other_process() -> None:
            change_scope(kit, "공개.txt", "drive:비밀")
            drain(kit.catalog, kit.index, kit.blobs)

        drain(kit.catalog, Interrupted(kit.index, other_process, lambda: None), kit.blobs)
        assert find(kit, "납품 단가", "lee") == []
        assert len(find(kit, "납품 단가", "kim")) == 2


def test_a_file_closed_while_it_is_being_read_is_published_closed(two):
    two.write("새 문서.txt", "납품 단가 9999원")
    with two.kit() as kit:
        run = source_run(kit, two.source(kit))
        original = run._source.fetch

        def fetch(item):
            two.acl(
                "realm: plant\nfolders: {'': [{allow: group:staff}]}\nfiles: {새 문서.txt: []}\n"
            )
            two.sync()
            return original(item)

        run._source.fetch = fetch
        run.content()
    for run in (two.sync, two.ingest):
        assert not any("9999" in h.text for h in two.hits("납품 단가", "lee"))
        run()


def test_starting_a_command_takes_nothing_away_that_is_being_published(two, monkeypatch):
    """Every command compares index and catalog when it starts; the catalog hears of archive members last."""
    with zipfile.ZipFile(two.root / "a.zip", "w") as archive:
        archive.writestr("속.txt", "납품 단가 묶음")
    others: list[threading.Thread] = []
    publish = EmbeddedIndex.publish

    def start_another() -> None:
        with two.kit():
            pass

    def published(self, documents):
        publish(self, documents)
        others.append(threading.Thread(target=start_another))
        others[-1].start()
        time.sleep(
            1.0
        )  # within the catalog's transaction: the other one reaches its comparison meanwhile

    with monkeypatch.context() as patched:
        patched.setattr(EmbeddedIndex, "publish", published)
        two.ingest()
    for other in others:
        other.join()
    assert "a.zip!/속.txt" in two.found("납품 단가", "lee")


def test_a_long_listing_keeps_its_lease(two, monkeypatch):
    monkeypatch.setattr(RunStore.start, "__kwdefaults__", {"stale_after": 1.0})
    monkeypatch.setattr(ingest.lease, "HEARTBEAT_SECONDS", 0.2)
    with two.kit() as kit:
        run = source_run(kit, two.source(kit))
        listing = run._source.list
        refused: list[bool] = []

        def slowly():
            time.sleep(2.0)
            with pytest.raises(LeaseLostError):
                two.ingest()
            refused.append(True)
            return listing()

        run._source.list = slowly
        run.content()
    assert refused == [True]


def test_a_scan_that_dies_while_it_writes_leaves_nothing_half_moved(two, monkeypatch):
    """Item, document, hiding and queue follow a new scope together or not at all."""
    lists = (two.root / "acl.yaml").read_text("utf-8")
    closed = lists + "files: {공개.txt: [{allow: user:kim}]}\n"

    class Killed(BaseException):
        pass

    def killed_after(*arguments):
        rescope(*arguments)
        raise Killed

    for turn in range(2):
        two.acl(closed)
        with monkeypatch.context() as patched:
            patched.setattr("ingest.following.rescope", killed_after)
            with pytest.raises(Killed):
                two.sync()
        if turn:
            two.acl(lists)
        two.sync()
        assert two.found("납품 단가", "lee") == (["공개.txt"] if turn else [])
        two.acl(lists)
        two.sync()
        assert two.found("납품 단가", "lee") == ["공개.txt"]
