"""A canary measures how soon a right that is taken away shows, from the file's mode to a search."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from app.canary import FILE, CanaryKeeper, canary_of, keep_canaries, quantile
from app.commands.status import status_object
from app.exporter import NumbersCollector
from app.metrics import IndexNumbers, measure
from app.wiring import open_access, source_run
from catalog.times import parse_utc, utc_text
from contracts.settings import SourceSettings
from search.service import Searcher

READER = "nobody@local"


class Unheard:
    """Audits nothing: the log has tests of its own."""

    def record(self, *_arguments):
        """Nothing."""


@pytest.fixture
def bird(posix):
    """A followed drive with a canary."""
    posix.source_options |= {
        "canary": ".seoga-canary",
        "canary_reader": READER,
        "canary_schedule": "every 1s",
    }
    posix.write("글.txt", "다른 글")
    posix.ingest()
    return posix


def step(kit):
    """Every canary a step further, searched for as an installation does."""
    access = open_access(kit.settings, kit.catalog)
    searcher = Searcher(
        kit.index, kit.embedder, kit.analyzer, access, Unheard(), kit.settings.search
    )
    (found,) = keep_canaries(kit.catalog, searcher, access)
    return found


def test_what_is_taken_away_and_given_back_is_measured_end_to_end(bird):
    path = bird.root / ".seoga-canary" / FILE
    with bird.kit() as kit:
        source = bird.source(kit)
        assert step(kit).state == "waiting"
        assert step(kit).state == "waiting", "nothing has read it yet"
        source_run(kit, source).content()
        assert step(kit).state == "open"
        later = kit.catalog.meta.get("canary.drive").replace("2026", "2025")
        kit.catalog.meta.set("canary.drive", later)  # a year ago: its time has come
        closed = step(kit)
        assert (closed.state, path.stat().st_mode & 0o777) == ("closed", 0o600)
        assert step(kit).state == "closed", "no run has followed it yet"
        assert closed.waits(utc_text(parse_utc(closed.since).replace(year=2027))) > 0
        source_run(kit, source).permissions()
        returning = step(kit)
        assert (returning.state, path.stat().st_mode & 0o777) == ("returning", 0o644)
        assert len(returning.revoked) == 1
        assert returning.revoked[0] > 0
        source_run(kit, source).permissions()
        found = step(kit)
        assert (found.state, len(found.returned), found.problem) == ("open", 1, "")
        shown = status_object(kit.settings, kit.catalog)["sources"][0]["canary"]
        assert (shown["measured"], shown["revoked"]) == (1, found.revoked[0])
        numbers = NumbersCollector(
            lambda: measure(kit.settings, kit.catalog), IndexNumbers, lambda: None, "1"
        )
        samples = {
            (sample.name, sample.labels.get("change")): sample.value
            for metric in numbers.collect()
            for sample in metric.samples
        }
        assert samples["seoga_canary_seconds", "revoked"] == found.revoked[0]
        assert samples["seoga_canary_waiting_seconds", None] == 0
        assert kit.catalog.queries.count() == 0, "a measurement is no query of a person"


def test_a_canary_that_somebody_removes_is_written_anew(bird):
    with bird.kit() as kit:
        first = step(kit)
        (bird.root / ".seoga-canary" / FILE).unlink()
        again = step(kit)
        assert again.token != first.token
        assert again.token in (bird.root / ".seoga-canary" / FILE).read_text("utf-8")


def test_what_keeps_it_from_measuring_is_told(bird):
    (bird.root / ".seoga-canary").write_text("a file where the folder should be", encoding="utf-8")
    with bird.kit() as kit:
        assert step(kit).problem
        assert measure(kit.settings, kit.catalog).sources[0].canary.problem


def test_a_clock_decides_when_it_is_closed(bird):
    with bird.kit() as kit:
        source = bird.source(kit).model_copy(update={"canary_schedule": "every 1h"})
        now = ["2026-11-30T10:20:00.000000Z"]
        keeper = CanaryKeeper(kit.catalog, source, lambda _token: True, lambda: now[0])
        states = []
        for moment in ("10:20", "10:30", "10:59", "11:00", "11:01"):
            now[0] = f"2026-11-30T{moment}:00.000000Z"
            states.append(keeper.step().state)
        assert states == ["waiting", "open", "open", "closed", "closed"]
        assert canary_of(kit.catalog, "drive").waits("2026-11-30T11:05:00.000000Z") == 300


@pytest.mark.parametrize(
    "values",
    [
        {"canary": "../x", "canary_reader": "kim"},
        {"canary": "/x", "canary_reader": "kim"},
        {"canary": "x"},
    ],
)
def test_it_is_written_below_the_root_for_somebody(tmp_path, values):
    with pytest.raises(ValidationError, match="canary"):
        SourceSettings(name="s", root=tmp_path, **values)


def test_of_few_times_the_longest_counts():
    assert quantile([]) == 0
    assert quantile([1.0, 5.0, 2.0]) == 5
    assert 94 < quantile([float(n) for n in range(100)]) < 95
