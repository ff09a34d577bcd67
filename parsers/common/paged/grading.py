"""Quality of pages and the grade of a document, with the reasons."""

from __future__ import annotations

from typing import TYPE_CHECKING

from contracts.documents import Block, BlockKind, Layer, Origin, PageQuality, Quality
from parsers.common.paged.spacing import lost_spaces_share

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from contracts.documents import Table

__all__ = ["GOOD_OCR", "POOR_OCR", "grade", "page_quality", "spoken"]

GOOD_OCR, POOR_OCR = 0.85, 0.7
"""Mean confidence of a page's words from which recognition is good, and below which it is poor.

``make bench-ocr`` prints the error rate of the pages between them; docs/reports/parsing.md has what it was.
"""

_UNMAPPED = 0.02
_LOST_SPACES = 0.2
_INTEGRITY = 0.95
_SOME = 0.1
_MANY = 0.34


def spoken(block: Block) -> str:
    """The text of a block, cells included."""
    return _table_text(block.table) if block.table else block.text


def _table_text(table: Table) -> str:
    parts: list[str] = []
    for cell in table.cells:
        parts.append(cell.text)
        parts += [_table_text(inner) for inner in cell.tables]
    return "\n".join(parts)


def page_quality(
    page: int, blocks: Sequence[Block], *, unmapped_share: float, integrities: Sequence[float]
) -> PageQuality:
    """Measure one page.

    Args:
        page: Number from 1.
        blocks: Its blocks.
        unmapped_share: Share of characters without a meaning in the text that was kept, 0 to 1.
        integrities: Share of text that fitted its cell, for each table.
    """
    body = [b for b in blocks if b.layer in {Layer.BODY, Layer.NOTES}]
    letters = [len("".join(spoken(b).split())) for b in body]
    total = sum(letters)
    layer = sum(n for b, n in zip(body, letters, strict=True) if b.origin is Origin.TEXT_LAYER)
    words = sorted(w.confidence for b in body for w in b.words)
    hangul = "\n".join(spoken(b) for b in body if b.kind is not BlockKind.TABLE)
    return PageQuality(
        page=page,
        characters=total,
        text_layer_share=layer / total if total else 1.0,
        ocr_confidence_mean=sum(words) / len(words) if words else None,
        ocr_confidence_p10=words[len(words) // 10] if words else None,
        unmapped_share=unmapped_share,
        lost_spaces_share=lost_spaces_share(hangul),
        empty=total == 0,
        table_integrity=sum(integrities) / len(integrities) if integrities else None,
    )


def grade(pages: Sequence[PageQuality], problems: Iterable[str] = ()) -> Quality:
    """Grade a document by the share of its pages that are in doubt.

    A: sound. B: a few pages (up to a tenth) or small faults. C: up to a third of the pages, or
    something was left out. D: more, or no text at all: a person should look.

    Args:
        pages: Quality of each page.
        problems: What was left out (no recognition, damaged pages), one reason each.
    """
    reasons = list(problems)
    worst = 2 if reasons else 0
    checks = (
        ("no text on", [p.page for p in pages if p.empty], 1),
        ("characters without meaning on", [p.page for p in pages if p.unmapped_share > _UNMAPPED], 0),
        ("low recognition confidence on", [p.page for p in pages if _ocr_below(p, POOR_OCR)], 0),
        ("middling recognition confidence on", [p.page for p in pages if _middling(p)], 1),
        ("lost word spaces on", [p.page for p in pages if p.lost_spaces_share > _LOST_SPACES], 1),
        ("text outside table cells on", [p.page for p in pages if (p.table_integrity or 1) < _INTEGRITY], 1),
    )  # fmt: skip
    for name, hit, mildness in checks:
        if hit:
            reasons.append(f"{name} {_listed(hit)}")
            share = len(hit) / len(pages)
            step = 1 + (share > _SOME) + (share > _MANY)
            worst = max(worst, 1, step - mildness)
    if all(p.empty for p in pages):
        worst = 3
    return Quality(grade="ABCD"[worst], reasons=tuple(reasons), pages=tuple(pages))


def _ocr_below(page: PageQuality, limit: float) -> bool:
    return page.ocr_confidence_mean is not None and page.ocr_confidence_mean < limit


def _middling(page: PageQuality) -> bool:
    return _ocr_below(page, GOOD_OCR) and not _ocr_below(page, POOR_OCR)


def _listed(pages: Sequence[int]) -> str:
    """``page 3`` or ``pages 1, 2, 5 and 40 more``."""
    shown = ", ".join(map(str, pages[:5]))
    more = f" and {len(pages) - 5} more" if len(pages) > 5 else ""  # noqa: PLR2004  enough to look at
    return f"page{'s' if len(pages) > 1 else ''} {shown}{more}"
