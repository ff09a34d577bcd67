"""Random searches by random people while files, folders, lists and groups change at random: no forbidden passage.

Every step changes the drive, follows it, and searches, several people at once: a part of the searches while the change
is being followed, when what was allowed before may still show, the others afterwards. The oracle is ``harness.permission_world``.
"""

from __future__ import annotations

import contextlib
import random
import secrets
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

import psutil
from harness.permission_world import CHANGES, SYLLABLES, World, container, first_match, told
from opensearch_server import serving

from app.sources import add_source
from app.wiring import open_access, open_kit, source_run
from contracts.errors import UnknownReaderError
from contracts.search import Hit, SearchRequest
from contracts.settings import Settings, SourceSettings
from ingest.kit import Kit
from search.service import Searcher

__all__ = ["run"]

PEOPLE = tuple(f"u{number:02}" for number in range(40))
TEAMS = tuple(f"g{number:02}" for number in range(12))
PLACES = tuple(
    f"{top}{below}" for top in "가나다라마바" for below in ("", "/하나", "/하나/둘", "/셋")
)
FILES, STEPS, VOCABULARY = 300, 40, 2500
DURING = 0.2
"""Share of the searches that are made while a change is being followed, as far as following takes so long."""

ASKERS = 4
"""People who search at once: what one waits for in the index, another uses."""

_EVERYTHING = 100
_SHOWN = 5
_BY_TOKEN, _WITH_OBSOLETE = 0.3, 0.7
"""Shares of the searches."""


class _Unheard:
    def record(self, *_arguments: object) -> None:
        """The audit log is another matter."""


@dataclass
class Moment:
    """The world at one moment, as questions need it."""

    world: World
    allowed: dict[str, set[str]]
    speaks: dict[str, set[str]]

    @classmethod
    def of(cls, world: World) -> Moment:
        """Who may read which file, and which file speaks of what."""
        lists = {path: world.entries(path) for path in world.files}
        allowed: dict[str, set[str]] = {}
        for user in world.people:
            names = world.names(user)
            allowed[user] = {path for path, entries in lists.items() if first_match(entries, names)}
        speaks: dict[str, set[str]] = {}
        for path, text in world.files.items():
            for word in (*world.spoken(text), text[0]):
                speaks.setdefault(word, set()).add(path)
        return cls(world, allowed, speaks)


@dataclass
class Tally:
    """What was asked, found and wrong."""

    pairs: int = 0
    during: int = 0
    hits: int = 0
    kept_back: int = 0
    refused: int = 0
    complete: int = 0
    queries: set[str] = field(default_factory=set)
    wrong: list[str] = field(default_factory=list)
    runs: Counter[str] = field(default_factory=Counter)

    def add(self, other: Tally) -> None:
        """Take up what somebody else has asked."""
        for name in ("pairs", "during", "hits", "kept_back", "refused", "complete"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.queries |= other.queries
        self.wrong += other.wrong
        self.runs += other.runs


def run(*, pairs: int, backends: tuple[str, ...], seed: int) -> bool:
    """Search ``pairs`` times on each backend; prints figures, says whether nothing leaked."""
    fine = True
    for backend in backends:
        with contextlib.ExitStack() as stack:
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="seoga-leaks-")))
            index: dict[str, object] = {"backend": backend}
            workers = [psutil.Process()]
            if backend == "opensearch":
                server = stack.enter_context(serving())
                index |= {"url": server.url, "name": f"leaks_{secrets.token_hex(4)}"}
                workers.append(psutil.Process(server.process.pid))
            started, before = time.monotonic(), _worked(workers)
            tally = _on(folder, index, pairs, seed)
            fine &= _verdict(backend, tally, time.monotonic() - started)
            each = [(b - a) / pairs * 1e3 for a, b in zip(before, _worked(workers), strict=True)]
            shares = zip(("here", "in the server"), each, strict=False)
            told = ", ".join(f"{ms:.1f} ms {where}" for where, ms in shares)
            print(f"   processor time a pair, runs that followed included: {told}")
    return fine


def _worked(processes: list[psutil.Process]) -> list[float]:
    """Seconds of the processor that each has used."""
    return [sum(process.cpu_times()[:2]) for process in processes]


def _on(folder: Path, index: dict[str, object], pairs: int, seed: int) -> Tally:
    chance = random.Random(seed)
    drive = folder / "drive"
    drive.mkdir()
    words = tuple("".join(chance.choices(SYLLABLES, k=4)) for _ in range(VOCABULARY))
    world = World(chance, drive, PEOPLE, TEAMS, PLACES, tuple(dict.fromkeys(words)))
    world.start()
    for user in PEOPLE[::10]:
        world.users[user]["disabled"] = True
    for _ in range(FILES):
        world.add()
    world.write_lists()
    values = {"home": folder / "home", "embedder": {"engine": "hash"}, "parse": {"workers": 1}}
    tally, shown = Tally(), 0
    with open_kit(Settings.model_validate({**values, "index": index})) as kit:
        source = add_source(kit.catalog, SourceSettings(name="drive", root=drive), origin="path")
        source_run(kit, source).content()
        world.note()
        for step in range(1, STEPS + 1):
            _step(kit, source, world, tally, until=pairs * step // STEPS)
            if tally.pairs >= shown + pairs // 10:
                shown = tally.pairs
                print(f"   {shown} pairs, {len(tally.wrong)} wrong so far", flush=True)
    return tally


def _step(kit: Kit, source: SourceSettings, world: World, tally: Tally, *, until: int) -> None:
    before = world.picture()
    for _ in range(world.chance.randrange(1, 6)):
        world.chance.choice(CHANGES)(world)
    world.note()
    world.write_lists()
    before.users, before.groups = world.users, world.groups  # the directory is asked, not copied
    then, now = Moment.of(before), Moment.of(world)
    searcher = Searcher(
        kit.index,
        kit.embedder,
        kit.analyzer,
        open_access(kit.settings, kit.catalog),
        _Unheard(),
        kit.settings.search,
    )
    whole = world.happens(0.4)
    tally.runs["content" if whole else "permissions"] += 1
    follow = source_run(kit, source)
    with ThreadPoolExecutor(1) as pool:
        following = pool.submit(follow.content if whole else follow.permissions)
        part = int(DURING * until) - tally.during
        meanwhile = _several(searcher, (then, now), part, complete=False, ended=following.done)
        following.result()
    meanwhile.during = meanwhile.pairs
    tally.add(meanwhile)
    tally.add(_several(searcher, (now,), until - tally.pairs, complete=whole))


def _several(
    searcher: Searcher,
    moments: tuple[Moment, ...],
    pairs: int,
    *,
    complete: bool,
    ended: Callable[[], bool] = lambda: False,
) -> Tally:
    """So many searches by several people at once, or fewer where something ends before."""
    tickets = iter(range(pairs))

    def ask(seed: float) -> Tally:
        own, chance = Tally(), random.Random(seed)
        while not ended() and next(tickets, None) is not None:
            _ask(searcher, moments, own, chance, complete=complete)
        return own

    total, chance = Tally(), moments[-1].world.chance
    with ThreadPoolExecutor(ASKERS) as people:
        for own in people.map(ask, [chance.random() for _ in range(ASKERS)]):
            total.add(own)
    return total


def _ask(
    searcher: Searcher,
    moments: tuple[Moment, ...],
    tally: Tally,
    chance: random.Random,
    *,
    complete: bool,
) -> None:
    """One person's search, and whether what came back may have come back."""
    now = moments[-1]
    world = now.world
    user, query, token = chance.choice(world.people), *_query(world, chance)
    top, whole = chance.choice((5, 20, _EVERYTHING)), chance.random() < _WITH_OBSOLETE
    request = SearchRequest(query=query, reader=user, top=top, include_obsolete=whole)
    tally.pairs += 1
    tally.queries.add(query)
    try:
        hits = searcher.search(request).hits
    except UnknownReaderError:
        tally.refused += 1
        if not world.users[user]["disabled"]:
            tally.wrong.append(f"{user} is nobody")
        return
    tally.hits += len(hits)
    if world.users[user]["disabled"]:
        tally.wrong.append(f"{user} is disabled and was answered")
    tally.wrong += [f"{user} found {h.path} by {query!r}" for h in hits if _leaks(h, user, moments)]
    for word in query.split():
        tally.kept_back += len(now.speaks.get(word, set()) - now.allowed[user])
    if complete and token and request.include_obsolete and top == _EVERYTHING:
        tally.complete += 1
        found = {container(hit.path) for hit in hits}
        missed = (now.speaks.get(token, set()) & now.allowed[user]) - found
        tally.wrong += [f"{user} missed {path} by {query!r}" for path in missed]


def _query(world: World, chance: random.Random) -> tuple[str, str]:
    """What somebody asks, and the token of a document where they ask for one."""
    if chance.random() < _BY_TOKEN:
        token = chance.choice(sorted(world.files.values()))[0]
        return token, token
    return " ".join(chance.sample(world.words, chance.randrange(1, 4))), ""


def _leaks(hit: Hit, user: str, moments: tuple[Moment, ...]) -> bool:
    path, names = container(hit.path), moments[-1].world.names(user)
    if not any(path in moment.allowed[user] for moment in moments):
        return True
    return not moments[-1].world.ever_allowed(told(hit.text), names)


def _verdict(backend: str, tally: Tally, seconds: float) -> bool:
    print(
        f"{backend}: {tally.pairs} (user, query) pairs, {len(tally.queries)} distinct queries, "
        f"{tally.during} while a run followed, {tally.runs['permissions']} permission and "
        f"{tally.runs['content']} content runs, {seconds:.0f} s"
    )
    print(
        f"   {tally.hits} passages shown; {tally.kept_back} times a document that speaks of a word asked for was kept back; "
        f"{tally.refused} refusals of closed accounts; {tally.complete} searches compared for completeness"
    )
    for line in tally.wrong[:_SHOWN]:
        print(f"   WRONG: {line}")
    print(f"   forbidden or missing passages: {len(tally.wrong)}")
    asked = tally.hits and tally.kept_back and tally.during and tally.complete and tally.refused
    return not tally.wrong and bool(asked)
