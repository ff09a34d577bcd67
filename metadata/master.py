"""The code master: canonical codes with their aliases, imported from CSV or Excel."""

from __future__ import annotations

import csv
import io
import re
import unicodedata
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from contracts.errors import ConfigError
from contracts.versions import CodeKind
from metadata.folding import canonical_code, fold_code, fold_label

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

__all__ = ["CodeMaster", "MasterEntry", "read_code_master"]

_COLUMNS: dict[str, tuple[str, ...]] = {
    "kind": ("kind", "종류", "구분", "코드종류", "유형", "type"),
    "code": ("code", "canonical", "코드", "표준코드", "정식코드", "대표코드"),
    "aliases": ("aliases", "alias", "별칭", "이명", "다른이름", "구코드", "별칭목록"),
    "name": ("name", "명칭", "이름", "품명", "설비명", "고객명", "불량명"),
}  # fmt: skip
_COLUMN_BY_LABEL = {label: name for name, labels in _COLUMNS.items() for label in labels}
_KINDS: dict[str, CodeKind] = {
    "part": CodeKind.PART, "부품": CodeKind.PART, "품번": CodeKind.PART, "품목": CodeKind.PART, "자재": CodeKind.PART,
    "equipment": CodeKind.EQUIPMENT, "설비": CodeKind.EQUIPMENT, "장비": CodeKind.EQUIPMENT,
    "customer": CodeKind.CUSTOMER, "고객": CodeKind.CUSTOMER, "고객사": CodeKind.CUSTOMER, "거래처": CodeKind.CUSTOMER,
    "defect": CodeKind.DEFECT, "불량": CodeKind.DEFECT, "결함": CodeKind.DEFECT,
    "drawing": CodeKind.DRAWING, "도면": CodeKind.DRAWING, "8d": CodeKind.REPORT_8D,
    "document": CodeKind.DOCUMENT, "문서": CodeKind.DOCUMENT, "표준": CodeKind.DOCUMENT,
    "other": CodeKind.OTHER, "기타": CodeKind.OTHER,
}  # fmt: skip
_WORD = re.compile(r"[A-Z]+|\d+|[가-힣]+|[\u3400-\u9fff]+")
_GAP = re.compile(r"[ \-_./·()]{0,3}")
_LONGEST_WINDOW = 8
_SHORTEST_ALIAS = 2
_PARTICLES = tuple(
    sorted(
        ("은", "는", "이", "가", "을", "를", "의", "에", "에서", "에게", "로", "으로", "와", "과", "도", "만", "까지", "부터", "라인", "용", "측", "사"),
        key=len,
        reverse=True,
    )
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class MasterEntry:
    """One canonical code, its kind, and every other spelling or name of it."""

    kind: CodeKind
    canonical: str
    aliases: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CodeMaster:
    """Looks up codes and aliases by their folded form (width, case, hyphens and spaces aside).

    A folded form that belongs to two codes is decided by the exact spelling, else by nobody.
    """

    entries: tuple[MasterEntry, ...] = ()
    _folded: Mapping[str, tuple[MasterEntry, ...]] = field(default_factory=dict, repr=False)
    _starts: frozenset[str] = field(default_factory=frozenset, repr=False)

    @classmethod
    def of(cls, entries: Iterable[MasterEntry]) -> CodeMaster:
        """Build the lookup tables."""
        rows = tuple(entries)
        folded: dict[str, list[MasterEntry]] = {}
        for entry in rows:
            for spelling in (entry.canonical, *entry.aliases):
                key = fold_code(spelling)
                if len(key) >= _SHORTEST_ALIAS and entry not in folded.setdefault(key, []):
                    folded[key].append(entry)
        starts = frozenset(key[:length] for key in folded for length in (1, _SHORTEST_ALIAS))
        return cls(rows, {key: tuple(found) for key, found in folded.items()}, starts)

    def lookup(self, raw: str) -> MasterEntry | None:
        """The entry of one code or alias, however it is spelled."""
        found = self._folded.get(fold_code(raw), ())
        if len(found) <= 1:
            return found[0] if found else None
        exact = [
            entry
            for entry in found
            if canonical_code(raw) in {canonical_code(s) for s in (entry.canonical, *entry.aliases)}
        ]
        return exact[0] if len(exact) == 1 else None

    def find(self, text: str) -> Iterator[tuple[MasterEntry, str]]:
        """Entries named within a text, with the spelling found; the longest name wins at each place."""
        if not self._folded:
            return
        flat = unicodedata.normalize("NFKC", text)
        upper = flat.upper()
        if len(upper) != len(flat):
            flat = upper
        words = list(_WORD.finditer(upper))
        index = 0
        while index < len(words):
            hit = self._longest(upper, words, index)
            if hit is None:
                index += 1
                continue
            entry, last, end = hit
            yield entry, flat[words[index].start() : end]
            index = last + 1

    def _longest(
        self, upper: str, words: Sequence[re.Match[str]], start: int
    ) -> tuple[MasterEntry, int, int] | None:
        first = words[start].group()
        if first[:_SHORTEST_ALIAS] not in self._starts or _glued(
            upper, words[start].start() - 1, first[0]
        ):
            return None
        key, best = "", None
        for place in range(start, min(start + _LONGEST_WINDOW, len(words))):
            word = words[place]
            if place > start and not _GAP.fullmatch(upper, words[place - 1].end(), word.start()):
                break
            for form in _forms(word.group()):
                end = word.start() + len(form)
                spelling = upper[words[start].start() : end]
                entry = self.lookup(spelling) if key + form in self._folded else None
                if entry is not None and not _glued(upper, end, form[-1]):
                    best = (entry, place, end)
                    break
            key += word.group()
        return best


def _glued(upper: str, place: int, neighbour: str) -> bool:
    """Whether the character at ``place`` continues the ASCII word of its neighbour."""
    if not 0 <= place < len(upper):
        return False
    character = upper[place]
    return (
        character.isascii() and character.isalnum() and neighbour.isascii() and neighbour.isalnum()
    )


def _forms(word: str) -> Iterator[str]:
    yield word
    if "가" <= word[-1] <= "힣":
        for particle in _PARTICLES:
            if word.endswith(particle) and len(word) > len(particle):
                yield word[: -len(particle)]


def read_code_master(path: Path) -> CodeMaster:
    """Read a CSV (UTF-8 or CP949) or Excel file with columns kind, code, aliases and name.

    Korean column names (종류, 코드, 별칭, 명칭) are understood. Aliases are separated by ``;``, ``|`` or line breaks;
    a name is an alias too. Several rows of one code are joined.

    Raises:
        ConfigError: the file cannot be read, lacks a column, or names an unknown kind; with the row.
    """
    try:
        rows = _excel_rows(path) if path.suffix.lower() in {".xlsx", ".xlsm"} else _csv_rows(path)
    except OSError as problem:
        msg = f"code master {path.name}: {problem.strerror or problem}"
        raise ConfigError(msg, advice="correct the setting code_master") from problem
    if not rows:
        msg = f"code master {path.name}: no rows"
        raise ConfigError(msg)
    names = [_COLUMN_BY_LABEL.get(fold_label(cell), "") for cell in rows[0]]
    if "code" not in names or "kind" not in names:
        msg = f"code master {path.name}: the first row needs the columns kind and code (종류, 코드)"
        raise ConfigError(msg)
    merged: dict[tuple[CodeKind, str], list[str]] = {}
    for number, row in enumerate(rows[1:], start=2):
        cells = [
            (name, value.strip()) for name, value in zip(names, row, strict=False) if value.strip()
        ]
        if not cells:
            continue
        _add_row(merged, cells, f"code master {path.name}, row {number}")
    return CodeMaster.of(
        MasterEntry(kind, code, tuple(dict.fromkeys(aliases)))
        for (kind, code), aliases in merged.items()
    )


def _add_row(
    merged: dict[tuple[CodeKind, str], list[str]], cells: list[tuple[str, str]], where: str
) -> None:
    values = dict(cells)
    if "code" not in values:
        msg = f"{where}: no code"
        raise ConfigError(msg)
    kind = _KINDS.get(fold_label(values.get("kind", "")))
    if kind is None:
        msg = f"{where}: unknown kind {values.get('kind', '')!r}"
        raise ConfigError(msg, advice=f"one of {', '.join(_KINDS)}")
    aliases = merged.setdefault((kind, values["code"]), [])
    for name, value in cells:
        if name == "aliases":
            aliases.extend(part.strip() for part in re.split(r"[;|\n]", value) if part.strip())
        elif name == "name":
            aliases.append(value)


def _csv_rows(path: Path) -> list[list[str]]:
    data = path.read_bytes()
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = data.decode("cp949", errors="replace")
    return list(csv.reader(io.StringIO(text, newline="")))


def _excel_rows(path: Path) -> list[list[str]]:
    import zipfile

    import openpyxl
    from openpyxl.utils.exceptions import InvalidFileException

    try:
        book = openpyxl.load_workbook(path, read_only=True, data_only=True)
    except (zipfile.BadZipFile, InvalidFileException, KeyError) as problem:
        msg = f"code master {path.name}: not an Excel workbook"
        raise ConfigError(msg) from problem
    try:
        sheet = book.worksheets[0]
        return [
            ["" if value is None else str(value) for value in row]
            for row in sheet.iter_rows(values_only=True)
        ]
    finally:
        book.close()
