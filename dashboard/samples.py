"""Samples of pages for people to compare with their originals, and what their verdicts say."""

from __future__ import annotations

import hashlib
import math
from collections import defaultdict
from dataclasses import dataclass
from itertools import combinations, islice
from typing import TYPE_CHECKING, Any

from contracts.versions import Status

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from catalog.catalog import Catalog
    from catalog.records import DocumentRecord, PageVerdict

__all__ = ["VERDICTS", "Agreement", "Sample", "Share", "agreements", "drawn", "right_pages"]

VERDICTS = ("good", "minor", "bad")
"""As it stands; small faults that mislead nobody; wrong or missing content."""
_KEPT_A_STRATUM = 200
_CERTAIN = 1.96
_Stratum = tuple[str, str, str]
_Lot = tuple[int, str, str, str]
"""Less the importance, chance, document and version."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """One page to look at.

    Attributes:
        version_id: Its version.
        page: Number from 1; 0 for a document without pages.
        document: Its document.
        stratum: Format, grade and department.
        importance: Larger is more important.
    """

    version_id: str
    page: int
    document: DocumentRecord
    stratum: tuple[str, str, str]
    importance: int

    @property
    def key(self) -> str:
        """What ``seoga review show`` and ``mark`` take."""
        return f"{self.version_id}:{self.page}"


def drawn(
    catalog: Catalog, count: int, seed: int, scopes: frozenset[str] | None = None
) -> list[Sample]:
    """Pages stratified by format, grade and department; the same seed and catalog give the same pages.

    Each stratum gives one page in turn until there are enough, the strata with the most important document first;
    within a stratum important documents come first, and chance decides among equals.

    Args:
        catalog: Where documents and grades are.
        count: Pages wanted; fewer where there are fewer documents.
        seed: Of the chance.
        scopes: Only documents of these access scopes; None: of all.
    """
    strata: dict[_Stratum, list[_Lot]] = defaultdict(list)
    for row in catalog.browse.candidates():
        if scopes is not None and row["scope_id"] not in scopes:
            continue
        pool = strata[row["format"], row["grade"], row["department"]]
        lot = hashlib.sha256(f"{seed} {row['version_id']}".encode()).hexdigest()
        pool.append((-_importance(row), lot, row["document_id"], row["version_id"]))
        if len(pool) > 2 * _KEPT_A_STRATUM:
            pool.sort(key=lambda one: one[:2])
            del pool[_KEPT_A_STRATUM:]
    for pool in strata.values():
        pool.sort(key=lambda one: one[:2])
    order = sorted(strata, key=lambda stratum: (strata[stratum][0][0], stratum))
    chosen = list(islice(_in_turn(strata, order), count))
    documents = catalog.documents.get_many(lot[2] for _, lot in chosen)
    return [
        Sample(
            version_id=lot[3],
            page=_page_of(catalog, lot[3], lot[1]),
            document=documents[lot[2]],
            stratum=stratum,
            importance=-lot[0],
        )
        for stratum, lot in chosen
        if lot[2] in documents
    ]


def _in_turn(
    strata: Mapping[_Stratum, Sequence[_Lot]], order: Sequence[_Stratum]
) -> Iterator[tuple[_Stratum, _Lot]]:
    """One of each stratum, then the next of each."""
    place = 0
    while any(place < len(strata[stratum]) for stratum in order):
        for stratum in order:
            if place < len(strata[stratum]):
                yield stratum, strata[stratum][place]
        place += 1


def _page_of(catalog: Catalog, version_id: str, lot: str) -> int:
    """A page by lot."""
    quality = catalog.quality.get(version_id)
    if quality is None or not quality.pages:
        return 0
    return quality.pages[int(lot[:12], 16) % len(quality.pages)].page


def _importance(row: Mapping[str, Any]) -> int:
    """Current, of a known type, with business codes or a security level: each counts; current counts twice."""
    return int(
        2 * (row["status"] == Status.CURRENT.value)
        + (row["document_type"] != "other")
        + bool(row["codes"])
        + bool(row["security_level"])
    )


@dataclass(frozen=True, slots=True)
class Share:
    """Share of pages that are right, with its 95 % confidence interval."""

    right: int
    pages: int
    share: float
    low: float
    high: float


def right_pages(verdicts: Iterable[PageVerdict]) -> Share:
    """Pages whose verdicts are mostly better than ``bad``; Wilson's interval (1927) with z = 1.96.

    A page that several people saw counts once: right where more of them say so than not.
    """
    by_page: dict[tuple[str, int], list[bool]] = defaultdict(list)
    for verdict in verdicts:
        by_page[verdict.version_id, verdict.page].append(verdict.verdict != "bad")
    right = sum(2 * sum(said) > len(said) for said in by_page.values())
    n = len(by_page)
    if not n:
        return Share(0, 0, 0.0, 0.0, 1.0)
    share, z2 = right / n, _CERTAIN**2
    centre = (share + z2 / (2 * n)) / (1 + z2 / n)
    half = _CERTAIN / (1 + z2 / n) * math.sqrt(share * (1 - share) / n + z2 / (4 * n * n))
    return Share(right, n, share, max(0.0, centre - half), min(1.0, centre + half))


@dataclass(frozen=True, slots=True)
class Agreement:
    """How far two people agree over the pages that both saw: share, and Cohen's kappa (None where it has no value)."""

    first: str
    second: str
    pages: int
    agreed: float
    kappa: float | None


def agreements(verdicts: Iterable[PageVerdict]) -> list[Agreement]:
    """Every two people with common pages.

    Kappa is the agreement beyond chance (Cohen 1960): (p_o - p_e) / (1 - p_e); without a value where both always
    say one and the same word.
    """
    by_person: dict[str, dict[tuple[str, int], str]] = defaultdict(dict)
    for verdict in verdicts:
        by_person[verdict.by][verdict.version_id, verdict.page] = verdict.verdict
    out: list[Agreement] = []
    for first, second in combinations(sorted(by_person), 2):
        a, b = by_person[first], by_person[second]
        both = sorted(a.keys() & b.keys())
        if not both:
            continue
        observed = sum(a[page] == b[page] for page in both) / len(both)
        expected = sum(
            sum(a[page] == word for page in both) * sum(b[page] == word for page in both)
            for word in VERDICTS
        ) / (len(both) ** 2)
        kappa = (observed - expected) / (1 - expected) if expected < 1 else None
        out.append(Agreement(first, second, len(both), observed, kappa))
    return out
