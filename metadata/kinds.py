"""Document types from titles, file names and folders.

Korean titles put what a document is last (설계변경 회의록 is a set of minutes), so the last specific word
decides; general words (보고서, 목록 …) decide only where no specific one stands.
"""

from __future__ import annotations

import re

from metadata.folding import normalise, unspaced

__all__ = ["RECORD_TYPES", "is_record", "is_type_only", "type_of_text"]

RECORD_TYPES = frozenset({"minutes", "mail", "notice", "inspection", "report", "8d_report", "ecn"})
"""Records of one event: a date in their name says when it was, not which revision it is."""

_SPECIFIC: tuple[tuple[str, str], ...] = (
    ("8d_report", r"(?<![a-z0-9])g?8\s?d(?![a-z])(?:\s?[-_]?\s?(?:보고서?|리포트|report|대책서?))?"),
    ("ecn", r"(?<![a-z])(?:ec[nor]|eo)(?![a-z])|설계\s?변경(?:\s?(?:통보서?|요청서?|통지서?|의뢰서?|검토서?))?|설변|변경\s?(?:통보서|통지서|요청서)"),
    ("minutes", r"회의\s?록|회의\s?결과|(?:meeting\s?)?minutes|(?<![a-z])mom(?![a-z])"),
    ("inspection", (r"(?:검사|시험|출하|수입|측정)?\s?성적서?|(?:수입|출하|공정|초물|자주|중간|최종|치수)\s?검사\s?(?:기록|일지|보고서?|표|대장|결과서?)?"
     r"|검사\s?(?:기록|일지|보고서|결과서?|표)|inspection\s?(?:report|record|sheet)?|test\s?report|certificate")),
    ("work_standard", (r"작업\s?(?:표준|지도|지시|요령|절차|기준)\s?서?|표준\s?작업\s?(?:서|방법서|지침서?)?|(?:관리|공정|검사|포장|품질|제조)?\s?(?:표준|기준|절차|지침|지도)서"
     r"|(?:검사|관리|품질|제조)\s?(?:표준|기준)|(?<![a-z])(?:sop|wi|ws)(?![a-z])|work\s?(?:standard|instruction)|standard\s?operating\s?procedure|procedure|관리\s?계획서|control\s?plan")),
    ("manual", r"매뉴얼|메뉴얼|(?:사용|취급|제품)?\s?설명서|핸드북|가이드(?:북)?|manual|handbook|user\s?guide"),
    ("notice", r"공문|공지(?:사항)?|통지문|안내문|시행문|협조전|업무\s?연락|협조\s?요청|notice|announcement|circular"),
    ("ledger", r"대장|관리\s?대장|ledger|register"),
    ("form", r"양식|서식|신청서|template|(?<![a-z])form(?![a-z])"),
)  # fmt: skip
_LISTS = r"(?:목록표?|리스트|일람표?|현황표?|이력\s?카드|list|index)"
_GENERAL: tuple[tuple[str, str], ...] = (
    ("ledger", _LISTS + r"|현황|이력|관리표|집계표|실적"),
    ("drawing", r"도면|(?<![a-z])(?:drawing|dwg)(?![a-z])"),
    ("form", r"점검표|체크\s?(?:리스트|시트)|check\s?(?:list|sheet)"),
    ("report", r"보고서?|일보|주보|월보|결과서|분석서|검토서|report"),
    ("work_standard", r"(?:표준|절차|지침|기준)(?=[\s\d._()\-]*$)"),
)
_SPECIFIC_PATTERNS = tuple(
    (kind, re.compile(pattern, re.IGNORECASE)) for kind, pattern in _SPECIFIC
)
_GENERAL_PATTERNS = tuple((kind, re.compile(pattern, re.IGNORECASE)) for kind, pattern in _GENERAL)
_LIST_END = re.compile(rf"{_LISTS}[\s\d._\-()년월일]*$", re.IGNORECASE)
_CHECKLIST = re.compile(r"체크\s?리스트|check\s?list", re.IGNORECASE)
_FILLER = re.compile(
    r"[\s\d._\-()\[\]·,&/]|년도?|월|일|신규|기타|자료|문서|파일|사본|첨부|붙임|별첨|별지|표지|샘플|data|file|document|scan|image|img|new|doc|test",
    re.IGNORECASE,
)


_PERIODIC = re.compile(
    r"일일|주간|주중|월간|분기|반기|연간|일보|주보|월보|동향|daily|weekly|monthly|quarterly",
    re.IGNORECASE,
)


def is_record(document_type: str, name: str) -> bool:
    """Whether a date in the name belongs to the name: records of events, and what appears periodically."""
    return document_type in RECORD_TYPES or _PERIODIC.search(normalise(name)) is not None


def type_of_text(text: str, *, general: bool = True) -> tuple[str, str] | None:
    """Document type that a title, name or type field says, and the words that say it, or None.

    Args:
        text: Title, name, field or query.
        general: Whether words such as 기준 or 현황 are enough, which a title ends with and a sentence may hold anywhere.
    """
    if not general:
        return _last(unspaced(text).replace("_", " "), _SPECIFIC_PATTERNS)
    flat = unspaced(text).replace("_", " ")
    listed = _LIST_END.search(flat)
    if listed and not _CHECKLIST.search(flat):
        return "ledger", listed.group().strip()
    return _last(flat, _SPECIFIC_PATTERNS) or _last(flat, _GENERAL_PATTERNS)


def is_type_only(text: str) -> bool:
    """Whether a title or name says only what kind of document it is (``작업표준서``, ``보고서 2``)."""
    flat = unspaced(text).replace("_", " ")
    for _, pattern in (*_SPECIFIC_PATTERNS, *_GENERAL_PATTERNS):
        flat = pattern.sub("", flat)
    return not re.search(r"[^\W\d_]", _FILLER.sub("", flat))


def _last(flat: str, patterns: tuple[tuple[str, re.Pattern[str]], ...]) -> tuple[str, str] | None:
    hits = [
        (match.end(), -match.start(), kind, match.group().strip())
        for kind, pattern in patterns
        for match in pattern.finditer(flat)
    ]
    if not hits:
        return None
    best = max(hits, key=lambda hit: (hit[0], hit[1]))
    return best[2], best[3]
