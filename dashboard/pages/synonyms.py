"""The dictionary of synonyms: edited here, tried on a query as the person who edits, and taken back where it was a bad one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from contracts.errors import ConfigError
from dashboard.visit import Page, Redirect, Visit, whole
from search.dictionary import read_dictionary

if TYPE_CHECKING:
    from dashboard.desk import Found

__all__ = ["change_synonyms", "synonyms"]

_EMPTY = "synonyms:\n  - [토크, 체결력, torque]\n"
_LONGEST = 200_000
_TOP = 10


def synonyms(visit: Visit) -> Page:
    """The version that serves, and those before it."""
    store = visit.desk.catalog.dictionaries
    serves = store.get(store.current())
    chosen = store.get(whole(visit.query.get("version", ""))) or serves
    return _page(visit, chosen.text if chosen else _EMPTY)


def change_synonyms(visit: Visit) -> Page | Redirect:
    """Try a text on a query, let it serve, or let an earlier version serve again."""
    store, what = visit.desk.catalog.dictionaries, visit.field("do")
    if what == "rollback":
        earlier = store.get(whole(visit.field("version")))
        if earlier is None:
            return Redirect("/synonyms", "no_version")
        visit.audit("synonyms", do=what, version=earlier.version)
        store.add(earlier.text, visit.who.name, f"= {earlier.version}")
        return Redirect("/synonyms", "synonyms")
    text = visit.form.get("text", [""])[0].replace("\r\n", "\n")[:_LONGEST]
    try:
        groups = len(read_dictionary(text, "synonyms").groups)
    except ConfigError as problem:
        return _page(visit, text, problem=str(problem))
    if what == "apply":
        visit.audit("synonyms", do=what, groups=groups)
        store.add(text, visit.who.name, visit.field("note")[:200])
        return Redirect("/synonyms", "synonyms")
    return _preview(visit, text)


def _preview(visit: Visit, text: str) -> Page:
    """What a query finds now, and what it would find: as the person who asks, so nothing shows that they may not read."""
    query = visit.field("query")
    if not query:
        return _page(visit, text, problem=visit.words("synonyms.no_query"))
    store = visit.desk.catalog.dictionaries
    serves = store.get(store.current())
    before = visit.desk.search(serves.text if serves else "", query, visit.who.name, _TOP)
    after = visit.desk.search(text, query, visit.who.name, _TOP)
    return _page(visit, text, query=query, before=before, after=_moved(before, after))


def _moved(before: list[Found], after: list[Found]) -> list[tuple[Found, int]]:
    """What would be found, each with its place now (0: not among the first)."""
    places = {found.key: place for place, found in enumerate(before, 1)}
    return [(found, places.get(found.key, 0)) for found in after]


def _page(visit: Visit, text: str, **values: Any) -> Page:
    store = visit.desk.catalog.dictionaries
    shown = {"text": text, "problem": "", "query": "", "before": None, "after": None} | values
    shown |= {"versions": store.newest(), "glossary": visit.desk.settings.search.glossary}
    return Page("synonyms.html", shown)
