"""Writers of the office formats of the example drive; equal input gives equal bytes.

Documents are described by a few simple blocks: ``("h1", text)``, ``("h2", text)``, ``("p", text)`` and
``("table", rows)`` with rows of texts.
"""

from __future__ import annotations

import io
import re
import zipfile
from typing import TYPE_CHECKING, Any
from xml.sax.saxutils import escape

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Block", "docx", "fixed_zip", "hwpx", "settled", "zip_cp949"]

Block = tuple[str, Any]

_MOMENT = (2024, 3, 1, 9, 0, 0)
_STAMP = "2024-03-01T00:00:00Z"
_HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
_TIMES = re.compile(rb"(<dcterms:(?:created|modified)[^>]*>)[^<]*(<)")


def fixed_zip(parts: Sequence[tuple[str, bytes | str]]) -> bytes:
    """A zip archive with fixed times; an entry named ``mimetype`` is stored, as OCF wants it."""
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as archive:
        for name, content in parts:
            info = zipfile.ZipInfo(name, _MOMENT)
            info.compress_type = zipfile.ZIP_STORED if name == "mimetype" else zipfile.ZIP_DEFLATED
            info.external_attr = 0o644 << 16
            archive.writestr(info, content)
    return target.getvalue()


def settled(package: bytes) -> bytes:
    """An office package with the times of its parts and properties fixed, embedded workbooks included."""
    parts: list[tuple[str, bytes | str]] = []
    with zipfile.ZipFile(io.BytesIO(package)) as archive:
        for name in archive.namelist():
            content = archive.read(name)
            if name.endswith(".xlsx"):
                content = settled(content)
            if name == "docProps/core.xml":
                content = _TIMES.sub(rb"\g<1>" + _STAMP.encode() + rb"\g<2>", content)
            parts.append((name, content))
    return fixed_zip(parts)


def zip_cp949(parts: Sequence[tuple[str, bytes]]) -> bytes:
    """A zip whose names are CP949 bytes without a flag, as Korean packers wrote them for decades."""
    stand_ins = []
    names = {}
    for place, (name, content) in enumerate(parts):
        raw = name.encode("cp949")
        stand_in = f"@{place:02d}".ljust(len(raw), "_")
        names[stand_in.encode()] = raw
        stand_ins.append((stand_in, content))
    archive = fixed_zip(stand_ins)
    for stand_in, raw in names.items():
        archive = archive.replace(stand_in, raw)
    return archive


# -- docx (ECMA-376) -------------------------------------------------------------------------------

_W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
_R = 'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"'
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_WORD = "application/vnd.openxmlformats-officedocument.wordprocessingml"


def docx(blocks: Sequence[Block], *, title: str, author: str, header: str = "") -> bytes:
    """A Word document with heading styles, tables, a page header and core properties."""
    body = "".join(_word_block(kind, value) for kind, value in blocks)
    section = '<w:headerReference w:type="default" r:id="rId2"/>' if header else ""
    document = f"{_HEAD}<w:document {_W} {_R}><w:body>{body}<w:sectPr>{section}</w:sectPr></w:body></w:document>"
    heading = "".join(
        f'<w:style w:type="paragraph" w:styleId="Heading{n}"><w:name w:val="heading {n}"/>'
        f'<w:pPr><w:outlineLvl w:val="{n - 1}"/></w:pPr><w:rPr><w:b/></w:rPr></w:style>'
        for n in (1, 2)
    )
    relations = [("rId1", "styles", "styles.xml")]
    parts: list[tuple[str, bytes | str]] = [
        ("[Content_Types].xml", _word_types(has_header=bool(header))),
        (
            "_rels/.rels",
            _relations(
                [
                    ("rId1", f"{_OFFICE}/officeDocument", "word/document.xml"),
                    (
                        "rId2",
                        "http://schemas.openxmlformats.org/package/2006/relationships/metadata/core-properties",
                        "docProps/core.xml",
                    ),
                ]
            ),
        ),
        ("docProps/core.xml", _core(title, author)),
        ("word/document.xml", document),
        ("word/styles.xml", f"{_HEAD}<w:styles {_W}>{heading}</w:styles>"),
    ]
    if header:
        relations.append(("rId2", "header", "header1.xml"))
        parts.append(("word/header1.xml", f"{_HEAD}<w:hdr {_W}>{_word_block('p', header)}</w:hdr>"))
    named = [(key, f"{_OFFICE}/{kind}", target) for key, kind, target in relations]
    parts.append(("word/_rels/document.xml.rels", _relations(named)))
    return fixed_zip(parts)


def _word_block(kind: str, value: Any) -> str:
    if kind == "table":
        rows = "".join(
            "<w:tr>"
            + "".join(f"<w:tc><w:tcPr/>{_word_block('p', cell)}</w:tc>" for cell in row)
            + "</w:tr>"
            for row in value
        )
        grid = "<w:gridCol/>" * len(value[0])
        return f'<w:tbl><w:tblPr><w:tblW w:w="0" w:type="auto"/></w:tblPr><w:tblGrid>{grid}</w:tblGrid>{rows}</w:tbl>'
    style = f'<w:pPr><w:pStyle w:val="Heading{kind[1]}"/></w:pPr>' if kind in {"h1", "h2"} else ""
    return f'<w:p>{style}<w:r><w:t xml:space="preserve">{escape(value)}</w:t></w:r></w:p>'


def _word_types(*, has_header: bool) -> str:
    overrides = [
        ("/word/document.xml", f"{_WORD}.document.main+xml"),
        ("/word/styles.xml", f"{_WORD}.styles+xml"),
        ("/docProps/core.xml", "application/vnd.openxmlformats-package.core-properties+xml"),
    ]
    if has_header:
        overrides.append(("/word/header1.xml", f"{_WORD}.header+xml"))
    listed = "".join(f'<Override PartName="{n}" ContentType="{t}"/>' for n, t in overrides)
    return (
        f'{_HEAD}<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        f'<Default Extension="xml" ContentType="application/xml"/>{listed}</Types>'
    )


def _relations(rows: Sequence[tuple[str, str, str]]) -> str:
    listed = "".join(f'<Relationship Id="{i}" Type="{t}" Target="{to}"/>' for i, t, to in rows)
    return f'{_HEAD}<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">{listed}</Relationships>'


def _core(title: str, author: str) -> str:
    return (
        f'{_HEAD}<cp:coreProperties xmlns:cp="http://schemas.openxmlformats.org/package/2006/metadata/core-properties"'
        ' xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:dcterms="http://purl.org/dc/terms/"'
        ' xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">'
        f"<dc:title>{escape(title)}</dc:title><dc:creator>{escape(author)}</dc:creator>"
        f'<dcterms:created xsi:type="dcterms:W3CDTF">{_STAMP}</dcterms:created>'
        f'<dcterms:modified xsi:type="dcterms:W3CDTF">{_STAMP}</dcterms:modified></cp:coreProperties>'
    )


# -- hwpx (KS X 6101, OWPML) -----------------------------------------------------------------------

_HP = 'xmlns:hp="http://www.hancom.co.kr/hwpml/2011/paragraph"'
_HS = 'xmlns:hs="http://www.hancom.co.kr/hwpml/2011/section"'
_HH = 'xmlns:hh="http://www.hancom.co.kr/hwpml/2011/head"'
_HC = 'xmlns:hc="http://www.hancom.co.kr/hwpml/2011/core"'
_SHAPES = {"h1": ("1", "1"), "h2": ("2", "2"), "p": ("0", "0")}
"""Paragraph and character shape of each kind of block."""


def hwpx(blocks: Sequence[Block], *, title: str, author: str) -> bytes:
    """A Hangul document (zip of XML) with outline levels and tables."""
    body = "".join(_hangul_block(kind, value, place) for place, (kind, value) in enumerate(blocks))
    package = (
        f'{_HEAD}<opf:package xmlns:opf="http://www.idpf.org/2007/opf/" version="" unique-identifier="" id="">'
        f"<opf:metadata><opf:title>{escape(title)}</opf:title><opf:language>ko</opf:language>"
        f'<opf:meta name="creator" content="text">{escape(author)}</opf:meta>'
        f'<opf:meta name="CreatedDate" content="text">{_STAMP}</opf:meta></opf:metadata>'
        '<opf:manifest><opf:item id="header" href="Contents/header.xml" media-type="application/xml"/>'
        '<opf:item id="section0" href="Contents/section0.xml" media-type="application/xml"/></opf:manifest>'
        '<opf:spine><opf:itemref idref="header"/><opf:itemref idref="section0"/></opf:spine></opf:package>'
    )
    container = (
        f'{_HEAD}<ocf:container xmlns:ocf="urn:oasis:names:tc:opendocument:xmlns:container"><ocf:rootfiles>'
        '<ocf:rootfile full-path="Contents/content.hpf" media-type="application/hwpml-package+xml"/>'
        "</ocf:rootfiles></ocf:container>"
    )
    version = (
        f'{_HEAD}<hv:HCFVersion xmlns:hv="http://www.hancom.co.kr/hwpml/2011/version" tagetApplication="WORDPROCESSOR"'
        ' major="5" minor="1" micro="0" buildNumber="1" os="1" xmlVersion="1.4" application="Seoga examples"/>'
    )
    return fixed_zip(
        [
            ("mimetype", "application/hwp+zip"),
            ("version.xml", version),
            ("META-INF/container.xml", container),
            ("Contents/content.hpf", package),
            ("Contents/header.xml", _hangul_header()),
            ("Contents/section0.xml", f"{_HEAD}<hs:sec {_HS} {_HP} {_HC}>{body}</hs:sec>"),
        ]
    )


def _hangul_header() -> str:
    letters = "".join(
        f'<hh:charPr id="{n}" height="{height}">{"<hh:bold/>" if n else ""}</hh:charPr>'
        for n, height in enumerate((1000, 1400, 1200))
    )
    shapes = (
        '<hh:paraPr id="0"><hh:heading type="NONE" idRef="0" level="0"/></hh:paraPr>'
        + "".join(
            f'<hh:paraPr id="{n}"><hh:heading type="OUTLINE" idRef="0" level="{n - 1}"/></hh:paraPr>'
            for n in (1, 2)
        )
    )
    return (
        f'{_HEAD}<hh:head {_HH} {_HC} version="1.4" secCnt="1"><hh:refList>'
        f'<hh:charProperties itemCnt="3">{letters}</hh:charProperties>'
        f'<hh:paraProperties itemCnt="3">{shapes}</hh:paraProperties></hh:refList></hh:head>'
    )


def _hangul_block(kind: str, value: Any, place: int) -> str:
    if kind != "table":
        shape, letter = _SHAPES[kind]
        return f'<hp:p id="{place}" paraPrIDRef="{shape}" styleIDRef="0"><hp:run charPrIDRef="{letter}"><hp:t>{escape(value)}</hp:t></hp:run></hp:p>'
    rows = "".join(
        "<hp:tr>" + "".join(_hangul_cell(text, r, c) for c, text in enumerate(row)) + "</hp:tr>"
        for r, row in enumerate(value)
    )
    table = f'<hp:tbl id="{place}" rowCnt="{len(value)}" colCnt="{len(value[0])}" repeatHeader="1">{rows}</hp:tbl>'
    return f'<hp:p id="{place}" paraPrIDRef="0" styleIDRef="0"><hp:run charPrIDRef="0">{table}</hp:run></hp:p>'


def _hangul_cell(text: str, row: int, column: int) -> str:
    return (
        '<hp:tc header="0"><hp:subList>'
        f"{_hangul_block('p', text, 0)}</hp:subList>"
        f'<hp:cellAddr colAddr="{column}" rowAddr="{row}"/><hp:cellSpan colSpan="1" rowSpan="1"/></hp:tc>'
    )
