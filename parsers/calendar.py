"""Calendar files and invitations (iCalendar, RFC 5545): who meets when, where and what about."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime

from contracts.documents import Block, BlockKind, ParsedDocument
from contracts.errors import ParseFailure
from contracts.failures import FailureClass
from contracts.parsing import ParserContext, ParserInput
from parsers.common.charset import decode_text, without_surrogates
from parsers.common.office_quality import Findings, page_quality

__all__ = ["CalendarParser"]

_FOLD = re.compile(r"\r?\n[ \t]")
# RFC 5545, 3.1: name, parameters (values may be quoted), value.
_LINE = re.compile(r'([A-Za-z0-9-]+)((?:;[^=:;]+=(?:"[^"]*"|[^":;])*)*):(.*)', re.DOTALL)
_PARAMETER = re.compile(r';([^=:;]+)=((?:"[^"]*"|[^":;])*)')
_ESCAPED = re.compile(r"\\([\\;,nN])")
_MAILTO = re.compile(r"^mailto:", re.IGNORECASE)
_ENTRIES = frozenset({"VEVENT", "VTODO", "VJOURNAL"})
_LABELS = {
    "DTSTART": "시작 start",
    "DTEND": "끝 end",
    "DUE": "기한 due",
    "DURATION": "기간 duration",
    "RRULE": "반복 repeats",
    "LOCATION": "장소 location",
    "ORGANIZER": "주최 organizer",
    "ATTENDEE": "참석 attendee",
    "STATUS": "상태 status",
    "CATEGORIES": "분류 category",
    "URL": "URL",
    "COMMENT": "의견 comment",
    "DESCRIPTION": "",
}
_MOST_ENTRIES = 20_000


@dataclass(slots=True)
class _Entry:
    """One event, task or note: its lines by name, in the order of the file."""

    fields: dict[str, list[str]] = field(default_factory=dict)


class CalendarParser:
    """Reads events, tasks and notes; alarms and time zone tables are not text for people."""

    def parse(self, source: ParserInput, context: ParserContext) -> ParsedDocument:  # noqa: ARG002
        """Parse one calendar: a heading and its details for each entry.

        Raises:
            ParseFailure: ``empty`` for a calendar without entries.
        """
        decoded = decode_text(source.path.read_bytes(), "utf-8")
        text = without_surrogates(decoded.text).lstrip("\ufeff")
        entries = list(_entries(text))
        findings = Findings()
        if not decoded.sound:
            findings.partial.append(f"some bytes do not fit {decoded.charset}")
        if len(entries) > _MOST_ENTRIES:
            findings.partial.append(f"more than {_MOST_ENTRIES} entries: the rest is left out")
        blocks = [block for entry in entries[:_MOST_ENTRIES] for block in _blocks(entry)]
        if not blocks:
            raise ParseFailure(FailureClass.EMPTY, "a calendar without entries")
        return ParsedDocument(
            format="ics",
            title=next((b.text for b in blocks if b.kind is BlockKind.HEADING), ""),
            blocks=tuple(blocks),
            quality=findings.quality([page_quality(1, blocks)]),
            warnings=tuple(findings.partial),
        )


def _entries(text: str) -> Iterator[_Entry]:
    entry: _Entry | None = None
    inside: list[str] = []
    for line in _FOLD.sub("", text).splitlines():
        match = _LINE.fullmatch(line.strip("\r\n\0"))
        if match is None:
            continue
        name, parameters, value = match[1].upper(), match[2], match[3]
        if name == "BEGIN":
            inside.append(value.strip().upper())
            entry = _Entry() if inside[-1] in _ENTRIES else entry
        elif name == "END":
            if entry is not None and inside and inside[-1] in _ENTRIES:
                yield entry
                entry = None
            inside = inside[:-1]
        elif entry is not None and inside[-1] in _ENTRIES:
            found = _value(name, dict(_PARAMETER.findall(parameters.upper())), parameters, value)
            entry.fields.setdefault(name, []).append(found)
    if entry is not None:
        yield entry  # cut off: what is there


def _value(name: str, upper: dict[str, str], parameters: str, value: str) -> str:
    text = _ESCAPED.sub(lambda m: "\n" if m[1] in "nN" else m[1], value).strip()
    given = {key.upper(): found.strip('"') for key, found in _PARAMETER.findall(parameters)}
    if name in ("ORGANIZER", "ATTENDEE"):
        address = _MAILTO.sub("", text)
        person = given.get("CN", "")
        return f"{person} <{address}>" if person and person != address else address
    if name in ("DTSTART", "DTEND", "DUE"):
        return _moment(text, given.get("TZID", ""), whole_day=upper.get("VALUE") == "DATE")
    return text


def _moment(text: str, zone: str, *, whole_day: bool) -> str:
    """``20261102T100000`` as ``2026-11-02 10:00`` with its zone; other texts as they are."""
    try:
        if whole_day or "T" not in text:
            return f"{datetime.strptime(text[:8], '%Y%m%d'):%Y-%m-%d}"  # noqa: DTZ007  local by definition
        moment = datetime.strptime(text[:15], "%Y%m%dT%H%M%S")  # noqa: DTZ007  the zone stands beside it
    except ValueError:
        return text
    zone = "UTC" if text.endswith("Z") else zone
    return f"{moment:%Y-%m-%d %H:%M}{f' ({zone})' if zone else ''}"


def _blocks(entry: _Entry) -> Iterator[Block]:
    for summary in entry.fields.get("SUMMARY", [])[:1]:
        if summary:
            yield Block(kind=BlockKind.HEADING, text=" ".join(summary.split()), level=2)
    for name, label in _LABELS.items():
        for text in entry.fields.get(name, ()):
            if text:
                yield Block(kind=BlockKind.PARAGRAPH, text=f"{label}: {text}" if label else text)
