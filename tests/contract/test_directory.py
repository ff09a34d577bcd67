"""What every directory of the registry promises (contracts.sources.Directory), alone and behind the cache.

A bench (``builders/directory_<name>.py``) offers: ``write(users, groups)`` (users with ``groups``, ``disabled``,
``expires``; groups with the groups that they are members of), ``directory()``, ``person(name)`` and ``group(name)``
(sets: what entries name them by), ``realm``, ``break_down()``, and ``nests``: whether it knows which groups a group is
in. Where they differ from the usual: ``everyone`` (a set: what everybody is named by), ``one_namespace`` (no person and
group share a name), ``deep`` (how far groups are nested), ``tells_case`` (false: names that differ in case alone are one).
"""

from __future__ import annotations

import unicodedata
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from acl_sync.directory import CombinedDirectory
from acl_sync.registry import DIRECTORIES, DirectoryOptions, make_directories
from contracts.errors import DirectoryDownError, UnknownReaderError
from contracts.settings import DirectorySettings

NAMES = [entry.name for entry in DIRECTORIES]
TODAY = datetime.now(UTC).date()
DAY = timedelta(days=1)
USERS = {
    "kim": {"groups": ["quality"]},
    "lee": {"groups": ["staff", "sales"]},
    "park": {},
    "off": {"groups": ["staff"], "disabled": True},
    "past": {"groups": ["staff"], "expires": TODAY - DAY},
    "long-past": {"groups": ["staff"], "expires": TODAY - 3650 * DAY},
    "last-day": {"groups": ["staff"], "expires": TODAY + DAY},
    "quality": {"groups": ["sales"]},
}
STRANGERS = [
    "",
    " ",
    "kim ",
    " kim",
    "kim\n",
    "kim\0",
    "kim\0lee",
    "nobody-of-this-name",
    "kim@elsewhere",
    "@",
    "kim@",
    "user:kim",
    "kim:x",
    "../kim",
    "*",
    "k%",
    "\udcff",
    "\ud800",
    "\U0001f3ed",
    "x" * 100_000,
    "0",
    "5000",
    "staff",
]
GROUPS = {"quality": ["staff"], "staff": ["all"], "sales": [], "all": []}


@pytest.fixture(params=NAMES)
def bench(request, make_bench):
    """A directory with a few people."""
    made = make_bench("directory", request.param)
    made.write(USERS, GROUPS)
    return made


@pytest.fixture
def directory(bench):
    """The adapter under test."""
    return bench.directory()


def expected(bench, name, *groups):
    return bench.person(name).union(*(bench.group(group) for group in groups), everyone(bench))


def everyone(bench):
    return getattr(bench, "everyone", {f"everyone@{bench.realm}"})


# -- people ----------------------------------------------------------------------------------------


def test_a_person_has_their_groups_and_those_that_these_are_in(bench, directory):
    found = directory.reader("kim")
    assert found.principals == expected(bench, "kim", "quality", "staff", "all")
    assert (found.name, found.realm) == ("kim", bench.realm)
    assert directory.reader("lee").principals == expected(bench, "lee", "staff", "all", "sales")
    assert directory.reader("park").principals == expected(bench, "park")


def test_groups_nest_to_any_depth(bench, directory):
    chain = [f"g{number}" for number in range(getattr(bench, "deep", 300))]
    bench.write({"kim": {"groups": ["g0"]}}, {n: [f"g{i + 1}"] for i, n in enumerate(chain)})
    assert directory.reader("kim").principals == expected(bench, "kim", *chain)


def test_cycles_of_groups_end(bench, directory):
    bench.write(
        {"kim": {"groups": ["a"]}, "lee": {"groups": ["self"]}},
        {"a": ["b"], "b": ["c"], "c": ["a"], "self": ["self"]},
    )
    assert directory.reader("kim").principals == expected(bench, "kim", "a", "b", "c")
    assert directory.reader("lee").principals == expected(bench, "lee", "self")


def test_disabled_and_expired_accounts_are_nobody(directory):
    for name in ("off", "past", "long-past"):
        with pytest.raises(UnknownReaderError):
            directory.reader(name)


def test_an_account_that_expires_later_still_counts(bench, directory):
    assert directory.reader("last-day").principals == expected(bench, "last-day", "staff", "all")


def test_who_is_not_known_is_nobody(directory):
    for name in STRANGERS:
        with pytest.raises(UnknownReaderError):
            directory.reader(name)


def test_a_name_may_say_its_realm(bench, directory):
    qualified = directory.reader(f"kim@{bench.realm}")
    assert qualified.principals == directory.reader("kim").principals
    assert qualified.name == f"kim@{bench.realm}"
    with pytest.raises(UnknownReaderError):
        directory.reader(f"kim@{bench.realm}@{bench.realm}")


def test_another_spelling_is_the_same_person_or_nobody(directory):
    """Whether letters of another case name somebody is the directory's affair; never somebody else."""
    for name in ("KIM", "Kim", "ｋｉｍ", "kım"):
        try:
            found = directory.reader(name)
        except UnknownReaderError:
            continue
        assert found.principals == directory.reader("kim").principals


def test_names_that_differ_only_in_case_are_two_people_where_the_directory_says_so(
    bench, directory
):
    if not getattr(bench, "tells_case", True):
        assert directory.reader("KIM").principals == directory.reader("kim").principals
        return
    bench.write({"kim": {"groups": ["a"]}, "Kim": {"groups": ["b"]}}, {"a": [], "b": []})
    assert directory.reader("kim").principals == expected(bench, "kim", "a")
    assert directory.reader("Kim").principals == expected(bench, "Kim", "b")


def test_korean_names_are_found(bench, directory):
    bench.write({"김하늘": {"groups": ["품질"]}}, {"품질": []})
    assert directory.reader("김하늘").principals == expected(bench, "김하늘", "품질")
    try:
        found = directory.reader(unicodedata.normalize("NFD", "김하늘"))
    except UnknownReaderError:
        return
    assert found.principals == expected(bench, "김하늘", "품질")


def test_a_removed_account_is_nobody_at_once(bench, directory):
    directory.reader("kim")
    bench.write({name: about for name, about in USERS.items() if name != "kim"}, GROUPS)
    with pytest.raises(UnknownReaderError):
        directory.reader("kim")
    assert directory.reader("lee").principals >= bench.person("lee")


def test_a_lost_membership_is_lost_at_once(bench, directory):
    directory.reader("kim")
    bench.write(USERS | {"kim": {"groups": ["sales"]}}, GROUPS)
    assert directory.reader("kim").principals == expected(bench, "kim", "sales")


@settings(
    deadline=None, max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(data=st.data())
def test_any_graph_of_groups_is_followed_to_its_end(bench, directory, data):
    names = [f"g{number}" for number in range(data.draw(st.integers(1, 7)))]
    some = st.lists(st.sampled_from(names), unique=True, max_size=3)
    graph = {name: data.draw(some) for name in names}
    mine = data.draw(some)
    bench.write({"kim": {"groups": mine}}, graph)
    reached = set(mine)
    for _ in names:
        reached |= {outer for name in reached for outer in graph[name]}
    assert directory.reader("kim").principals == expected(bench, "kim", *reached)


# -- groups ----------------------------------------------------------------------------------------


def test_a_group_stands_for_a_mere_member(bench, directory):
    own = bench.group("quality") | everyone(bench)
    handed_down = bench.group("staff") | bench.group("all")
    found = directory.group("quality")
    assert found.principals == (own | handed_down if bench.nests else own)
    assert directory.group(f"quality@{bench.realm}").principals == found.principals


def test_a_group_is_no_person(bench, directory):
    """``restrict_groups`` narrows to what a group may read; the rights of its members are not the group's."""
    people = set().union(*(bench.person(name) for name in USERS))
    for name in GROUPS:
        assert not directory.group(name).principals & people
    if not getattr(bench, "one_namespace", False):
        assert not bench.group("quality") & directory.reader("quality").principals


def test_an_unknown_group_is_an_error(directory):
    for name in (*STRANGERS, "kim", "quality@elsewhere"):
        if name not in GROUPS:
            with pytest.raises(UnknownReaderError):
                directory.group(name)


# -- behind the cache ------------------------------------------------------------------------------


class Clock:
    """Seconds that the test lets pass."""

    def __init__(self):
        self.now = 1000.0

    def __call__(self):
        """The time."""
        return self.now


@pytest.fixture
def clock():
    """A clock at some time."""
    return Clock()


def test_an_answer_serves_for_the_cache_time_and_no_longer(bench, directory, clock):
    combined = CombinedDirectory([directory], cache_seconds=60, clock=clock)
    before, members = combined.reader("kim"), combined.group("quality")
    bench.write({"kim": {"groups": ["sales"]}}, {"sales": []})
    clock.now += 59.9
    assert combined.reader("kim") == before
    assert combined.group("quality") == members
    clock.now += 0.1
    assert combined.reader("kim").principals == expected(bench, "kim", "sales")
    with pytest.raises(UnknownReaderError):
        combined.group("quality")


def test_a_cache_time_of_nothing_asks_each_time(bench, directory, clock):
    combined = CombinedDirectory([directory], cache_seconds=0, clock=clock)
    combined.reader("kim")
    bench.write(USERS | {"kim": {"disabled": True}}, GROUPS)
    with pytest.raises(UnknownReaderError):
        combined.reader("kim")


def test_that_somebody_is_unknown_is_not_kept(bench, directory, clock):
    combined = CombinedDirectory([directory], cache_seconds=60, clock=clock)
    with pytest.raises(UnknownReaderError):
        combined.reader("newcomer")
    bench.write(USERS | {"newcomer": {"groups": ["sales"]}}, GROUPS)
    assert combined.reader("newcomer").principals == expected(bench, "newcomer", "sales")


def test_a_person_and_a_group_of_one_name_are_kept_apart(bench, directory, clock):
    combined = CombinedDirectory([directory], cache_seconds=60, clock=clock)
    assert combined.group("quality") == combined.group("quality")
    if getattr(bench, "one_namespace", False):
        with pytest.raises(UnknownReaderError):
            combined.reader("quality")
        return
    assert combined.reader("quality").principals == expected(bench, "quality", "sales")


def test_a_directory_that_is_down_serves_its_last_answer_for_its_time_then_nobody(
    bench, directory, clock
):
    combined = CombinedDirectory([directory], cache_seconds=60, clock=clock)
    before = combined.reader("kim")
    bench.break_down()
    assert combined.reader("kim") == before
    clock.now += 60
    for call in (combined.reader, combined.group):
        with pytest.raises((DirectoryDownError, UnknownReaderError)):
            call("kim")
    bench.write(USERS, GROUPS)
    assert combined.reader("kim").principals == before.principals


def test_what_is_not_configured_makes_no_directory():
    none = DirectorySettings(local_accounts=False)
    assert make_directories(DirectoryOptions(settings=none)) == []
