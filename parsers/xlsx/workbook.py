"""Parts of a workbook that its sheets refer to: sheet list, shared strings, styles (ECMA-376 Part 1 §18.2, §18.4, §18.8)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from contracts.errors import ParseFailure
from contracts.failures import FailureClass
from parsers.common.number_format import BUILTIN_FORMATS, is_date_format
from parsers.common.opc import Element, Package, attribute, local_name
from parsers.xlsx.strings import NAMESPACE, read_strings

__all__ = ["SheetEntry", "Style", "Workbook", "column_number", "named_areas", "parse_range"]

_REFERENCE = re.compile(r"\$?([A-Za-z]{1,3})?\$?(\d{1,7})?")
_PLAIN_FILLS = frozenset({"", "none"})
_LAST_ROW = 1_048_576
_LAST_COLUMN = 16_384


@dataclass(frozen=True, slots=True)
class Style:
    """What a cell format says: number format, whether it shows dates, whether it sets the cell off."""

    code: str = "General"
    is_date: bool = False
    strong: bool = False


@dataclass(frozen=True, slots=True)
class SheetEntry:
    """A sheet as the workbook lists it; ``kind`` is that of its relationship (``worksheet``, ``chartsheet`` …)."""

    name: str
    part: str
    kind: str
    hidden: bool = False


@dataclass(slots=True)
class Workbook:
    """A workbook without its cells.

    Attributes:
        sheets: In tab order.
        strings: Shared strings.
        styles: Cell formats, by their number.
        date1904: Days count from 1904.
        title_rows: Last row repeated on printed pages, by sheet number from 0.
        names: What defined names stand for; those of single sheets and of the program itself are left out.
    """

    sheets: list[SheetEntry] = field(default_factory=list)
    strings: Sequence[str] = ()
    styles: list[Style] = field(default_factory=list)
    date1904: bool = False
    title_rows: dict[int, int] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)

    @classmethod
    def read(cls, package: Package) -> Workbook:
        """Read the workbook part and what it needs.

        Raises:
            ParseFailure: ``corrupt`` without a readable workbook part.
        """
        part = package.main_part("xl/workbook.xml")
        root = package.xml(part)
        if root is None or local_name(root) != "workbook":
            raise ParseFailure(FailureClass.CORRUPT, "no readable workbook part")
        book = cls()
        properties = root.find(f"{NAMESPACE}workbookPr")
        book.date1904 = properties is not None and properties.get("date1904") in ("1", "true")
        links = package.relationships(part)
        for entry in root.iter(f"{NAMESPACE}sheet"):
            link = links.get(attribute(entry, "id"))
            if link is None or link.target not in package:
                package.warnings.append("a sheet that the workbook lists is missing")
                continue
            hidden = entry.get("state", "visible") != "visible"
            book.sheets.append(SheetEntry(entry.get("name", ""), link.target, link.kind, hidden))
        book.title_rows = _title_rows(root)
        book.names = _names(root)
        for target in package.related(part, "sharedStrings")[:1]:
            book.strings = read_strings(package, target)
        for target in package.related(part, "styles")[:1]:
            styles = package.xml(target)
            book.styles = _styles(styles) if styles is not None else []
        return book


def column_number(letters: str) -> int:
    """Letters as a column number from 1: AB → 28."""
    number = 0
    for letter in letters.upper():
        number = number * 26 + ord(letter) - 64
    return number


def parse_range(text: str) -> tuple[int, int, int, int] | None:
    """``$B$2:F9`` as (top, left, bottom, right) from 1; whole rows and columns go to the sheet's end."""
    first, _, last = text.rpartition("!")[2].partition(":")
    ends = [_REFERENCE.fullmatch(part) for part in (first, last or first)]
    if not ends[0] or not ends[1] or not first:
        return None
    (a, b), (c, d) = ends[0].groups(), ends[1].groups()
    top, left = int(b or 1), column_number(a or "A")
    bottom = int(d) if d else _LAST_ROW
    right = column_number(c) if c else _LAST_COLUMN
    return min(top, bottom), min(left, right), max(top, bottom), max(left, right)


def _title_rows(root: Element) -> dict[int, int]:
    """Last row of "rows to repeat at top" (``_xlnm.Print_Titles``, §18.2.6)."""
    found: dict[int, int] = {}
    for name in root.iter(f"{NAMESPACE}definedName"):
        if name.get("name") != "_xlnm.Print_Titles" or not name.get("localSheetId", "").isdecimal():
            continue
        for piece in (name.text or "").split(","):
            match = re.search(r"\$(\d+):\$(\d+)$", piece)
            if match:
                found[int(name.get("localSheetId", "0"))] = int(match[2])
    return found


def _names(root: Element) -> dict[str, str]:
    """Defined names of the whole workbook (§18.2.5)."""
    found: dict[str, str] = {}
    for entry in root.iter(f"{NAMESPACE}definedName"):
        name, text = entry.get("name", ""), (entry.text or "").strip()
        if name and text and not name.startswith("_xlnm.") and entry.get("localSheetId") is None:
            found[name] = text
    return found


def named_areas(names: Mapping[str, str], sheet: str) -> dict[str, str]:
    """Defined names of rectangles on a sheet, by their cells (``B2:F9``)."""
    found: dict[str, str] = {}
    for name, reference in names.items():
        owner, _, cells = reference.rpartition("!")
        if owner.strip("'").replace("''", "'") == sheet and ":" in cells:
            found.setdefault(cells.replace("$", ""), name)
    return found


def _styles(root: Element) -> list[Style]:
    codes = dict(BUILTIN_FORMATS)
    for entry in root.iterfind(f"{NAMESPACE}numFmts/{NAMESPACE}numFmt"):
        if entry.get("numFmtId", "").isdecimal():
            codes[int(entry.get("numFmtId", "0"))] = entry.get("formatCode", "General")
    bold = [
        _is_on(font.find(f"{NAMESPACE}b"))
        for font in root.iterfind(f"{NAMESPACE}fonts/{NAMESPACE}font")
    ]
    filled = [_is_filled(fill) for fill in root.iterfind(f"{NAMESPACE}fills/{NAMESPACE}fill")]
    styles: list[Style] = []
    for entry in root.iterfind(f"{NAMESPACE}cellXfs/{NAMESPACE}xf"):
        code = codes.get(_number(entry, "numFmtId"), "General")
        font, fill = _number(entry, "fontId"), _number(entry, "fillId")
        strong = (font < len(bold) and bold[font]) or (fill < len(filled) and filled[fill])
        styles.append(Style(code, is_date_format(code), strong))
    return styles


def _number(element: Element, name: str) -> int:
    text = element.get(name, "0")
    return int(text) if text.isdecimal() else 0


def _is_on(element: Element | None) -> bool:
    return element is not None and element.get("val", "1") not in ("0", "false")


def _is_filled(fill: Element) -> bool:
    pattern = fill.find(f"{NAMESPACE}patternFill")
    if pattern is None:
        return fill.find(f"{NAMESPACE}gradientFill") is not None
    if pattern.get("patternType", "") in _PLAIN_FILLS or pattern.get("patternType") == "gray125":
        return False
    colour = pattern.find(f"{NAMESPACE}fgColor")
    # A white fill sets nothing off.
    return colour is None or colour.get("rgb", "")[-6:].upper() != "FFFFFF"
