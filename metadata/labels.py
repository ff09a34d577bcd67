"""Names of fields in title blocks, headers and properties, and ``label: value`` pairs in lines."""

from __future__ import annotations

import re

from metadata.folding import fold_label, normalise

__all__ = ["field_of", "is_label", "pairs_in_line", "starts_with_label"]

_FIELDS: dict[str, tuple[str, ...]] = {
    "document_number": (
        "문서번호", "문서no", "표준번호", "표준no", "관리번호", "규격번호", "작업표준번호", "작업표준no", "문서관리번호", "보고서번호",
        "성적서번호", "성적서no", "발행번호", "시행번호", "ecn번호", "ecnno", "eco번호", "8d번호", "8dno", "8dreportno",
        "docno", "docnumber", "documentno", "documentnumber", "documentid", "reportno", "절차서번호", "매뉴얼번호",
    ),
    "revision": (
        "개정", "개정번호", "개정no", "개정차수", "개정판", "개정판수", "개정상태", "차수", "판번호", "판수", "rev", "revno", "revision",
        "revisionno", "버전", "version", "ver", "리비전", "issueno", "개정도", "revlevel",
    ),
    "effective_date": ("시행일", "시행일자", "적용일", "적용일자", "적용시점", "발효일", "발효일자", "effectivedate", "effective", "validfrom"),
    "revised_date": ("개정일", "개정일자", "최종개정일", "최종개정일자", "개정년월일", "revdate", "revisiondate", "revised", "dateofrevision"),
    "established_date": ("제정일", "제정일자", "제정", "최초제정일", "제정년월일", "established", "dateofissue"),
    "issued_date": ("작성일", "작성일자", "발행일", "발행일자", "등록일", "등록일자", "일자", "일시", "회의일시", "회의일자", "검사일", "검사일자", "발신일", "date", "issuedate", "기안일", "발생일", "발생일자"),
    "status": ("상태", "문서상태", "유효여부", "관리상태", "status", "documentstatus", "문서구분상태", "유효상태", "contentstatus"),
    "security_level": ("보안등급", "보안", "비밀등급", "기밀등급", "문서등급", "보안구분", "securitylevel", "classification", "confidentiality", "security"),
    "department": ("부서", "작성부서", "주관부서", "담당부서", "관리부서", "발행부서", "소관부서", "기안부서", "부서명", "작성팀", "담당팀", "department", "dept"),
    "author": ("작성자", "작성", "기안자", "기안", "발신자", "author", "preparedby", "writtenby", "작성인", "creator"),
    "title": ("제목", "문서명", "표준명", "문서제목", "작업명", "건명", "회의명", "절차명", "표준서명", "title", "doctitle", "documenttitle", "subject"),
    "document_type": ("문서종류", "문서유형", "문서분류", "문서구분", "documenttype", "doctype"),
    "drawing_number": ("도면번호", "도번", "도면no", "drawingno", "drawingnumber", "dwgno"),
    "supersedes": ("대체문서", "대체", "구문서번호", "supersedes", "replaces"),
}  # fmt: skip
_OTHERS = (
    "품명", "품번", "부품번호", "부품명", "비고", "검토", "승인", "결재", "확인", "검토자", "승인자", "페이지", "page", "쪽", "쪽수", "내용", "사유", "개정사유",
    "개정내용", "변경내용", "순번", "no", "번호", "고객사", "고객", "업체", "업체명", "설비명", "설비번호", "설비", "공정", "공정명", "수량", "단위", "규격", "참석자",
    "장소", "안건", "담당자", "담당", "차종", "모델", "로트", "로트번호", "lot", "lotno", "판정", "검사자", "측정값", "항목", "기준", "수신",
    "참조", "발신", "경유", "첨부", "붙임", "관련문서", "적용범위", "목적", "연락처", "전화", "구분", "등급", "부서장", "직위", "성명", "이름", "sheet", "scale",
    "remarks", "description", "approvedby", "checkedby", "reviewedby", "partno", "partname", "customer", "기간", "날짜",
)  # fmt: skip
_FIELD_BY_LABEL = {label: field for field, labels in _FIELDS.items() for label in labels}
_KNOWN = frozenset(_FIELD_BY_LABEL) | frozenset(_OTHERS)


def _spelled(label: str) -> str:
    """A pattern for a folded label with the spaces and dots that people put into it."""
    return r"[\s.]?".join(map(re.escape, label))


_LINE_LABEL = re.compile(
    r"(?<![\w가-힣])(?P<label>"
    + "|".join(_spelled(label) for label in sorted(_KNOWN, key=len, reverse=True))
    + r")\.?\s*[:：]\s*",
    re.IGNORECASE,
)
_LABEL_LIMIT = 24


def field_of(label: str) -> str | None:
    """Field that a label names (``문 서 번 호``, ``Doc. No.`` → ``document_number``), or None."""
    if len(label) > _LABEL_LIMIT:
        return None
    folded = fold_label(re.sub(r"[(\[].*?[)\]]", "", label)) or fold_label(label)
    return _FIELD_BY_LABEL.get(folded)


def is_label(text: str) -> bool:
    """Whether a cell holds the name of a field, known to us or not of interest, rather than a value."""
    return len(text) <= _LABEL_LIMIT and fold_label(text) in _KNOWN


def starts_with_label(line: str) -> bool:
    """Whether a line begins with a field name and a colon, after bullets or brackets at most."""
    match = _LINE_LABEL.search(line)
    return match is not None and not any(c.isalnum() for c in line[: match.start()])


def pairs_in_line(line: str) -> list[tuple[str, str, str]]:
    """``(field, value, raw)`` of every ``label: value`` in a line; one line may hold several.

    A value ends at the next label, a tab, a bar or three spaces.
    """
    flat = line.replace(" ", " ")
    matches = list(_LINE_LABEL.finditer(flat))
    found = []
    for place, match in enumerate(matches):
        field = field_of(match["label"])
        end = matches[place + 1].start() if place + 1 < len(matches) else len(flat)
        value = re.split(r"\t|\||\s{3,}", flat[match.end() : end].strip(), maxsplit=1)[0]
        value = normalise(value).strip(" ,;/·")
        if field and value:
            found.append((field, value, normalise(flat[match.start() : end])))
    return found
