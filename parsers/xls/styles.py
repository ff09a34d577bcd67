"""Cells as people see them: a stored value with its format, style and kind ([MS-XLS] 2.4.353; [OOo] 5.115)."""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from parsers.common.grid import GridCell, Kind, guess_kind
from parsers.common.number_format import format_value, general, is_date_format
from parsers.common.whole_numbers import (
    LAST_DECIMAL,
    LAST_WHOLE,
    decimal_writer,
    whole_number_writer,
)

if TYPE_CHECKING:
    from parsers.xls.book import Tables

__all__ = ["ERRORS", "Style", "Styles", "number_cell", "text_cell", "truth_cell"]

ERRORS = {
    0x00: "#NULL!", 0x07: "#DIV/0!", 0x0F: "#VALUE!", 0x17: "#REF!", 0x1D: "#NAME?", 0x24: "#NUM!", 0x2A: "#N/A",
    0x2B: "#GETTING_DATA",
}  # fmt: skip
"""[MS-XLS] 2.5.10."""
_WHITE = frozenset({9, 64, 65})
"""Numbers of white and of the window's own colours ([MS-XLS] 2.5.161)."""
_GENERAL = "General"
_XF_8 = struct.Struct("<HH10xIH")


class Style(NamedTuple):
    """What a cell format says: number format, whether it shows dates, whether bold type or a fill sets the cell off.

    Attributes:
        code: The number format; "" for the general one.
        kind: Kind of its numbers.
        strong: Bold type or a fill sets it off.
        write: Shows whole numbers from 1, see :func:`whole_number_writer`.
        decimals: Shows other numbers above 0, see :func:`decimal_writer`.
    """

    code: str = ""
    kind: Kind = Kind.NUMBER
    strong: bool = False
    write: Callable[[int], str] | None = str
    decimals: Callable[[float], str] | None = None


class Styles(dict[int, Style]):
    """Styles of a workbook's or sheet's cells by their number, each read when it is first needed.

    Args:
        tables: Fonts, formats and cell formats.
        date1904: Days count from 1904.
    """

    def __init__(self, tables: Tables, *, date1904: bool) -> None:
        self._tables = tables
        self._made: dict[tuple[str, bool], Style] = {}
        self.date1904 = date1904

    def __missing__(self, number: int) -> Style:
        """Style of a number; the plain one where there is none."""
        styles = self._tables.styles
        style = self[number] = self._read(styles[number]) if number < len(styles) else Style()
        return style

    @property
    def numbered(self) -> bool:
        """Whether there are cell formats; cells of Excel 2 may hold their attributes themselves."""
        return bool(self._tables.styles)

    def of_attributes(self, attributes: bytes) -> Style:
        """Style of a cell of Excel 2 by its three bytes ([OOo] 2.5.12: format and font, alignment and shade)."""
        font, key = attributes[1] >> 6, attributes[1] & 0x3F
        return self._style(font, key, filled=bool(attributes[2] & 0x80))

    def _read(self, body: bytes) -> Style:
        version = self._tables.version
        try:
            if version >= 80:  # noqa: PLR2004
                font, key, fill, colour = _XF_8.unpack_from(body)
                pattern, colour = fill >> 26, colour & 0x7F
            elif version >= 50:  # noqa: PLR2004
                font, key = struct.unpack_from("<HH", body)
                (fill,) = struct.unpack_from("<I", body, 8)
                pattern, colour = fill >> 16 & 0x3F, fill & 0x7F
            elif version >= 30:  # noqa: PLR2004
                font, key = body[0], body[1]
                (fill,) = struct.unpack_from("<H", body, 6)
                pattern, colour = fill & 0x3F, fill >> 6 & 0x1F
            else:
                font, key = body[0], body[2] & 0x3F
                pattern, colour = body[3] & 0x80, 8
        except (struct.error, IndexError):
            return Style()
        return self._style(font, key, filled=bool(pattern) and colour not in _WHITE)

    def _style(self, font: int, key: int, *, filled: bool) -> Style:
        fonts = self._tables.fonts
        code = self._tables.formats.get(key) or _GENERAL
        strong = filled or (font < len(fonts) and fonts[font])
        style = self._made.get((code, strong))
        if style is None:
            kind = Kind.DATE if is_date_format(code) else Kind.NUMBER
            shown = "" if code.lower() == "general" else code
            writers = (whole_number_writer(code), decimal_writer(code) if shown else None)
            style = self._made[code, strong] = Style(shown, kind, strong, *writers)
        return style


def text_cell(text: str, style: Style) -> GridCell | None:
    """A cell of a text, None where there is none."""
    text = text.strip()
    return GridCell(text, guess_kind(text), style.strong) if text else None


def truth_cell(value: int, style: Style, *, error: bool) -> GridCell:
    """A cell of a truth value or an error."""
    text = ERRORS.get(value, "#N/A") if error else "TRUE" if value else "FALSE"
    return GridCell(text, Kind.OTHER, style.strong)


def number_cell(value: float, style: Style, *, date1904: bool) -> GridCell | None:
    """A cell of a number as its format shows it, None where it shows nothing."""
    code, kind, strong, write, decimals = style
    if write is not None and 0 < value <= LAST_WHOLE and value.is_integer():
        text = write(int(value))
    elif decimals is not None and 0 < value < LAST_DECIMAL:
        text = decimals(value)
    elif code:
        text = format_value(value, code, date1904=date1904)
    else:
        text = general(value)
    return GridCell(text, kind, strong, value) if text else None
