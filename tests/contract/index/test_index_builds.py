"""What every index backend promises about indexes side by side (contracts.index_builds)."""

from __future__ import annotations

import contextlib
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from contracts.errors import (
    ConfigError,
    IndexReplacedError,
    IndexUnavailableError,
    NotFoundError,
)
from search.backends.registry import make_builds


@pytest.fixture
def builds(settings, tmp_path):
    """The builds of this test's installation."""
    opened = make_builds(settings, tmp_path)
    yield opened
    opened.close()


@pytest.fixture
def filled(builds, build):
    """Makes a build of one document that is not serving yet; its name."""

    def make(text, dimension=build.DIMENSION, fingerprint="test", note=""):
        made = builds.create(dimension, fingerprint, note)
        index = builds.open(made.name)
        index.publish([build.document_of("a", text)])
        index.close()
        return made.name

    return make


def texts(index):
    """What an index holds of the document ``a``."""
    index.refresh()
    found = index.document("a")
    return [] if found is None else [stored.chunk.text for stored in found[1]]


def test_before_the_first_index_none_serves(builds, open_index):
    assert builds.serving() is None
    assert builds.all() == []
    open_index(fingerprint="one")
    serving = builds.serving()
    assert (serving.fingerprint, serving.dimension, serving.note) == ("one", 16, "")
    assert builds.all() == [serving]


def test_a_build_changes_nothing_until_it_is_switched_to(builds, open_index, build, filled):
    index = open_index()
    index.publish([build.document_of("a", "처음")])
    before = builds.serving()
    new = filled("나중", note="메모 {}")
    assert builds.serving() == before
    assert {found.name for found in builds.all()} == {before.name, new}
    assert texts(index) == ["처음"]
    assert not index.replaced()
    builds.switch(new)
    assert builds.serving().name == new
    assert builds.serving().note == "메모 {}"
    assert index.replaced()
    assert texts(open_index()) == ["나중"]


def test_vectors_of_another_length_lie_side_by_side(builds, open_index, build):
    index = open_index(fingerprint="small")
    index.publish([build.document_of("a", "처음")])
    made = builds.create(24, "large")
    assert (made.dimension, made.fingerprint) == (24, "large")
    large = builds.open(made.name)
    chunk = build.chunk_of(0, "긴 벡터", vector=np.eye(24, dtype="<f4")[0], owner="a")
    large.publish([build.document_of("a", chunks=[chunk])])
    large.close()
    builds.switch(made.name)
    assert texts(open_index(fingerprint="large", dimension=24)) == ["긴 벡터"]
    with pytest.raises(ConfigError, match="seoga index rebuild"):
        open_index(fingerprint="small")


def test_what_was_open_before_reads_on_and_writes_no_more(builds, open_index, build, filled):
    index = open_index()
    index.publish([build.document_of("a", "처음")])
    builds.switch(filled("나중"))
    assert texts(index) == ["처음"]
    for write in (
        lambda: index.publish([build.document_of("a", "다시")]),
        lambda: index.update_rows([build.row_of("a", scope_id="other")]),
        lambda: index.delete(["a"]),
        index.compact,
    ):
        with pytest.raises(IndexReplacedError):
            write()
    assert texts(index) == ["처음"]
    assert texts(open_index()) == ["나중"]


def test_a_removed_build_is_gone_and_the_one_that_serves_cannot_be_removed(
    builds, open_index, build, filled
):
    index = open_index()
    index.publish([build.document_of("a", "처음")])
    old, new = builds.serving().name, filled("나중")
    with pytest.raises(ValueError, match="serves"):
        builds.remove(old)
    builds.switch(new)
    builds.remove(old)
    builds.remove(old)
    builds.remove("never")
    assert [found.name for found in builds.all()] == [new]
    for call in (builds.open, builds.switch):
        with pytest.raises(NotFoundError):
            call(old)
    assert index.replaced()
    with pytest.raises(IndexReplacedError):
        index.delete(["a"])
    with contextlib.suppress(IndexUnavailableError):  # what is in memory may still answer
        assert texts(index) in (["처음"], [])
    assert texts(open_index()) == ["나중"]


def test_names_are_not_used_again_while_they_could_be_open(builds, open_index, filled):
    open_index()
    seen = {builds.serving().name}
    for turn in range(3):
        old, new = builds.serving().name, filled(f"세대 {turn}")
        assert new not in seen
        seen.add(new)
        builds.switch(new)
        builds.remove(old)


def test_an_opened_build_never_counts_as_replaced(builds, open_index, build, filled):
    open_index()
    first = builds.open(filled("하나"))
    builds.switch(filled("둘"))
    assert not first.replaced()
    first.publish([build.document_of("a", "셋")])
    assert texts(first) == ["셋"]
    assert texts(open_index()) == ["둘"]
    first.close()


_SWITCH = """
import sys
from pathlib import Path
from contracts.settings import IndexSettings
from search.backends.registry import make_builds

builds = make_builds(IndexSettings.model_validate_json(sys.argv[1]), Path(sys.argv[2]))
builds.switch(sys.argv[3])
"""


def test_another_process_sees_the_switch_at_once(settings, tmp_path, open_index, filled):
    index = open_index()
    name = filled("나중")
    root = str(Path(__file__).parents[3])
    subprocess.run(
        [sys.executable, "-c", _SWITCH, settings.model_dump_json(), str(tmp_path), name],
        env={"PYTHONPATH": root, "PATH": "/usr/bin:/bin"},
        check=True,
    )
    assert index.replaced()
    assert texts(open_index()) == ["나중"]
