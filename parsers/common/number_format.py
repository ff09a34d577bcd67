"""Cell values as a spreadsheet shows them, by the number format codes of ECMA-376 Part 1 §18.8.31.

Korean settings decide what depends on the reader's country: short dates are ``yyyy-mm-dd``, ``AM/PM`` stays,
``aaa`` is 월화수목금토일.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction
from functools import lru_cache

__all__ = ["BUILTIN_FORMATS", "format_value", "general", "is_date_format", "to_datetime"]

BUILTIN_FORMATS: dict[int, str] = {
    0: "General", 1: "0", 2: "0.00", 3: "#,##0", 4: "#,##0.00",
    5: '"₩"#,##0', 6: '"₩"#,##0', 7: '"₩"#,##0.00', 8: '"₩"#,##0.00',
    9: "0%", 10: "0.00%", 11: "0.00E+00", 12: "# ?/?", 13: "# ??/??",
    14: "yyyy-mm-dd", 15: "d-mmm-yy", 16: "d-mmm", 17: "mmm-yy", 18: "h:mm AM/PM",
    19: "h:mm:ss AM/PM", 20: "h:mm", 21: "h:mm:ss", 22: "yyyy-mm-dd h:mm",
    27: 'yyyy"年" mm"月" dd"日"', 28: "mm-dd", 29: "mm-dd", 30: "mm-dd-yy",
    31: 'yyyy"년" mm"월" dd"일"', 32: 'h"시" mm"분"', 33: 'h"시" mm"분" ss"초"',
    34: "yyyy-mm-dd", 35: "yyyy-mm-dd", 36: 'yyyy"年" mm"月" dd"日"',
    37: "#,##0;-#,##0", 38: "#,##0;-#,##0", 39: "#,##0.00;-#,##0.00", 40: "#,##0.00;-#,##0.00",
    41: '#,##0;-#,##0;"-";@', 42: '"₩"#,##0;-"₩"#,##0;"₩"-;@', 43: '#,##0.00;-#,##0.00;"-"??;@',
    44: '"₩"#,##0.00;-"₩"#,##0.00;"₩"-??;@', 45: "mm:ss", 46: "[h]:mm:ss", 47: "mm:ss.0",
    48: "##0.0E+0", 49: "@", 50: 'yyyy"年" mm"月" dd"日"', 51: "mm-dd", 52: "yyyy-mm-dd",
    53: "yyyy-mm-dd", 54: "mm-dd", 55: "yyyy-mm-dd", 56: "yyyy-mm-dd", 57: 'yyyy"年" mm"月" dd"日"',
    58: "mm-dd",
}  # fmt: skip
"""Formats without a code in the file, as a Korean Excel shows them (§18.8.30)."""

_TOKEN = re.compile(
    r'"(?P<quoted>[^"]*)"?|\\(?P<escaped>.)|_(?P<skip>.)|\*(?P<fill>.)|\[(?P<bracket>[^\]]*)\]'
    r"|(?P<ampm>AM/PM|A/P|am/pm|a/p|오전/오후)|(?P<general>General|G/표준|G/general)"
    r"|(?P<exponent>E[+-])|(?P<date>y+|m+|d+|h+|s+|a{3,}|e+|g+|b+)|(?P<digit>[0#?])"
    r"|(?P<mark>[.,%/@])|(?P<other>.)",
    re.IGNORECASE | re.DOTALL,
)
_CONDITION = re.compile(r"(<=|>=|<>|<|>|=)\s*(-?[\d.]+)")
_COLOUR = re.compile(
    r"black|blue|cyan|green|magenta|red|white|yellow|color\s?\d+|색\s?\d+|[가-힣]{2,3}",
    re.IGNORECASE,
)
_ELAPSED = re.compile(r"h+|m+|s+", re.IGNORECASE)
_MONTHS = ("January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December")  # fmt: skip
_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_DAYS_KOREAN = "월화수목금토일"
_EPOCH_1900 = datetime(1899, 12, 30)  # noqa: DTZ001  sheets hold local times without a zone
_EPOCH_1904 = datetime(1904, 1, 1)  # noqa: DTZ001
_LAST_SERIAL = 2_958_466
"""The day after 9999-12-31."""
_FALSE_LEAP_DAY = 60
_EXACT = 1e15
"""Floats below it hold 15 digits."""
_LONGEST_DECIMAL = 14


@dataclass(frozen=True, slots=True)
class _Section:
    tokens: tuple[tuple[str, str], ...]
    condition: tuple[str, float] | None
    is_date: bool
    is_text: bool


def general(value: float) -> str:
    """A number in the General format.

    Excel cuts fractions to the column's width, 11 characters at most. Here whole numbers and short decimals are kept
    in full (15 digits), so that nothing a person typed is lost, and only long fractions are cut.
    """
    if not math.isfinite(value):
        return str(value)
    if value == int(value) and abs(value) < _EXACT:
        return str(int(value))
    text = f"{value:.15g}"
    if len(text) > _LONGEST_DECIMAL:
        text = f"{value:.10g}"
    mantissa, mark, exponent = text.partition("e")
    return f"{mantissa}E{exponent}" if mark else text


def is_date_format(code: str) -> bool:
    """Whether a format shows dates or times."""
    return any(section.is_date for section in _sections(code))


def to_datetime(serial: float, *, date1904: bool = False) -> datetime | None:
    """Date and time of a serial number, to the millisecond; None outside 0 to the year 9999 (§18.17.4)."""
    if not 0 <= serial < _LAST_SERIAL:
        return None
    if date1904:
        start = _EPOCH_1904
    else:
        start = _EPOCH_1900
        if serial < _FALSE_LEAP_DAY:  # the 1900 date system counts a 29 February 1900
            serial += 1
    try:
        return start + timedelta(milliseconds=round(serial * 86_400_000))
    except OverflowError:
        return None


def format_value(value: float, code: str, *, date1904: bool = False) -> str:
    """A number as the format code shows it (without column width, colours and padding).

    Args:
        value: The stored number.
        code: A format code, up to four sections.
        date1904: The workbook counts days from 1904.
    """
    sections = _sections(code)
    section, shown = _choose(sections, value)
    if section is None:
        return general(value)
    if section.is_date:
        return _dated(section, value, date1904=date1904)
    return _numeric(section, shown)


@lru_cache(maxsize=1024)
def _sections(code: str) -> tuple[_Section, ...]:
    tokens: list[list[tuple[str, str]]] = [[]]
    for match in _TOKEN.finditer(code):
        kind = match.lastgroup or "other"
        text = match[kind]
        if kind == "other" and text == ";":
            tokens.append([])
        else:
            tokens[-1].append((kind, text))
    return tuple(_section(one) for one in tokens[:4])


def _section(tokens: list[tuple[str, str]]) -> _Section:
    kept: list[tuple[str, str]] = []
    condition = None
    for kind, text in tokens:
        if kind != "bracket":
            kept.append((kind, text))
        elif text.startswith("$"):
            kept.append(("quoted", text[1:].partition("-")[0]))
        elif _ELAPSED.fullmatch(text):
            kept.append(("elapsed", text.lower()))
        elif found := _CONDITION.match(text):
            condition = (found[1], float(found[2]))
        elif not _COLOUR.fullmatch(text):
            kept.append(("quoted", f"[{text}]"))
    kinds = {kind for kind, _ in kept}
    marks = {text for kind, text in kept if kind == "mark"}
    dated = bool(kinds & {"date", "elapsed", "ampm"}) and "general" not in kinds
    return _Section(tuple(kept), condition, dated, "@" in marks and "digit" not in kinds)


_TESTS = {
    "<": lambda a, b: a < b,
    ">": lambda a, b: a > b,
    "=": lambda a, b: a == b,
    "<=": lambda a, b: a <= b,
    ">=": lambda a, b: a >= b,
    "<>": lambda a, b: a != b,
}


def _choose(sections: tuple[_Section, ...], value: float) -> tuple[_Section | None, float]:
    """Section for a number and the number to show in it (its absolute value in a negative section)."""
    conditional = [s for s in sections if s.condition]
    if conditional:
        for section in conditional:
            test, limit = section.condition or ("=", 0.0)
            if _TESTS[test](value, limit):
                return section, value
        rest = [s for s in sections if not s.condition and not s.is_text]
        return (rest[-1], value) if rest else (None, value)
    numeric = [s for s in sections[:3] if not s.is_text or len(sections) == 1]
    if not numeric or numeric[0].is_text:
        return None, value
    if value < 0 and len(numeric) > 1:
        return numeric[1], -value
    if value == 0 and len(numeric) > 2:  # noqa: PLR2004
        return numeric[2], value
    return numeric[0], value


# -- numbers ---------------------------------------------------------------------------------------


def _numeric(section: _Section, value: float) -> str:
    tokens = section.tokens
    if any(kind == "general" for kind, _ in tokens):
        return "".join(
            general(value) if kind == "general" else _literal(kind, text) for kind, text in tokens
        )
    if not any(kind == "digit" for kind, _ in tokens):
        return ("-" if value < 0 else "") + "".join(_literal(*token) for token in tokens)
    before, pattern, after = _split(tokens)
    percent = sum(token == ("mark", "%") for token in tokens)
    shown = _digits(pattern, abs(value) * 100**percent)
    sign = "-" if value < 0 and any(digit in "123456789" for digit in shown) else ""
    return f"{sign}{before}{shown}{after}".strip()


def _literal(kind: str, text: str) -> str:
    if kind in ("quoted", "escaped", "other", "date", "ampm"):
        return text
    if kind == "mark" and text in "%/.,":
        return text
    return " " if kind == "skip" and text not in "()-" else ""


def _split(tokens: tuple[tuple[str, str], ...]) -> tuple[str, list[tuple[str, str]], str]:
    """Literals before the first and after the last placeholder, and what lies between."""
    places = [i for i, (kind, _) in enumerate(tokens) if kind == "digit"]
    first, last = places[0], places[-1]
    if first and tokens[first - 1] == ("mark", "."):
        first -= 1
    while last + 1 < len(tokens) and tokens[last + 1] in (("mark", ","), ("mark", ".")):
        last += 1
    before = "".join(_literal(*token) for token in tokens[:first])
    after = "".join(_literal(*token) for token in tokens[last + 1 :])
    return before, list(tokens[first : last + 1]), after


def _digits(pattern: list[tuple[str, str]], value: float) -> str:
    if ("mark", "/") in pattern:
        return _fraction(pattern, value)
    exponent = next((i for i, (kind, _) in enumerate(pattern) if kind == "exponent"), None)
    if exponent is not None:
        return _scientific(pattern[:exponent], pattern[exponent:], value)
    while pattern and pattern[-1] == ("mark", ","):
        pattern = pattern[:-1]
        value /= 1000
    point = next((i for i, token in enumerate(pattern) if token == ("mark", ".")), len(pattern))
    whole, part = pattern[:point], pattern[point + 1 :]
    places = sum(kind == "digit" for kind, _ in part)
    if not math.isfinite(value):
        return str(value)
    rounded = Decimal(f"{value:.15g}") if value < _EXACT else Decimal(value)
    rounded = (
        rounded.quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP) if value < _EXACT else rounded
    )
    integer, _, decimals = f"{rounded:f}".partition(".")
    text = _fill_whole(whole, integer.lstrip("0"), grouped=("mark", ",") in whole)
    if point < len(pattern):
        shown = _fill_part(part, decimals)
        text += f".{shown}" if shown or ("digit", "0") in part or not part else ""
    return text


def _fill_whole(pattern: list[tuple[str, str]], digits: str, *, grouped: bool) -> str:
    """Digits into the placeholders before the point, from the right; literals between keep their places."""
    out: list[str] = []
    count = 0
    rest = list(digits)
    slots = [token for token in pattern if token != ("mark", ",")]
    for place, (kind, text) in enumerate(reversed(slots)):
        if kind != "digit":
            out.append(_literal(kind, text))
            continue
        last = not any(k == "digit" for k, _ in slots[: len(slots) - place - 1])
        while rest or text == "0":
            if grouped and count and count % 3 == 0:
                out.append(",")
            out.append(rest.pop() if rest else "0")
            count += 1
            if not last or not rest:
                break
    return "".join(reversed(out))


def _fill_part(pattern: list[tuple[str, str]], digits: str) -> str:
    out: list[str] = []
    at = 0
    for kind, text in pattern:
        if kind != "digit":
            out.append(_literal(kind, text))
            continue
        digit = digits[at] if at < len(digits) else "0"
        optional = text != "0" and not digits[at:].strip("0")
        out.append("" if optional else digit)
        at += 1
    return "".join(out).rstrip()


def _scientific(mantissa: list[tuple[str, str]], rest: list[tuple[str, str]], value: float) -> str:
    point = next((i for i, t in enumerate(mantissa) if t == ("mark", ".")), len(mantissa))
    step = max(1, sum(kind == "digit" for kind, _ in mantissa[:point]))
    power = math.floor(math.log10(value)) if value else 0
    power -= power % step if step > 1 else 0
    shown = _digits(mantissa, value / 10**power)
    width = sum(kind == "digit" for kind, _ in rest)
    sign = "-" if power < 0 else "+" if rest[0][1].endswith("+") else ""
    return f"{shown}E{sign}{abs(power):0{max(width, 1)}d}"


def _fraction(pattern: list[tuple[str, str]], value: float) -> str:
    slash = pattern.index(("mark", "/"))
    below = pattern[slash + 1 :]
    fixed = "".join(text for _, text in below if text.isdigit())
    digits = sum(kind == "digit" for kind, _ in below)
    mixed = any(kind in ("other", "escaped", "quoted") for kind, _ in pattern[:slash])
    whole = int(value) if mixed else 0
    rest = Fraction(value - whole)
    if fixed.strip("0"):
        bottom = int(fixed)
        top = round(rest * bottom)
    else:
        near = rest.limit_denominator(10 ** max(digits, 1) - 1)
        top, bottom = near.numerator, near.denominator
    if mixed and top == bottom:
        whole, top = whole + 1, 0
    if mixed and not top:
        return str(whole)
    return f"{whole} {top}/{bottom}" if whole else f"{top}/{bottom}"


# -- dates -----------------------------------------------------------------------------------------


def _dated(section: _Section, value: float, *, date1904: bool) -> str:
    moment = to_datetime(value, date1904=date1904)
    if moment is None:
        return general(value)
    tokens = _seconds_rounded(section.tokens)
    decimals = max((len(text) for kind, text in tokens if kind == "decimals"), default=0)
    if not decimals:
        moment = (moment + timedelta(milliseconds=500)).replace(microsecond=0)
    twelve = any(kind == "ampm" for kind, _ in tokens)
    parts: list[str] = []
    for place, (kind, text) in enumerate(tokens):
        if kind == "date":
            minutes = text[0] in "mM" and len(text) <= 2 and _is_minute(tokens, place)  # noqa: PLR2004
            parts.append(_date_part(text.lower(), moment, twelve=twelve, minutes=minutes))
        elif kind == "elapsed":
            seconds = round(value * 86_400)
            unit = {"h": 3600, "m": 60, "s": 1}[text[0]]
            parts.append(str(seconds // unit).zfill(len(text)))
        elif kind == "ampm":
            korean = text.startswith("오")
            names = ("오전", "오후") if korean else ("AM", "PM")
            parts.append(names[moment.hour >= 12][: 1 if text in ("A/P", "a/p") else 2])  # noqa: PLR2004
        elif kind == "decimals":
            parts.append(f".{moment.microsecond // 1000:03d}"[: len(text) + 1])
        else:
            parts.append(_literal(kind, text))
    return "".join(parts).strip()


def _seconds_rounded(tokens: tuple[tuple[str, str], ...]) -> list[tuple[str, str]]:
    """Join ``.000`` after seconds into one token; other placeholders show nothing in dates."""
    out: list[tuple[str, str]] = []
    for place, (kind, text) in enumerate(tokens):
        if kind == "digit" and text == "0":
            if out and out[-1] == ("mark", "."):
                out[-1] = ("decimals", "0")
            elif out and out[-1][0] == "decimals":
                out[-1] = ("decimals", out[-1][1] + "0")
            continue
        if (kind, text) == ("mark", "@") and place:
            continue
        out.append((kind, text))
    return out


def _is_minute(tokens: list[tuple[str, str]], place: int) -> bool:
    """``m`` means minutes after hours or before seconds."""
    units = [
        (i, text[0].lower()) for i, (kind, text) in enumerate(tokens) if kind in ("date", "elapsed")
    ]
    before = [unit for i, unit in units if i < place]
    after = [unit for i, unit in units if i > place]
    return (bool(before) and before[-1] == "h") or (bool(after) and after[0] == "s")


def _date_part(text: str, moment: datetime, *, twelve: bool, minutes: bool) -> str:
    unit, width = text[0], len(text)
    if unit in "ye":
        short = unit == "y" and width <= 2  # noqa: PLR2004
        return f"{moment.year % 100:02d}" if short else f"{moment.year:04d}"
    if unit == "m" and not minutes:
        name = _MONTHS[moment.month - 1]
        return {1: str(moment.month), 2: f"{moment.month:02d}", 3: name[:3], 5: name[0]}.get(
            width, name
        )
    if unit == "a":
        return _DAYS_KOREAN[moment.weekday()] + ("요일" if width > 3 else "")  # noqa: PLR2004
    if unit == "d":
        name = _DAYS[moment.weekday()]
        return {1: str(moment.day), 2: f"{moment.day:02d}", 3: name[:3]}.get(width, name)
    if unit == "h":
        number = (moment.hour % 12 or 12) if twelve else moment.hour
    else:
        number = {"m": moment.minute, "s": moment.second}.get(unit, -1)
    if number < 0:
        return ""
    return f"{number:02d}" if width > 1 else str(number)
