"""Manuals of machines: text PDF in one or two columns, alarm tables, some as Word or Hangul documents."""

from __future__ import annotations

from evaluation.plant.kinds.common import pick, title_block
from evaluation.plant.model import Block, Document, Fact, Item, Pages, Place, Subject
from evaluation.plant.words import PLANTS
from evaluation.plant.world import COMPANY, World

__all__ = ["manual"]

_ALARMS = (
    ("서보 과부하", "이송축 윤활 부족", "윤활 펌프 유량 확인 후 원점 복귀"),
    ("램 평행도 이탈", "가이드 간극 과대", "가이드 라이너 조정"),
    ("유압 저하", "필터 막힘", "복귀 필터 교체"),
    ("냉각수 온도 높음", "열교환기 스케일", "열교환기 산세척"),
    ("문 열림 감지", "안전 스위치 위치 틀어짐", "스위치 브라켓 재고정"),
    ("공압 낮음", "배관 누설", "커플러 O링 교환"),
    ("주축 진동 큼", "공구 밸런스 불량", "공구 홀더 교체"),
    ("통신 끊김", "엔코더 케이블 단선", "케이블 재포설"),
    ("소재 미감지", "근접 센서 오염", "센서 면 청소"),
    ("과열", "냉각 팬 정지", "팬 모터 교체"),
    ("원점 이상", "배터리 방전", "절대치 배터리 교환 후 원점 재설정"),
    ("비상 정지", "라이트 커튼 차광", "광축 정렬"),
)
_OILS = ("ISO VG 32", "ISO VG 46", "ISO VG 68", "ISO VG 100", "리튬 그리스 2호", "식품용 그리스")
_CARE = (
    ("윤활유 교환 주기", ("1,000시간", "1,500시간", "2,000시간", "2,500시간", "3,000시간", "4,000시간"),
     ("{s}의 윤활유 교환 주기는?", "{s}에서 윤활유 교환 주기는 몇 시간인가?"),
     ("{s} 기름은 얼마나 돌리고 새로 넣어요?", "{s} 오일 갈아 주는 때가 언제예요?"),
     ("How often is the lubricant of the {s} replaced?",)),
    ("사용 윤활유", _OILS,
     ("{s}의 사용 윤활유는?", "{s}에 쓰는 사용 윤활유 규격은?"),
     ("{s} 어떤 기름을 넣어야 해요?", "{s} 오일은 무슨 등급을 쓰죠?"),
     ("Which oil does the {s} use?",)),
    ("정격 전력", tuple(f"{n} kW" for n in range(11, 118, 3)),
     ("{s}의 정격 전력은 얼마인가?", "{s} 제원의 정격 전력은?"),
     ("{s} 전기를 얼마나 먹어요?",),
     ("What is the rated power of the {s}?",)),
    ("필터 청소 주기", ("매일", "주 1회", "주 2회", "월 1회", "격주 1회", "분기 1회"),
     ("{s}의 필터 청소 주기는?",),
     ("{s} 거름망은 얼마나 자주 털어요?",),
     ("How often is the filter of the {s} cleaned?",)),
)  # fmt: skip
_TEXTS = (
    "설치 바닥의 수평은 1 m당 0.05 mm 이내로 맞춘다. 앵커 볼트는 경화제가 굳은 뒤에 조인다.",
    "전원을 넣기 전에 접지 저항을 재고 기록한다. 배선반의 문은 열쇠로 잠근다.",
    "운전자는 교육을 이수한 사람으로 제한하며, 두 사람이 함께 조작하지 않는다.",
    "이상한 소리나 냄새가 나면 비상 정지를 누르고 보전 담당자에게 알린다.",
    "정비 중에는 주전원을 내리고 잠금 장치와 표찰을 단다.",
    "예비품은 습기가 없는 곳에 두고 입고일 순서로 쓴다.",
    "이 장비는 수평 반송 거리 30 m 안에 소화기를 두어야 한다. 통로 폭은 1.2 m 이상으로 비워 둔다.",
    "운전을 시작하기 전에 안전문, 라이트 커튼, 양손 조작반의 동작을 차례로 시험하고 일일 점검표에 적는다.",
    "시험 운전은 무부하로 10분, 부하의 절반으로 10분 하고, 베어링의 온도 오름을 손이 아니라 온도계로 잰다.",
    "자동 운전 중에는 조작반의 열쇠를 빼어 반장이 보관한다. 수동으로 바꿀 때에는 속도가 저절로 낮아진다.",
    "칩과 이물은 브러시로 쓸어 내고, 압축 공기로 불지 않는다. 미끄럼면에 이물이 끼면 정도가 떨어진다.",
    "전기 부품의 조임은 해마다 다시 확인한다. 먼지가 쌓인 냉각 팬은 돌리면서 청소하지 않는다.",
    "분해한 부품은 맞춤 표시를 하고, 다시 조립할 때에는 반대 순서로 한다. 실 부품은 다시 쓰지 않는다.",
    "오래 세워 둘 때에는 가공면에 방청유를 바르고 덮개를 씌운다. 전지는 반년마다 확인한다.",
)


def manual(world: World, number: int) -> Item:
    """The manual of a machine."""
    rng = world.rng("manual", number)
    machine = world.machine(number)
    title = f"{machine.names.formal} {machine.tag} 설비 매뉴얼"
    care = {label: pick(rng, values) for label, values, *_ in _CARE}
    alarms = [
        (f"E-{100 + rng.randrange(1, 9) * 10 + place}", *a)
        for place, a in enumerate(rng.sample(_ALARMS, 6))
    ]
    texts = rng.sample(_TEXTS, len(_TEXTS))
    blocks: list[Block] = [
        ("h1", title),
        title_block([("설비번호", machine.tag), ("설치 장소", f"{PLANTS[machine.plant][0]}공장 {machine.line}라인"),
                     ("설비명", machine.names.formal), ("관리부서", "설비보전팀")]),
        ("h2", "1. 설치"), *(("p", text) for text in texts[:4]),
        ("h2", "2. 운전"), *(("p", text) for text in texts[4:9]),
        ("turn", None),
        ("h2", "3. 유지 보수"), *(("p", text) for text in texts[9:]),
        ("table", (("항목", "내용"), *care.items())),
        ("turn", None),
        ("h2", "4. 경보 코드"),
        ("table", (("코드", "경보", "원인", "조치"), *alarms)),
    ]  # fmt: skip
    form = pick(rng, ("pdf", "pdf", "pdf", "docx", "hwpx"))
    columns = 2 if form == "pdf" and rng.random() < 0.5 else 1
    path = f"설비/매뉴얼/{machine.tag.split('-')[0]}/{machine.tag}_{machine.names.formal} 매뉴얼.{form}"
    pages = Pages(title, "설비보전팀", tuple(blocks), f"{COMPANY} {machine.tag} 매뉴얼", columns)
    document = Document(path, form, pages, world.day(rng, 1, 3))
    subject = Subject(
        (machine.tag, machine.names.formal),
        (machine.names.plain,),
        (machine.names.english,),
        machine.tag,
    )
    paged = form == "pdf"
    facts = [
        Fact(
            id=f"{machine.tag}/{label}", kind="manual", subject=subject, label=label, answers=(care[label],), docs=(path,),
            exact=exact, plain=plain, english=english, place=Place(page=2) if paged else Place(), look=(machine.tag, label),
            asked=frozenset({"code", "table", "paraphrase", "english", "multi", "keyboard"}),
        )
        for label, _, exact, plain, english in _CARE
    ]  # fmt: skip
    for code, name, cause, action in alarms[:3]:
        facts.append(
            Fact(
                id=f"{machine.tag}/{code}", kind="manual", subject=subject, label=code, answers=(action,), docs=(path,),
                exact=(f"{{s}} 경보 {code}의 조치는?", f"{{s}}에서 {code} 경보가 뜨면 어떻게 조치하나?"),
                plain=(f"{{s}} 화면에 {code}라고 나오는데 뭘 해야 돼요?",), english=(f"What is to be done when the {{s}} shows {code}?",),
                place=Place(page=3) if paged else Place(), look=(machine.tag, code), asked=frozenset({"code", "table", "english", "keyboard"}),
            )
        )  # fmt: skip
        del name, cause
    return Item((document,), tuple(facts))
