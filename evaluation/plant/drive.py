"""The drive: how many of each kind, one after the other, with no more in memory than one item."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from evaluation.plant.kinds.changes import ecn, supplier_letter
from evaluation.plant.kinds.ledgers import drawings, torque
from evaluation.plant.kinds.machines import manual
from evaluation.plant.kinds.mails import bundle, thread
from evaluation.plant.kinds.office import minutes, monthly, notice
from evaluation.plant.kinds.quality import eight_d, inspection
from evaluation.plant.kinds.secrets import secret
from evaluation.plant.kinds.standards import standard
from evaluation.plant.mess import disordered
from evaluation.plant.model import Item
from evaluation.plant.world import World

__all__ = ["QUALITIES", "items"]

QUALITIES = ("scan-good", "scan-fair", "scan-poor")
_SCANS = 24
"""Scans of a drive, whatever its size: recognition takes seconds a page."""


@dataclass(frozen=True, slots=True)
class _Kind:
    """A kind of item and how many of hundred are of it."""

    share: int
    make: Callable[..., Item]
    scans: bool = False


_KINDS = (
    _Kind(26, standard, scans=True),
    _Kind(9, eight_d),
    _Kind(8, inspection, scans=True),
    _Kind(8, torque),
    _Kind(2, drawings),
    _Kind(6, manual),
    _Kind(8, ecn),
    _Kind(8, supplier_letter, scans=True),
    _Kind(8, minutes),
    _Kind(5, notice),
    _Kind(4, monthly),
    _Kind(8, thread),
    _Kind(2, bundle),
    _Kind(8, secret),
)
_FILLER = 9
"""A kind of one document, not copied: brings the count to what was asked for."""


def items(world: World, *, scans: bool = True) -> Iterator[Item]:
    """Items until there are as many documents as the world has.

    Args:
        world: The plant.
        scans: Whether some documents are scans.
    """
    order = [n for n, kind in enumerate(_KINDS) for _ in range(kind.share)]
    made = [0] * len(_KINDS)
    left, scanned, turn = world.documents, 0, 0
    while left > 0:
        world.rng("order", turn).shuffle(order)
        turn += 1
        for which in order:
            kind = _KINDS[which]
            form = None
            if (
                scans
                and kind.scans
                and scanned < _SCANS
                and world.rng("scan", which, made[which]).random() < 0.4
            ):
                form = QUALITIES[scanned % len(QUALITIES)]
            number = made[which]
            item = kind.make(world, number, form) if kind.scans else kind.make(world, number)
            item = disordered(world, item, which * 10_000_000 + number)
            if len(item.documents) > left:
                which = _FILLER  # noqa: PLW2901  the last ones are single documents
                item = _KINDS[which].make(world, made[which])
            elif form:
                scanned += 1
            made[which] += 1
            left -= len(item.documents)
            yield item
            if left <= 0:
                return
