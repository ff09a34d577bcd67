"""What a PDF holds besides its pages' text: notes, form values, attachments, bookmarks, properties."""
# mypy: allow-untyped-calls
# (PyMuPDF ships without complete types)

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pymupdf

from contracts.documents import Block, BlockKind, Child, ChildRelation, Layer, Position
from contracts.errors import ParseFailure
from parsers.common.paged.blocks import plain_key
from parsers.common.paged.textline import rounded
from parsers.pdf.opening import LIBRARY_ERRORS

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from contracts.parsing import ParserContext

__all__ = [
    "annotation_blocks",
    "attachments",
    "bookmarks",
    "form_values",
    "link_targets",
    "page_attachments",
    "properties",
]

_DATE = re.compile(r"D?:?(\d{4})(\d{2})?(\d{2})?(\d{2})?(\d{2})?(\d{2})?(Z|[+-]\d{2}'?\d{0,2}'?)?")
_NAMES = {
    "title": "title",
    "author": "author",
    "subject": "subject",
    "keywords": "keywords",
    "creator": "creator",
    "producer": "producer",
}
_CHECKED = {"yes", "on", "true", "1"}
_MAX_LINKS = 200
_FILE_ATTACHMENT = pymupdf.mupdf.PDF_ANNOT_FILE_ATTACHMENT
_FREE_TEXT = pymupdf.mupdf.PDF_ANNOT_FREE_TEXT


def properties(document: pymupdf.Document) -> dict[str, str]:
    """Document properties; dates in ISO 8601 (PDF dates: ISO 32000-1 §7.9.4)."""
    meta: dict[str, str | None] = document.metadata or {}
    out = {name: text for key, name in _NAMES.items() if (text := _clean(meta.get(key) or ""))}
    for key, name in (("creationDate", "created"), ("modDate", "modified")):
        date = _iso(meta.get(key) or "")
        if date:
            out[name] = date
    out["pages"] = str(document.page_count)
    if meta.get("encryption"):
        out["encryption"] = _clean(str(meta["encryption"]))
    return out


def _clean(text: str) -> str:
    return " ".join(text.replace("\x00", "").split())


def _iso(text: str) -> str:
    found = _DATE.match(text)
    if not found:
        return ""
    year, month, day, hour, minute, second, zone = found.groups()
    date = f"{year}-{month or '01'}-{day or '01'}"
    if hour is None:
        return date
    offset = ""
    if zone:
        digits = re.sub(r"\D", "", zone)
        offset = "Z" if zone == "Z" else f"{zone[0]}{digits[:2]}:{digits[2:4] or '00'}"
    return f"{date}T{hour}:{minute or '00'}:{second or '00'}{offset}"


def bookmarks(document: pymupdf.Document) -> dict[str, int]:
    """Level of each bookmark by its text; a text that occurs on several levels keeps the first."""
    out: dict[str, int] = {}
    try:
        entries = document.get_toc(simple=True)
    except LIBRARY_ERRORS:
        return out
    for level, title, *_ in entries:
        key = plain_key(str(title))
        if len(key) > 1:
            out.setdefault(key, int(level))
    return out


def annotation_blocks(page: pymupdf.Page, number: int) -> list[Block]:
    """Comments that people put on a page, replies included, as notes."""
    out: list[Block] = []
    for annotation in page.annots() or ():
        info = annotation.info
        text = _clean_lines(info.get("content", ""))
        if not text or annotation.type[0] == _FILE_ATTACHMENT:
            continue
        if annotation.type[0] == _FREE_TEXT:
            continue  # painted on the page: its text is in the text layer already
        out.append(
            Block(
                kind=BlockKind.NOTE,
                text=text,
                layer=Layer.NOTES,
                label=_clean(info.get("title", "")),
                position=Position(page=number, box=rounded(tuple(annotation.rect))),
            )
        )
    return out


def form_values(page: pymupdf.Page, number: int, shown: str) -> list[Block]:
    """Values of form fields that the page itself does not show, as ``name: value``."""
    out: list[Block] = []
    flat = plain_key(shown)
    for widget in page.widgets() or ():
        value = _field_value(widget)
        if not value or (plain_key(value) in flat and widget.field_type_string == "Text"):
            continue
        name = _clean(widget.field_label or widget.field_name or "")
        out.append(
            Block(
                kind=BlockKind.PARAGRAPH,
                text=f"{name}: {value}" if name else value,
                position=Position(page=number, box=rounded(tuple(widget.rect))),
            )
        )
    return out


def _field_value(widget: Any) -> str:
    kind = widget.field_type_string
    value = widget.field_value
    if kind in {"CheckBox", "RadioButton"}:
        state = str(value or "").strip()
        on = state.lower() in _CHECKED or (state not in {"", "Off", "False"})
        return ("✓" if state.lower() in _CHECKED else state) if on else ""
    if kind in {"Button", "Signature"}:
        return ""
    if isinstance(value, (list, tuple)):
        return ", ".join(map(str, value))
    return _clean_lines(str(value or ""))


def _clean_lines(text: str) -> str:
    lines = (" ".join(line.split()) for line in text.replace("\r", "\n").split("\n"))
    return "\n".join(line for line in lines if line)


def link_targets(page: pymupdf.Page) -> list[str]:
    """Web addresses that the page links to, each once."""
    out: dict[str, None] = {}
    link = pymupdf.mupdf.fz_load_links(page.this)  # PyMuPDF's own list resolves names, too
    while link.m_internal and len(out) < _MAX_LINKS:
        uri = str(link.uri() or "")
        if uri.startswith(("http://", "https://", "mailto:")):
            out[uri] = None
        link = link.next()
    return list(out)


def attachments(
    document: pymupdf.Document,
    on_pages: Sequence[tuple[str, bytes]],
    context: ParserContext,
    warnings: list[str],
) -> list[Child]:
    """Embedded files and files attached to pages, spooled; what the budget forbids says so."""
    out: list[Child] = []
    for name, data in [*_embedded(document, warnings), *on_pages]:
        try:
            out.append(context.spool(name, ChildRelation.ATTACHMENT, [data]))
        except ParseFailure as problem:
            out.append(
                Child(
                    name=name,
                    relation=ChildRelation.ATTACHMENT,
                    failure=problem.failure.value,
                    detail=problem.detail,
                )
            )
    return out


def _embedded(document: pymupdf.Document, warnings: list[str]) -> Iterable[tuple[str, bytes]]:
    try:
        count = document.embfile_count()
    except LIBRARY_ERRORS:
        count = 0
    for index in range(count):
        try:
            info = document.embfile_info(index)
            name = info.get("ufilename") or info.get("filename") or info.get("name") or "attachment"
            yield _file_name(str(name)), document.embfile_get(index)
        except LIBRARY_ERRORS:
            warnings.append(f"attachment {index + 1} cannot be read")


def _file_name(name: str) -> str:
    """Names that a program stored as UTF-8 or CP949 bytes come back as Latin-1: undo it."""
    try:
        raw = name.encode("latin-1")
    except UnicodeEncodeError:
        return _clean(name)
    for encoding in ("utf-8", "cp949"):
        try:
            return _clean(raw.decode(encoding))
        except UnicodeDecodeError:
            continue
    return _clean(name)


def page_attachments(page: pymupdf.Page, warnings: list[str]) -> list[tuple[str, bytes]]:
    """Name and bytes of the files that hang on a page as annotations."""
    out: list[tuple[str, bytes]] = []
    for annotation in page.annots(types=[_FILE_ATTACHMENT]) or ():
        try:
            name = _file_name(str(annotation.file_info.get("filename") or "attachment"))
            out.append((name, annotation.get_file()))
        except LIBRARY_ERRORS:
            warnings.append("a file attached to a page cannot be read")
    return out
