"""From a parsed document and what is known of its item to a version with its evidence.

Evidence is ranked: title block and header, revision table, first lines, properties, file name, folder, container.
The strongest reading of a field wins; disagreement is reported, never settled silently. One exception: an explicit
mark of withdrawal demotes at once, wherever it stands, and the disagreement is reported as well.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from contracts.versions import DocumentVersion, Evidence, EvidenceSource, Status
from metadata.codes import find_codes
from metadata.dates import parse_date
from metadata.families import family_key
from metadata.folding import fold_code, fold_name
from metadata.items import container_readings, item_readings, property_readings
from metadata.kinds import RECORD_TYPES, is_record, type_of_text
from metadata.languages import language_of
from metadata.master import CodeMaster
from metadata.places import segments
from metadata.readings import read_pages
from metadata.revisions import Revision, parse_revision
from metadata.threads import thread_keys
from metadata.titles import title_readings, title_status

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import date

    from contracts.documents import ParsedDocument

__all__ = ["EnrichInput", "EnrichRules", "enrich"]

_ORDER = {source: rank for rank, source in enumerate(EvidenceSource)}
_CONTESTED = ("document_number", "security_level", "department", "effective_date")
_MAIL_FORMATS = frozenset({"eml", "msg", "mbox", "mail"})
_LANGUAGE_SAMPLE = 20_000


@dataclass(frozen=True, slots=True, kw_only=True)
class EnrichInput:
    """What is known of an item besides its content.

    Attributes:
        path: Relative to the source's root; for a child, ``container path!/member name``.
        name: File name.
        modified: Day of the last change, or None.
        containers: Versions of the containers, outermost first.
        mail: Headers of the mail that it hangs on (``from``, ``subject``, ``date``), empty otherwise.
        departments: Department or departments that own the source; one alone is a default.
    """

    path: str
    name: str
    modified: date | None = None
    containers: tuple[DocumentVersion, ...] = ()
    mail: Mapping[str, str] = field(default_factory=dict)
    departments: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class EnrichRules:
    """What an organisation brings along: its code master, its departments and their other names."""

    code_master: CodeMaster = field(default_factory=CodeMaster)
    departments: tuple[str, ...] = ()
    department_aliases: Mapping[str, str] = field(default_factory=dict)


def enrich(document: ParsedDocument, item: EnrichInput, rules: EnrichRules) -> DocumentVersion:
    """Read every field from every place, choose by rank, and report what disagrees.

    Pure: the same arguments give an equal result. Nothing is raised for odd content.
    """
    mail = document.format in _MAIL_FORMATS
    readings = [] if mail else read_pages(document)
    readings += property_readings(document, rules.departments, mail=mail)
    readings += item_readings(item.path, item.name, rules.departments)
    readings += container_readings(item.containers, item.mail, item.departments)
    if item.modified:
        day = item.modified.isoformat()
        readings.append(Evidence("issued_date", day, EvidenceSource.DEFAULT, day, "modified"))
    readings = [_canonical_department(reading, rules) for reading in readings]
    titles = title_readings(document, item.name, readings, mail=mail)
    readings += [] if mail else title_status(titles)
    kinds = _types(document, titles, readings, mail=mail)
    chosen_type = kinds[0].value if kinds else "other"
    readings = _numbered(readings, chosen_type, item.name)
    by_field = _ranked(
        [*titles, *kinds, *(r for r in readings if r.field not in {"title", "document_type"})]
    )
    return _version(document, item, rules, by_field)


def _version(
    document: ParsedDocument,
    item: EnrichInput,
    rules: EnrichRules,
    by_field: Mapping[str, Sequence[Evidence]],
) -> DocumentVersion:
    revision = _revision_of(by_field)
    status, explicit = _status_of(by_field)
    title = _first(by_field, "title") or item.name
    number = _first(by_field, "document_number")
    named = [(title, "title"), (item.name, f"file name {item.name}")]
    if number:
        named.insert(0, (number, by_field["document_number"][0].where))
    effective = _effective(by_field)
    sample = _sample(document)
    version = DocumentVersion(
        title=title,
        document_number=number,
        revision=revision.text if revision else "",
        revision_rank=revision.rank if revision else (),
        status=status,
        explicit_status=explicit,
        effective_date=effective,
        document_type=_first(by_field, "document_type") or "other",
        department=_first(by_field, "department"),
        author=_first(by_field, "author"),
        security_level=_first(by_field, "security_level"),
        codes=find_codes(document, named, rules.code_master),
        language=language_of(sample or title),
        evidence=_evidence(by_field, status),
        conflicts=_conflicts(by_field),
        threads=thread_keys(document.properties) if document.format in _MAIL_FORMATS else (),
    )
    return replace(version, family=family_key(version, item.path, item.name))


def _sample(document: ParsedDocument) -> str:
    texts: list[str] = []
    length = 0
    for text, _ in segments(document):
        texts.append(text)
        length += len(text)
        if length >= _LANGUAGE_SAMPLE:
            break
    return " ".join(texts)


def _types(
    document: ParsedDocument,
    titles: Sequence[Evidence],
    readings: Iterable[Evidence],
    *,
    mail: bool,
) -> list[Evidence]:
    if mail:
        return [
            Evidence("document_type", "mail", EvidenceSource.PROPERTIES, document.format, "format")
        ]
    kinds = [reading for reading in readings if reading.field == "document_type"]
    for title in titles:
        found = type_of_text(title.value)
        if found:
            kinds.append(Evidence("document_type", found[0], title.source, found[1], title.where))
    return sorted(dict.fromkeys(kinds), key=lambda reading: _ORDER[reading.source])


def _numbered(readings: list[Evidence], document_type: str, name: str) -> list[Evidence]:
    """Numbers that are the document's own: a drawing's number is its document number, no other's."""
    if document_type != "drawing":
        return _as_record(readings, document_type, name)
    return [
        replace(reading, field="document_number") if reading.field == "drawing_number" else reading
        for reading in readings
    ]


def _as_record(readings: list[Evidence], document_type: str, name: str) -> list[Evidence]:
    """Records carry the day of their event and the numbers of what they are about, not their own."""
    if not is_record(document_type, name):
        return readings
    weak = {EvidenceSource.FILE_NAME, EvidenceSource.FOLDER}
    own = {"8d_report": "8D", "ecn": "EC", "minutes": "MOM", "notice": "NTC"}.get(document_type)
    kept = []
    for reading in readings:
        dated = reading.field == "revision" and _is_date(reading.value) and reading.source in weak
        other = (
            reading.field == "document_number"
            and document_type in RECORD_TYPES
            and reading.source in weak
            and not (own and own in reading.value)
        )
        if not dated and not other:
            kept.append(reading)
    return kept


def _ranked(readings: Iterable[Evidence]) -> dict[str, list[Evidence]]:
    by_field: dict[str, list[Evidence]] = {}
    for reading in readings:
        if reading not in by_field.setdefault(reading.field, []):
            by_field[reading.field].append(reading)
    for name, found in by_field.items():
        if name != "title":  # titles come ordered by what they tell
            found.sort(key=lambda reading: _ORDER[reading.source])
    revisions = by_field.get("revision", [])
    revisions.sort(key=lambda reading: (_is_date(reading.value), _ORDER[reading.source]))
    return by_field


def _first(by_field: Mapping[str, Sequence[Evidence]], name: str) -> str:
    found = by_field.get(name)
    return found[0].value if found else ""


def _is_date(value: str) -> bool:
    revision = parse_revision(value)
    return revision is not None and revision.is_date


def _revision_of(by_field: Mapping[str, Sequence[Evidence]]) -> Revision | None:
    value = _first(by_field, "revision")
    return parse_revision(value) if value else None


def _status_of(by_field: Mapping[str, Sequence[Evidence]]) -> tuple[Status, bool]:
    found = by_field.get("status", ())
    if any(reading.value == Status.OBSOLETE.value for reading in found):
        return Status.OBSOLETE, True
    return (Status(found[0].value), True) if found else (Status.UNKNOWN, False)


def _effective(by_field: Mapping[str, Sequence[Evidence]]) -> date | None:
    """시행일; where none is written, the day of the revision, else that of the first issue."""
    for name in ("effective_date", "revised_date", "established_date"):
        value = _first(by_field, name)
        if value:
            return parse_date(value)
    return None


def _evidence(by_field: Mapping[str, Sequence[Evidence]], status: Status) -> tuple[Evidence, ...]:
    evidence: list[Evidence] = []
    for name, found in by_field.items():
        if name == "status":
            found = sorted(found, key=lambda reading: reading.value != status.value)  # noqa: PLW2901  the chosen one first
        evidence.extend(found)
    return tuple(evidence)


def _conflicts(by_field: Mapping[str, Sequence[Evidence]]) -> tuple[str, ...]:
    conflicts = []
    revisions = {
        rank
        for reading in by_field.get("revision", ())
        if (found := parse_revision(reading.value)) and not found.is_date and (rank := found.rank)
    }
    if len(revisions) > 1:
        conflicts.append("revision")
    if len({reading.value for reading in by_field.get("status", ())}) > 1:
        conflicts.append("status")
    for name in _CONTESTED:
        fold = fold_code if name == "document_number" else fold_name
        own = {
            fold(reading.value)
            for reading in by_field.get(name, ())
            if reading.source not in {EvidenceSource.CONTAINER, EvidenceSource.DEFAULT}
            and not (name == "department" and reading.source is EvidenceSource.FOLDER)
        }
        if len(own) > 1:
            conflicts.append(name)
    return tuple(conflicts)


def _canonical_department(reading: Evidence, rules: EnrichRules) -> Evidence:
    if reading.field != "department":
        return reading
    names = {fold_name(alias): name for alias, name in rules.department_aliases.items()}
    names |= {fold_name(name): name for name in rules.departments}
    value = names.get(fold_name(reading.value), reading.value)
    return Evidence("department", value, reading.source, reading.raw, reading.where)
