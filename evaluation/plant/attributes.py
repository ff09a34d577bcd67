"""What documents state of things, and how people ask for it: for each attribute a label, values, and questions written by hand.

In questions ``{s}`` stands for the thing. No particle follows it that would depend on its last letter. ``exact`` uses the document's
label, ``plain`` uses none of its words, ``english`` is for a reader who does not write Korean.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["PROCESSES", "Attribute", "Process"]


@dataclass(frozen=True, slots=True)
class Attribute:
    """Something that a document states.

    Attributes:
        label: As the document calls it.
        values: What it may be; a chain of revisions takes different ones.
        exact: Questions in the document's words.
        plain: Questions in other words.
        english: Questions in English.
    """

    label: str
    values: tuple[str, ...]
    exact: tuple[str, ...]
    plain: tuple[str, ...]
    english: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Process:
    """A process that work standards are about.

    Attributes:
        code: Part of document numbers.
        formal: As documents call it.
        english: In English.
        attributes: What a standard sets.
        steps: What is done, in order.
        troubles: What to do when something is wrong.
    """

    code: str
    formal: str
    english: str
    attributes: tuple[Attribute, ...]
    steps: tuple[str, ...]
    troubles: tuple[str, ...]


def _range(form: str, values: range, scale: float = 1) -> tuple[str, ...]:
    return tuple(form.format(f"{v * scale:g}" if scale != 1 else v) for v in values)


PROCESSES = (
    Process(
        "WA", "세척", "washing",
        (
            Attribute("세척액 온도", _range("{} ± 3 ℃", range(41, 79)),
                      ("{s}의 세척액 온도 기준은 몇 도인가?", "{s}에서 세척액 온도는 얼마로 관리하나?"),
                      ("{s} 씻는 물은 몇 도로 맞춰야 해요?", "{s} 헹구기 전에 담그는 물이 얼마나 뜨거워야 하죠?", "{s} 닦아 내는 용액을 얼마나 데워 두나요?"),
                      ("What is the temperature of the washing liquid for the {s}?",)),
            Attribute("세척 시간", _range("{}초", range(95, 320, 5)),
                      ("{s}의 세척 시간은 몇 초인가?", "{s} 세척 시간 기준을 알려 줘"),
                      ("{s} 씻는 데 얼마 동안 돌려야 해요?", "{s} 물에 얼마나 오래 담가 두면 되나요?"),
                      ("How long is the {s} washed?",)),
            Attribute("분사 압력", _range("{} MPa", range(21, 79), 0.01),
                      ("{s} 세척의 분사 압력은 얼마인가?", "{s}에 적용하는 분사 압력 기준은?"),
                      ("{s} 씻을 때 물줄기를 얼마나 세게 쏘나요?", "{s} 노즐에서 물 뿜는 세기는 어느 정도예요?"),
                      ("What spray pressure is used when washing the {s}?",)),
        ),
        ("바스켓에 부품을 겹치지 않게 싣는다.", "투입구 문을 닫고 잠금 표시등을 확인한다.", "운전을 시작하고 계기 지시값을 기록지에 적는다.", "꺼낸 뒤 에어건으로 물기를 제거하고 방청유를 바른다."),
        ("계기 지시값이 기준을 벗어나면 투입을 멈추고 반장에게 알린다.", "필터 차압이 높으면 거름망을 교체한 뒤 다시 시작한다."),
    ),
    Process(
        "WD", "용접", "welding",
        (
            Attribute("용접 전류", _range("{} ± 5 A", range(142, 288, 3)),
                      ("{s}의 용접 전류 기준은 얼마인가?", "{s}에 적용하는 용접 전류는?"),
                      ("{s} 불꽃으로 이어 붙일 때 전기를 얼마나 흘려요?", "{s} 이음매 붙이는 작업에서 암페어를 몇으로 맞추죠?"),
                      ("What welding current is used for the {s}?",)),
            Attribute("가압력", _range("{} kgf", range(171, 420, 7)),
                      ("{s} 용접의 가압력 기준은?", "{s}의 가압력은 몇 kgf인가?"),
                      ("{s} 붙일 때 집게로 얼마나 세게 눌러야 하나요?", "{s} 두 판을 물리는 힘은 어느 정도예요?"),
                      ("With what force are the electrodes pressed when welding the {s}?",)),
            Attribute("전극 드레싱 주기", _range("{}타점", range(210, 960, 25)),
                      ("{s} 용접에서 전극 드레싱 주기는?", "{s}의 전극 드레싱 주기는 몇 타점인가?"),
                      ("{s} 붙이는 팁은 몇 번 찍고 갈아 줘야 해요?", "{s} 팁 끝을 얼마나 자주 다듬나요?"),
                      ("After how many spots are the electrodes dressed when welding the {s}?",)),
        ),
        ("지그의 위치 결정 핀에 부품을 맞춘다.", "클램프를 닫고 들뜸이 없는지 본다.", "자동 운전으로 붙이고 비드 모양을 눈으로 확인한다.", "초품과 종품은 절단 시험편으로 남긴다."),
        ("스패터가 많으면 팁 마모를 점검한다.", "비드가 끊기면 해당 롯트를 격리하고 전수 확인한다."),
    ),
    Process(
        "TQ", "체결", "tightening",
        (
            Attribute("체결 토크", _range("{} ± 2 N·m", range(22, 118)),
                      ("{s}의 체결 토크 기준은 얼마인가?", "{s}에 규정된 체결 토크는?"),
                      ("{s} 볼트를 얼마나 세게 조여야 해요?", "{s} 나사 죄는 힘이 어느 정도면 돼요?", "{s} 너트를 돌려 잠그는 세기 기준이 뭐였죠?"),
                      ("How tight are the bolts of the {s}?", "What is the tightening torque for the {s}?")),
            Attribute("체결 순서", tuple(f"{a}-{b}-{c}-{d}" for a, b, c, d in (
                (1, 3, 2, 4), (1, 4, 2, 3), (2, 4, 1, 3), (2, 3, 1, 4), (3, 1, 4, 2), (3, 2, 4, 1), (4, 1, 3, 2), (4, 2, 3, 1), (1, 2, 4, 3), (2, 1, 3, 4), (3, 4, 1, 2), (4, 3, 1, 2))),
                      ("{s} 볼트의 체결 순서는?", "{s}에서 체결 순서를 알려 줘"),
                      ("{s} 볼트는 어느 것부터 차례로 조여요?", "{s} 나사 네 개를 어떤 차례로 잠그죠?"),
                      ("In which order are the bolts of the {s} tightened?",)),
            Attribute("소켓 규격", _range("{} mm 6각", range(8, 33)),
                      ("{s} 체결에 쓰는 소켓 규격은?", "{s}의 소켓 규격을 알려 줘"),
                      ("{s} 조일 때 복스알은 몇 밀리짜리를 끼워요?", "{s} 볼트 머리에 끼우는 공구 크기는요?"),
                      ("Which socket size is used to tighten the {s}?",)),
        ),
        ("볼트를 손으로 두 산 이상 넣는다.", "너트러너의 프로그램 번호를 확인한다.", "완료 신호와 각도 표시를 확인한다.", "표시 펜으로 맞춤선을 긋는다."),
        ("NG 신호가 나면 풀지 말고 조장을 부른다.", "너트러너가 멈추면 수동 렌치로 임의 작업하지 않는다."),
    ),
    Process(
        "PT", "도장", "painting",
        (
            Attribute("건조 온도", _range("{} ± 5 ℃", range(112, 196)),
                      ("{s} 도장의 건조 온도는 몇 도인가?", "{s}의 건조 온도 기준은?"),
                      ("{s} 색 입힌 다음 굽는 오븐은 몇 도예요?", "{s} 칠하고 나서 말릴 때 얼마나 뜨겁게 하나요?"),
                      ("At what temperature is the paint of the {s} dried?",)),
            Attribute("도막 두께", _range("{} ± 4 ㎛", range(18, 70)),
                      ("{s}의 도막 두께 기준은?", "{s} 도장의 도막 두께는 얼마인가?"),
                      ("{s} 겉칠은 얼마나 두꺼워야 하죠?", "{s} 표면에 입힌 막이 몇 마이크론이면 되나요?"),
                      ("How thick is the paint on the {s}?",)),
            Attribute("도료 점도", _range("{}초 (FC#4)", range(14, 42)),
                      ("{s} 도장에서 도료 점도는?", "{s}의 도료 점도 기준은 몇 초인가?"),
                      ("{s} 뿌리는 액의 묽기는 어느 정도로 맞추나요?", "{s} 페인트 흐르는 시간은 컵으로 재서 얼마예요?"),
                      ("What paint viscosity is used for the {s}?",)),
        ),
        ("행거에 걸고 정전기를 제거한다.", "하도를 뿌리고 세팅 구간을 지난다.", "상도를 두 번 나누어 뿌린다.", "식은 뒤 밀착력 시험을 한다."),
        ("먼지 불량이 이어지면 급기 필터를 바꾼다.", "흘러내림이 보이면 토출량을 줄인다."),
    ),
    Process(
        "HT", "열처리", "heat treatment",
        (
            Attribute("가열 온도", _range("{} ± 10 ℃", range(812, 958, 2)),
                      ("{s} 열처리의 가열 온도는?", "{s}의 가열 온도 기준은 몇 도인가?"),
                      ("{s} 달굴 때 가마를 몇 도까지 올려요?", "{s} 담금질 전에 얼마나 뜨겁게 달구죠?"),
                      ("To what temperature is the {s} heated?",)),
            Attribute("유지 시간", _range("{}분", range(31, 140)),
                      ("{s} 열처리의 유지 시간은?", "{s}의 유지 시간은 몇 분인가?"),
                      ("{s} 달군 채로 얼마나 놔둬요?", "{s} 가마 속에 머무르는 기간은요?"),
                      ("How long is the {s} kept in the furnace?",)),
            Attribute("표면 경도", _range("HRC {} 이상", range(42, 63)),
                      ("{s}의 표면 경도 기준은?", "{s} 열처리 후 표면 경도는 얼마 이상이어야 하나?"),
                      ("{s} 달구고 식힌 겉면이 얼마나 단단해야 합격이에요?", "{s} 겉이 얼마나 딱딱하게 나와야 하나요?"),
                      ("How hard must the {s} be?",)),
        ),
        ("트레이에 간격을 두고 쌓는다.", "분위기 가스 유량을 확인한다.", "냉각유에 담그고 교반기를 돌린다.", "뜨임 후 시험편을 잘라 잰다."),
        ("가스 압력이 떨어지면 문을 열지 말고 질소로 바꾼다.", "변형이 크면 적재 간격을 넓힌다."),
    ),
    Process(
        "IJ", "사출", "injection moulding",
        (
            Attribute("금형 온도", _range("{} ± 4 ℃", range(44, 118)),
                      ("{s} 사출의 금형 온도는?", "{s}의 금형 온도 기준은 몇 도인가?"),
                      ("{s} 찍어 내는 틀은 몇 도로 데워요?", "{s} 수지 굳히는 틀이 얼마나 뜨거워야 해요?"),
                      ("What mould temperature is used for the {s}?",)),
            Attribute("보압", _range("{} bar", range(305, 890, 15)),
                      ("{s} 사출의 보압은 얼마인가?", "{s}에 적용하는 보압 기준은?"),
                      ("{s} 수지를 다 채운 뒤에 계속 밀어 주는 힘은요?", "{s} 오그라들지 않게 눌러 두는 세기는 몇 바예요?"),
                      ("What holding pressure is used for the {s}?",)),
            Attribute("냉각 시간", _range("{}초", range(12, 88)),
                      ("{s} 사출의 냉각 시간은?", "{s}의 냉각 시간은 몇 초인가?"),
                      ("{s} 틀에서 꺼내기 전에 얼마나 식혀요?", "{s} 굳을 때까지 기다리는 게 얼마예요?"),
                      ("How long does the {s} cool in the mould?",)),
        ),
        ("재료를 호퍼 건조기에 넣는다.", "퍼지한 뒤 초물 세 개를 버린다.", "게이트를 다듬고 외관을 본다.", "중량을 재어 기록한다."),
        ("플래시가 생기면 형체력을 확인한다.", "미성형이 나면 노즐 막힘을 본다."),
    ),
    Process(
        "PR", "프레스", "pressing",
        (
            Attribute("가압 톤수", _range("{}톤", range(82, 640, 6)),
                      ("{s} 프레스의 가압 톤수는?", "{s}의 가압 톤수 기준은 얼마인가?"),
                      ("{s} 내리찍을 때 몇 톤으로 눌러요?", "{s} 판을 눌러 모양 낼 때 힘이 얼마나 들어가죠?"),
                      ("With how many tonnes is the {s} pressed?",)),
            Attribute("슬라이드 높이", _range("{} mm", range(305, 720, 5), 1),
                      ("{s} 프레스의 슬라이드 높이는?", "{s}의 슬라이드 높이 기준은 몇 mm인가?"),
                      ("{s} 찍는 램을 어디까지 내려놓고 맞춰요?", "{s} 위아래 틀 사이는 얼마나 벌려 두나요?"),
                      ("What slide height is set for the {s}?",)),
            Attribute("윤활유 도포량", _range("{} g/㎡", range(11, 58), 0.1),
                      ("{s} 프레스의 윤활유 도포량은?", "{s}의 윤활유 도포량 기준은?"),
                      ("{s} 철판에 기름을 얼마나 발라요?", "{s} 찍기 전에 뿌리는 오일은 어느 만큼이죠?"),
                      ("How much lubricant is applied for the {s}?",)),
        ),
        ("코일 두께를 마이크로미터로 잰다.", "금형 안전 블록을 뺀다.", "양손 조작으로 초품을 뽑는다.", "버 높이를 확인하고 적재함에 담는다."),
        ("크랙이 보이면 즉시 멈추고 소재 시험표를 대조한다.", "이송 걸림이 나면 안전 블록을 넣고 들어간다."),
    ),
    Process(
        "MC", "가공", "machining",
        (
            Attribute("절삭 속도", _range("{} m/min", range(82, 330, 3)),
                      ("{s} 가공의 절삭 속도는?", "{s}의 절삭 속도 기준은 얼마인가?"),
                      ("{s} 깎을 때 날을 얼마나 빠르게 돌려요?", "{s} 쇠 깎는 빠르기는 어느 정도죠?"),
                      ("What cutting speed is used for the {s}?",)),
            Attribute("공구 교환 주기", _range("{}개", range(155, 1480, 25)),
                      ("{s} 가공의 공구 교환 주기는?", "{s}의 공구 교환 주기는 몇 개인가?"),
                      ("{s} 깎는 날은 몇 대 뽑고 갈아 끼워요?", "{s} 날을 얼마나 쓰면 새것으로 바꾸죠?"),
                      ("After how many pieces of the {s} is the tool changed?",)),
            Attribute("표면 거칠기", _range("Ra {} 이하", range(6, 48), 0.1),
                      ("{s}의 표면 거칠기 기준은?", "{s} 가공의 표면 거칠기는 얼마 이하인가?"),
                      ("{s} 깎은 자리가 얼마나 매끈해야 합격이에요?", "{s} 면이 까칠한 정도를 어디까지 봐 줘요?"),
                      ("How rough may the surface of the {s} be?",)),
        ),
        ("척에 물리고 흔들림을 잰다.", "원점을 확인하고 프로그램을 부른다.", "칩을 치우고 기준면을 닦는다.", "게이지로 전수 확인한다."),
        ("떨림이 나면 물림 길이를 줄인다.", "치수가 치우치면 보정값을 넣고 초품부터 다시 잰다."),
    ),
)  # fmt: skip
