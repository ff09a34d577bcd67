"""Business codes: families of patterns, fields that name them, and the code master that joins their spellings."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from contracts.versions import BusinessCode, CodeKind
from metadata.folding import canonical_code, clip, fold_code, fold_label, normalise
from metadata.places import cell_place, segments, tables_in

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from contracts.documents import Cell, ParsedDocument, Table
    from metadata.master import CodeMaster

__all__ = ["codes_in", "document_number_in", "find_codes", "kind_of_code"]

_PREFIXES: dict[CodeKind, tuple[str, ...]] = {
    CodeKind.EQUIPMENT: ("EQ", "EQP", "EQUIP", "MCH"),
    CodeKind.DRAWING: ("DWG", "DRW", "DRG", "DW"),
    CodeKind.DEFECT: ("DF", "DEF", "DFT", "NG"),
    CodeKind.CUSTOMER: ("CUS", "CUST", "CST"),
    CodeKind.PART: ("PN", "PRT", "PART", "ITEM"),
    CodeKind.DOCUMENT: (
        "WS", "WI", "QP", "QM", "QI", "QS", "SOP", "STD", "PS", "CP", "ES", "MS", "DOC", "FM", "PR", "EM", "OS", "SP",
        "ECN", "ECO", "ECR", "MOM", "NTC",
    ),
}  # fmt: skip
_KIND_BY_PREFIX = {prefix: kind for kind, prefixes in _PREFIXES.items() for prefix in prefixes}
_LABELS: dict[CodeKind, tuple[str, ...]] = {
    CodeKind.PART: ("품번", "부품번호", "부품코드", "자재번호", "자재코드", "품목코드", "품목번호", "partno", "partnumber", "pn"),
    CodeKind.EQUIPMENT: ("설비번호", "설비코드", "설비no", "장비번호", "장비코드", "equipmentno", "equipmentid", "machineno"),
    CodeKind.CUSTOMER: ("고객코드", "고객사코드", "거래처코드", "customercode"),
    CodeKind.DEFECT: ("불량코드", "결함코드", "불량유형코드", "defectcode"),
    CodeKind.DRAWING: ("도면번호", "도번", "도면no", "drawingno", "dwgno"),
    CodeKind.REPORT_8D: ("8d번호", "8dno", "8d보고서번호"),
}  # fmt: skip
_KIND_BY_LABEL = {label: kind for kind, labels in _LABELS.items() for label in labels}

_EDGE, _STOP = r"(?<![A-Z0-9@./\-])", r"(?![A-Z0-9@]|-[A-Z0-9])"
_TOKEN = re.compile(
    rf"{_EDGE}[A-Z0-9]{{1,10}}([-_])[A-Z0-9]{{1,12}}(?:\1[A-Z0-9]{{1,12}}){{0,4}}{_STOP}"
)
_SPACED = re.compile(
    rf"{_EDGE}(?:{'|'.join(sorted(_KIND_BY_PREFIX, key=len, reverse=True))})"
    rf"(?:[ ][A-Z]{{1,6}})?[ ]\d{{2,6}}{_STOP}"
)
_REPORT = re.compile(r"(?:^|-)8D-")
_CAR_PART = re.compile(r"\d{5}-[0-9A-Z]{5}[0-9A-Z]{0,3}")
"""Part numbers of the Hyundai and Kia system: five digits, then five to eight characters."""
_VALUE = re.compile(r"[A-Z0-9][A-Z0-9\-_./ ]{2,30}")
_OTHER_DIGITS = 3
_MOST = 5000
_TRANSLATE = str.maketrans(dict.fromkeys("‐‑‒–—―−", "-"))


def kind_of_code(code: str) -> CodeKind | None:
    """Kind that a canonical code's own form tells, or None where it is no code of a known form."""
    if _REPORT.search(code):
        return CodeKind.REPORT_8D
    if _CAR_PART.fullmatch(code):
        return CodeKind.PART
    kind = _KIND_BY_PREFIX.get(code.split("-", maxsplit=1)[0])
    if kind and any(c.isdigit() for c in code):
        return kind
    digits = sum(c.isdigit() for c in code)
    if digits >= _OTHER_DIGITS and code[0].isalpha() and "-" in code:
        return CodeKind.OTHER
    return None


_NUMBERING = frozenset({CodeKind.DOCUMENT, CodeKind.REPORT_8D})


def document_number_in(text: str, kinds: frozenset[CodeKind] = _NUMBERING) -> str | None:
    """The first code within ``text`` whose form is that of a document number, canonical, or None."""
    codes = (canonical_code(raw) for raw in _tokens(text))
    return next((code for code in codes if kind_of_code(code) in kinds), None)


def codes_in(text: str) -> dict[str, str]:
    """Codes of known forms in a text: canonical form → as it stands."""
    return {
        code: raw for raw in _tokens(text) if kind_of_code(code := canonical_code(raw)) is not None
    }


def find_codes(
    document: ParsedDocument, named: Iterable[tuple[str, str]], master: CodeMaster
) -> tuple[BusinessCode, ...]:
    """Codes of a document, each once, in order of reading; at most 5,000.

    Args:
        document: What was parsed; hidden and quoted layers do not count.
        named: Further ``(text, place)``: title, file name, document number.
        master: Joins spellings and aliases to canonical codes.
    """
    found: dict[tuple[CodeKind, str], BusinessCode] = {}
    for code in _all_codes(document, named, master):
        found.setdefault((code.kind, code.canonical), code)
        if len(found) >= _MOST:
            break
    known = {
        fold_code(code.canonical) for code in found.values() if code.kind is not CodeKind.OTHER
    }
    return tuple(
        code
        for code in found.values()
        if code.kind is not CodeKind.OTHER or fold_code(code.canonical) not in known
    )


def _all_codes(
    document: ParsedDocument, named: Iterable[tuple[str, str]], master: CodeMaster
) -> Iterator[BusinessCode]:
    for text, where in named:
        yield from _codes_in(text, where, master)
    for block in document.blocks:
        if block.table is not None and block.layer.value not in {"hidden", "quoted"}:
            for table in tables_in(block.table):
                for kind, raw, cell in _labelled(table):
                    yield _make(kind, raw, cell_place(block.position, table, cell), master)
    for text, where in segments(document):
        yield from _codes_in(text, where, master)


def _codes_in(text: str, where: str, master: CodeMaster) -> Iterator[BusinessCode]:
    for entry, raw in master.find(text):
        yield BusinessCode(entry.kind, entry.canonical, clip(raw), where, known=True)
    for raw in _tokens(text):
        kind = kind_of_code(canonical_code(raw))
        if kind is not None:
            yield _make(kind, raw, where, master)


def _make(kind: CodeKind, raw: str, where: str, master: CodeMaster) -> BusinessCode:
    entry = master.lookup(raw)
    if entry is not None:
        return BusinessCode(entry.kind, entry.canonical, clip(raw), where, known=True)
    return BusinessCode(kind, canonical_code(raw), clip(raw), where)


def _tokens(text: str) -> Iterator[str]:
    if not any(c.isdigit() for c in text):
        return
    flat = normalise(text).translate(_TRANSLATE)
    upper = flat.upper()
    if len(upper) != len(flat):
        flat = upper  # a few letters (ß) grow; then the spelling is lost, not the code
    for pattern in (_TOKEN, _SPACED):
        for match in pattern.finditer(upper):
            if any(c.isalpha() for c in match.group()) or _CAR_PART.fullmatch(match.group()):
                yield flat[match.start() : match.end()]


def _labelled(table: Table) -> Iterator[tuple[CodeKind, str, Cell]]:
    """Values below or right of a cell that names a kind of code."""
    columns: dict[int, CodeKind] = {}
    right: dict[tuple[int, int], CodeKind] = {}
    for cell in table.cells:
        kind = _KIND_BY_LABEL.get(fold_label(cell.text)) if len(cell.text) <= 20 else None  # noqa: PLR2004  labels are short
        if kind is not None:
            columns[cell.column] = kind
            right[cell.row, cell.column + cell.column_span] = kind
            continue
        expected = right.get((cell.row, cell.column)) or columns.get(cell.column)
        text = normalise(cell.text)
        if expected and _VALUE.fullmatch(text.upper()) and any(c.isdigit() for c in text):
            yield expected, text, cell
