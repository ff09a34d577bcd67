"""What stands in while no server answers: kept up to date by changes, whole or not at all, for its time only."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
import sqlalchemy as sa

from acl_sync.directory import CombinedDirectory
from catalog.directory_tables import directory_entries, directory_links
from contracts.errors import DirectoryDownError, LeaseLostError, UnknownReaderError

SERVERS = ["domain", "tree"]


@pytest.fixture(params=SERVERS)
def server(request):
    """Each kind of server."""
    return request.getfixturevalue(request.param)


def realm_of(server):
    return "other" if server.base.startswith("DC=") else "hanbit"


def rows(catalog, realm):
    """What a snapshot says, without the number of its generation."""
    known = catalog.people.snapshot(realm)
    with catalog._database.read() as connection:
        return {
            table.name: sorted(
                tuple(v for k, v in row._mapping.items() if k != "generation")
                for row in connection.execute(
                    sa.select(table).where(table.c.generation == known.generation)
                )
            )
            for table in (directory_entries, directory_links)
        }


def fill(server, people=12):
    """People and groups in groups; more than fit on a page."""
    made = [server.person(f"p{number}") for number in range(people)]
    inner = server.group("inner", made[:3])
    outer = server.group("outer", [inner, made[3]])
    server.group("all", [outer, *made[4:]])
    return made


# -- copying ---------------------------------------------------------------------------------------


def test_the_snapshot_says_what_the_server_says(server, open_directory, catalog):
    fill(server)
    directory = open_directory(server)
    assert directory.people() == [], "nobody is listed before there is a snapshot"
    done = directory.refresh()
    assert done.whole
    assert {f"p{number}" for number in range(12)} <= set(directory.people())
    assert not {"inner", "outer", "all"} & set(directory.people())
    live = {f"p{number}": directory.reader(f"p{number}") for number in range(12)}
    groups = {name: directory.group(name) for name in ("inner", "outer", "all")}
    server.stop()
    for name, reader in live.items():
        assert directory.reader(name) == reader
        for principal in reader.account:
            assert directory.account(principal).principals == reader.principals
    for name, group in groups.items():
        assert directory.group(name) == group
    for call in (directory.reader, directory.group):
        with pytest.raises(UnknownReaderError):
            call("nobody")
    counts = catalog.people.counts(catalog.people.snapshot(realm_of(server)))
    assert counts["person"] >= 12
    assert counts["group"] >= 3


@pytest.mark.parametrize("seed", range(3))
def test_changes_add_up_to_what_a_whole_reading_finds(server, open_directory, catalog, seed):
    some = random.Random(seed)  # noqa: S311  no secret
    people = dict(enumerate(fill(server)))
    groups = {
        name: next(iter(server.entries(f"(cn={name})")))["dn"] for name in ("inner", "outer", "all")
    }
    directory = open_directory(server, members_at_once=2)
    assert directory.refresh().whole
    number = len(people)
    for _ in range(6):
        for _ in range(some.randint(1, 5)):
            act = some.choice(["add", "remove", "rename", "members", "members", "regroup", "close"])
            if act == "add":
                people[number] = server.person(f"p{number}")
                number += 1
            elif act == "remove" and people:
                server.remove(people.pop(some.choice(list(people))))
            elif act == "rename" and people:
                key = some.choice(list(people))
                kind, _, rest = people[key].partition("=")
                server.move(people[key], f"{kind}=r{number}")
                people[key] = f"{kind}=r{number},{rest.partition(',')[2]}"
                number += 1
            elif act == "members":
                group = some.choice(list(groups))
                chosen = some.sample([*people.values(), *groups.values()], k=some.randint(1, 6))
                server.change(groups[group], member=sorted(set(chosen)))
            elif act == "regroup":
                name = some.choice(list(groups))
                server.remove(groups.pop(name))
                groups[f"g{number}"] = server.group(
                    f"g{number}", [some.choice(list(people.values()))]
                )
                number += 1
            elif act == "close" and people:
                server.close_account(some.choice(list(people.values())))
        assert not directory.refresh().whole
    added_up = rows(catalog, realm_of(server))
    assert directory.refresh(whole=True).whole
    for table, found in rows(catalog, realm_of(server)).items():
        assert set(added_up[table]) ^ set(found) == set()


def test_an_account_that_may_not_see_what_was_deleted_sees_what_is_left(domain, open_directory):
    people = fill(domain)
    for user, name in ((domain.reader, "seen"), (domain.administrator, "shown")):
        extra = domain.person(name)
        directory = open_directory(domain, user=user)
        directory.refresh(whole=True)
        assert directory.reader(name)
        domain.remove(extra)
        done = directory.refresh()
        assert (done.whole, done.gone) == (False, 1)
    assert people


def test_somebody_moved_out_of_the_base_leaves_the_snapshot_and_comes_back(domain, open_directory):
    fill(domain)
    directory = open_directory(domain, base=domain.place)
    directory.refresh()
    away = f"CN=Users,{domain.base}"
    domain.move(f"CN=p1,{domain.place}", "CN=p1", away)
    try:
        assert directory.refresh().gone == 1
        domain.stop()
        with pytest.raises(UnknownReaderError):
            directory.reader("p1")
        domain.start()
    finally:
        domain.move(f"CN=p1,{away}", "CN=p1", domain.place)
    assert not directory.refresh().whole
    live = directory.reader("p1")
    domain.stop()
    assert directory.reader("p1") == live


def test_nothing_that_changed_costs_nothing(server, open_directory):
    fill(server)
    directory = open_directory(server)
    directory.refresh()
    done = directory.refresh()
    assert (done.whole, done.gone) == (False, 0)
    if realm_of(server) == "other":  # what has changed is known there by number, not by time
        assert done.entries == 0


def test_another_server_or_a_restored_one_is_read_whole(server, open_directory, catalog):
    fill(server)
    directory = open_directory(server)
    directory.refresh()
    known = catalog.people.snapshot(realm_of(server))
    beyond = "99991231000000Z" if realm_of(server) == "hanbit" else str(10**12)
    for changed in ({"server": "another"}, {"cursor": beyond}):
        with catalog.transaction():
            catalog.people._put(catalog._database._current(), replace(known, **changed), problem="")
        assert directory.refresh().whole
    assert not directory.refresh().whole


def test_everything_is_read_once_a_day(server, open_directory, clock):
    fill(server)
    directory = open_directory(server)
    assert directory.refresh().whole
    clock.add(23 * 3600)
    assert not directory.refresh().whole
    clock.add(2 * 3600)
    assert directory.refresh().whole


def test_a_generation_that_was_not_finished_does_not_serve(server, open_directory, catalog):
    fill(server)
    directory = open_directory(server)
    directory.refresh()
    before = rows(catalog, realm_of(server))
    generation = catalog.people.begin(realm_of(server))
    catalog.people.add(realm_of(server), generation, [])
    assert rows(catalog, realm_of(server)) == before
    live = directory.reader("p1")
    server.stop()
    assert directory.reader("p1") == live
    other = catalog.people.begin(realm_of(server))
    with pytest.raises(LeaseLostError):
        catalog.people.publish(
            realm_of(server), generation, server="s", cursor="1", read_at="2026-01-01T00:00:00Z"
        )
    assert other > generation


def test_a_reading_that_breaks_off_changes_nothing(server, open_directory, catalog, monkeypatch):
    fill(server)
    directory = open_directory(server)
    directory.refresh()
    before = rows(catalog, realm_of(server))
    reading = directory._reading
    everything = reading.everything

    def broken(session):
        for number, entry in enumerate(everything(session)):
            if number == 6:
                server.stop()
            yield entry

    monkeypatch.setattr(type(reading), "everything", lambda _self, session: broken(session))
    with pytest.raises(DirectoryDownError):
        directory.refresh(whole=True)
    assert rows(catalog, realm_of(server)) == before
    assert catalog.people.snapshot(realm_of(server)).problem


# -- standing in -----------------------------------------------------------------------------------


def test_a_server_that_stops_then_the_cache_then_the_snapshot_then_nobody_then_as_before(
    server, open_directory, clock
):
    fill(server)
    seconds = [0.0]
    directory = open_directory(server)
    combined = CombinedDirectory([directory], cache_seconds=60, clock=lambda: seconds[0])
    directory.refresh()
    before = combined.reader("p1")
    clock.add(500)
    server.stop()
    assert combined.reader("p1") == before
    seconds[0] += 61
    assert combined.reader("p1") == before
    assert combined.reader("p7").principals
    clock.add(60)
    seconds[0] += 61
    assert combined.reader("p1") == before
    clock.add(40)
    seconds[0] += 61
    for call, name in (
        (combined.reader, "p1"),
        (combined.reader, "nobody"),
        (combined.group, "all"),
    ):
        with pytest.raises(DirectoryDownError):
            call(name)
    server.start()
    assert combined.reader("p1") == before


def test_without_a_snapshot_nobody_is_anybody_while_the_server_is_down(server, open_directory):
    fill(server)
    directory = open_directory(server)
    assert directory.reader("p1")
    server.stop()
    with pytest.raises(DirectoryDownError):
        directory.reader("p1")
    with pytest.raises(DirectoryDownError):
        directory.refresh()


def test_the_snapshot_gives_nothing_back_that_a_server_has_taken_since(server, open_directory):
    made = fill(server)
    directory = open_directory(server)
    directory.refresh()
    assert directory.reader("p4").principals
    inner = next(iter(server.entries("(cn=inner)")))["dn"]
    server.change(inner, member=[made[1]])
    server.remove(made[2])
    server.close_account(made[5])
    lost = directory.reader("p0")
    for name in ("p2", "p5"):
        with pytest.raises(UnknownReaderError):
            directory.reader(name)
    server.stop()
    assert directory.reader("p0").principals == lost.principals
    assert directory.account(next(iter(lost.account))).principals == lost.principals
    for name in ("p2", "p5"):
        with pytest.raises(UnknownReaderError):
            directory.reader(name)
    assert directory.reader("p1").principals > lost.principals - directory.reader("p0").principals


def test_what_was_given_back_since_counts_again(server, open_directory):
    made = fill(server)
    directory = open_directory(server)
    directory.refresh()
    before = directory.reader("p0")
    inner = next(iter(server.entries("(cn=inner)")))["dn"]
    server.change(inner, member=[made[1]])
    assert directory.reader("p0").principals < before.principals
    server.change(inner, member=made[:3])
    assert directory.reader("p0") == before
    server.stop()
    assert directory.reader("p0") == before


def test_a_later_snapshot_counts_more_than_an_earlier_answer(server, open_directory, catalog):
    made = fill(server)
    directory = open_directory(server)
    directory.refresh()
    inner = next(iter(server.entries("(cn=inner)")))["dn"]
    server.change(inner, member=[made[1]])
    fewer = directory.reader("p0")
    (identity,) = (p for p in fewer.account if p.startswith("uuid:"))
    kept = f"{fewer.realm}:{identity.removeprefix('uuid:').partition('@')[0]}"
    assert catalog.principals.get(kept)
    server.change(inner, member=made[:3])
    directory.refresh()
    assert catalog.principals.get(kept) is None
    server.stop()
    assert directory.reader("p0").principals > fewer.principals
