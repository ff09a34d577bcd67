"""8D reports and incoming inspection reports."""

from __future__ import annotations

from datetime import timedelta

from evaluation.plant.kinds.common import TEXT_FORMS, dotted, pick, title_block
from evaluation.plant.model import Block, Document, Fact, Item, Pages, Place, Subject
from evaluation.plant.particles import settled_particles
from evaluation.plant.world import YEAR, World

__all__ = ["eight_d", "inspection"]

_DEFECTS = (
    (
        "균열",
        "냉각수 노즐 막힘으로 인한 국부 과열",
        "비파괴 검사 주기 누락",
        "노즐 세척을 일상 점검 항목에 추가",
    ),
    ("누유", "오링 홈 가공 깊이 부족", "기밀 시험 압력 설정값 오류", "홈 깊이 전수 측정기 설치"),
    ("이음 발생", "부시 압입 치수 편차", "소음 측정실 배경음 과다", "압입 하중 감시 장치 도입"),
    ("도막 박리", "탈지액 농도 저하", "밀착력 시험 생략", "농도 자동 보충 장치 설치"),
    ("볼트 풀림", "너트러너 각도 센서 불량", "맞춤선 확인 미실시", "각도 센서 이중화"),
    ("치수 이탈", "공구 보정값 오입력", "측정기 교정 만료", "보정값 입력 권한 제한"),
    ("녹 발생", "방청유 도포 누락", "포장 습도 관리 미흡", "도포 감지 카메라 설치"),
    ("오조립", "유사 부품 혼입", "바코드 대조 생략", "품번 판별 비전 도입"),
    ("미성형", "수지 건조 시간 부족", "중량 선별기 꺼짐", "건조기 인터록 적용"),
    ("용접 파단", "전극 팁 마모 한계 초과", "절단 시험 주기 미준수", "타점 수 자동 계수"),
    ("긁힘", "적재 대차 스펀지 탈락", "외관 검사 조도 부족", "대차 완충재 교체 주기 신설"),
    ("경도 부족", "냉각유 교반기 정지", "시험편 채취 위치 오류", "교반기 전류 감시 경보 추가"),
)
"""Defect, root cause, why it got out, permanent action."""

_CUSTOMERS = ("한도자동차", "미르모터스", "가람상용차", "누리전기차", "백두자동차")
_EIGHT = (
    (
        "근본 원인",
        ("{s}의 근본 원인은 무엇인가?", "{s}에서 밝힌 근본 원인을 알려 줘"),
        ("{s} 왜 그런 일이 생긴 거예요?", "{s} 애초에 뭐 때문에 벌어졌나요?"),
        ("What was the root cause of {s}?",),
    ),
    (
        "유출 원인",
        ("{s}의 유출 원인은?", "{s}에서 유출 원인으로 적은 것은?"),
        ("{s} 왜 우리 쪽에서 못 걸러 내고 나갔나요?", "{s} 밖으로 흘러 나가기 전에 못 잡은 까닭이 뭐죠?"),
        ("Why did the defect escape in {s}?",),
    ),
    (
        "영구 대책",
        ("{s}의 영구 대책은 무엇인가?", "{s}에서 정한 영구 대책은?"),
        ("{s} 다시는 안 생기게 뭘 하기로 했어요?", "{s} 되풀이되지 않도록 어떻게 손봤나요?"),
        ("What permanent action was taken in {s}?",),
    ),
)  # fmt: skip


def eight_d(world: World, number: int) -> Item:
    """An 8D report: only quality and management may read it."""
    rng = world.rng("8d", number)
    part = world.part(number * 2 + 1)
    defect, *texts = _DEFECTS[(number * 5 + number // len(_DEFECTS)) % len(_DEFECTS)]
    code = f"QP-8D-{YEAR % 100}-{number + 11:04d}"
    day = world.day(rng)
    customer = pick(rng, _CUSTOMERS)
    count = f"{rng.randrange(3, 480)}개"
    leader = pick(rng, world.staff("qa"))
    title = f"{part.names.formal} {defect} 8D 보고서"
    stop = pick(rng, ("재고 전수 선별", "출하 중지 후 재검사", "고객 라인 선별 인원 파견"))
    blocks: tuple[Block, ...] = (
        ("h1", title),
        title_block([("보고서번호", code), ("고객", customer), ("발생일", dotted(day)), ("불량 수량", count),
                     ("품번", part.number), ("작성자", leader.name)]),
        ("h2", "D1. 팀 구성"), ("p", f"팀장 {leader.name}, 팀원 {pick(rng, world.staff('prodtech')).name}, {pick(rng, world.staff('make1')).name}"),
        ("h2", "D2. 문제 기술"), ("p", f"{customer} 조립 라인에서 {part.names.formal}의 {defect} 현상이 {count} 발견되었다."),
        ("h2", "D3. 임시 조치"), ("p", settled_particles(f"{stop}을(를) 실시하였다.")),
        ("h2", "D4. 원인 분석"), ("table", (("구분", "내용"), ("근본 원인", texts[0]), ("유출 원인", texts[1]))),
        ("h2", "D5. 대책 수립"), ("table", (("구분", "내용", "완료 예정"), ("영구 대책", texts[2], dotted(day + timedelta(days=30))))),
        ("h2", "D6. 효과 확인"), ("p", "대책 적용 후 3개 롯트를 추적한 결과 재발하지 않았다."),
        ("h2", "D8. 종결"), ("p", "팀의 노고에 감사한다."),
    )  # fmt: skip
    form = pick(rng, TEXT_FORMS)
    path = f"품질/8D/{YEAR}/{code}_{part.names.formal} {defect}.{form}"
    document = Document(
        path, form, Pages(title, leader.name, blocks, f"{code}  대외비"), day, secret=True
    )
    name = f"{part.names.formal} {defect}"
    english = (f"the 8D report {code}",)
    subject = Subject(
        (f"{code} {name}", f"{name} 8D 보고서"),
        (f"{part.names.plain} 고객 불만 건({customer})",),
        english,
        code,
    )
    place = Place(page=0) if form == "pdf" else Place()
    facts = [
        Fact(
            id=f"{code}/{label}", kind="8d", subject=subject, label=label, answers=(text,), docs=(path,),
            exact=exact, plain=plain, english=in_english, place=place, look=(code, label), link=part.number,
            asked=frozenset({"code", "paraphrase", "english", "permission", "keyboard"}),
        )
        for (label, exact, plain, in_english), text in zip(_EIGHT, texts, strict=True)
    ]  # fmt: skip
    facts.append(
        Fact(
            id=f"{code}/불량 수량", kind="8d", subject=subject, label="불량 수량", answers=(count,), docs=(path,),
            exact=("{s}의 불량 수량은?", "{s}에서 불량은 몇 개였나?"),
            plain=("{s} 잘못된 물건이 몇 대나 나왔어요?",), english=("How many defective pieces were there in {s}?",),
            asked=frozenset({"code", "table", "permission"}), place=place, look=(code, "불량 수량"), link=part.number,
        )
    )  # fmt: skip
    return Item((document,), tuple(facts))


_DIMENSIONS = ("외경", "내경", "전장", "홀 피치", "평면도", "동심도", "두께", "플랜지 폭")


def inspection(world: World, number: int, form: str | None = None) -> Item:
    """An inspection report of a supplier's lot, measured values by dimension."""
    rng = world.rng("inspection", number)
    part = world.part(number * 2)
    code = f"IR-{YEAR % 100}{1 + number % 12:02d}-{number + 31:04d}"
    lot = f"L{rng.randrange(10, 99)}{number + 1001:05d}"
    supplier = world.supplier(number * 3)
    day = world.day(rng)
    names = rng.sample(_DIMENSIONS, 5)
    rows: list[tuple[str, ...]] = [("No.", "검사 항목", "규격", "측정값", "판정")]
    measured = {}
    for place, name in enumerate(names, start=1):
        nominal = rng.randrange(80, 2400) / 10
        value = nominal + rng.choice((-1, 1)) * rng.randrange(1, 45) / 1000
        measured[name] = f"{value:.3f}"
        rows.append((str(place), name, f"{nominal:.1f} ± 0.05", measured[name], "합격"))
    inspector = pick(rng, world.staff("iqc"))
    title = f"{supplier} {part.names.formal} 수입검사 성적서"
    blocks: tuple[Block, ...] = (
        ("h1", title),
        title_block([("성적서번호", code), ("롯트번호", lot), ("검사일", dotted(day)), ("업체", supplier),
                     ("품번", part.number), ("검사자", inspector.name)]),
        ("h2", "측정 결과"),
        ("table", tuple(rows)),
        ("p", f"종합 판정: 합격. 시료 {rng.randrange(3, 9)}개를 3차원 측정기로 측정하였다."),
    )  # fmt: skip
    form = form or pick(rng, ("docx", "pdf", "hwpx", "docx"))
    extension = "pdf" if form.startswith("scan") else form
    named = f"{code}_{supplier}" if not form.startswith("scan") else f"스캔_{number + 1:05d}"
    path = f"품질/수입검사/{YEAR}/{named}.{extension}"
    document = Document(path, form, Pages(title, inspector.name, blocks), day)
    subject = Subject(
        (f"{supplier} {part.names.formal} 롯트 {lot}", f"성적서 {code}"),
        (f"{supplier}에서 들어온 {part.names.plain} 묶음 {lot}",), (f"lot {lot} of the {part.names.english}",), code,
    )  # fmt: skip
    facts = tuple(
        Fact(
            id=f"{code}/{name}", kind="scan" if extension != form else "inspection", subject=subject, label=name,
            answers=(value,), docs=(path,), look=(lot, name),
            exact=(f"{{s}}의 {name} 측정값은?", f"{{s}}에서 {name} 측정값은 얼마인가?"),
            plain=(f"{{s}} 재어 보니 {name}이(가) 얼마로 나왔어요?",),
            asked=frozenset({"code", "table", "keyboard"}), place=Place(page=0) if extension == "pdf" else Place(),
        )
        for name, value in measured.items()
    )  # fmt: skip
    return Item((document,), facts)
