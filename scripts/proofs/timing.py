"""Whether an answer's shape or time tells that there is something that may not be seen.

Two people ask through the HTTP API, in one process with the search: each question speaks of a code word that stands in
documents that they may not read, or of one like it that stands nowhere. Codes are asked for once. The classifier is the
time alone: the area under its ROC curve, the better of the two ways round.
"""

from __future__ import annotations

import json
import math
import random
import secrets
import statistics
import tempfile
import time
from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fastapi.testclient import TestClient

from app.sources import add_source
from app.wiring import answerer_of, open_kit, open_searcher, source_run
from contracts.settings import Settings, SourceSettings
from search.api.app import create_app
from search.api.callers import Callers, Key
from search.api.grid import AnswerGrid

__all__ = ["MOST", "auc", "run"]

MOST = 0.55
_SURE = 3.5
TOKEN = secrets.token_hex(16)
OPEN, CLOSED = 200, 600
BUSY = 20
"""Every so many secret codes stand in as many documents."""

LISTS = 'realm: plant\nfolders:\n  "": [{allow: group:staff}]\n  비공개: [{allow: group:board}]\n'
PEOPLE = "realm: plant\nusers: {lee: {groups: [staff]}, han: {}}\ngroups: {staff: {}, board: {}}\n"


@dataclass(frozen=True, slots=True)
class Answered:
    """One answer: milliseconds, those of them of the processor, and what it looks like but for what was asked."""

    spent: float
    worked: float
    shape: str


def run(*, pairs: int, seed: int) -> bool:
    """Ask ``pairs`` times about either; prints figures, says whether nothing tells."""
    chance = random.Random(seed)
    codes = _codes(chance, 4 * pairs)  # for searches and for questions
    secret, absent = codes[: 2 * pairs], codes[2 * pairs :]
    with tempfile.TemporaryDirectory(prefix="seoga-timing-") as scratch:
        drive = Path(scratch) / "drive"
        _fill(drive, secret, chance)
        settings = Settings.model_validate(
            {"home": Path(scratch) / "home", "embedder": {"engine": "hash"}}
        )
        with open_kit(settings) as kit:
            source = SourceSettings(name="drive", root=drive)
            add_source(kit.catalog, source, origin="path")
            source_run(kit, source).content()
        with open_searcher(settings, "api") as searcher:
            made = create_app(
                searcher, Callers([Key("", TOKEN)]), dict, answerer=answerer_of(settings, searcher)
            )
            with TestClient(AnswerGrid(made, settings.api.answer_grid_ms)) as client:
                told = [
                    _compare(client, who, place, secret[part], absent[part], chance)
                    for place, part in (("search", slice(pairs)), ("answer", slice(pairs, None)))
                    for who in ("lee", "han")
                ]
                return all(told)


def _compare(
    client: TestClient,
    reader: str,
    place: str,
    secret: list[str],
    absent: list[str],
    chance: random.Random,
) -> bool:
    for code in absent[:50]:  # until caches are warm
        _ask(client, reader, place, code[::-1])
    there: list[Answered] = []
    nowhere: list[Answered] = []
    for pair in zip(secret, absent, strict=True):
        turns = [(pair[0], there), (pair[1], nowhere)]
        chance.shuffle(turns)
        for code, answers in turns:
            answers.append(_ask(client, reader, place, code))
    area = auc([a.spent for a in there], [a.spent for a in nowhere])
    shapes = {a.shape for a in there} ^ {a.shape for a in nowhere}
    print(
        f"{place}, {reader}: {len(there)} pairs; may not be seen {statistics.median(a.spent for a in there):.2f} ms, "
        f"not there {statistics.median(a.spent for a in nowhere):.2f} ms (medians); AUC {area:.3f} "
        f"(of processor time {auc([a.worked for a in there], [a.worked for a in nowhere]):.3f}), "
        f"{len({a.shape for a in there})} shapes, {len(shapes)} of one kind only"
    )
    return area <= max(MOST, 0.5 + _SURE * _deviation(len(there))) and not shapes


def _ask(client: TestClient, reader: str, place: str, code: str) -> Answered:
    word = "query" if place == "search" else "question"
    body = {word: f"{code} 단가 변경 내역은 무엇인가?", "reader": reader}
    started, worked = time.perf_counter(), time.process_time()
    answer = client.post(f"/v1/{place}", json=body, headers={"Authorization": f"Bearer {TOKEN}"})
    spent = (time.perf_counter() - started) * 1000
    worked = (time.process_time() - worked) * 1000
    told = answer.json()
    refused = "" if told.get("answered", True) else json.dumps({**told, "question": ""})
    shape = f"{answer.status_code} {sorted(answer.headers)} {_shape(told)} {refused}"
    return Answered(spent, worked, shape)


def _shape(value: Any) -> Any:
    """Names and kinds of what an answer holds; how many hits, not which."""
    if isinstance(value, dict):
        return {name: _shape(held) for name, held in sorted(value.items())}
    if isinstance(value, list):
        return [_shape(held) for held in value]
    return type(value).__name__


def _fill(drive: Path, secret: list[str], chance: random.Random) -> None:
    (drive / "비공개").mkdir(parents=True)
    (drive / "acl.yaml").write_text(LISTS, encoding="utf-8")
    (drive / "directory.yaml").write_text(PEOPLE, encoding="utf-8")
    for number in range(OPEN):
        text = f"설비 점검 단가 변경 {number} 이상 없음"
        (drive / f"공개-{number:04}.txt").write_text(text, encoding="utf-8")
    texts: list[list[str]] = [[f"원가 내역 단가 변경 {number}"] for number in range(CLOSED)]
    for number, code in enumerate(secret):
        for place in chance.sample(range(CLOSED), BUSY if number % BUSY == 0 else 1):
            texts[place].append(code)
    for number, words in enumerate(texts):
        path = drive / "비공개" / f"원가-{number:04}.txt"
        path.write_text("\n".join(words), encoding="utf-8")


def _codes(chance: random.Random, count: int) -> list[str]:
    """Different codes of one length, as orders and drawings have them."""
    found: dict[str, None] = {}
    while len(found) < count:
        letters = "".join(chance.choices("ABCDEFGHJKLMNPQRSTUVWXYZ", k=3))
        found[f"{letters}-{chance.randrange(10_000, 100_000)}"] = None
    return list(found)


def _deviation(pairs: int) -> float:
    """Standard deviation of the area where nothing tells (Mann and Whitney, 1947): few pairs say little."""
    return math.sqrt((2 * pairs + 1) / 12) / pairs


def auc(one: list[float], other: list[float]) -> float:
    """Area under the ROC curve of a threshold on the value: 0.5 tells nothing, 1.0 everything."""
    ordered = sorted(other)
    below = sum(bisect_left(ordered, v) + bisect_right(ordered, v) for v in one) / 2
    area = below / (len(one) * len(other))
    return max(area, 1 - area)
