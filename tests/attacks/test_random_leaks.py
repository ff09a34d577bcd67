"""Random changes of lists, groups, files and folders; after each, every reader finds what the oracle allows.

``scripts/permissions.py leaks`` is the same at its full size, on both backends.
"""

from __future__ import annotations

import random
import sys
import unicodedata
from pathlib import Path

import pytest

from app.wiring import source_run
from contracts.errors import UnknownReaderError

sys.path.append(str(Path(__file__).resolve().parents[2] / "scripts"))
from harness.permission_world import CHANGES, World, container, told

FOLDERS = ("가", "가/나", "가/나/다", "라", unicodedata.normalize("NFD", "마/바"), "no", "2024.10")
STEPS = 30


def check(kit, world: World, find, *, whole: bool) -> None:
    """Compare all readers' findings with the oracle; ``whole``: they must find everything, too."""
    world.note()
    for user in world.people:
        if world.users[user]["disabled"]:
            with pytest.raises(UnknownReaderError):
                find(kit, "공통어", user)
            continue
        hits = find(kit, "공통어", user, include_obsolete=True)
        found = {container(hit.path) for hit in hits}
        allowed = {path for path in world.files if world.allows(path, world.names(user))}
        assert found <= allowed, f"{user} finds {sorted(found - allowed)}"
        names = world.names(user)
        leaked = [hit.text for hit in hits if not world.ever_allowed(told(hit.text), names)]
        assert not leaked, f"{user} sees {leaked}, which was never theirs"
        if whole:
            assert found == allowed, f"{user} misses {sorted(allowed - found)}"
            assert {told(hit.text) for hit in hits} == {world.files[path] for path in allowed}
        group = world.chance.choice(world.teams)
        names = world.closure([group]) | {"everyone"}
        narrowed = find(kit, "공통어", user, include_obsolete=True, restrict_groups=(group,))
        both = {path for path in found if world.allows(path, names)}
        assert {container(hit.path) for hit in narrowed} == both


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_nobody_ever_finds_what_the_oracle_forbids(drive, find, seed):
    chance = random.Random(seed)  # noqa: S311  chance, no secret
    people, teams = ("kim", "lee", "choi", "han"), ("a", "b", "c", "d")
    world = World(chance, drive.root, people, teams, FOLDERS)
    world.start()
    for _ in range(15):
        world.add()
    world.write_lists()
    with drive.kit() as kit:
        source = drive.source(kit)
        source_run(kit, source).content()
        check(kit, world, find, whole=True)
        for step in range(STEPS):
            for _ in range(chance.randrange(1, 5)):
                chance.choice(CHANGES)(world)
            world.write_lists()
            whole = chance.random() < 0.4 or step == STEPS - 1
            run = source_run(kit, source)
            run.content() if whole else run.permissions()
            check(kit, world, find, whole=whole)
