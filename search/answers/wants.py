"""What a question asks for: a figure, a day, a person, or a computation over many rows. Pure, by its words.

Rules, in Korean and English; a question that fits none wants a plain sentence.
"""

from __future__ import annotations

import re

__all__ = ["computes", "gives", "is_instruction", "states_count"]

_COMPUTES = re.compile(
    r"합계|총합|총계|누계|평균(?:값|은|치)?|"
    r"(?:총|전체|모두|합쳐서?|다\s*합해)\s*(?:몇|얼마|건수|수량|금액|개수|횟수)|"
    r"몇\s*(?:건|가지|종류|대|명|개)(?:이나)?\s*(?:있|인가|이나|되|였|나왔|발생)|건수는|"
    r"가장\s*(?:많|적|높|낮|크|큰|작|자주|오래|긴|짧|빠르|느린)|제일\s*(?:많|적|높|낮|큰|작)|최다|최빈|"
    r"(?:월|연도|분기|주차|일자|설비|라인|공정|부서|업체|고객|품번|차종|유형|원인)별|순위|추이|분포|비율은|"
    r"\b(?:how many|total|sum of|average|mean of|most often|per (?:month|year|line)|trend|rank(?:ing)?|compare)\b",
    re.IGNORECASE,
)
_FIGURE = re.compile(
    r"몇|얼마|기준|주기|온도|토크|압력|치수|두께|규격|수량|금액|비용|단가|예산|값|율은|률은|how (?:many|much|long)",
    re.IGNORECASE,
)
_DAY = re.compile(r"언제|기한|시점|날짜|일자|며칠|까지|부터|when|date|deadline", re.IGNORECASE)
_HOW_MANY = re.compile(
    r"몇\s*(?P<counter>건|가지|종류|대|명|개)(?:이나)?\s*(?:되|였|인가|나왔|발생)"
)
_DIGIT = re.compile(r"\d")
_DATE = re.compile(
    r"\d{4}[-./년]\s*\d{1,2}|\d{1,2}\s*월|\d{1,2}\s*일|전날|당일|매[일주월년]|분기|\d+\s*시"
)
_INSTRUCTION = re.compile(
    r"(?:ignore|disregard|forget)\b.{0,40}\b(?:instruction|prompt|rule|above|previous)|"
    r"(?:이전|앞의?|위의?|모든|기존)\s*(?:의\s*)?(?:지시|명령|규칙|프롬프트|안내)\S*\s*(?:을|를|은|는)?\s*(?:모두\s*)?(?:무시|잊|따르지)|"
    r"system\s*prompt|시스템\s*프롬프트|you are now|(?:당신|너)(?:은|는)\s*이제|"
    r"^\s*(?:system|assistant|user)\s*:|</?(?:system|instruction|passage|context)>|\[/?INST\]|"
    r"(?:라고|이라고)\s*(?:만\s*)?(?:답하|대답하|출력하|말하)(?:라|세요|십시오|시오)|(?:answer|respond|reply)\s+(?:only\s+)?with\b",
    re.IGNORECASE | re.MULTILINE,
)


def computes(question: str) -> bool:
    """Whether it counts, sums, averages, ranks or compares."""
    return _COMPUTES.search(question) is not None


def states_count(question: str, text: str) -> bool:
    """Whether a text says a number of what the question asks the number of (``몇 개``: ``95개``)."""
    asked = _HOW_MANY.search(question)
    return asked is not None and re.search(rf"\d\s*{asked['counter']}(?![가-힣])", text) is not None


def gives(question: str, sentence: str) -> float:
    """Whether a sentence has the kind of thing that is asked for: 1, 0.5 for any figure, 0."""
    if _DAY.search(question):
        return 1.0 if _DATE.search(sentence) else 0.0
    if _FIGURE.search(question):
        return 1.0 if _DIGIT.search(sentence) else 0.0
    return 0.5


def is_instruction(sentence: str) -> bool:
    """Whether a sentence talks to a model instead of a person: documents are data, nobody's orders."""
    return _INSTRUCTION.search(sentence) is not None
