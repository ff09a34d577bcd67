"""Marks of standing: 현행, 폐기, 초안 and their relatives, and what only looks like one.

The word alone proves little: 폐기물 관리 절차서 is about waste, 폐기 대장 lists scrap. So a mark must stand
alone: in brackets, as a whole field, as a whole line, or between separators of a name.
"""

from __future__ import annotations

import re

from contracts.versions import Status
from metadata.folding import fold_label, normalise

__all__ = ["declared_status", "folder_status", "line_status", "name_status", "value_status"]

_WORDS: dict[Status, tuple[str, ...]] = {
    Status.OBSOLETE: (
        "폐기", "폐지", "폐기본", "폐기문서", "폐기표준", "폐기됨", "구판", "구버전", "구본", "사용금지", "사용중지",
        "무효", "실효", "효력상실", "obsolete", "superseded", "withdrawn", "deprecated", "void", "donotuse", "notvalid",
    ),
    Status.DRAFT: (
        "초안", "초고", "가안", "검토용", "검토중", "작성중", "작성용", "승인전", "미승인", "draft", "wip",
        "workinprogress", "forreview", "underreview", "preliminary",
    ),
    Status.CURRENT: (
        "현행", "현행본", "유효", "유효본", "유효문서", "시행", "시행중", "승인", "승인완료", "배포", "배포본", "정본",
        "current", "effective", "approved", "released", "valid", "inforce", "active",
    ),
}  # fmt: skip
_FOLDERS: dict[Status, tuple[str, ...]] = {
    Status.OBSOLETE: (
        "폐기", "폐지", "폐기본", "폐기문서", "폐기표준", "폐기자료", "폐기함", "폐기도면", "구판", "구버전", "구본",
        "구도면", "이전버전", "이전판", "이전본", "사용금지", "사용중지", "old", "olds", "oldversion", "oldversions",
        "oldver", "obsolete", "superseded", "withdrawn",
    ),
    Status.DRAFT: (
        "초안", "초안모음", "작성중", "작업중", "검토용", "검토중", "draft", "drafts", "wip", "workinprogress",
    ),
    Status.CURRENT: ("현행", "현행본", "현행문서", "현행표준", "유효본", "유효문서", "current", "released"),
}  # fmt: skip
_BY_WORD = {word: status for status, words in _WORDS.items() for word in words}
_BY_FOLDER = {word: status for status, words in _FOLDERS.items() for word in words}

_MARK = "|".join(
    r"\s?".join(map(re.escape, word))
    for word in sorted(_BY_WORD, key=len, reverse=True)
    if word not in {"시행", "승인", "배포", "active", "valid", "void", "실효"}
)
_BRACKETED = re.compile(
    rf"[\[(<【〈《「]\s*(?P<word>{_MARK})(?P<more>[^\])>】〉》」]{{0,20}})[\])>】〉》」]",
    re.IGNORECASE,
)
_IN_NAME = re.compile(rf"(?:^|(?<=[_\-.+]))\s*(?P<word>{_MARK}|old)\s*(?=$|[_\-.+])", re.IGNORECASE)
_AFTER_MARK = re.compile(rf"(?<=[\d\])])\s+(?P<word>{_MARK}|old)\s*$", re.IGNORECASE)
_PREFIX = re.compile(rf"^(?P<word>{_MARK}|구|old)\s*[)\]]", re.IGNORECASE)
_SUBJECT = re.compile(
    r"^[\s_\-]*(?:물|품|절차|대장|기준|관리|처리|신청|보고|목록|리스트|요청|승인|현황|계획|회의|기록|결과|확인|의견|검토|내역)"
)
_DECLARED = re.compile(
    r"(?:^|[\s※*\-•·(\[])(?:본|이|당|해당)\s?(?:작업)?(?:문서|표준서?|절차서?|지침서?|도면|규정|매뉴얼|기준서?|양식|판|본|개정본)"
    r"[은는이가을를의]?\s(?:(?![을를의]\s|[품물]).){0,60}?(?:폐기|폐지|무효|실효|대체(?=\s?(?:되|됨|됐|된))|사용\s?(?:을|를)?\s?(?:금지|중지|금함|중단))"
    r"(?:\s*(?:함|됨|한다|된다|합니다|됩니다|하였|했|되었|처리|되어|하며|되며|입니다|임)|[.,)\]]|\s*$)"
)
_SHORT_LINE = 30
_TICKED = "■☑☒✔✓●◉"
_BOX = re.compile(rf"([{_TICKED}□☐○])\s*([^{_TICKED}□☐○/,]+)")


def value_status(text: str) -> Status | None:
    """Standing that a status field holds (``현행``, ``폐기(2024.03.01)``, ``■ 유효 □ 폐기``), or None."""
    if _BOX.search(text):
        ticked = [part for sign, part in _BOX.findall(text) if sign in _TICKED]
        return _BY_WORD.get(fold_label(ticked[0])) if len(ticked) == 1 else None
    flat = re.sub(r"[(\[].*?[)\]]|\d[\d.\-/ ]*", " ", normalise(text))
    return _BY_WORD.get(fold_label(flat)) or _BY_WORD.get(fold_label(text))


def line_status(text: str) -> tuple[Status, str] | None:
    """Standing that a title or short line carries: the whole line is the mark, or the mark is in brackets."""
    flat = normalise(text)
    if len(flat) <= _SHORT_LINE and (status := value_status(flat)):
        word = fold_label(flat)
        if status is not Status.CURRENT or word in {"현행", "현행본", "유효본", "배포본", "정본"}:
            return status, flat
    match = _BRACKETED.search(flat)
    if match and not _SUBJECT.match(match["more"]):
        return _BY_WORD[fold_label(match["word"])], match.group()
    return None


def declared_status(text: str) -> tuple[Status, str] | None:
    """A sentence by which the document withdraws itself (``본 표준은 … 부로 폐기한다``), or None."""
    match = _DECLARED.search(normalise(text))
    return (Status.OBSOLETE, match.group().strip()) if match else None


def name_status(stem: str) -> tuple[Status, str] | None:
    """Standing that a file name (without extension) carries: in brackets or between separators."""
    flat = normalise(stem)
    bracketed = _BRACKETED.search(flat)
    if bracketed and not _SUBJECT.match(bracketed["more"]):
        return _BY_WORD[fold_label(bracketed["word"])], bracketed.group()
    for pattern in (_PREFIX, _IN_NAME, _AFTER_MARK):
        match = pattern.search(flat)
        if match and not _SUBJECT.match(flat[match.end() :]):
            word = fold_label(match["word"])
            return _BY_WORD.get(word, Status.OBSOLETE), match.group().strip()
    return None


def folder_status(folder: str) -> Status | None:
    """Standing that a folder gives to what it holds (``폐기``, ``99_구버전``, ``old (2023)``), or None."""
    flat = re.sub(r"[(\[].*?[)\]]", " ", normalise(folder))
    return _BY_FOLDER.get(fold_label(re.sub(r"\d", " ", flat)))
