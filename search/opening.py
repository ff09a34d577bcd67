"""A document opened by its id: what a reader may see of it, passage by passage."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from contracts.documents import Layer

if TYPE_CHECKING:
    from contracts.search import Hit

__all__ = ["LAYERS", "OpenedDocument"]

LAYERS = frozenset({Layer.BODY, Layer.NOTES, Layer.QUOTED})
"""Layers that are shown: what is hidden in a document stays so."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenedDocument:
    """A document and some of its passages, in its order.

    Attributes:
        passages: With their citations; ``rank`` is the place in the document, from 1.
        next: Place of the first passage after these, or None.
    """

    passages: tuple[Hit, ...]
    next: int | None = None
