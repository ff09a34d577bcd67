"""What lines of signatures, disclaimers and banners are told by, in Korean and English."""

from __future__ import annotations

import re

PHONE = re.compile(
    r"(?:\+?82[-. )]{0,2}\(?0?\)?|\(?0)\d{1,2}\)?[-. )]{1,3}\d{3,4}[-. ]\d{4}|\+\d{1,3}[-. (]\d[\d\-. ()]{6,14}\d|"
    r"\b1[5-8]\d\d-\d{4}\b"
)
ADDRESS = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+|\b(?:https?://|www\.)\S+", re.IGNORECASE)
LABEL = re.compile(
    r"(?:^|[|/·ㆍ,(\[]|\s)(?:tel|fax|mobile|phone|office|direct|cell|e-?mail|web|homepage|[tmfehopd]|전화|팩스|휴대폰|휴대전화|"
    r"핸드폰|직통|내선|대표전화|사무실|이메일|메일|홈페이지|주소|address|add)\s*[.:：)\]]",
    re.IGNORECASE,
)
PLACE = re.compile(
    r"(?:서울|부산|대구|인천|광주|대전|울산|세종|경기|강원|충북|충남|전북|전남|경북|경남|제주|충청|전라|경상)\S{0,6}\s.{0,40}"
    r"(?:로|길|동|읍|면|리|가)\s?\d|\(우\)?\s?\d{5}|\bRepublic of Korea\b|\b(?:gu|si|do|ro|gil|dong),",
    re.IGNORECASE,
)
COMPANY = re.compile(
    r"\(주\)|㈜|주식회사|\bco\.,? ?ltd|\b(?:inc|corp|corporation|gmbh|llc|limited|ltd|plc)\b\.?",
    re.IGNORECASE,
)
COMPANY_END = re.compile(r"\b(?:ltd|inc|corp|s\.?r\.?l|s\.?p\.?a|s\.?a)\.$", re.IGNORECASE)
POSITION = re.compile(
    r"(?:사원|주임|대리|과장|차장|부장|팀장|파트장|그룹장|실장|본부장|센터장|공장장|소장|책임|선임|수석|전임|매니저|프로|이사|상무|전무|부사장|사장|"
    r"대표|대표이사|연구원|연구위원|엔지니어|기사|반장|직장|조장|계장)(?:님)?(?:\s[가-힣]{2,4})?\s*$|"
    r"\b(?:manager|engineer|director|president|specialist|coordinator|supervisor|lead|leader|head|vp|ceo|cto|"
    r"assistant|associate|staff|analyst|buyer|inspector)\b",
    re.IGNORECASE,
)
UNIT = re.compile(
    r"(?:팀|부|과|실|본부|센터|그룹|파트|공장|연구소|사업부|사업장|지점|department|division|team)\s*(?:[|/·,]|$)",
    re.IGNORECASE,
)
RULE = re.compile(r"\s*(?:[-_=*~─━═·.#┌┐└┘┏┓┗┛╔╗╚╝]\s?){3,}\s*$")
BOX = " \t│┃║|"
DELIMITER = re.compile(r"\s*--\s?$")
DEVICE = re.compile(
    r"\s*(?:sent (?:from|with|via) (?:my|an?|the|outlook|mail|yahoo|samsung|galaxy|proton|\w+ mail)\b.{0,60}|get outlook for \w+.{0,80}|"
    r"(?:나의|내)?\s?(?:iphone|ipad|galaxy|갤럭시|아이폰|아이패드|안드로이드\S*|android\S*|삼성 ?\S*|samsung ?\S*)\s?\S{0,20}(?:에서|로|으로)\s?(?:보냄|보낸|보냈|전송|작성).{0,30}|"
    r"(?:outlook|네이버 ?메일|다음 ?메일|모바일 ?\S*)\s?\S{0,20}(?:에서|로|으로)\s?(?:보냄|보낸|보냈|전송|작성).{0,30}|"
    r"outlook for (?:ios|android) 다운로드.{0,80}|(?:ios|android)용 outlook.{0,80})\s*$",
    re.IGNORECASE,
)
LEGAL = (
    re.compile(r"(?:본|이)\s?(?:전자\s?)?(?:이?-?메일|우편|메시지|문서|전자우편)|th(?:is|e) (?:e-?mail|message|communication|transmission)|첨부\s?(?:파일|문서)?|attach", re.IGNORECASE),
    re.compile(r"비밀|기밀|대외비|영업\s?비밀|confidential|privileged|proprietary", re.IGNORECASE),
    re.compile(r"수신인|수신자|수신하|지정된|의도된|intended|recipient|addressee", re.IGNORECASE),
    re.compile(r"삭제|폐기|파기|delete|destroy", re.IGNORECASE),
    re.compile(r"무단|금지|법적|처벌|책임|법률|unauthori[sz]ed|prohibited|unlawful|liab|disclos|disseminat|copying", re.IGNORECASE),
    re.compile(r"잘못|오류로|착오|error|mistake", re.IGNORECASE),
    re.compile(r"바이러스|악성|virus|malware", re.IGNORECASE),
    re.compile(r"인쇄.{0,12}(?:전|환경)|환경.{0,12}인쇄|consider the environment|before printing", re.IGNORECASE),
)  # fmt: skip
ENOUGH_LEGAL = 3
PRINTING = LEGAL[-1]
VALEDICTION = re.compile(
    r"\s*(?:(?:with )?(?:best|kind|kindest|warm|warmest)?\s*regards|(?:all the )?best(?: wishes)?|sincerely(?: yours)?|cheers|br|yours (?:sincerely|truly|faithfully))\s*[.,!~^]*\s*$",
    re.IGNORECASE,
)
GREETING = re.compile(
    r"\s*(?:감사(?:합니다|드립니다|해요)|고맙습니다|수고하(?:세요|십시오|셨습니다)|좋은 하루.{0,12}|이상입니다|"
    r".{0,20}드립니다|(?:many )?thanks(?: .{0,30})?|thank you.{0,40})\s*[.,!~^]*\s*$|"
    + VALEDICTION.pattern,
    re.IGNORECASE,
)
SIGN_OFF = re.compile(
    # 올림 is also rounding up: then there is no name before it
    r"\s*(?:\S{1,20}\s){0,4}\S{1,20}\s?(?:드림|배상|拜上)[\s.!~^]*$|\s*(?:\S{1,12}\s){0,3}[가-힣]{2,4}(?<!자리)(?<![에]서)\s올림[\s.!~^]*$"
)
OUTSIDE = re.compile(
    r"^\W{0,4}(?:외부|external|caution|warning|주의|경고|보안)|외부에서\s?\S{0,4}\s?(?:메일|이메일|메시지)|(?:originated|came|sent|received)\s(?:from\s)?(?:outside|an external)",
    re.IGNORECASE,
)
OF_MAIL = re.compile(r"메일|메시지|발신|발송|e-?mail|message|sender", re.IGNORECASE)
BEWARE = re.compile(
    r"주의|유의|클릭|열람|열지|do not click|caution|recogni[sz]e|be careful|suspicious",
    re.IGNORECASE,
)
SENTENCE = re.compile(
    r"(?:[다요오음함됨임까죠네]|습니다|니다|세요)\s*[.!?~]+\s*$|[.!?]\s*$|\?|:\s*$"
)
NAME = re.compile(
    r"\s*[가-힣]{2,4}(?:\s?\([A-Za-z .-]{2,40}\))?\s*$|\s*[가-힣](?: [가-힣]){1,3}\s*$|\s*[A-Z][\w.'-]+(?:[ -][A-Z][\w.'-]*){1,3}\s*(?:\([가-힣 ]{2,8}\))?\s*$"
)
ANNOUNCES = re.compile(
    r"[:：]\s*$|주소|연락처|담당자|배송지|수신처|납품처|발송처|(?:보내|받으)\s?주?실\s?(?:곳|분|주소)|명단|목록|발행|\b(?:contacts?|address|ship to|deliver(?:y)? to|bill to)\b",
    re.IGNORECASE,
)
ENDED = re.compile(r"(?:[다요오음함됨임까죠네됩]|드림|올림)[\s.!?~^]*$|[.!?,)]\s*$")
