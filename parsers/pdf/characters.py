"""Characters of MuPDF's structured text, member by member."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["CHARACTER", "Characters"]

CHARACTER = np.dtype([
    ("code", "<i4"), ("bidi", "<u2"), ("flags", "<u2"), ("argb", "<u4"), ("origin", "<f4", 2),
    ("quad", "<f4", (4, 2)), ("size", "<f4"), ("font", "<u8"), ("next", "<u8"),
])  # fmt: skip
"""``fz_stext_char`` of ``structured-text.h``."""
_PARTS = CHARACTER.itemsize // 4


class Characters:
    """Members of characters, each in one piece of memory: that is what takes numpy least time.

    Args:
        parts: Structures of :data:`CHARACTER` in parts of 4 bytes, a row for each part.

    Attributes:
        code: Unicode characters.
        bidi: Level of the direction of writing.
        flags: ``FZ_STEXT_…`` of ``structured-text.h``.
        argb: Colour, opacity in the highest byte.
        origin: Left and height of the baseline's begin, points; a row for each.
        corners: The same of the upper left and right, and the lower left and right corner.
        size: Height of the font (em), points.
    """

    def __init__(self, parts: NDArray[np.int32]) -> None:
        self._parts = parts
        self.code: NDArray[np.int32] = parts[0]
        self.bidi: NDArray[np.int32] = parts[1] & 0xFFFF
        self.flags: NDArray[np.int32] = parts[1] >> 16 & 0xFFFF
        self.argb: NDArray[np.uint32] = parts[2].view(np.uint32)
        self.origin: NDArray[np.float32] = parts[3:5].view(np.float32)
        self.corners: NDArray[np.float32] = parts[5:13].view(np.float32)
        self.size: NDArray[np.float32] = parts[13].view(np.float32)

    @classmethod
    def of(cls, found: NDArray[Any]) -> Characters:
        """Of structures of :data:`CHARACTER`."""
        return cls(np.ascontiguousarray(found.view("<i4").reshape(-1, _PARTS).T))

    def __len__(self) -> int:
        return len(self.code)

    def only(self, which: NDArray[np.bool_]) -> Characters:
        """Some of them."""
        return Characters(self._parts[:, which])

    def fonts(self) -> NDArray[np.uint64]:
        """Addresses of their fonts."""
        low, high = self._parts[14:16].view(np.uint32).astype(np.uint64)
        addresses: NDArray[np.uint64] = low | high << 32
        return addresses
