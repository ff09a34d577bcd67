"""docs/filter-semantics.md, row by row, in both legs of every backend."""

from __future__ import annotations

import re
import unicodedata
from datetime import date, timedelta
from pathlib import Path

import pytest

from contracts.chunks import Successor
from contracts.documents import Layer

PAGE = Path(__file__).parents[3] / "docs" / "filter-semantics.md"
TODAY = date(2026, 11, 29)
YESTERDAY, TOMORROW = TODAY - timedelta(days=1), TODAY + timedelta(days=1)
ALL = {"include_obsolete": True}
NONE: dict = {}
THEN = {"as_of": YESTERDAY, "looks_back": True}
"""The view of a day that is past."""


def nfd(text):
    return unicodedata.normalize("NFD", text)


def newer(scope="open", day=None, name="newer"):
    return Successor(name, scope, day)


def fields(*pairs):
    return {"fields": pairs}


PATH = {"path": "품질/표준/a.pdf"}
MEMBER = {"path": "품질/묶음.zip!/b/c.pdf"}
CODES = {"codes": ("EQ-PRESS-07", "PN-1002")}
QUALITY = {"department": "품질팀", "source": "공유"}
TWO_TYPES = {"types": frozenset({"ledger", "work_standard"})}
WORK = {"document_type": "work_standard"}
EVERY = {
    "types": frozenset({"work_standard"}),
    "fields": (("department", "품질팀"), ("source", "공유")),
    "layers": frozenset({Layer.NOTES}),
}

# row: the document, what is asked, whether it is found; "layer" is the passage's
ROWS = {
    "A1": ({}, NONE, True),
    "A2": ({"scope_id": "closed"}, NONE, False),
    "A3": ({}, {"scopes": frozenset()}, False),
    "A4": ({}, {"hidden_documents": frozenset({"d"})}, False),
    "A5": ({"scope_id": "closed"}, ALL, False),
    "A6": ({}, {"hidden_documents": frozenset({"d"})} | ALL, False),
    "A7": ({"scope_id": "closed"} | WORK, TWO_TYPES | fields(("source", "공유")), False),
    "V1": ({"status": "current"}, NONE, True),
    "V2": ({"status": "unknown"}, NONE, True),
    "V3": ({"status": "obsolete"}, NONE, False),
    "V4": ({"status": "draft"}, NONE, False),
    "V5": ({"status": "obsolete"}, ALL, True),
    "V6": ({"status": "draft"}, ALL, True),
    "V7": ({"successors": (newer(),)}, NONE, False),
    "V8": ({"successors": (newer(day=TODAY),)}, NONE, False),
    "V9": ({"successors": (newer(day=TOMORROW),)}, NONE, True),
    "V10": ({"successors": (newer("closed"),)}, NONE, True),
    "V11": ({"successors": (newer(),)}, {"hidden_documents": frozenset({"newer"})}, True),
    "V12": ({"successors": (newer("closed"), newer(name="newest"))}, NONE, False),
    "V13": ({"successors": (newer("closed"), newer(day=TOMORROW, name="n"))}, NONE, True),
    "V14": ({"status": "unknown", "successors": (newer(),)}, NONE, False),
    "V15": ({"successors": (newer(),)}, ALL, True),
    "V16": ({"effective_from": TODAY}, NONE, True),
    "V17": ({"effective_from": TOMORROW}, NONE, False),
    "V18": ({"effective_from": TOMORROW}, ALL, True),
    "V19": ({"effective_from": TOMORROW}, {"as_of": TOMORROW}, True),
    "V20": ({"successors": (newer(day=TODAY),)}, {"as_of": YESTERDAY}, True),
    "V21": ({"status": "obsolete"}, THEN, False),
    "V22": ({"status": "draft", "successors": (newer(),)}, NONE, False),
    "V23": ({"status": "obsolete", "successors": (newer(day=TODAY),)}, THEN, True),
    "V24": ({"status": "obsolete", "successors": (newer("closed", TODAY),)}, THEN, False),
    "V25": (
        {"status": "obsolete", "successors": (newer(day=TODAY),)},
        THEN | {"hidden_documents": frozenset({"newer"})},
        False,
    ),
    "V26": ({"status": "obsolete", "successors": (newer(day=TOMORROW),)}, NONE, False),
    "V27": (
        {"status": "obsolete", "successors": (newer(day=YESTERDAY), newer(day=TODAY, name="n"))},
        THEN,
        False,
    ),
    "V28": (
        {"status": "obsolete", "successors": (newer(), newer(day=TODAY, name="n"))},
        THEN,
        False,
    ),
    "V29": (
        {"status": "obsolete", "effective_from": TODAY, "successors": (newer(day=TOMORROW),)},
        THEN,
        False,
    ),
    "V30": ({"status": "draft", "successors": (newer(day=TODAY),)}, THEN, False),
    "V31": (
        {"status": "obsolete", "effective_from": YESTERDAY, "successors": (newer(day=TODAY),)},
        THEN,
        True,
    ),
    "T1": (WORK, NONE, True),
    "T2": (WORK, TWO_TYPES, True),
    "T3": (WORK, {"types": frozenset({"ledger", "minutes"})}, False),
    "F1": (QUALITY, fields(("department", "품질팀")), True),
    "F2": (QUALITY, fields(("department", "생산팀")), False),
    "F3": (QUALITY, fields(("department", "생산팀"), ("department", "품질팀")), True),
    "F4": (QUALITY, fields(("department", "품질팀"), ("source", "공유")), True),
    "F5": (QUALITY, fields(("department", "품질팀"), ("source", "메일")), False),
    "F6": ({}, fields(("department", "품질팀")), False),
    "F7": ({"department": "QA"}, fields(("department", "ｑａ")), True),
    "F8": (QUALITY, fields(("department", nfd("품질팀"))), True),
    "F9": (CODES, fields(("code", "eq-press-07")), True),
    "F10": (CODES, fields(("code", "EQ-PRESS")), False),
    "F11": (CODES, fields(("code", "EQ-1"), ("code", "PN-1002")), True),
    "F12": ({"format": "pdf"}, fields(("format", "PDF")), True),
    "F13": ({"language": "ko"}, fields(("language", "en")), False),
    "F14": ({"security_level": "대외비"}, fields(("security_level", "대외비")), True),
    "F15": ({"revision": "C"}, fields(("revision", "c")), True),
    "F16": (PATH, fields(("path", "품질/표준")), True),
    "F17": (PATH, fields(("path", "품질/표")), False),
    "F18": (PATH, fields(("path", "품질/")), True),
    "F19": (PATH, fields(("path", "표준")), False),
    "F20": (PATH, fields(("path", "품질/표준/a.pdf")), True),
    "F21": (MEMBER, fields(("path", "품질/묶음.zip")), True),
    "F22": (MEMBER, fields(("path", "품질/묶음.zip!/b")), True),
    "F23": ({"path": nfd("품질/표준/a.pdf")}, fields(("path", "품질/표준")), True),
    "F24": (PATH, fields(("path", "생산"), ("path", "품질")), True),
    "L1": ({"layer": Layer.NOTES}, NONE, True),
    "L2": ({"layer": Layer.HIDDEN}, NONE, False),
    "L3": ({"layer": Layer.HIDDEN}, {"layers": frozenset({Layer.HIDDEN, Layer.QUOTED})}, True),
    "L4": ({}, {"layers": frozenset({Layer.NOTES})}, False),
    "C1": (QUALITY | WORK | {"layer": Layer.NOTES}, EVERY, True),
    "C2": (QUALITY | {"document_type": "ledger", "layer": Layer.NOTES}, EVERY, False),
    "C3": (QUALITY | WORK | {"status": "draft", "layer": Layer.NOTES}, EVERY, False),
}


@pytest.mark.parametrize("row", ROWS)
def test_filter_row(index, build, row):
    values, asked, expected = ROWS[row]
    values = dict(values)
    chunk = build.chunk_of(0, "토크 규격", layer=values.pop("layer", Layer.BODY))
    others = [build.document_of(f"closed{n}", "토크 규격", scope_id="nobody") for n in range(3)]
    index.publish([build.document_of("d", chunks=[chunk], **values), *others])
    where = build.where_of(**asked)
    lexical = index.lexical({"토크": 1.0}, where, 10)
    nearest = index.nearest(build.vector_of("토크 규격"), where, 10)
    wanted = ["d"] if expected else []
    assert [s.row.document_id for s in index.fetch([c.key for c in lexical])] == wanted
    assert [s.row.document_id for s in index.fetch([c.key for c in nearest])] == wanted


def test_the_page_and_the_tests_have_the_same_rows():
    page = re.findall(
        r"^\| ([AVTFLC]\d+) \|.*\| (yes|no) \|$", PAGE.read_text("utf-8"), re.MULTILINE
    )
    assert dict(page) == {row: "yes" if found else "no" for row, (_, _, found) in ROWS.items()}


def test_one_language_is_the_same_whatever_was_asked_before(index, build):
    """Asked right after the wider filter, and after what it lets through has changed."""
    languages = {"a": "ko", "b": "en", "c": "ko", "d": "und"}
    for name, language in languages.items():
        index.publish([build.document_of(name, f"토크 규격 {name}", language=language)])
    vector = build.vector_of("토크 규격")
    wide, narrow = build.where_of(), build.where_of(**fields(("language", "ko")))

    def found(where):
        stored = index.fetch([c.key for c in index.nearest(vector, where, 10)])
        return {s.row.document_id for s in stored}

    assert found(narrow) == {"a", "c"}
    assert found(wide) == set(languages)
    assert found(narrow) == found(narrow) == {"a", "c"}
    index.publish([build.document_of("e", "토크 규격 e", language="ko")])
    index.delete(["a"])
    assert found(narrow) == {"c", "e"}
    assert found(wide) == {"b", "c", "d", "e"}
    assert found(narrow) == {"c", "e"}
    hidden = build.where_of(**fields(("language", "ko")), hidden_documents=frozenset({"c"}))
    assert found(hidden) == {"e"}
