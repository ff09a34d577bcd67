"""Snapshots of directories in the catalog, on every database."""

from __future__ import annotations

import pytest

from catalog.people import GROUP, PERSON, DirectoryEntry
from contracts.access import Reader
from contracts.errors import LeaseLostError

AT = "2026-11-30T08:00:00.000000Z"
LATER = "2026-11-30T09:00:00.000000Z"
ODD = "김하늘\0 \ud800 \ue000 'x'"


def person(number, *keys):
    name = f"p{number}"
    return DirectoryEntry(
        entry_id=name,
        kind=PERSON,
        name=name,
        dn=f"cn={name}",
        principals=(f"user:{name}@r",),
        keys=(f"name:{name}", *keys),
        stands=(f"member:{name}",),
    )


def group(name, *members):
    return DirectoryEntry(
        entry_id=name,
        kind=GROUP,
        name=name,
        keys=(f"group:{name}",),
        inside=tuple(f"member:{member}" for member in members),
        stands=(f"member:{name}",),
    )


def publish(people, *entries, realm="r", cursor="1", at=AT):
    generation = people.begin(realm)
    people.add(realm, generation, entries)
    people.publish(realm, generation, server="s", cursor=cursor, read_at=at)
    return people.snapshot(realm)


def ids(people, known, *keys):
    return {entry.entry_id for entry in people.by_keys(known, keys)}


def test_entries_are_found_by_their_keys_and_by_who_is_in_them(catalog):
    people = catalog.people
    assert people.snapshot("r") is None
    many = [person(number) for number in range(1200)]
    wanted = group("g", *(f"p{number}" for number in range(1200)))
    known = publish(people, *many, wanted, person(ODD, f"at:{ODD}"))
    assert (known.server, known.cursor, known.refreshed_at, known.full_at) == ("s", "1", AT, AT)
    assert ids(people, known, "name:p7", "name:p8", "name:p1200") == {"p7", "p8"}
    assert ids(people, known, f"at:{ODD}") == {f"p{ODD}"}
    assert ids(people, known, "member:p7") == {"g"}
    assert ids(people, known, *(f"name:p{n}" for n in range(1200))) == {e.entry_id for e in many}
    assert people.by_keys(known, []) == []
    (found,) = people.by_keys(known, ["name:p7"])
    assert found == person(7)
    assert people.counts(known) == {PERSON: 1201, GROUP: 1}
    assert len(people.places(known)) == 1202
    publish(people, realm="other")
    assert ids(people, people.snapshot("other"), "name:p7") == set()


def test_a_generation_serves_when_it_is_whole_and_its_forerunner_until_the_next_begins(catalog):
    people = catalog.people
    first = publish(people, person(1))
    generation = people.begin("r")
    people.add("r", generation, [person(2)])
    assert ids(people, people.snapshot("r"), "name:p1", "name:p2") == {"p1"}
    people.publish("r", generation, server="s", cursor="2", read_at=LATER)
    second = people.snapshot("r")
    assert ids(people, second, "name:p1", "name:p2") == {"p2"}
    assert ids(people, first, "name:p1") == {"p1"}
    people.begin("r")
    assert ids(people, first, "name:p1") == set()
    assert ids(people, second, "name:p2") == {"p2"}


def test_of_two_that_write_at_once_the_later_one_counts(catalog):
    people = catalog.people
    publish(people, person(1))
    early, late = people.begin("r"), people.begin("r")
    people.add("r", late, [person(3)])
    people.add("r", early, [person(2)])
    with pytest.raises(LeaseLostError):
        people.publish("r", early, server="s", cursor="2", read_at=LATER)
    people.publish("r", late, server="s", cursor="2", read_at=LATER)
    known = people.snapshot("r")
    assert ids(people, known, "name:p1", "name:p2", "name:p3") == {"p3"}


def test_changes_are_made_together_and_only_to_what_they_were_read_for(catalog):
    people = catalog.people
    groups = group("g", "p1", "p2", "p3"), group("untouched", "p2", "p3")
    known = publish(people, person(1), person(2), person(3), *groups)
    changed = [person(2, "at:new"), group("g", "p2"), person(4)]
    people.change(known, changed, {"p3"}, cursor="2", read_at=LATER)
    now = people.snapshot("r")
    assert (now.generation, now.cursor, now.refreshed_at) == (known.generation, "2", LATER)
    assert now.full_at == AT
    assert ids(people, now, "at:new", "name:p3", "name:p4") == {"p2", "p4"}
    assert ids(people, now, "member:p1") == set()
    assert ids(people, now, "member:p2") == {"g", "untouched"}
    assert ids(people, now, "member:p3") == set()
    with pytest.raises(LeaseLostError):
        people.change(known, [person(9)], set(), cursor="3", read_at=LATER)
    assert ids(people, now, "name:p9") == set()


def test_a_failure_is_noted_until_the_next_success(catalog):
    people = catalog.people
    people.failed("r", "no server answers")
    assert people.snapshot("r").problem == "no server answers"
    assert not people.snapshot("r").generation
    known = publish(people, person(1))
    assert not known.problem
    people.failed("r", "again")
    noted = people.snapshot("r")
    assert (noted.problem, noted.generation, noted.refreshed_at) == ("again", known.generation, AT)
    people.change(noted, [], set(), cursor="2", read_at=LATER)
    assert not people.snapshot("r").problem


def test_old_answers_are_let_go_by_realm(catalog):
    for name, at in (("r:a", AT), ("r:b", LATER), ("rr:a", AT), ("R:a", AT)):
        catalog.principals.put(Reader(name=name, principals=frozenset({"user:x@r"})), at)
    assert catalog.principals.forget_before("r:", LATER) == 1
    left = [n for n in ("r:a", "r:b", "rr:a", "R:a") if catalog.principals.get(n)]
    assert left == ["r:b", "rr:a", "R:a"]
