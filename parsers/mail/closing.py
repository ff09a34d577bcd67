"""What stands below a mail's own text and says nothing of the matter: signatures, disclaimers, lines of devices.

There is no standard but ``-- `` (RFC 3676, 4.3), which few programs write. So the end of a mail's own text is read
from below: lines that hold contact data, who somebody is, or legal phrases are taken as long as they follow
each other, and only where enough of them prove it. What a person wrote as a sentence ends the search.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from contracts.documents import BlockKind, Layer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from contracts.documents import Block

__all__ = ["set_closing_apart"]

_PHONE = re.compile(
    r"(?:\+?82[-. )]{0,2}\(?0?\)?|\(?0)\d{1,2}\)?[-. )]{1,3}\d{3,4}[-. ]\d{4}|\+\d{1,3}[-. (]\d[\d\-. ()]{6,14}\d|"
    r"\b1[5-8]\d\d-\d{4}\b"
)
_ADDRESS = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+|\b(?:https?://|www\.)\S+", re.IGNORECASE)
_LABEL = re.compile(
    r"(?:^|[|/·ㆍ,(\[]|\s)(?:tel|fax|mobile|phone|office|direct|cell|e-?mail|web|homepage|[tmfehopd]|전화|팩스|휴대폰|휴대전화|"
    r"핸드폰|직통|내선|대표전화|사무실|이메일|메일|홈페이지|주소|address|add)\s*[.:：)\]]",
    re.IGNORECASE,
)
_PLACE = re.compile(
    r"(?:서울|부산|대구|인천|광주|대전|울산|세종|경기|강원|충북|충남|전북|전남|경북|경남|제주|충청|전라|경상)\S{0,6}\s.{0,40}"
    r"(?:로|길|동|읍|면|리|가)\s?\d|\(우\)?\s?\d{5}|\bRepublic of Korea\b|\b(?:gu|si|do|ro|gil|dong),",
    re.IGNORECASE,
)
_COMPANY = re.compile(
    r"\(주\)|㈜|주식회사|\bco\.,? ?ltd|\b(?:inc|corp|corporation|gmbh|llc|limited)\b\.?",
    re.IGNORECASE,
)
_COMPANY_END = re.compile(r"\b(?:ltd|inc|corp|s\.?r\.?l|s\.?p\.?a|s\.?a)\.$", re.IGNORECASE)
_POSITION = re.compile(
    r"(?:사원|주임|대리|과장|차장|부장|팀장|파트장|그룹장|실장|본부장|센터장|공장장|소장|책임|선임|수석|전임|매니저|프로|이사|상무|전무|부사장|사장|"
    r"대표|대표이사|연구원|연구위원|엔지니어|기사|반장|직장|조장|계장)(?:님)?\s*$|"
    r"\b(?:manager|engineer|director|president|specialist|coordinator|supervisor|lead|leader|head|vp|ceo|cto|"
    r"assistant|associate|staff|analyst|buyer|inspector)\b",
    re.IGNORECASE,
)
_UNIT = re.compile(
    r"(?:팀|부|과|실|본부|센터|그룹|파트|공장|연구소|사업부|사업장|지점|department|division|team)\s*(?:[|/·,]|$)",
    re.IGNORECASE,
)
_RULE = re.compile(r"\s*(?:[-_=*~─━═·.#]\s?){3,}\s*$")
_DELIMITER = re.compile(r"\s*--\s?$")
_DEVICE = re.compile(
    r"\s*(?:sent from (?:my|an?|outlook|mail|yahoo|samsung|galaxy)\b.{0,60}|get outlook for \w+.{0,80}|"
    r"(?:나의|내)?\s?(?:iphone|ipad|galaxy|갤럭시|아이폰|아이패드|안드로이드\S*|android\S*|삼성 ?\S*|samsung ?\S*)\s?\S{0,20}(?:에서|로|으로)\s?(?:보냄|보낸|보냈|전송|작성).{0,30}|"
    r"(?:outlook|네이버 ?메일|다음 ?메일|모바일 ?\S*)\s?\S{0,20}(?:에서|로|으로)\s?(?:보냄|보낸|보냈|전송|작성).{0,30}|"
    r"outlook for (?:ios|android) 다운로드.{0,80}|(?:ios|android)용 outlook.{0,80})\s*$",
    re.IGNORECASE,
)
_LEGAL = (
    re.compile(r"(?:본|이)\s?(?:전자\s?)?(?:이?-?메일|우편|메시지|문서|전자우편)|th(?:is|e) (?:e-?mail|message|communication|transmission)|첨부\s?(?:파일|문서)?|attach", re.IGNORECASE),
    re.compile(r"비밀|기밀|대외비|영업\s?비밀|confidential|privileged|proprietary", re.IGNORECASE),
    re.compile(r"수신인|수신자|수신하|지정된|의도된|intended|recipient|addressee", re.IGNORECASE),
    re.compile(r"삭제|폐기|파기|delete|destroy", re.IGNORECASE),
    re.compile(r"무단|금지|법적|처벌|책임|법률|unauthori[sz]ed|prohibited|unlawful|liab|disclos|disseminat|copying", re.IGNORECASE),
    re.compile(r"잘못|오류로|착오|error|mistake", re.IGNORECASE),
    re.compile(r"바이러스|악성|virus|malware", re.IGNORECASE),
    re.compile(r"인쇄.{0,12}(?:전|환경)|환경.{0,12}인쇄|consider the environment|before printing", re.IGNORECASE),
)  # fmt: skip
_ENOUGH_LEGAL = 3
_PRINTING = _LEGAL[-1]
_GREETING = re.compile(
    r"\s*(?:감사(?:합니다|드립니다|해요)|고맙습니다|수고하(?:세요|십시오|셨습니다)|좋은 하루.{0,12}|이상입니다|"
    r".{0,20}(?:드림|올림|배상|拜上|드립니다)|(?:best|kind|warm)?\s*regards|(?:many )?thanks(?: .{0,30})?|thank you.{0,40}|sincerely(?: yours)?|"
    r"cheers|br|yours (?:sincerely|truly|faithfully))\s*[.,!~^]*\s*$",
    re.IGNORECASE,
)
_SENTENCE = re.compile(
    r"(?:[다요오음함됨임까죠네]|습니다|니다|세요)\s*[.!?~]+\s*$|[.!?]\s*$|\?|:\s*$"
)
_NAME = re.compile(
    r"\s*[가-힣]{2,4}(?:\s?\([A-Za-z .-]{2,40}\))?\s*$|\s*[가-힣](?: [가-힣]){1,3}\s*$|\s*[A-Z][\w.'-]+(?:[ -][A-Z][\w.'-]*){1,3}\s*(?:\([가-힣 ]{2,8}\))?\s*$"
)
_ANNOUNCES = re.compile(
    r"[:：]\s*$|주소|연락처|담당자|배송지|수신처|납품처|발송처|(?:보내|받으)\s?주?실\s?(?:곳|분|주소)|명단|목록|발행|\b(?:contacts?|address|ship to|deliver(?:y)? to|bill to)\b",
    re.IGNORECASE,
)
_ENDED = re.compile(r"(?:[다요오음함됨임까죠네됩]|드림|올림)[\s.!?~^]*$|[.!?,)]\s*$")
_SHORT = 48
_MOST_LINES = 30
_LONGEST = 1500
"""Longer lines are no part of a signature; a disclaimer in one line may be this long."""


@dataclass(frozen=True, slots=True)
class _Line:
    block: int
    number: int
    text: str


def set_closing_apart(blocks: Sequence[Block]) -> list[Block]:
    """Move signatures and disclaimers at the end of a mail's own text to the ``furniture`` layer.

    Where nothing would be left of the mail's own text, everything stays.

    Args:
        blocks: A mail's blocks, quoted parts already in their layer.
    """
    made = list(blocks)
    for begin, end in reversed(_own_runs(made)):
        lines = _lines(made, begin, end)
        cut = _closing_start(lines)
        if cut < len(lines) and any(line.text.strip() for line in lines[:cut]):
            made[begin:end] = _split(made[begin:end], lines[cut], begin)
    return made


def _own_runs(blocks: Sequence[Block]) -> list[tuple[int, int]]:
    """The last run of own blocks before each quotation, and the last of all."""
    runs: list[tuple[int, int]] = []
    start: int | None = None
    for at, block in enumerate([*blocks, None]):
        own = block is not None and block.layer is Layer.BODY
        if own and start is None:
            start = at
        elif not own and start is not None and (block is None or block.layer is Layer.QUOTED):
            runs.append((start, at))
            start = None
    return runs[:1] + runs[1:][-1:]


def _lines(blocks: Sequence[Block], begin: int, end: int) -> list[_Line]:
    """The lines of the run's paragraphs after its last table or heading, blank ones between paragraphs."""
    found: list[_Line] = []
    for at in range(begin, end):
        block = blocks[at]
        if block.table is not None or block.kind is BlockKind.HEADING:
            if _is_card(block):
                found.append(_Line(at, 0, _card_text(block)))
            else:
                found = (
                    [_Line(at, 0, "표.")] if block.table is not None else [_Line(at, 0, block.text)]
                )
            continue
        found += [_Line(at, number, line) for number, line in enumerate(block.text.split("\n"))]
    return found


def _is_card(block: Block) -> bool:
    """A table that is a visiting card: contact data and little else."""
    text = _card_text(block)
    return block.table is not None and len(text) <= _LONGEST and _contacts(text) >= 2  # noqa: PLR2004  phone and address


def _card_text(block: Block) -> str:
    return " ".join(cell.text for cell in block.table.cells) if block.table is not None else ""


def _closing_start(lines: Sequence[_Line]) -> int:
    """Index of the first line that does not belong to the text; the number of lines where all do."""
    cut = _below_legal(lines)
    for at in range(max(0, cut - _MOST_LINES), cut):
        below = [line.text for line in lines[at + 1 : cut]]
        if _DELIMITER.match(lines[at].text) and len(below) <= _MOST_LINES:
            return at
        if _RULE.match(lines[at].text) and below and _proves(below) and not _prose(below):
            return at
    at = cut
    while at > 0 and _belongs(lines[at - 1].text):
        at -= 1
    taken = [line.text for line in lines[at:cut]]
    while taken and not _tells(
        taken[0]
    ):  # a name or a short line counts only within what is proved
        at, taken = at + 1, taken[1:]
    if not taken or not _proves(taken) or (at > 0 and _goes_on(lines, at)):
        return cut
    return at


def _goes_on(lines: Sequence[_Line], at: int) -> bool:
    """Whether the line above announces what follows, or is an entry of the same list: then it is content."""
    above = lines[at - 1]
    if _GREETING.match(above.text):
        return False
    joined = above.block == lines[at].block
    return bool(_ANNOUNCES.search(above.text)) or (joined and not _ENDED.search(above.text))


def _below_legal(lines: Sequence[_Line]) -> int:
    """Index from which on everything is disclaimers and lines of devices."""
    at = len(lines)
    while at > 0:
        begin = at
        while (
            begin > 0
            and lines[begin - 1].block == lines[at - 1].block
            and _could_be_legal(lines[begin - 1].text)
        ):
            begin -= 1
        paragraph = " ".join(line.text for line in lines[begin:at])
        last = lines[at - 1].text
        if begin < at and _is_legal(paragraph):
            at = _legal_start(lines, begin, at)
        elif _is_legal(last) or _DEVICE.match(last) or _RULE.match(last):
            at -= 1
        else:
            break
    while at < len(lines) and _RULE.match(lines[at].text) and at + 1 == len(lines):
        at += 1  # a rule with nothing below it
    return at


def _legal_start(lines: Sequence[_Line], begin: int, end: int) -> int:
    """Where within a paragraph the disclaimer begins: its shortest end that says as much."""
    whole = _legal_cues(" ".join(line.text for line in lines[begin:end]))
    for at in range(end - 1, begin, -1):
        if _legal_cues(" ".join(line.text for line in lines[at:end])) == whole:
            return at
    return begin


def _could_be_legal(text: str) -> bool:
    return bool(text.strip()) and len(text) <= _LONGEST and not _GREETING.match(text)


def _legal_cues(text: str) -> int:
    return sum(bool(pattern.search(text)) for pattern in _LEGAL)


def _is_legal(text: str) -> bool:
    short_notice = len(text) <= 2 * _SHORT and bool(_PRINTING.search(text))
    return short_notice or (len(text) <= 3 * _LONGEST and _legal_cues(text) >= _ENOUGH_LEGAL)


def _contacts(text: str) -> int:
    """Kinds of contact data in a line."""
    return sum(bool(pattern.search(text)) for pattern in (_PHONE, _ADDRESS, _LABEL, _PLACE))


def _identity(text: str) -> bool:
    bare = text.strip(" |/·*[]<>")
    firm = _COMPANY_END.search(bare)
    if not bare or len(bare) > 2 * _SHORT or (_SENTENCE.search(bare) and not firm):
        return False
    return bool(_COMPANY.search(bare) or _POSITION.search(bare) or _UNIT.search(bare))


def _tells(text: str) -> bool:
    """Whether a line can begin a signature."""
    return bool(_RULE.match(text) or _contacts(text) or _identity(text) or _is_name(text))


def _is_name(text: str) -> bool:
    """A name, or the same one in two scripts."""
    return all(_NAME.match(part) for part in re.split(r"[|/]", text))


def _belongs(text: str) -> bool:
    """Whether a line can be part of a signature."""
    if len(text) > 4 * _SHORT or _GREETING.match(text):
        return False
    if not text.strip() or _RULE.match(text) or _DEVICE.match(text) or _is_name(text):
        return True
    if _contacts(text):
        # a sentence that mentions a number is somebody's text
        return not _SENTENCE.search(text) or bool(_LABEL.match(text.lstrip(" |[(<*")))
    return _identity(text) or (
        len(text.strip()) <= _SHORT and not _SENTENCE.search(text) and _slogan(text)
    )


def _slogan(text: str) -> bool:
    """A short line in brackets or quotation marks, or one in Latin capitals, as companies put below their names."""
    bare = text.strip()
    return bare[:1] in "\"'“‘<[「『*" or (
        bare.isascii() and bare.upper() == bare and any(c.isalpha() for c in bare)
    )


def _proves(lines: Sequence[str]) -> bool:
    """Contact data of two kinds, or of one beside who somebody is."""
    kinds = {
        name
        for name, pattern in (("phone", _PHONE), ("address", _ADDRESS), ("place", _PLACE))
        if any(pattern.search(line) for line in lines)
    }
    who = any(_identity(line) or _is_name(line) for line in lines)
    return len(kinds) >= 2 or (len(kinds) == 1 and who)  # noqa: PLR2004  see the docstring


def _prose(lines: Sequence[str]) -> bool:
    return any(
        len(line) > 4 * _SHORT or (_SENTENCE.search(line) and not _contacts(line)) for line in lines
    )


def _split(run: list[Block], first: _Line, begin: int) -> list[Block]:
    """The run with everything from a line on in the ``furniture`` layer."""
    at = first.block - begin
    made = run[:at]
    block = run[at]
    if first.number:
        above, below = (
            block.text.split("\n")[: first.number],
            block.text.split("\n")[first.number :],
        )
        made.append(replace(block, text="\n".join(above)))
        block = replace(block, text="\n".join(below))
    return [*made, *(replace(b, layer=Layer.FURNITURE) for b in [block, *run[at + 1 :]])]
