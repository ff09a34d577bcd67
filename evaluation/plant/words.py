"""What things are called: as documents call them, as people ask for them without those words, and in English.

Written by hand. The plain names and questions share no word with what the documents say, so that words alone do not find it.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["MACHINES", "PARTS", "PLANTS", "SUPPLIERS", "Name", "machine_names"]


@dataclass(frozen=True, slots=True)
class Name:
    """One thing's names.

    Attributes:
        formal: As documents call it.
        plain: As somebody calls it who does not remember that; shares no word with ``formal``.
        english: In English.
    """

    formal: str
    plain: str
    english: str


PARTS = (
    Name("로어 암", "바퀴를 아래에서 받치는 팔", "lower arm"),
    Name("스티어링 너클", "조향축을 물고 있는 쇳덩이", "steering knuckle"),
    Name("캘리퍼 브라켓", "제동 장치를 붙잡는 고정쇠", "caliper bracket"),
    Name("트랜스미션 하우징", "변속 장치를 감싸는 통", "transmission housing"),
    Name("드라이브 샤프트", "구동력을 전하는 긴 축", "drive shaft"),
    Name("오일 팬", "엔진 밑에서 윤활유를 담는 그릇", "oil pan"),
    Name("워터 펌프 커버", "냉각수 돌리는 장치의 뚜껑", "water pump cover"),
    Name("타이밍 체인 가이드", "사슬이 지나는 길잡이", "timing chain guide"),
    Name("흡기 매니폴드", "공기를 나눠 넣는 관 뭉치", "intake manifold"),
    Name("실린더 헤드", "엔진 윗덩어리", "cylinder head"),
    Name("범퍼 빔", "앞뒤 충돌을 막는 가로 쇠대", "bumper beam"),
    Name("시트 레일", "의자가 앞뒤로 미끄러지는 줄쇠", "seat rail"),
    Name("도어 힌지", "문짝이 매달려 돌아가는 쇠", "door hinge"),
    Name("연료 레일", "기름을 분사구로 나눠 주는 관", "fuel rail"),
    Name("배터리 트레이", "축전지 받침", "battery tray"),
    Name("인버터 케이스", "전력 변환기 껍데기", "inverter case"),
    Name("모터 스테이터", "전동기의 멈춰 있는 쪽", "motor stator"),
    Name("휠 허브", "바퀴 한가운데 축받이", "wheel hub"),
    Name("스태빌라이저 링크", "차체 기울기를 막는 이음대", "stabilizer link"),
    Name("쇼크 업소버 마운트", "충격을 삼키는 기둥의 윗받침", "shock absorber mount"),
    Name("클러치 커버", "동력을 끊고 잇는 판의 덮개", "clutch cover"),
    Name("터보 하우징", "과급기를 싸는 통", "turbo housing"),
    Name("배기 플랜지", "매연관을 잇는 테두리", "exhaust flange"),
    Name("에어컨 컴프레서 브라켓", "냉방기 압축기를 거는 쇠", "air conditioner compressor bracket"),
)

MACHINES = {
    "PRS": Name("프레스", "내리눌러 찍는 기계", "press"),
    "CNC": Name("가공기", "쇠를 깎는 기계", "machining centre"),
    "WLD": Name("용접 로봇", "불꽃으로 붙이는 자동 팔", "welding robot"),
    "INJ": Name("사출기", "녹인 수지를 틀에 밀어 넣는 기계", "injection moulding machine"),
    "WSH": Name("세척기", "부품을 물로 씻는 장치", "washing machine"),
    "FUR": Name("열처리로", "쇠를 달구는 가마", "heat treatment furnace"),
    "ASM": Name("조립기", "볼트를 조이는 자동 장치", "assembly machine"),
    "PNT": Name("도장 부스", "색을 뿌리는 방", "painting booth"),
}
"""By the letters of their tags."""

PLANTS = (("천안", "Cheonan"), ("창원", "Changwon"), ("울산", "Ulsan"), ("광주", "Gwangju"))

SUPPLIERS = (
    "동명소재", "신우정공", "태광볼트", "미래표면", "한결수지", "대림주조", "성진고무", "우진센서", "세종윤활", "보성포장",
    "가온정밀", "청운열처리", "다산베어링", "유일스프링", "명성단조", "금호실링", "해성도금", "이룸전장", "삼우툴링", "정도물류",
)  # fmt: skip


def machine_names(tag: str, plant: int, line: int) -> Name:
    """A machine's names; plant and line tell machines of one kind apart."""
    kind = MACHINES[tag.partition("-")[0]]
    korean, english = PLANTS[plant]
    return Name(
        f"{korean} {line}라인 {kind.formal}",
        f"{korean} 공장 {line}번 줄의 {kind.plain}",
        f"{kind.english} of {english} line {line}",
    )
