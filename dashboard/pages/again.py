"""A page for review, read anew with other settings, beside what is stored of it. What is indexed stays as it is."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from dashboard.comparing import compared
from dashboard.desk import Wish
from dashboard.pages.sample import asked, blocks_of, parsed_of, shown_block
from dashboard.visit import Page, Visit, whole

if TYPE_CHECKING:
    from collections.abc import Sequence

    from catalog.records import DocumentRecord, VersionRecord
    from contracts.documents import Block, ParsedDocument
    from dashboard.comparing import Pair
    from dashboard.desk import Choices, Reread

__all__ = ["again", "read_again"]

_STATES = ("same", "changed", "added", "removed")


def again(visit: Visit) -> Page:
    """What can be chosen."""
    document, version, page = asked(visit)
    return _page(visit, document, version, page)


def read_again(visit: Visit) -> Page:
    """Both readings side by side."""
    document, version, page = asked(visit)
    stored = parsed_of(visit, version)
    wish = _wish(visit, visit.desk.choices(version.format))
    told = {name: value for name, value in asdict(wish).items() if value}
    visit.audit("reread", [document.document_id], version=version.version_id, page=page, **told)
    found = visit.desk.reread(version, page, wish)
    values = _beside(stored, found, page) if found is not None else {"gone": True}
    return _page(visit, document, version, page, wish=wish, **values)


def _page(
    visit: Visit, document: DocumentRecord, version: VersionRecord, page: int, **values: Any
) -> Page:
    here = f"/review/pages/{quote(version.version_id, safe='')}/{page}"
    shown: dict[str, Any] = {
        "wish": Wish(),
        "found": None,
        "gone": False,
        "pairs": (),
        "counts": {},
        "figures": (),
    }
    about = {
        "document": document,
        "version": version,
        "page": page,
        "choices": visit.desk.choices(version.format),
        "sample": here if "sample" in _opened(visit) else "",
        "address": f"{here}/again",
    }
    return Page("again.html", {**shown, **about, **values})


def _opened(visit: Visit) -> frozenset[str]:
    """Names of the pages that the person's roles open."""
    from dashboard.roles import RULES

    return frozenset(rule.name for rule in RULES if rule.roles & visit.who.roles)


def _wish(visit: Visit, choices: Choices) -> Wish:
    """What the form says, as far as it can be chosen."""
    reader, dpi = visit.field("reader"), whole(visit.field("dpi"))
    return Wish(
        reader=reader if reader == "own" or reader in choices.readers else "",
        ocr=_one(visit.field("ocr"), choices.ocr),
        engine=_one(visit.field("engine"), choices.engines),
        languages=_one(visit.field("languages"), choices.languages),
        dpi=dpi if dpi in choices.dpi else 0,
    )


def _one(said: str, choices: Sequence[str]) -> str:
    return said if said in choices else ""


def _beside(stored: ParsedDocument, found: Reread, page: int) -> dict[str, Any]:
    if found.document is None:
        return {"found": found}
    before = [block for _, block in blocks_of(stored, page)]
    after = [block for _, block in blocks_of(found.document, page)]
    pairs = compared(before, after)
    counted = Counter(pair.state for pair in pairs)
    return {
        "found": found,
        "pairs": [_shown(pair) for pair in pairs],
        "counts": {state: counted[state] for state in _STATES},
        "figures": _figures((stored, before), (found.document, after), page),
    }


def _shown(pair: Pair) -> dict[str, Any]:
    return {
        "pair": pair,
        "before": shown_block(0, pair.before) if pair.before is not None else None,
        "after": shown_block(0, pair.after) if pair.after is not None else None,
    }


_Reading = tuple["ParsedDocument", "list[Block]"]


def _figures(before: _Reading, after: _Reading, page: int) -> list[tuple[str, str, str]]:
    """The quality record and the confidence of both: word of the figure, then each."""
    left, right = _numbers(*before, page), _numbers(*after, page)
    return [(name, left.get(name, "–"), right.get(name, "–")) for name in left | right]


def _numbers(document: ParsedDocument, blocks: list[Block], page: int) -> dict[str, str]:
    found = {
        "blocks": str(len(blocks)),
        "characters": f"{sum(len(block.text) for block in blocks):,}",
    }
    if blocks:
        found["confidence"] = f"{sum(block.confidence for block in blocks) / len(blocks):.3f}"
    quality = next((one for one in document.quality.pages if one.page == page), None)
    if quality is None:
        return found
    found["text_layer"] = f"{quality.text_layer_share:.1%}"
    if quality.ocr_confidence_mean is not None:
        found["ocr_mean"] = f"{quality.ocr_confidence_mean:.3f}"
    if quality.ocr_confidence_p10 is not None:
        found["ocr_p10"] = f"{quality.ocr_confidence_p10:.3f}"
    found["unmapped"] = f"{quality.unmapped_share:.1%}"
    found["lost_spaces"] = f"{quality.lost_spaces_share:.1%}"
    if quality.table_integrity is not None:
        found["tables"] = f"{quality.table_integrity:.1%}"
    return found
