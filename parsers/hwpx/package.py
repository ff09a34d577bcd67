"""The zip package of an HWPX file: its parts, their order, what protects it (KS X 6101, OCF and OPF)."""

from __future__ import annotations

import posixpath
import re
import zipfile
import zlib
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any, Self

from contracts.errors import ParseFailure
from contracts.failures import FailureClass
from parsers.common.hangul_xml import parse_xml

if TYPE_CHECKING:
    from pathlib import Path

    from contracts.settings import ParseSettings

__all__ = ["Package", "local_name"]

_MEGABYTE = 1 << 20
_PIECE = 4096
_SMALL_PART = 16 * _MEGABYTE
_SECTION = re.compile(r"(?:^|/)section(\d+)\.xml$", re.IGNORECASE)
_MASTER = re.compile(r"(?:^|/)masterpage(\d+)\.xml$", re.IGNORECASE)
_ZIP_PROBLEMS = (zipfile.BadZipFile, zlib.error, OSError, ValueError, NotImplementedError, EOFError)


@lru_cache(maxsize=4096)
def _local(tag: str) -> str:
    return tag.rpartition("}")[2]


def local_name(element: Any) -> str:
    """Name of an element without its namespace, "" for comments and processing instructions."""
    tag = element.tag
    return _local(tag) if isinstance(tag, str) else ""


class Package:
    """Reads the parts of a package within the limits.

    Args:
        path: The file.
        limits: Bounds the unpacked size and the ratio of it to the packed size.

    Raises:
        ParseFailure: ``corrupt``, ``truncated`` or ``encrypted``.
    """

    def __init__(self, path: Path, limits: ParseSettings) -> None:
        self._ratio = limits.archive_ratio
        self._left = limits.max_file_mb * _MEGABYTE
        try:
            self._zip = zipfile.ZipFile(path)
        except _ZIP_PROBLEMS as problem:
            raise ParseFailure(_zip_failure(path), "not a readable zip package") from problem
        self._names = {_entry_key(info.filename): info for info in self._zip.infolist()}
        self._check_protection()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._zip.close()

    def names(self) -> list[str]:
        """Part names with ``/`` between folders, in the order of the zip's directory."""
        return list(self._names)

    def read(self, name: str) -> bytes | None:
        """The bytes of a part, or None where the package has none of that name or it is damaged.

        Raises:
            ParseFailure: ``archive_bomb`` beyond the limits.
        """
        data, sound = self._stored(name)
        return data if sound else None

    def xml(self, name: str) -> tuple[Any, bool]:
        """Root element of an XML part and whether it was sound.

        A damaged part is read as far as it goes; None where it is absent or nothing of it can be read.

        Raises:
            ParseFailure: ``archive_bomb`` beyond the limits.
        """
        data, stored = self._stored(name)
        if not data:
            return None, False
        root, sound = parse_xml(data)
        return root, stored and sound

    def _stored(self, name: str) -> tuple[bytes, bool]:
        info = self._names.get(_entry_key(name)) or self._folded(name)
        if info is None:
            return b"", False
        ratio = info.file_size / max(info.compress_size, 1)
        if info.file_size > self._left or (info.file_size > _SMALL_PART and ratio > self._ratio):
            raise ParseFailure(FailureClass.ARCHIVE_BOMB, "a part of the package unfolds too far")
        self._left -= info.file_size
        parts: list[bytes] = []
        try:
            with self._zip.open(info) as file:
                while part := file.read(_PIECE):
                    parts.append(part)
        except (*_ZIP_PROBLEMS, RuntimeError):
            # What came out before the damaged place is still text.
            return b"".join(parts), False
        return b"".join(parts), True

    def preview(self) -> tuple[bytes, bytes]:
        """Picture and text of the stored preview (``Preview/Prv…``) as they are; b"" where there is none.

        Raises:
            ParseFailure: ``archive_bomb`` beyond the limits.
        """
        image = next((n for n in self._names if n.lower().startswith("preview/prvimage.")), "")
        picture = self.read(image) if image else None
        return picture or b"", self.read("Preview/PrvText.txt") or b""

    def sections(self) -> list[str]:
        """Section parts in reading order: the spine's, then those that no spine names."""
        return self._ordered(_SECTION)

    def master_pages(self) -> list[str]:
        """Master page parts in order."""
        return self._ordered(_MASTER)

    def header(self) -> str:
        """Name of the part with styles and numberings."""
        manifest, _ = self._manifest
        named = [name for name in manifest.values() if name.lower().endswith("header.xml")]
        return next(iter(named), "Contents/header.xml")

    def binary_items(self) -> dict[str, str]:
        """Part name by manifest id, for pictures and embedded objects."""
        return self._manifest[0]

    def metadata(self) -> dict[str, str]:
        """Title, author, dates and the like from the package document."""
        root, _ = self.xml(self._package_document())
        found: dict[str, str] = {}
        if root is None:
            return found
        for element in root.iter():
            name = local_name(element)
            if name == "meta":
                name = element.get("name", "")
            key = _METADATA.get(name)
            value = " ".join((element.text or "").split())
            # An empty field of Hancom's own writer says just "text" in its content attribute.
            if key and value:
                found.setdefault(key, value)
        return found

    def _ordered(self, pattern: re.Pattern[str]) -> list[str]:
        manifest, spine = self._manifest
        listed = [manifest[item] for item in spine if item in manifest]
        order = [name for name in listed if pattern.search(name)]
        rest = [name for name in self._names if pattern.search(name)]
        rest.sort(key=lambda name: int(pattern.search(name)[1]))  # type: ignore[index]
        known = {name.lower() for name in order}
        return [name for name in order if self._has(name)] + [
            name for name in rest if name.lower() not in known
        ]

    @cached_property
    def _manifest(self) -> tuple[dict[str, str], list[str]]:
        document = self._package_document()
        root, _ = self.xml(document)
        items: dict[str, str] = {}
        spine: list[str] = []
        if root is None:
            return items, spine
        for element in root.iter():
            if local_name(element) == "item" and element.get("id") and element.get("href"):
                items[element.get("id")] = self._resolve(element.get("href"), document)
            elif local_name(element) == "itemref" and element.get("idref"):
                spine.append(element.get("idref"))
        return items, spine

    def _resolve(self, reference: str, document: str) -> str:
        """References are meant from the package root, some writers give them from the document's folder."""
        name = _entry_key(reference)
        if self._has(name):
            return name
        beside = posixpath.normpath(posixpath.join(posixpath.dirname(document), name))
        return beside if self._has(beside) else name

    def _package_document(self) -> str:
        if self._has("Contents/content.hpf"):
            return "Contents/content.hpf"
        return next((name for name in self._names if name.lower().endswith(".hpf")), "")

    def _has(self, name: str) -> bool:
        return name in self._names or self._folded(name) is not None

    def _folded(self, name: str) -> zipfile.ZipInfo | None:
        wanted = _entry_key(name).lower()
        return next((info for key, info in self._names.items() if key.lower() == wanted), None)

    def _check_protection(self) -> None:
        if any(info.flag_bits & 1 for info in self._names.values()):
            raise ParseFailure(FailureClass.ENCRYPTED, "the zip entries are encrypted")
        data = self.read("META-INF/manifest.xml")
        if data and b"encryption-data" in data:
            raise ParseFailure(FailureClass.ENCRYPTED, "META-INF/manifest.xml: encryption-data")


_METADATA = {
    "title": "title",
    "creator": "author",
    "subject": "subject",
    "description": "description",
    "keyword": "keywords",
    "lastsaveby": "last_saved_by",
    "CreatedDate": "created",
    "ModifiedDate": "modified",
}


def _entry_key(name: str) -> str:
    """Entry name with ``/`` (some writers put backslashes) and without ``./`` or a leading ``/``."""
    return posixpath.normpath(name.replace("\\", "/")).lstrip("/")


def _zip_failure(path: Path) -> FailureClass:
    """A file that starts like a zip and has no directory at its end was cut off."""
    with path.open("rb") as file:
        start = file.read(4)
    if not start:
        return FailureClass.EMPTY
    if start == b"PK\x03\x04" and not _has_directory(path):
        return FailureClass.TRUNCATED
    return FailureClass.CORRUPT if start[:2] == b"PK" else FailureClass.UNSUPPORTED


def _has_directory(path: Path) -> bool:
    with path.open("rb") as file:
        file.seek(0, 2)
        file.seek(max(file.tell() - 66_000, 0))
        return b"PK\x05\x06" in file.read()
