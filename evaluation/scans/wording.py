"""Korean sentences, headings and table rows as works documents have them, drawn from a seeded generator."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np

__all__ = [
    "COLUMN_NAMES",
    "chance",
    "code",
    "day",
    "heading",
    "paragraph",
    "person",
    "pick",
    "quantity",
    "row",
    "sentence",
    "title",
]

T = TypeVar("T")

_HANGUL_FIRST, _FINALS = 0xAC00, 28


def _listed(text: str) -> tuple[str, ...]:
    return tuple(text.split("|"))


_MACHINES = _listed(
    "프레스|사출성형기|용접로봇|열처리로|도장라인|컨베이어|절삭기|집진기|보일러|냉각탑|공기압축기|변압기|포장기|검사장비|세척기|연마기|압출기|지게차|크레인|교반기|혼합기|건조기|"
    "진공펌프|레이저마킹기|자동창고"
)
_PARTS = _listed(
    "베어링|실린더|구동축|감속기|밀봉재|브래킷|하우징|플랜지|센서|밸브|펌프|노즐|금형|볼트|와셔|개스킷|케이블|커넥터|배관|필터|스프링|롤러|체인|벨트|모터|냉각수|윤활유|절삭유|"
    "완충재|방열판|회로기판|전원장치"
)
_FAULTS = _listed(
    "이물 혼입|표면 긁힘|치수 불량|누유|과열|진동|소음|균열|변색|기포|체결 불량|도금 박리|접촉 불량|마모|부식|뒤틀림|용접 불량|중량 미달|라벨 오부착|수량 부족|포장 파손"
)
_UNITS_OF_PEOPLE = _listed(
    "품질보증팀|생산기술팀|설비보전팀|구매팀|안전환경팀|연구개발팀|영업관리팀|물류팀|인사총무팀|재무팀|제조1팀|제조2팀|검사반|공무과|기획실|감사실|협력업체|고객사"
)
_PAPERS = _listed(
    "작업표준서|시정조치 요구서|검사성적서|설비 점검표|회의록|구매 요청서|변경 신청서|사고 보고서|위험성 평가표|교육 이수 대장|공급자 평가서|부적합 보고서|시험 계획서|납품 확인서|"
    "품질 계획서|인수인계서"
)
_ACTIONS = _listed(
    "점검|교체|세척|조정|보고|기록|승인|폐기|보관|측정|확인|검토|배포|회수|개정|등록|청소|교육|시험|분석|정비|통보"
)
_REASONS = _listed(
    "작업자의 숙련도가 부족하여|정기 점검이 늦어져|온도 관리 기준이 바뀌어|원재료의 품질이 고르지 않아|예비품이 제때 들어오지 않아|설계 도면이 개정되지 않아|"
    "측정기의 교정 기한이 지나|야간 근무 인원이 줄어|냉각수의 유량이 모자라|전압이 순간적으로 떨어져|보호 덮개가 열린 채로 가동되어|윤활 주기를 지키지 않아"
)
_RESULTS = _listed(
    "생산이 두 시간 동안 중단되었다|같은 문제가 세 번 되풀이되었다|출하가 하루 늦어졌다|전수 검사로 전환하였다|해당 로트를 모두 격리하였다|고객에게 사실을 알렸다|"
    "재발 방지 대책을 세우기로 하였다|임시 조치로 속도를 낮추었다|관련 기준을 다시 정하였다|작업을 멈추고 원인을 찾았다|폐기 비용이 크게 늘었다|담당자를 바꾸었다"
)
_TOPICS = _listed(
    "목적|적용 범위|용어의 정의|책임과 권한|업무 절차|기록의 보존|안전 수칙|점검 결과|향후 계획|현황 및 문제점|개선 대책|협조 요청 사항|기대 효과|시험 방법|판정 기준|"
    "일반 사항|변경 이력|참고 자료"
)
_FAMILY = _listed("김|이|박|최|정|강|조|윤|장|임|한|오|서|신|권|황|안|송|류|홍")
_GIVEN = _listed(
    "민준|서연|도윤|지우|하준|수빈|예준|지민|현우|은지|성호|미경|영수|정희|재훈|혜진|동현|선영|상철|경아"
)
_RANKS = _listed("사원|대리|과장|차장|부장|반장|팀장|이사")
_MEASURES = (
    ("온도", "℃", 15, 320), ("압력", "MPa", 1, 40), ("전압", "V", 24, 440), ("전류", "A", 1, 90), ("길이", "mm", 3, 950),
    ("무게", "kg", 1, 480), ("회전수", "rpm", 60, 3600), ("두께", "mm", 1, 30), ("유량", "L/min", 2, 120), ("습도", "%", 20, 95),
)  # fmt: skip
_CODE_HEADS = ("EQ", "PT", "QC", "SOP", "WI", "DWG", "MAT", "LOT", "NCR", "CAR")


def chance(rng: np.random.Generator, share: float) -> bool:
    """True in that share of the calls."""
    return bool(rng.random() < share)


def pick(rng: np.random.Generator, values: Sequence[T]) -> T:
    """One of the values."""
    return values[int(rng.integers(len(values)))]


def _ends_open(word: str) -> bool:
    """The last syllable has no final consonant, so that ``는``, ``가``, ``를`` follow."""
    return (ord(word[-1]) - _HANGUL_FIRST) % _FINALS == 0 if word else False


def _with(word: str, closed: str, opened: str) -> str:
    return word + (opened if _ends_open(word) else closed)


def code(rng: np.random.Generator) -> str:
    """A business code such as ``EQ-PRESS-07``."""
    head = pick(rng, _CODE_HEADS)
    middle = pick(
        rng, ("PRESS", "MOLD", "WELD", "A12", "K7", "2024", "2025", "B3", "PUMP", "LINE2")
    )
    return f"{head}-{middle}-{int(rng.integers(1, 999)):03d}"


def day(rng: np.random.Generator) -> str:
    """A date in one of the usual spellings."""
    year, month, date = (
        int(rng.integers(2015, 2027)),
        int(rng.integers(1, 13)),
        int(rng.integers(1, 29)),
    )
    form = pick(
        rng, ("{}년 {}월 {}일", "{}. {}. {}.", "{}-{:02d}-{:02d}", "{}.{:02d}.{:02d}", "{}/{:02d}/{:02d}")
    )  # fmt: skip
    return form.format(year, month, date)


def quantity(rng: np.random.Generator) -> tuple[str, str]:
    """What is measured, and a value with its unit, at times with a tolerance."""
    name, unit, low, high = pick(rng, _MEASURES)
    value = int(rng.integers(low, high))
    if chance(rng, 0.3):
        return name, f"{value}.{int(rng.integers(0, 10))} ± 0.{int(rng.integers(1, 10))} {unit}"
    if chance(rng, 0.3):
        return name, f"{value}~{value + int(rng.integers(1, 40))} {unit}"
    return name, f"{value} {unit}"


def person(rng: np.random.Generator) -> str:
    """A name with a rank."""
    return f"{pick(rng, _FAMILY)}{pick(rng, _GIVEN)} {pick(rng, _RANKS)}"


def title(rng: np.random.Generator) -> str:
    """A document's title."""
    return f"{pick(rng, _MACHINES)} {pick(rng, _PARTS)} {pick(rng, _PAPERS)}"


def heading(rng: np.random.Generator, number: int) -> str:
    """A numbered heading in one of the usual styles."""
    topic = pick(rng, _TOPICS)
    letters = "가나다라마바사아자차카타파하"
    form = int(rng.integers(3))
    if form == 0:
        return f"{number}. {topic}"
    if form == 1:
        return f"제{number}조({topic})"
    return f"{letters[(number - 1) % len(letters)]}. {topic}"


def sentence(rng: np.random.Generator) -> str:
    """One sentence."""
    machine, part, fault = pick(rng, _MACHINES), pick(rng, _PARTS), pick(rng, _FAULTS)
    team, other = pick(rng, _UNITS_OF_PEOPLE), pick(rng, _UNITS_OF_PEOPLE)
    paper, action, more = pick(rng, _PAPERS), pick(rng, _ACTIONS), pick(rng, _ACTIONS)
    name, value = quantity(rng)
    forms = (
        f"{_with(team, '은', '는')} {machine}의 {_with(part, '을', '를')} {action}한 뒤 {paper}에 적는다.",
        f"{day(rng)}에 {machine}에서 {_with(fault, '이', '가')} 발견되어 {_with(team, '이', '가')} 원인을 {action}하였다.",
        f"{pick(rng, _REASONS)} {pick(rng, _RESULTS)}.",
        f"{_with(part, '의', '의')} {_with(name, '은', '는')} {value} 이내로 관리하고, 벗어나면 {other}에 즉시 알린다.",
        f"설비 번호 {code(rng)} {_with(paper, '은', '는')} {team}에서 3년간 보관한다.",
        f"{person(rng)}은 {_with(paper, '을', '를')} 작성하여 {other}의 승인을 받아야 한다.",
        f"단, {_with(fault, '이', '가')} 한 달에 {int(rng.integers(2, 9))}회 이상 발생하면 {_with(machine, '을', '를')} 멈추고 {more}한다.",
        f"{_with(part, '과', '와')} {pick(rng, _PARTS)}의 교체 주기는 {int(rng.integers(2, 24))}개월이며, 비용은 {int(rng.integers(10, 990)) * 1000:,}원이다.",
        f"이번 달 {_with(fault, '은', '는')} {int(rng.integers(3, 80))}건으로 지난달보다 {int(rng.integers(1, 40))}.{int(rng.integers(0, 10))}% 줄었다.",
        f"{_with(team, '과', '와')} {_with(other, '은', '는')} 매주 {pick(rng, '월화수목금')}요일에 {_with(paper, '을', '를')} 함께 검토한다.",
        f"검사 수량은 로트당 {int(rng.integers(5, 125))}개이고 판정은 {pick(rng, ('합격', '불합격', '보류', '재검사'))}으로 한다.",
        f"작업 전에는 반드시 보호구를 착용하고 {machine}의 비상정지 단추가 작동하는지 확인한다.",
    )
    return pick(rng, forms)


def paragraph(rng: np.random.Generator, sentences: int) -> str:
    """Sentences in a row."""
    return " ".join(sentence(rng) for _ in range(sentences))


def row(rng: np.random.Generator, kinds: Sequence[str], number: int) -> list[str]:
    """Cells of a table row.

    Args:
        rng: Where chance comes from.
        kinds: A kind a column, of ``no``, ``part``, ``fault``, ``count``, ``money``, ``code``, ``day``,
            ``person``, ``value``, ``verdict``, ``team``.
        number: The row's number.
    """
    makers = {
        "no": lambda: str(number),
        "part": lambda: pick(rng, _PARTS),
        "fault": lambda: pick(rng, _FAULTS),
        "count": lambda: str(int(rng.integers(2, 950))),
        "money": lambda: f"{int(rng.integers(10, 9900)) * 100:,}",
        "code": lambda: code(rng),
        "day": lambda: day(rng),
        "person": lambda: person(rng),
        "value": lambda: quantity(rng)[1],
        "verdict": lambda: pick(rng, ("합격", "불합격", "보류", "양호", "교체 필요", "해당 없음")),
        "team": lambda: pick(rng, _UNITS_OF_PEOPLE),
    }
    return [makers[kind]() for kind in kinds]


COLUMN_NAMES = {
    "no": "번호", "part": "부품명", "fault": "불량 유형", "count": "수량", "money": "금액(원)", "code": "관리 번호", "day": "일자",
    "person": "담당자", "value": "측정값", "verdict": "판정", "team": "담당 부서",
}  # fmt: skip
"""What stands over the columns of :func:`row`."""
