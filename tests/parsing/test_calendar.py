"""Invitations: who, when, where and what about."""

from __future__ import annotations

import pytest

from contracts.errors import ParseFailure
from contracts.failures import FailureClass

INVITATION = """BEGIN:VCALENDAR
METHOD:REQUEST
BEGIN:VTIMEZONE
TZID:Asia/Seoul
BEGIN:STANDARD
DTSTART:16010101T000000
END:STANDARD
END:VTIMEZONE
BEGIN:VEVENT
SUMMARY;LANGUAGE=ko:주간 품질 회의
DTSTART;TZID="Asia/Seoul":20261102T100000
DTEND:20261102T020000Z
LOCATION:3층\\, 회의실
ORGANIZER;CN="김철수: 팀장":mailto:kim@plant.example
ATTENDEE;ROLE=REQ-PARTICIPANT;CN=박영희:MAILTO:park@plant.example
DESCRIPTION:안건: 불량률\\n대책을
  논의
BEGIN:VALARM
DESCRIPTION:알림
END:VALARM
END:VEVENT
BEGIN:VTODO
SUMMARY:보고서 제출
DUE;VALUE=DATE:20261105
END:VTODO
END:VCALENDAR
"""


def test_entries_with_their_times_places_and_people(parse_as):
    document = parse_as(INVITATION.replace("\n", "\r\n").encode(), "ics")
    assert document.title == "주간 품질 회의"
    assert [block.text for block in document.blocks] == [
        "주간 품질 회의",
        "시작 start: 2026-11-02 10:00 (Asia/Seoul)",
        "끝 end: 2026-11-02 02:00 (UTC)",
        "장소 location: 3층, 회의실",
        "주최 organizer: 김철수: 팀장 <kim@plant.example>",
        "참석 attendee: 박영희 <park@plant.example>",
        "안건: 불량률\n대책을 논의",
        "보고서 제출",
        "기한 due: 2026-11-05",
    ]


def test_a_cut_calendar_gives_what_is_there(parse_as):
    data = INVITATION[: INVITATION.index("ATTENDEE")].encode("cp949")
    document = parse_as(data, "ics")
    assert "장소 location: 3층, 회의실" in [block.text for block in document.blocks]


def test_a_calendar_without_entries_is_empty(parse_as):
    with pytest.raises(ParseFailure) as caught:
        parse_as(b"BEGIN:VCALENDAR\nVERSION:2.0\nEND:VCALENDAR\n", "ics")
    assert caught.value.failure is FailureClass.EMPTY
