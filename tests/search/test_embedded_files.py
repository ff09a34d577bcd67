"""What the embedded index does with the files of its folder."""

from __future__ import annotations

import stat
from datetime import date

import pytest
from pysqlite3 import dbapi2

from contracts.errors import ConfigError, IndexUnavailableError
from contracts.search import SearchFilter
from contracts.settings import IndexSettings
from search.backends.embedded.database import checked_version
from search.backends.registry import make_index


def everything():
    return SearchFilter(scopes=frozenset({"open", "qa"}), as_of=date(2026, 11, 29))


def test_a_sqlite_before_3_51_3_is_refused_by_name():
    checked_version((3, 51, 3))
    with pytest.raises(ConfigError, match=r"3\.40\.1 .* 3\.51\.3"):
        checked_version((3, 40, 1))


def test_an_index_of_a_later_version_is_refused(tmp_path):
    make_index(IndexSettings(), tmp_path, 8, "test").close()
    connection = dbapi2.connect(str(tmp_path / "index" / "index.db"))
    connection.execute("PRAGMA user_version = 99")
    connection.close()
    with pytest.raises(ConfigError, match="schema 99"):
        make_index(IndexSettings(), tmp_path, 8, "test")


def test_a_file_that_is_no_database_is_reported_with_what_to_do(tmp_path):
    (tmp_path / "index").mkdir()
    (tmp_path / "index" / "index.db").write_bytes(b"not a database" * 500)
    with pytest.raises(IndexUnavailableError, match="seoga index rebuild"):
        make_index(IndexSettings(), tmp_path, 8, "test")


def test_a_home_that_is_a_file_is_reported(tmp_path):
    (tmp_path / "home").write_text("")
    with pytest.raises(IndexUnavailableError, match="home"):
        make_index(IndexSettings(), tmp_path / "home", 8, "test")


def test_a_lost_vector_file_is_reported_and_not_answered_around(desk):
    desk.publish("a", "체결 토크")
    for path in (desk.home / "index").glob("vectors-*.f32"):
        path.unlink()
    fresh = make_index(
        IndexSettings(), desk.home, desk.embedder.dimension, desk.embedder.fingerprint
    )
    with pytest.raises(IndexUnavailableError, match=r"missing: vectors-0+\.f32"):
        fresh.find_vectors(["x"])
    fresh.close()


def test_lost_postings_are_reported_and_not_answered_around(desk):
    desk.publish("a", "체결 토크")
    for path in (desk.home / "index").glob("postings-*.seg"):
        path.unlink()
    fresh = make_index(
        IndexSettings(), desk.home, desk.embedder.dimension, desk.embedder.fingerprint
    )
    with pytest.raises(IndexUnavailableError, match=r"missing: postings-0+1\.seg"):
        fresh.lexical({"토크": 1.0}, everything(), 10)
    fresh.close()


def test_a_reader_goes_on_while_small_segments_are_merged_away(desk):
    desk.publish("a", "체결 토크")
    reader = make_index(
        IndexSettings(), desk.home, desk.embedder.dimension, desk.embedder.fingerprint
    )
    for number in range(40):
        desk.publish(f"d{number}", f"체결 토크 {number}")
        found = reader.lexical({"토크": 1.0}, everything(), 100)
        assert len(found) == number + 2
    assert len(list((desk.home / "index").glob("postings-*.seg"))) < 16
    reader.close()


def test_what_a_writer_left_that_died_before_its_commit_is_removed_by_the_next(desk):
    desk.publish("a", "체결 토크")
    for name in ("postings-000000002.seg", "postings-000000003.seg.part", "vectors-000001.f32"):
        (desk.home / "index" / name).write_bytes(b"not named by any commit")
    desk.publish("b", "세척 절차")
    names = {path.name for path in (desk.home / "index").iterdir()}
    assert names >= {"postings-000000001.seg", "postings-000000002.seg", "vectors-000000.f32"}
    assert not {"postings-000000003.seg.part", "vectors-000001.f32"} & names
    assert len(desk.index.lexical({"절차": 1.0}, everything(), 10)) == 1


def test_a_torn_vector_behind_the_committed_ones_is_overwritten(desk):
    desk.publish("a", "체결 토크")
    (path,) = (desk.home / "index").glob("vectors-*.f32")
    with path.open("ab") as file:
        file.write(b"\x7f" * 777)
    desk.publish("b", "세척 절차")
    _, chunks = desk.index.document("b")
    vector = desk.embedder.embed_passages([chunks[0].chunk.embedded_text])[0]
    assert desk.index.similarities(vector, [chunks[0].key]) == {chunks[0].key: pytest.approx(1.0)}


def test_only_the_owner_may_read_the_folder(desk):
    assert stat.S_IMODE((desk.home / "index").stat().st_mode) == 0o700


def test_compaction_makes_the_folder_smaller(desk):
    for number in range(60):
        desk.publish(
            f"d{number}", *(f"체결 토크 {number} {place} 규격 문장" for place in range(10))
        )
    before = desk.index.stats()["bytes"]
    desk.index.delete([f"d{number}" for number in range(55)])
    desk.index.compact()
    assert desk.index.stats()["bytes"] < before / 3
    assert len(list((desk.home / "index").glob("vectors-*.f32"))) == 1
