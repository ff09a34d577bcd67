"""The words of the pages: both languages whole, nothing missing, nothing left over."""

from __future__ import annotations

import re
import string
from pathlib import Path

from contracts.access import Effect
from contracts.documents import BlockKind, Layer, Origin
from contracts.failures import FailureClass
from contracts.feedback import FeedbackKind
from contracts.outcomes import OutcomeKind
from contracts.tasks import TaskKind, TaskState
from contracts.versions import EvidenceSource, Status
from dashboard.roles import RULES, Role
from dashboard.samples import VERDICTS
from dashboard.words import Words, catalogue

FOLDER = Path(__file__).parents[2] / "dashboard"
SOURCES = [p for p in FOLDER.rglob("*") if p.suffix in {".py", ".html"}]
STORED = {
    "outcome": OutcomeKind, "failure": FailureClass, "status": Status, "evidence": EvidenceSource,
    "kind": BlockKind, "layer": Layer, "origin": Origin, "task": TaskKind, "taskstate": TaskState,
    "effect": Effect, "said": FeedbackKind, "role": Role, "verdict": VERDICTS,
}  # fmt: skip


def fields(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name is not None}


def test_every_word_is_there_in_both_languages_with_the_same_values():
    for key, (korean, english) in catalogue().items():
        assert korean.strip(), key
        assert english.strip(), key
        assert fields(korean) == fields(english), key
    hangul = [k for k, (_, english) in catalogue().items() if re.search("[가-힣]", english)]
    assert not hangul


def test_every_key_that_a_page_names_is_there():
    groups = {key.split(".")[0] for key in catalogue()}
    pattern = re.compile(rf"""["']((?:{"|".join(sorted(groups))})\.[a-z][a-z0-9_-]*)["']""")
    missing = {
        (path.name, key)
        for path in SOURCES
        for key in pattern.findall(path.read_text(encoding="utf-8"))
        if key not in catalogue() and not key.endswith(".html")
    }
    assert not missing


def test_every_stored_value_has_its_words():
    missing = [
        f"{g}.{v}" for g, values in STORED.items() for v in values if f"{g}.{v}" not in catalogue()
    ]
    assert not missing
    assert not [rule.nav for rule in RULES if rule.nav and rule.nav not in catalogue()]


def test_every_word_of_what_was_done_is_said_somewhere():
    text = "\n".join(p.read_text(encoding="utf-8") for p in SOURCES)
    done = [key.split(".")[1] for key in catalogue() if key.startswith("done.")]
    assert not [word for word in done if f'"{word}"' not in text]


def test_a_language_that_is_not_there_is_korean():
    assert Words("de")("word.login") == "로그인"
    assert Words("en")("word.login") == "Log in"
