"""Small HWP 5 and HWPX files made in the test: records, an OLE file around them, a zip of XML."""

from __future__ import annotations

import struct
import zipfile
import zlib
from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest

from contracts.parsing import ParserInput
from contracts.settings import OcrSettings, ParseSettings
from parsers.context import SpoolContext, full_budget
from parsers.hwp import HwpParser
from parsers.hwpx import HwpxParser

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from contracts.documents import ParsedDocument

SECTOR, MINI, CUTOFF = 512, 64, 4096
END, FREE, FAT_SECTOR = 0xFFFFFFFE, 0xFFFFFFFF, 0xFFFFFFFD


# -- an OLE file ([MS-CFB]) -------------------------------------------------------------------------


def _padded(data: bytes, size: int) -> bytes:
    return data + bytes(-len(data) % size)


def _chain(table: list[int], count: int) -> int:
    """Append a chain of ``count`` sectors and return its first one."""
    if not count:
        return END
    first = len(table)
    table.extend(range(first + 1, first + count))
    table.append(END)
    return first


def ole_file(streams: dict[str, bytes]) -> bytes:
    """The bytes of an OLE file; paths have at most one folder."""
    folders = sorted({path.split("/")[0] for path in streams if "/" in path})
    top = folders + [path for path in streams if "/" not in path]
    names = ["Root Entry", *top] + [path for path in streams if "/" in path]
    fat: list[int] = []
    mini: list[int] = []
    sectors, small = b"", b""
    starts: dict[str, int] = {}
    for path, data in streams.items():
        if len(data) < CUTOFF:
            starts[path] = _chain(mini, -(-len(data) // MINI))
            small += _padded(data, MINI)
        else:
            starts[path] = _chain(fat, -(-len(data) // SECTOR))
            sectors += _padded(data, SECTOR)
    small_start = _chain(fat, -(-len(small) // SECTOR))
    sectors += _padded(small, SECTOR)
    mini_table = _padded(struct.pack(f"<{len(mini)}I", *mini), SECTOR) if mini else b""
    mini_start = _chain(fat, len(mini_table) // SECTOR)
    sectors += mini_table
    entries = b"".join(
        _entry(name, names, streams, starts, (small_start, len(small))) for name in names
    )
    directory = _padded(entries, SECTOR)
    directory_start = _chain(fat, len(directory) // SECTOR)
    sectors += directory
    fat_start = len(fat)
    fat_count = -(-(len(fat) + 1) // (SECTOR // 4 - 1))
    fat += [FAT_SECTOR] * fat_count
    table = struct.pack(f"<{len(fat)}I", *fat)
    table += b"\xff" * (fat_count * SECTOR - len(table))
    header = bytes.fromhex("d0cf11e0a1b11ae1") + bytes(16)
    header += struct.pack(
        "<HHHHH6xIIIIIIIIII",
        0x3E,
        3,
        0xFFFE,
        9,
        6,
        0,
        fat_count,
        directory_start,
        0,
        CUTOFF,
        mini_start,
        len(mini_table) // SECTOR,
        END,
        0,
        fat_start,
    )
    header += struct.pack("<I", fat_start + 1) if fat_count > 1 else b""
    return header + b"\xff" * (SECTOR - len(header)) + sectors + table


def _entry(
    path: str,
    names: list[str],
    streams: dict[str, bytes],
    starts: dict[str, int],
    small: tuple[int, int],
) -> bytes:
    name = path.rpartition("/")[2].encode("utf-16-le") + b"\0\0"
    folder, _, _ = path.rpartition("/")
    beside = [other for other in names[1:] if other.rpartition("/")[0] == folder]
    below = [other for other in names if other.rpartition("/")[0] == path and other != path]
    if path == "Root Entry":
        kind, start, size = 5, *small
        below, beside = [other for other in names[1:] if "/" not in other], []
    elif path in streams:
        kind, start, size = 2, starts[path], len(streams[path])
    else:
        kind, start, size = 1, 0, 0
    later = beside[beside.index(path) + 1 :] if path in beside else []
    child = names.index(below[0]) if below else FREE
    right = names.index(later[0]) if later else FREE
    head = name.ljust(64, b"\0") + struct.pack("<HBBIII", len(name), kind, 1, FREE, right, child)
    return head + bytes(36) + struct.pack("<IQ", start, size)


# -- HWP 5 records ----------------------------------------------------------------------------------


def record(tag: int, level: int, data: bytes = b"") -> bytes:
    """A record, with the long size where it is needed."""
    if len(data) < 0xFFF:
        return struct.pack("<I", tag | level << 10 | len(data) << 20) + data
    return struct.pack("<II", tag | level << 10 | 0xFFF << 20, len(data)) + data


def counted(text: str) -> bytes:
    """A string with its length before it."""
    return struct.pack("<H", len(text)) + text.encode("utf-16-le")


def control_id(name: str) -> bytes:
    """A control's id as stored: the letters from last to first."""
    return name.encode()[::-1]


def anchor(code: int, name: str) -> str:
    """The eight units that an extended control takes in the text."""
    return chr(code) + control_id(name).decode("utf-16-le", "surrogatepass") + "\0" * 4 + chr(code)


def paragraph(
    text: str, *, level: int = 0, shape: int = 0, letter: int = 0, below: bytes = b""
) -> bytes:
    """A paragraph of the text (with anchors in it) and the records of its controls below it."""
    units = (text + "\r").encode("utf-16-le", "surrogatepass")
    header = struct.pack("<IIHBBHHHI", len(units) // 2, 0, shape, 0, 0, 1, 0, 0, 0)
    return (
        record(66, level, header)
        + record(67, level + 1, units)
        + record(68, level + 1, struct.pack("<II", 0, letter))
        + below
    )


def control(name: str, level: int, data: bytes = b"", below: bytes = b"") -> bytes:
    """A control header below a paragraph, and what is below it."""
    return record(71, level, control_id(name) + data) + below


def cell(
    row: int,
    column: int,
    content: bytes,
    *,
    level: int,
    spans: tuple[int, int] = (1, 1),
    header: bool = False,
) -> bytes:
    """A table cell with the paragraphs of ``content``."""
    flags = 1 << 18 if header else 0
    address = struct.pack("<HHHH", column, row, spans[1], spans[0])
    return record(72, level, struct.pack("<HHI", 1, 0, flags) + address + bytes(18)) + content


def table(rows: int, columns: int, cells: bytes, *, level: int = 1, caption: bytes = b"") -> bytes:
    """A table control; ``cells`` and ``caption`` stand one level deeper."""
    body = struct.pack("<IHH", 4, rows, columns) + bytes(14 + 2 * rows)
    inline = struct.pack("<I", 1) + bytes(38)
    head = record(72, level + 1, bytes(16)) + caption if caption else b""
    return control("tbl ", level, inline, head + record(77, level + 1, body) + cells)


def doc_info(*records: bytes) -> bytes:
    """A DocInfo stream with one paragraph shape without a head before the given records."""
    return record(21, 0, bytes(42) + struct.pack("<II", 1000, 0)) + b"".join(records)


def head_shape(kind: int, level: int, definition: int) -> bytes:
    """A paragraph shape with a head: kind 0 to 3, level from 1, definition from 1."""
    flags = kind << 23 | (level - 1) << 25
    return record(
        25, 0, struct.pack("<I", flags) + bytes(26) + struct.pack("<H", definition) + bytes(22)
    )


def numbering(*levels: tuple[int, str]) -> bytes:
    """A numbering of up to seven levels, each its number shape and its template."""
    filled = [*levels, *[(0, "")] * (7 - len(levels))]
    heads = b"".join(
        struct.pack("<I", shape << 5) + bytes(8) + counted(text) for shape, text in filled
    )
    return record(23, 0, heads + struct.pack("<H", 0) + struct.pack("<7I", *[1] * 7))


def hwp_bytes(
    section: bytes,
    *,
    info: bytes = b"",
    flags: int = 1,
    more: dict[str, bytes] | None = None,
) -> bytes:
    """An HWP 5 file with one section; ``flags`` of its header, bit 0: compressed."""
    header = (
        b"HWP Document File".ljust(32, b"\0") + struct.pack("<II", 0x05010001, flags) + bytes(216)
    )

    def packed(data: bytes) -> bytes:
        return zlib.compress(data, wbits=-15) if flags & 1 else data

    streams = {"FileHeader": header, "DocInfo": packed(info or doc_info())}
    streams |= {"BodyText/Section0": packed(section)} | (more or {})
    return ole_file(streams)


# -- HWPX -------------------------------------------------------------------------------------------

NAMESPACES = (
    'xmlns:hp="http://www.hancom.co.kr/hwpml/2011/paragraph" xmlns:hs="http://www.hancom.co.kr/hwpml/2011/section" '
    'xmlns:hh="http://www.hancom.co.kr/hwpml/2011/head" xmlns:hc="http://www.hancom.co.kr/hwpml/2011/core" '
    'xmlns:opf="http://www.idpf.org/2007/opf/"'
)


def hwpx_bytes(
    path: Path, body: str, *, header: str = "", parts: dict[str, str | bytes] | None = None
) -> None:
    """Write an HWPX package with one section and whatever other parts are given (None leaves a part out)."""
    files: dict[str, str | bytes] = {
        "mimetype": "application/hwp+zip",
        "Contents/header.xml": f"<hh:head {NAMESPACES}>{header}</hh:head>",
        "Contents/section0.xml": f"<hs:sec {NAMESPACES}>{body}</hs:sec>",
        "Preview/PrvText.txt": "미리 보기",
    }
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as package:
        for name, data in (files | (parts or {})).items():
            package.writestr(name, data)


@pytest.fixture
def build() -> SimpleNamespace:
    """The builders, by name."""
    builders = (
        anchor,
        cell,
        control,
        counted,
        doc_info,
        head_shape,
        hwp_bytes,
        numbering,
        ole_file,
    )
    named = {builder.__name__: builder for builder in (*builders, paragraph, record, table)}
    return SimpleNamespace(**named)


# -- parsing ----------------------------------------------------------------------------------------


@pytest.fixture
def context(tmp_path: Path) -> Callable[..., SpoolContext]:
    def make(**limits: int) -> SpoolContext:
        spool = tmp_path / "spool"
        spool.mkdir(exist_ok=True)
        settings = ParseSettings(**limits)
        return SpoolContext(
            limits=settings,
            ocr=OcrSettings(),
            budget=full_budget(settings),
            spool_folder=spool,
            container_bytes=1 << 20,
        )

    return make


@pytest.fixture
def read_hwp(tmp_path: Path, context: Callable[..., SpoolContext]) -> Callable[..., ParsedDocument]:
    def read(data: bytes, **limits: int) -> ParsedDocument:
        path = tmp_path / "a.hwp"
        path.write_bytes(data)
        return HwpParser().parse(
            ParserInput(path=path, name="a.hwp", format="hwp"), context(**limits)
        )

    return read


@pytest.fixture
def read_hwpx(
    tmp_path: Path, context: Callable[..., SpoolContext]
) -> Callable[..., ParsedDocument]:
    def read(
        body: str = "",
        *,
        header: str = "",
        parts: dict[str, str | bytes] | None = None,
        **limits: int,
    ) -> ParsedDocument:
        path = tmp_path / "a.hwpx"
        hwpx_bytes(path, body, header=header, parts=parts)
        return HwpxParser().parse(
            ParserInput(path=path, name="a.hwpx", format="hwpx"), context(**limits)
        )

    return read


@pytest.fixture
def reread_hwpx(
    tmp_path: Path, context: Callable[..., SpoolContext]
) -> Callable[[bytes], ParsedDocument]:
    def read(data: bytes) -> ParsedDocument:
        path = tmp_path / "b.hwpx"
        path.write_bytes(data)
        return HwpxParser().parse(ParserInput(path=path, name="b.hwpx", format="hwpx"), context())

    return read
