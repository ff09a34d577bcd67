"""Workbooks, slides and mails of the example drive."""

from __future__ import annotations

import io
from datetime import UTC, datetime
from email.message import EmailMessage
from email.policy import SMTP
from typing import TYPE_CHECKING

import openpyxl
from openpyxl.styles import Font, PatternFill
from pptx import Presentation
from pptx.chart.data import CategoryChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.util import Inches
from share_office import settled

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["mail", "quality_slides", "torque_ledger", "workbook"]

_MOMENT = datetime(2024, 3, 1, 9, 0, tzinfo=UTC).replace(tzinfo=None)
_BOLD = Font(bold=True)
_GREY = PatternFill("solid", fgColor="FFDDDDDD")
_LEDGER_ROWS = 36


def _saved(book: openpyxl.Workbook, title: str, author: str) -> bytes:
    book.properties.title = title
    book.properties.creator = author
    book.properties.created = book.properties.modified = _MOMENT
    stored = io.BytesIO()
    book.save(stored)
    return settled(stored.getvalue())


def workbook(name: str, rows: Sequence[Sequence[object]], *, title: str, author: str) -> bytes:
    """A workbook of one sheet whose first row names the columns."""
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.title = name
    for row in rows:
        sheet.append(list(row))
    for cell in sheet[1]:
        cell.font, cell.fill = _BOLD, _GREY
    return _saved(book, title, author)


def torque_ledger() -> bytes:
    """The torque ledger: a header of two lines with merged cells, and a hidden sheet of unit prices."""
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.title = "체결토크"
    sheet["A1"] = "체결 토크 관리대장 (2024년 3월)"
    sheet["A1"].font = Font(bold=True, size=14)
    heads = {
        "A3": "관리번호",
        "B3": "품번",
        "C3": "체결부",
        "D3": "토크 기준 (N·m)",
        "G3": "측정 결과 (N·m)",
        "I3": "판정",
        "J3": "측정일",
    }
    second = {"D4": "하한", "E4": "목표", "F4": "상한", "G4": "1차", "H4": "2차"}
    for place, text in {**heads, **second}.items():
        sheet[place] = text
        sheet[place].font, sheet[place].fill = _BOLD, _GREY
    for area in ("A3:A4", "B3:B4", "C3:C4", "D3:F3", "G3:H3", "I3:I4", "J3:J4"):
        sheet.merge_cells(area)
    for number in range(_LEDGER_ROWS):
        part = ("HB-1001", "HB-2002", "HB-3003")[number % 3]
        joint = ("브라켓 M8", "하우징 M10", "커버 M6")[number % 3]
        low, aim, high = ((12.0, 12.5, 13.0), (24.0, 25.0, 26.0), (7.5, 8.0, 8.5))[number % 3]
        first = round(aim + (number % 5 - 2) * 0.1, 1)
        again = round(aim + (number % 4 - 1) * 0.1, 1)
        verdict = "합격"
        if number == 19:  # noqa: PLR2004  the one bad measurement of the story
            first, verdict = 26.8, "불합격"
        day = datetime(2024, 3, 4 + number // 2, tzinfo=UTC).date()
        sheet.append(
            [f"TQ-2403-{number + 1:03d}", part, joint, low, aim, high, first, again, verdict, day]
        )
    hidden = book.create_sheet("단가")
    hidden.sheet_state = "hidden"
    for row in (["품번", "납품 단가(원)"], ["HB-1001", 1840], ["HB-2002", 5270], ["HB-3003", 960]):
        hidden.append(row)
    return _saved(book, "체결 토크 관리대장", "이정민")


def quality_slides() -> bytes:
    """Three slides with a chart, a table and speaker notes."""
    deck = Presentation()
    core = deck.core_properties
    core.title, core.author = "2024년 1분기 품질 실적 보고", "김하늘"
    core.created = core.modified = _MOMENT
    first = deck.slides.add_slide(deck.slide_layouts[0])
    first.shapes.title.text = "2024년 1분기 품질 실적 보고"
    first.placeholders[1].text = "한빛정밀 품질보증팀 · 2024.04.05"
    second = deck.slides.add_slide(deck.slide_layouts[5])
    second.shapes.title.text = "고객 불량률 추이 (ppm)"
    data = CategoryChartData()
    data.categories = ["1월", "2월", "3월"]
    data.add_series("고객 불량률", (51, 44, 31))
    data.add_series("목표", (50, 45, 40))
    second.shapes.add_chart(
        XL_CHART_TYPE.COLUMN_CLUSTERED, Inches(1), Inches(1.8), Inches(8), Inches(4.5), data
    )
    second.notes_slide.notes_text_frame.text = (
        "1분기 평균은 42 ppm이다. 작년 4분기 58 ppm에서 개선된 주된 이유는 세척 온도 상향이다."
    )
    third = deck.slides.add_slide(deck.slide_layouts[5])
    third.shapes.title.text = "2분기 중점 과제"
    rows = [
        ["과제", "담당", "기한"],
        ["브라켓 두께 변경 양산 적용", "이정민", "2024.04.15"],
        ["수입검사 자동화", "최유진", "2024.06.28"],
    ]
    table = third.shapes.add_table(3, 3, Inches(1), Inches(1.8), Inches(8), Inches(2)).table
    for r, row in enumerate(rows):
        for c, text in enumerate(row):
            table.cell(r, c).text = text
    stored = io.BytesIO()
    deck.save(stored)
    return settled(stored.getvalue())


def mail(
    headers: Sequence[tuple[str, str]],
    body: str,
    attachments: Sequence[tuple[str, str, bytes]] = (),
) -> bytes:
    """A mail with attachments ``(name, media type, bytes)``; its boundary is fixed."""
    message = EmailMessage(policy=SMTP)
    for name, value in headers:
        message[name] = value
    message.set_content(body)
    for name, media, data in attachments:
        main, _, sub = media.partition("/")
        message.add_attachment(data, maintype=main, subtype=sub, filename=name)
    if attachments:
        message.set_boundary("=_hanbit_example_boundary")
    return message.as_bytes()
