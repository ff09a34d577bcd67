"""A drive with lists, people and groups that change at random, and an oracle of who may read what.

The oracle knows the files that were written and the lists as they are documented (docs/operations.md). It shares no code
with the product.
"""

from __future__ import annotations

import copy
import json
import random
import re
import shutil
import unicodedata
import zipfile
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

__all__ = ["CHANGES", "Text", "World", "container", "first_match", "told"]

_FEWEST = 3
SYLLABLES = "가나다라마바사아자차카타파하거너더러머버서어저처"

_TOKEN, _VERSION = re.compile(r"T\d+T"), re.compile(r"판(\d+)")

Text = tuple[str, int]
"""What a document tells: its token, and which version of it."""


@dataclass
class World:
    """What is on the drive and in its two control files.

    Attributes:
        chance: Decides.
        root: The drive.
        people: Who there is.
        teams: Groups that they may belong to.
        places: Folders.
        words: What documents may speak of besides.
        files: What each file tells, by path.
        were: Lists that were in force while a file told a version of a token, as far as ``note`` saw.
    """

    chance: random.Random
    root: Path
    people: tuple[str, ...]
    teams: tuple[str, ...]
    places: tuple[str, ...]
    words: tuple[str, ...] = ()
    files: dict[str, Text] = field(default_factory=dict)
    folders: dict[str, dict] = field(default_factory=dict)
    lists: dict[str, dict] = field(default_factory=dict)
    users: dict[str, dict] = field(default_factory=dict)
    groups: dict[str, dict] = field(default_factory=dict)
    were: dict[str, dict[int, list[list[dict]]]] = field(default_factory=dict)
    made: int = 0

    # -- the oracle --------------------------------------------------------------------------------

    def names(self, user: str) -> set[str]:
        """Everything that entries may name a user by."""
        return {"everyone", f"user:{user}"} | self.closure(self.users[user]["groups"])

    def closure(self, groups: Iterable[str]) -> set[str]:
        """Groups and those that they belong to."""
        found: set[str] = set()
        waiting = list(groups)
        while waiting:
            group = waiting.pop()
            if f"group:{group}" not in found:
                found.add(f"group:{group}")
                waiting += self.groups[group]["groups"]
        return found

    def allows(self, path: str, names: set[str]) -> bool:
        """Whether somebody of these names may read the file at a path."""
        return first_match(self.entries(path), names)

    def ever_allowed(self, text: Text, names: set[str]) -> bool:
        """Whether lists that were in force while a file told this let somebody of these names read it."""
        token, version = text
        return any(
            first_match(entries, names)
            for number, lists in self.were[token].items()
            if not version or number == version
            for entries in lists
        )

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

    def spoken(self, text: Text) -> list[str]:
        """The words that a document speaks of; those of a text are always the same."""
        return random.Random(repr(text)).sample(self.words, min(6, len(self.words)))

    def note(self) -> None:
        """Remember the lists that are in force now for what the files tell."""
        for path, text in self.files.items():
            entries = self.entries(path)
            seen = self.were.setdefault(text[0], {}).setdefault(text[1], [])
            if entries not in seen:
                seen.append(entries)

    def picture(self) -> World:
        """The same as it is now, for later comparisons."""
        kept = {"chance": self.chance, "were": self.were}
        own = ("files", "folders", "lists", "users", "groups")
        fields = {**vars(self), **kept, **{name: copy.deepcopy(vars(self)[name]) for name in own}}
        return World(**fields)

    def happens(self, share: float) -> bool:
        """Whether something happens that does in so many cases of one."""
        return self.chance.random() < share

    # -- changes of lists and people ---------------------------------------------------------------

    def start(self) -> None:
        """The first lists, people and groups."""
        for group in self.teams:
            members = self.chance.sample(self.teams, self.chance.randrange(2))
            self.groups[group] = {"groups": members}
        for user in self.people:
            self.users[user] = {"groups": self.chance.sample(self.teams, 2), "disabled": False}
        first = [{"allow": f"group:{team}"} for team in self.teams[:2]]
        self.folders[""] = {"inherit": False, "entries": first}
        for _ in range(4):
            self.relist()

    def relist(self) -> None:
        """A list of a folder or file comes, changes or goes."""
        if self.happens(0.6) or not self.files:
            where, path = self.folders, self.chance.choice(("", *self.places))
        else:
            where, path = self.lists, self.chance.choice(sorted(self.files))
        path = unicodedata.normalize("NFC", path)
        if self.happens(0.25):
            where.pop(path, None)
        else:
            where[path] = self._list()
            if not path:
                where[path]["inherit"] = False

    def regroup(self) -> None:
        """Somebody joins, leaves, is closed or opened; a group is nested anew."""
        user, group = self.chance.choice(self.people), self.chance.choice(self.teams)
        self.users[user]["groups"] = self.chance.sample(self.teams, self.chance.randrange(3))
        self.users[user]["disabled"] = self.happens(0.2)
        self.groups[group]["groups"] = self.chance.sample(self.teams, self.chance.randrange(3))

    def write_lists(self) -> None:
        """acl.yaml and directory.yaml; JSON is YAML."""
        acl = {"realm": "plant", "folders": self.folders, "files": self.lists}
        people = {"realm": "plant", "users": self.users, "groups": self.groups}
        for name, values in (("acl.yaml", acl), ("directory.yaml", people)):
            text = json.dumps(values, ensure_ascii=False)
            (self.root / name).write_text(text, encoding="utf-8")

    def _list(self) -> dict:
        who = ["everyone", *(f"user:{u}" for u in self.people), *(f"group:{g}" for g in self.teams)]
        entries = [
            {self.chance.choice(("allow", "allow", "deny")): self.chance.choice(who)}
            for _ in range(self.chance.randrange(4))
        ]
        return {"inherit": self.happens(0.4), "entries": entries}

    # -- changes of files and folders --------------------------------------------------------------

    def add(self) -> None:
        """A new file."""
        path = self._place()
        self._put(path, (f"T{self.made}T", 1))

    def edit(self) -> None:
        """A file is written anew."""
        path = self.chance.choice(sorted(self.files))
        token, version = self.files[path]
        self._put(path, (token, version + 1))

    def move(self) -> None:
        """A file goes elsewhere."""
        old, new = self._pair()
        (self.root / old).rename(self.root / new)
        self.files[new] = self.files.pop(old)

    def swap(self) -> None:
        """Two files change places."""
        texts = [path for path in sorted(self.files) if path.endswith(".txt")]
        if len(texts) > 1:
            one, two = self.chance.sample(texts, 2)
            for old, new in ((one, "zz"), (two, one), ("zz", two)):
                (self.root / old).rename(self.root / new)
            self.files[one], self.files[two] = self.files[two], self.files[one]

    def move_folder(self) -> None:
        """A folder goes elsewhere, with what is in it."""
        old = self.chance.choice(self.places)
        new = f"{self.chance.choice(self.places)}/옮김{self.made}"
        self.made += 1
        if (self.root / old).is_dir() and not new.startswith(f"{old}/"):
            (self.root / new).parent.mkdir(parents=True, exist_ok=True)
            (self.root / old).rename(self.root / new)
            for path in [p for p in self.files if p.startswith(f"{old}/")]:
                self.files[new + path.removeprefix(old)] = self.files.pop(path)

    def delete(self) -> None:
        """A file goes for good; three stay."""
        if len(self.files) > _FEWEST:
            path = self.chance.choice(sorted(self.files))
            (self.root / path).unlink()
            del self.files[path]

    def copy(self) -> None:
        """A copy tells the same; who may read either may have read that."""
        old, new = self._pair()
        shutil.copy(self.root / old, self.root / new)
        self.files[new] = self.files[old]

    def _place(self) -> str:
        self.made += 1
        name = "".join(self.chance.choice(SYLLABLES) for _ in range(6))
        folder = self.chance.choice(("", *self.places))
        ending = self.chance.choice(("txt", "txt", "zip"))
        return f"{folder}/{name}{self.made}.{ending}".lstrip("/")

    def _pair(self) -> tuple[str, str]:
        """A file, and a new place for its kind."""
        old, new = self.chance.choice(sorted(self.files)), self._place()
        new = f"{new.rpartition('.')[0]}.{old.rpartition('.')[2]}"
        (self.root / new).parent.mkdir(parents=True, exist_ok=True)
        return old, new

    def _put(self, path: str, text: Text) -> None:
        """Write what a file tells, alone or within an archive."""
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        written = f"공통어 {' '.join(self.spoken(text))} 표식 {text[0]} 판{text[1]}"
        if path.endswith(".zip"):
            with zipfile.ZipFile(target, "w") as archive:
                archive.writestr(f"속{text[0]}.txt", written)
        else:
            target.write_text(written, encoding="utf-8")
        self.files[path] = text


CHANGES = (
    World.add,
    World.edit,
    World.move,
    World.swap,
    World.move_folder,
    World.delete,
    World.copy,
    World.relist,
    World.relist,
    World.regroup,
)


def first_match(entries: list[dict], names: set[str]) -> bool:
    """The first entry that names somebody decides; none: no."""
    for entry in entries:
        ((effect, who),) = entry.items()
        if who in names:
            return effect == "allow"
    return False


def told(text: str) -> Text:
    """Token and version in the text of a passage; version 0: the list of an archive's members."""
    token, version = _TOKEN.findall(text)[-1], _VERSION.findall(text)
    return token, int(version[-1]) if version else 0


def container(path: str) -> str:
    """The file that holds a document."""
    return path.partition("!/")[0]
