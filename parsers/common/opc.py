"""Open Packaging Conventions: parts, relationships and properties of a .docx, .pptx or .xlsx.

Rules are from ECMA-376 Part 2 (packages). XML is read without entities, document types or network, so that
"billion laughs" and external entities end as ``corrupt``.
"""

from __future__ import annotations

import posixpath
import re
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from io import BytesIO
from pathlib import Path
from typing import IO, Protocol, Self
from urllib.parse import unquote

from lxml import etree
from lxml.etree import _Element as Element

from contracts.errors import ParseFailure
from contracts.failures import FailureClass
from parsers.common.xml_pieces import without_element
from parsers.common.zip_parts import ZipPart, ZipParts

__all__ = [
    "Element",
    "Package",
    "Relationship",
    "attribute",
    "child_of",
    "inner_text",
    "local_name",
    "parsed_piece",
]

_RELATIONSHIPS = "http://schemas.openxmlformats.org/package/2006/relationships"
_STRICT = re.compile(rb"http://purl\.oclc\.org/ooxml/(\w+)/")
_PLAIN_TARGET = re.compile(r"\w[\w.-]*(?:/\w[\w.-]*)*")
_STRICT_MARK = b"purl.oclc.org/ooxml"
_BOMB_FLOOR = 32 << 20
"""A part below this size is no bomb whatever its ratio: sheets of zeros pack a thousandfold."""
_READ_ERRORS = (
    zipfile.BadZipFile,
    zlib.error,
    EOFError,
    NotImplementedError,
    RuntimeError,
    ValueError,
    OSError,
)
_CORE = {
    "title": "title",
    "creator": "author",
    "lastModifiedBy": "last_author",
    "created": "created",
    "modified": "modified",
    "subject": "subject",
    "keywords": "keywords",
    "description": "comments",
    "category": "category",
    "revision": "revision",
    "version": "version",
    "contentStatus": "status",
}
_APP = {"Company": "company", "Manager": "manager", "Application": "application"}


class _Limits(Protocol):
    @property
    def archive_ratio(self) -> int: ...
    @property
    def archive_total_mb(self) -> int: ...


@dataclass(frozen=True, slots=True)
class Relationship:
    """A link between parts: last piece of its type, target (a part name, or an address), outside or not."""

    kind: str
    target: str
    external: bool = False


def local_name(element: Element) -> str:
    """Tag without its namespace; comments and processing instructions are dropped when the XML is read."""
    return _local(element.tag)


@lru_cache(maxsize=4096)
def _local(tag: str) -> str:
    return str(tag).rpartition("}")[2]


def child_of(parent: Element, tag: str) -> Element | None:
    """First child of a tag; for the few children of a properties element faster than ``find``, which compiles paths."""
    for child in parent:
        if child.tag == tag:
            return child
    return None


def inner_text(element: Element) -> str:
    """All character data inside an element."""
    return "".join(map(str, element.itertext()))


def attribute(element: Element, name: str, default: str = "") -> str:
    """Value of an attribute by its local name, whatever its namespace."""
    plain = element.get(name)
    if plain is not None:
        return plain
    for key, value in element.attrib.items():
        if str(key).endswith("}" + name):
            return str(value)
    return default


class Package:
    """An open package. Close it, or use it as a context manager.

    Args:
        path: The file.
        limits: ``archive_ratio`` and ``archive_total_mb`` bound what is unpacked.

    Attributes:
        warnings: One line for each part that could not be read whole.

    Raises:
        ParseFailure: ``truncated`` without a central directory, ``corrupt`` for what is no package.
    """

    def __init__(self, path: Path, limits: _Limits) -> None:
        self.warnings: list[str] = []
        self._limits = limits
        self._left = limits.archive_total_mb << 20
        self._trees: dict[str, Element | None] = {}
        self._links: dict[str, dict[str, Relationship]] = {}
        self._parser = _xml_parser(recover=False)
        try:
            self._zip = ZipParts(path)
        except (zipfile.BadZipFile, NotImplementedError, EOFError, ValueError) as problem:
            with path.open("rb") as stream:
                begins_well = stream.read(4) == b"PK\x03\x04"
            failure = FailureClass.TRUNCATED if begins_well else FailureClass.CORRUPT
            raise ParseFailure(failure, "no readable zip directory") from problem
        self._infos = {
            info.filename.replace("\\", "/").lstrip("/").lower(): info for info in self._zip.parts
        }

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._zip.close()

    def __contains__(self, part: str) -> bool:
        return part.lower() in self._infos

    def names(self) -> list[str]:
        """Part names in lower case, in the order of the zip directory."""
        return list(self._infos)

    def size(self, part: str) -> int:
        """Unpacked size in bytes as declared; 0 for a part that is not there."""
        info = self._infos.get(part.lower())
        return info.file_size if info else 0

    def open(self, part: str) -> IO[bytes] | None:
        """A stream over one part, or None where it is missing.

        Raises:
            ParseFailure: ``archive_bomb`` beyond the limits, ``encrypted`` for a zip password.
        """
        info = self._admitted(part)
        if info is None:
            return None
        try:
            return self._zip.open(info)
        except _READ_ERRORS as problem:
            self.warnings.append(f"part {part} cannot be read: {type(problem).__name__}")
            return None

    def _admitted(self, part: str) -> ZipPart | None:
        info = self._infos.get(part.lower())
        if info is None:
            return None
        if info.flag_bits & 1:
            raise ParseFailure(FailureClass.ENCRYPTED, "zip password")
        ratio = info.file_size / max(info.compress_size, 1)
        self._left -= info.file_size
        if self._left < 0 or (info.file_size > _BOMB_FLOOR and ratio > self._limits.archive_ratio):
            raise ParseFailure(FailureClass.ARCHIVE_BOMB, f"part of {info.file_size} bytes")
        return info

    def check(self) -> None:
        """Look at every part as if it were to be read: for a library that then opens them all by itself.

        Raises:
            ParseFailure: ``archive_bomb``, ``encrypted``, or ``corrupt`` for a document type declaration.
        """
        for part in self._infos:
            stream = self.xml_stream(part) if part.endswith((".xml", ".rels")) else self.open(part)
            if stream is not None:
                stream.close()

    def read(self, part: str) -> bytes | None:
        """All bytes of a part, or None where it is missing or damaged (then with a warning)."""
        info = self._admitted(part)
        if info is None:
            return None
        try:
            return self._zip.read(info)
        except _READ_ERRORS as problem:
            self.warnings.append(f"part {part} is damaged: {type(problem).__name__}")
            return None

    def xml(self, part: str, *, without: str = "") -> Element | None:
        """Root element of an XML part, read once; None where it is missing or no XML at all.

        A part with a fault in its XML is read up to the fault, with a warning.

        Args:
            part: The part.
            without: Tag, with its usual prefix, of an element that nobody will look into: it may be left out.

        Raises:
            ParseFailure: ``corrupt`` for a document type declaration, which packages may not hold.
        """
        key = part.lower()
        if key not in self._trees:
            data = self.read(part)
            if data and without:
                data = without_element(data, without.encode())
            self._trees[key] = None if data is None else self.parsed(data, part)
        return self._trees[key]

    def forget(self, *folders: str) -> None:
        """Let go of the trees of parts in some folders (in lower case), which nobody will ask for again."""
        for part in [part for part in self._trees if part.startswith(folders)]:
            del self._trees[part]

    def xml_stream(self, part: str) -> IO[bytes] | None:
        """A stream for incremental XML reading, in the transitional namespaces.

        Raises:
            ParseFailure: ``corrupt`` for a document type declaration.
        """
        stream = self.open(part)
        if stream is None:
            return None
        try:
            head = stream.read(1 << 16)
            _refuse_document_type(head)
            if _STRICT_MARK in head:
                whole = BytesIO(_transitional(head + stream.read()))
                stream.close()
                return whole
            stream.seek(0)
        except _READ_ERRORS as problem:
            self.warnings.append(f"part {part} is damaged: {type(problem).__name__}")
            stream.close()
            return None
        except ParseFailure:
            stream.close()
            raise
        return stream

    def parsed(self, data: bytes, part: str) -> Element | None:
        """Root element of the bytes of an XML part, see :meth:`xml`.

        Raises:
            ParseFailure: ``corrupt`` for a document type declaration.
        """
        _refuse_document_type(data)
        data = _transitional(data)
        try:
            return etree.fromstring(data, self._parser)
        except (etree.XMLSyntaxError, ValueError):
            pass
        self.warnings.append(f"part {part} has a fault in its XML: read as far as possible")
        try:
            return etree.fromstring(data, _xml_parser(recover=True))
        except (etree.XMLSyntaxError, ValueError):
            return None

    def relationships(self, part: str = "") -> Mapping[str, Relationship]:
        """Relationships of a part (of the package itself for "") by id."""
        links = self._links.get(part)
        if links is None:
            links = self._links[part] = self._read_links(part)
        return links

    def _read_links(self, part: str) -> dict[str, Relationship]:
        folder, name = posixpath.split(part)
        root = self.xml(posixpath.join(folder, "_rels", f"{name}.rels"))
        found: dict[str, Relationship] = {}
        for entry in root.iter(f"{{{_RELATIONSHIPS}}}Relationship") if root is not None else ():
            target = entry.get("Target", "")
            external = entry.get("TargetMode") == "External"
            if not external:
                target = _resolve(folder, target)
            kind = entry.get("Type", "").rpartition("/")[2]
            found[entry.get("Id", "")] = Relationship(kind, target, external)
        return found

    def related(self, part: str, kind: str) -> list[str]:
        """Targets of one kind, inside the package, in the order of the relationships."""
        return [
            link.target
            for link in self.relationships(part).values()
            if link.kind == kind and not link.external
        ]

    def main_part(self, default: str) -> str:
        """The part that holds the document.

        Raises:
            ParseFailure: ``corrupt`` where there is none.
        """
        for target in [*self.related("", "officeDocument"), default]:
            if target in self:
                return target
        raise ParseFailure(FailureClass.CORRUPT, f"no part {default}")

    def properties(self) -> dict[str, str]:
        """Core, application and custom properties by field name; empty ones are left out."""
        found: dict[str, str] = {}
        core = [*self.related("", "core-properties"), "docProps/core.xml"]
        app = [*self.related("", "extended-properties"), "docProps/app.xml"]
        for parts, names in ((core, _CORE), (app, _APP)):
            root = next((tree for tree in map(self.xml, parts) if tree is not None), None)
            for element in root if root is not None else ():
                name = names.get(local_name(element))
                value = " ".join(inner_text(element).split())
                if name and value:
                    found[name] = value
        for part in self.related("", "custom-properties"):
            root = self.xml(part)
            for element in root if root is not None else ():
                value = " ".join(inner_text(element).split())
                if element.get("name") and value:
                    found[f"custom.{element.get('name')}"] = value
        if any(name.endswith("vbaproject.bin") for name in self._infos):
            found["macros"] = "yes"
        return found


def parsed_piece(data: bytes) -> Element | None:
    """Root element of a piece of a part, see :mod:`parsers.common.xml_pieces`; None where it has a fault."""
    try:
        return etree.fromstring(data, _xml_parser(recover=False))
    except (etree.XMLSyntaxError, ValueError):
        return None


def _xml_parser(*, recover: bool) -> etree.XMLParser:
    return etree.XMLParser(
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        huge_tree=False,
        recover=recover,
        remove_comments=True,
        remove_pis=True,
        collect_ids=False,
    )


def _refuse_document_type(data: bytes) -> None:
    # ECMA-376 Part 2 §8.2.5 forbids document types in package XML; UTF-16 is the only other encoding allowed.
    plain = data[:4096].replace(b"\0", b"") if b"\0" in data[:4096] else data
    if b"<!DOCTYPE" in plain or b"<!ENTITY" in plain:
        raise ParseFailure(FailureClass.CORRUPT, "document type declaration in the package's XML")


def _transitional(data: bytes) -> bytes:
    if _STRICT_MARK not in data:
        return data
    return _STRICT.sub(rb"http://schemas.openxmlformats.org/\1/2006/", data)


def _resolve(folder: str, target: str) -> str:
    while target.startswith("../") and folder:
        folder, target = folder.rpartition("/")[0], target[3:]
    if _PLAIN_TARGET.fullmatch(target):
        return f"{folder}/{target}" if folder else target
    target = unquote(target.replace("\\", "/"))
    path = target if target.startswith("/") else posixpath.join("/", folder, target)
    return posixpath.normpath(path).lstrip("/")
