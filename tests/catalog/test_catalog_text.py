"""Any text goes into a database and comes back."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from catalog.text import digest, escape, from_json, to_json, unescape

ANY = st.text(st.characters(codec=None) | st.characters(categories=["Cs"]) | st.just("\ue000"))


@given(ANY)
def test_any_text_comes_back_from_what_both_databases_can_store(text):
    stored = escape(text)
    assert b"\x00" not in stored.encode("utf-8")
    assert unescape(stored) == text


@given(st.lists(ANY.filter(lambda text: "\x00" not in text)))
def test_stored_bytes_sort_as_python_sorts_the_texts(texts):
    assert sorted(texts, key=lambda text: escape(text).encode("utf-8")) == sorted(texts)


def test_ordinary_names_are_stored_as_they_are():
    name = "공유/품질 보고서\\2026 'a' %_ 😀.hwp"
    assert escape(name) == name


@given(st.lists(ANY), st.lists(ANY))
def test_only_equal_lists_of_texts_have_one_digest(one, other):
    assert (digest(*one) == digest(*other)) == (one == other)


_plain = st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.floats(-1e9, 1e9) | st.text()
_json = _plain | st.lists(_plain, max_size=3) | st.dictionaries(st.text(), _plain, max_size=3)


@given(st.dictionaries(st.text(), _json, max_size=3))
def test_json_values_come_back_and_have_one_form(value):
    text = to_json(value)
    assert from_json(text, dict) == value
    assert to_json(dict(reversed(value.items()))) == text
