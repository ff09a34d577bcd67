"""Readings from properties, file name, folders and containers."""

from __future__ import annotations

import re
from email.utils import parseaddr
from typing import TYPE_CHECKING

from contracts.versions import CodeKind, Evidence, EvidenceSource, Status
from metadata.codes import document_number_in
from metadata.dates import find_date
from metadata.folding import clip, fold_name, normalise
from metadata.kinds import is_type_only, type_of_text
from metadata.labels import field_of
from metadata.revisions import read_name
from metadata.statuses import folder_status, name_status
from metadata.titles import stem_of
from metadata.values import accept, security_mark

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from contracts.documents import ParsedDocument
    from contracts.versions import DocumentVersion

__all__ = ["container_readings", "folder_department", "item_readings", "property_readings"]

_MACHINE_NAMES = frozenset(
    ("user", "admin", "administrator", "owner", "unknown", "사용자", "관리자", "windowsuser", "pc", "root", "python-docx", "openpyxl", "pythondocx", "microsoftofficeuser", "hp", "samsung", "lg", "lenovo")
)  # fmt: skip
_OWN_RULES = frozenset(
    {"title", "subject", "author", "from", "revision", "date", "created", "modified"}
)
"""Properties with rules of their own; ``revision`` is how often an office program saved the file."""


def property_readings(
    document: ParsedDocument, departments: Sequence[str], *, mail: bool
) -> list[Evidence]:
    """Readings from document properties and mail headers."""
    properties = document.properties
    found: list[Evidence] = []
    for key, text in properties.items():
        name = field_of(key)
        value = accept(name, text) if name and key.lower() not in _OWN_RULES else None
        if name and value:
            found.append(_property(name, value, key, text))
    if mail:
        found.extend(_sender(properties, departments))
        sent = find_date(properties.get("date", ""))
        if sent:
            found.append(_property("issued_date", sent.isoformat(), "date", properties["date"]))
        return found
    author = normalise(properties.get("author", ""))
    if author and fold_name(author) not in _MACHINE_NAMES:
        found.append(_property("author", author, "author", author))
    return found


def _property(name: str, value: str, key: str, raw: str) -> Evidence:
    return Evidence(name, value, EvidenceSource.PROPERTIES, clip(raw), f"property {key}")


def _sender(properties: Mapping[str, str], departments: Sequence[str]) -> Iterator[Evidence]:
    raw = properties.get("from", "")
    display, address = parseaddr(raw.replace("\n", " "))
    name = normalise(display) or address or normalise(raw)
    if name:
        yield _property("author", name, "from", raw)
    for department in departments:
        if fold_name(department) in fold_name(display):
            yield _property("department", department, "from", raw)
            return


def item_readings(path: str, name: str, departments: Sequence[str]) -> list[Evidence]:
    """Readings from the file name and the folders above it (containers count as folders)."""
    found = list(_from_name(name))
    # the innermost folder says most about the file
    for part in reversed(path.replace("!/", "!\n").replace("/", "\n").split("\n")[:-1]):
        if part:
            found.extend(_from_folder(part.removesuffix("!"), departments, real=part[-1] != "!"))
    return found


def folder_department(path: str, departments: Sequence[str]) -> str:
    """The department that the innermost folder named like one says, or ""."""
    found = item_readings(path, path.rpartition("/")[2], departments)
    return next((one.value for one in found if one.field == "department"), "")


def _from_name(name: str) -> Iterator[Evidence]:
    stem = stem_of(name)
    where = f"file name {name}"
    marks = read_name(stem)
    for revision in (marks.revision, marks.dated):
        if revision:
            yield Evidence("revision", revision.text, EvidenceSource.FILE_NAME, revision.raw, where)
    number = document_number_in(marks.bare)
    if number:
        yield Evidence("document_number", number, EvidenceSource.FILE_NAME, stem, where)
    drawing = document_number_in(marks.bare, frozenset({CodeKind.DRAWING}))
    if drawing:
        yield Evidence("drawing_number", drawing, EvidenceSource.FILE_NAME, stem, where)
    status = name_status(stem)
    if status:
        yield Evidence("status", status[0].value, EvidenceSource.FILE_NAME, status[1], where)
    level = security_mark(stem) or next(
        (mark for part in re.split(r"[_\-]", stem) if (mark := security_mark(part))), None
    )
    if level:
        yield Evidence("security_level", level, EvidenceSource.FILE_NAME, stem, where)


def _from_folder(folder: str, departments: Sequence[str], *, real: bool) -> Iterator[Evidence]:
    where = f"folder {folder}"
    stem = stem_of(folder) if "." in folder else normalise(folder)
    marked = name_status(stem)
    status = folder_status(stem) or (marked[0] if marked else None)
    if status:
        yield Evidence("status", status.value, EvidenceSource.FOLDER, folder, where)
    level = security_mark(stem)
    if level:
        yield Evidence("security_level", level, EvidenceSource.FOLDER, folder, where)
    kind = type_of_text(stem) if real and is_type_only(stem) else None
    if kind:
        yield Evidence("document_type", kind[0], EvidenceSource.FOLDER, folder, where)
    bare = fold_name(re.sub(r"^[\d\s._\-)(]+", "", stem))
    for department in departments:
        if bare == fold_name(department):
            yield Evidence("department", department, EvidenceSource.FOLDER, folder, where)


def container_readings(
    containers: Sequence[DocumentVersion], mail: Mapping[str, str], departments: Sequence[str]
) -> list[Evidence]:
    """What an attachment or member takes over from its containers, and the source's own department."""
    found = []
    sent = find_date(mail.get("date", ""))
    if sent:
        found.append(
            Evidence(
                "issued_date", sent.isoformat(), EvidenceSource.CONTAINER, mail["date"], "mail"
            )
        )
    for container in reversed(containers):
        where = f"container {container.title}"
        for name, value in (
            ("security_level", container.security_level),
            ("department", container.department),
        ):
            if value:
                found.append(Evidence(name, value, EvidenceSource.CONTAINER, clip(value), where))
        if container.explicit_status and container.status is Status.OBSOLETE:
            found.append(
                Evidence("status", "obsolete", EvidenceSource.CONTAINER, container.title, where)
            )
    if len(departments) == 1:
        found.append(
            Evidence("department", departments[0], EvidenceSource.DEFAULT, departments[0], "source")
        )
    return found
