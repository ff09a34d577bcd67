"""Random changes of lists, groups, files and folders; after each, every reader finds what the oracle allows.

The oracle below knows the files that the test wrote and the lists as they are documented (docs/operations.md). It shares
no code with the product.
"""

from __future__ import annotations

import json
import random
import shutil
import unicodedata
import zipfile
from dataclasses import dataclass, field

import pytest

from app.wiring import source_run
from contracts.errors import UnknownReaderError

USERS = ("kim", "lee", "choi", "han")
GROUPS = ("a", "b", "c", "d")
FOLDERS = ("가", "가/나", "가/나/다", "라", unicodedata.normalize("NFD", "마/바"), "no", "2024.10")
SYLLABLES = "가나다라마바사아자차카타파하거너더러머버서어저처"
STEPS = 30


@dataclass
class World:
    """What is on the drive and in its two control files."""

    chance: random.Random
    files: dict[str, tuple[str, int]] = field(default_factory=dict)
    folders: dict[str, dict] = field(default_factory=dict)
    lists: dict[str, dict] = field(default_factory=dict)
    users: dict[str, dict] = field(default_factory=dict)
    groups: dict[str, dict] = field(default_factory=dict)
    were: dict[tuple[str, int], list[list[dict]]] = field(default_factory=dict)
    made: int = 0

    # -- the oracle --------------------------------------------------------------------------------

    def names(self, user: str) -> set[str]:
        """Everything that entries may name a user by."""
        return {"everyone", f"user:{user}"} | self.closure(self.users[user]["groups"])

    def closure(self, groups: list[str]) -> set[str]:
        """Groups and those that they belong to."""
        found, waiting = set(), list(groups)
        while waiting:
            group = waiting.pop()
            if f"group:{group}" not in found:
                found.add(f"group:{group}")
                waiting += self.groups[group]["groups"]
        return found

    def allows(self, path: str, names: set[str]) -> bool:
        """Whether somebody of these names may read the file at a path."""
        return first_match(self.entries(path), names)

    def ever_allowed(self, text: tuple[str, int], names: set[str]) -> bool:
        """Whether lists that were in force while a file held this text let somebody of these names read it."""
        return any(first_match(entries, names) for entries in self.were[text])

    def entries(self, path: str) -> list[dict]:
        """The entries in force for a file, in order."""
        path = unicodedata.normalize("NFC", path)
        parts = path.split("/")[:-1]
        way = [self.lists.get(path)]
        way += [self.folders.get("/".join(parts[:depth])) for depth in range(len(parts), -1, -1)]
        found: list[dict] = []
        for written in way:
            if written is not None:
                found += written["entries"]
                if not written["inherit"]:
                    break
        return found

    # -- changes -----------------------------------------------------------------------------------

    def entry_list(self) -> dict:
        """A random list."""
        who = ["everyone", *(f"user:{u}" for u in USERS), *(f"group:{g}" for g in GROUPS)]
        entries = [
            {self.chance.choice(("allow", "allow", "deny")): self.chance.choice(who)}
            for _ in range(self.chance.randrange(4))
        ]
        return {"inherit": self.chance.random() < 0.4, "entries": entries}

    def start(self) -> None:
        """The first state."""
        for group in GROUPS:
            self.groups[group] = {"groups": self.chance.sample(GROUPS, self.chance.randrange(2))}
        for user in USERS:
            self.users[user] = {"groups": self.chance.sample(GROUPS, 2), "disabled": False}
        self.folders[""] = {
            "inherit": False,
            "entries": [{"allow": "group:a"}, {"allow": "group:b"}],
        }
        for _ in range(4):
            self.relist()

    def relist(self) -> None:
        """A list of a folder or file comes, changes or goes."""
        if self.chance.random() < 0.6 or not self.files:
            where, path = self.folders, self.chance.choice(("", *FOLDERS))
        else:
            where, path = self.lists, self.chance.choice(sorted(self.files))
        path = unicodedata.normalize("NFC", path)
        if self.chance.random() < 0.25:
            where.pop(path, None)
        else:
            where[path] = self.entry_list()
            if not path:
                where[path]["inherit"] = False

    def regroup(self) -> None:
        """Somebody joins, leaves, is closed or opened; a group is nested anew."""
        user, group = self.chance.choice(USERS), self.chance.choice(GROUPS)
        self.users[user]["groups"] = self.chance.sample(GROUPS, self.chance.randrange(3))
        self.users[user]["disabled"] = self.chance.random() < 0.2
        self.groups[group]["groups"] = self.chance.sample(GROUPS, self.chance.randrange(3))

    def place(self) -> str:
        """A new path."""
        self.made += 1
        name = "".join(self.chance.choice(SYLLABLES) for _ in range(6))
        folder = self.chance.choice(("", *FOLDERS))
        ending = self.chance.choice(("txt", "txt", "zip"))
        return f"{folder}/{name}{self.made}.{ending}".lstrip("/")

    def control_files(self) -> tuple[str, str]:
        """acl.yaml and directory.yaml; JSON is YAML."""
        acl = {"realm": "plant", "folders": self.folders, "files": self.lists}
        people = {"realm": "plant", "users": self.users, "groups": self.groups}
        return json.dumps(acl, ensure_ascii=False), json.dumps(people, ensure_ascii=False)


def first_match(entries: list[dict], names: set[str]) -> bool:
    """The first entry that names somebody decides; none: no."""
    for entry in entries:
        ((effect, who),) = entry.items()
        if who in names:
            return effect == "allow"
    return False


def put(drive, world: World, path: str, token: str, version: int) -> None:
    """Write a document that tells its token and version, alone or within an archive."""
    target = drive.root / path
    target.parent.mkdir(parents=True, exist_ok=True)
    text = f"공통어 표식 {token} 판{version}"
    if path.endswith(".zip"):
        with zipfile.ZipFile(target, "w") as archive:
            archive.writestr(f"속{token}.txt", text)
    else:
        target.write_text(text, encoding="utf-8")
    world.files[path] = (token, version)


def add(drive, world: World) -> None:
    path = world.place()
    put(drive, world, path, f"T{world.made}T", 1)


def edit(drive, world: World) -> None:
    path = world.chance.choice(sorted(world.files))
    token, version = world.files[path]
    put(drive, world, path, token, version + 1)


def move(drive, world: World) -> None:
    old, new = world.chance.choice(sorted(world.files)), world.place()
    new = f"{new.rpartition('.')[0]}.{old.rpartition('.')[2]}"
    (drive.root / new).parent.mkdir(parents=True, exist_ok=True)
    (drive.root / old).rename(drive.root / new)
    world.files[new] = world.files.pop(old)


def swap(drive, world: World) -> None:
    texts = [path for path in sorted(world.files) if path.endswith(".txt")]
    if len(texts) > 1:
        one, two = world.chance.sample(texts, 2)
        for old, new in ((one, "zz"), (two, one), ("zz", two)):
            (drive.root / old).rename(drive.root / new)
        world.files[one], world.files[two] = world.files[two], world.files[one]


def move_folder(drive, world: World) -> None:
    old = world.chance.choice(FOLDERS)
    new = f"{world.chance.choice(FOLDERS)}/옮김{world.made}"
    world.made += 1
    if (drive.root / old).is_dir() and not new.startswith(f"{old}/"):
        (drive.root / new).parent.mkdir(parents=True, exist_ok=True)
        (drive.root / old).rename(drive.root / new)
        for path in [p for p in world.files if p.startswith(f"{old}/")]:
            world.files[new + path.removeprefix(old)] = world.files.pop(path)


def delete(drive, world: World) -> None:
    if len(world.files) > 3:
        path = world.chance.choice(sorted(world.files))
        (drive.root / path).unlink()
        del world.files[path]


def copy(drive, world: World) -> None:
    """A copy tells the same token; who may read either may have read that text."""
    old, new = world.chance.choice(sorted(world.files)), world.place()
    new = f"{new.rpartition('.')[0]}.{old.rpartition('.')[2]}"
    (drive.root / new).parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(drive.root / old, drive.root / new)
    world.files[new] = world.files[old]


def told(hit) -> tuple[str, int]:
    """Token and version in a hit's text."""
    words = hit.text.split()
    return words[-2], int(words[-1].removeprefix("판"))


def container(path: str) -> str:
    return path.partition("!/")[0]


def check(kit, world: World, find, *, whole: bool) -> None:
    """Compare all readers' findings with the oracle; ``whole``: they must find everything, too."""
    for path, text in world.files.items():
        world.were.setdefault(text, []).append(world.entries(path))
    for user in USERS:
        if world.users[user]["disabled"]:
            with pytest.raises(UnknownReaderError):
                find(kit, "공통어", user)
            continue
        hits = find(kit, "공통어", user, include_obsolete=True)
        found = {container(hit.path) for hit in hits}
        allowed = {path for path in world.files if world.allows(path, world.names(user))}
        assert found <= allowed, f"{user} finds {sorted(found - allowed)}"
        names = world.names(user)
        leaked = [told(hit) for hit in hits if not world.ever_allowed(told(hit), names)]
        assert not leaked, f"{user} sees {leaked}, which was never theirs"
        if whole:
            assert found == allowed, f"{user} misses {sorted(allowed - found)}"
            assert {told(hit) for hit in hits} == {world.files[path] for path in allowed}
        group = world.chance.choice(GROUPS)
        names = world.closure([group]) | {"everyone"}
        narrowed = find(kit, "공통어", user, include_obsolete=True, restrict_groups=(group,))
        both = {path for path in found if world.allows(path, names)}
        assert {container(hit.path) for hit in narrowed} == both


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_nobody_ever_finds_what_the_oracle_forbids(drive, find, seed):
    world = World(random.Random(seed))  # noqa: S311  chance, no secret
    world.start()
    changes = (add, edit, move, swap, move_folder, delete, copy)

    def write_lists() -> None:
        for name, text in zip(("acl.yaml", "directory.yaml"), world.control_files(), strict=True):
            drive.write(name, text)

    for _ in range(15):
        add(drive, world)
    write_lists()
    with drive.kit() as kit:
        source = drive.source(kit)
        source_run(kit, source).content()
        check(kit, world, find, whole=True)
        for step in range(STEPS):
            for _ in range(world.chance.randrange(1, 5)):
                chosen = world.chance.choice((*changes, World.relist, World.relist, World.regroup))
                if chosen in changes:
                    chosen(drive, world)
                else:
                    chosen(world)
            write_lists()
            whole = world.chance.random() < 0.4 or step == STEPS - 1
            run = source_run(kit, source)
            run.content() if whole else run.permissions()
            check(kit, world, find, whole=whole)
