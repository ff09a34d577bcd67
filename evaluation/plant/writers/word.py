"""Word documents (ECMA-376): heading styles, ruled tables, tables in cells, a page header."""

from __future__ import annotations

from typing import Any
from xml.sax.saxutils import escape

from evaluation.plant.model import Pages
from evaluation.plant.writers.packages import HEAD, STAMP, fixed_zip

__all__ = ["docx"]

_W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
_R = 'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"'
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_WORD = "application/vnd.openxmlformats-officedocument.wordprocessingml"
_SIZES = {1: 32, 2: 24}
_EDGES = "".join(
    f'<w:{side} w:val="single" w:sz="4" w:space="0" w:color="808080"/>'
    for side in ("top", "left", "bottom", "right", "insideH", "insideV")
)


def docx(pages: Pages) -> bytes:
    """The document; equal input gives equal bytes."""
    body = "".join(_block(kind, value) for kind, value in pages.blocks)
    section = '<w:headerReference w:type="default" r:id="rId2"/>' if pages.header else ""
    section += '<w:pgSz w:w="11906" w:h="16838"/><w:pgMar w:top="1417" w:right="1134" w:bottom="1134" w:left="1134" w:header="708" w:footer="708" w:gutter="0"/>'
    document = f"{HEAD}<w:document {_W} {_R}><w:body>{body}<w:sectPr>{section}</w:sectPr></w:body></w:document>"
    relations = [("rId1", f"{_OFFICE}/styles", "styles.xml")]
    parts: list[tuple[str, bytes | str]] = [
        ("[Content_Types].xml", _types(has_header=bool(pages.header))),
        ("_rels/.rels", _relations([
            ("rId1", f"{_OFFICE}/officeDocument", "word/document.xml"),
            ("rId2", f"{_PACKAGE}/relationships/metadata/core-properties", "docProps/core.xml"),
        ])),
        ("docProps/core.xml", _core(pages.title, pages.author)),
        ("word/document.xml", document),
        ("word/styles.xml", _styles()),
    ]  # fmt: skip
    if pages.header:
        relations.append(("rId2", f"{_OFFICE}/header", "header1.xml"))
        parts.append(("word/header1.xml", f"{HEAD}<w:hdr {_W}>{_block('p', pages.header)}</w:hdr>"))
    parts.append(("word/_rels/document.xml.rels", _relations(relations)))
    return fixed_zip(parts)


def _block(kind: str, value: Any) -> str:
    if kind == "turn":
        return '<w:p><w:r><w:br w:type="page"/></w:r></w:p>'
    if kind == "table":
        return _table(value)
    style = f'<w:pPr><w:pStyle w:val="Heading{kind[1]}"/></w:pPr>' if kind[0] == "h" else ""
    return f'<w:p>{style}<w:r><w:t xml:space="preserve">{escape(value)}</w:t></w:r></w:p>'


def _table(rows: Any) -> str:
    count = max(len(row) for row in rows)
    width = 9600 // count
    made = "".join(
        "<w:tr>" + "".join(_cell(cell, width) for cell in row) + "</w:tr>" for row in rows
    )
    grid = f'<w:gridCol w:w="{width}"/>' * count
    return (
        f'<w:tbl><w:tblPr><w:tblW w:w="{width * count}" w:type="dxa"/><w:tblBorders>{_EDGES}</w:tblBorders></w:tblPr>'
        f"<w:tblGrid>{grid}</w:tblGrid>{made}</w:tbl><w:p/>"
    )


def _cell(cell: Any, width: int) -> str:
    blocks = [("p", cell)] if isinstance(cell, str) else cell
    inside = "".join(_block(kind, value) for kind, value in blocks)
    return f'<w:tc><w:tcPr><w:tcW w:w="{width}" w:type="dxa"/></w:tcPr>{inside}</w:tc>'


def _styles() -> str:
    fonts = '<w:rFonts w:ascii="NanumGothic" w:eastAsia="NanumGothic" w:hAnsi="NanumGothic"/>'
    normal = (
        f'<w:docDefaults><w:rPrDefault><w:rPr>{fonts}<w:sz w:val="20"/></w:rPr></w:rPrDefault></w:docDefaults>'
        '<w:style w:type="paragraph" w:default="1" w:styleId="Normal"><w:name w:val="Normal"/></w:style>'
    )
    headings = "".join(
        f'<w:style w:type="paragraph" w:styleId="Heading{n}"><w:name w:val="heading {n}"/><w:basedOn w:val="Normal"/>'
        f'<w:pPr><w:spacing w:before="160" w:after="80"/><w:outlineLvl w:val="{n - 1}"/></w:pPr>'
        f'<w:rPr><w:b/><w:sz w:val="{size}"/></w:rPr></w:style>'
        for n, size in _SIZES.items()
    )
    return f"{HEAD}<w:styles {_W}>{normal}{headings}</w:styles>"


def _types(*, has_header: bool) -> str:
    overrides = [
        ("/word/document.xml", f"{_WORD}.document.main+xml"),
        ("/word/styles.xml", f"{_WORD}.styles+xml"),
        ("/docProps/core.xml", "application/vnd.openxmlformats-package.core-properties+xml"),
    ]
    if has_header:
        overrides.append(("/word/header1.xml", f"{_WORD}.header+xml"))
    listed = "".join(f'<Override PartName="{n}" ContentType="{t}"/>' for n, t in overrides)
    return (
        f'{HEAD}<Types xmlns="{_PACKAGE}/content-types">'
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        f'<Default Extension="xml" ContentType="application/xml"/>{listed}</Types>'
    )


def _relations(rows: list[tuple[str, str, str]]) -> str:
    listed = "".join(f'<Relationship Id="{i}" Type="{t}" Target="{to}"/>' for i, t, to in rows)
    return f'{HEAD}<Relationships xmlns="{_PACKAGE}/relationships">{listed}</Relationships>'


def _core(title: str, author: str) -> str:
    return (
        f'{HEAD}<cp:coreProperties xmlns:cp="{_PACKAGE}/metadata/core-properties"'
        ' xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:dcterms="http://purl.org/dc/terms/"'
        ' xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">'
        f"<dc:title>{escape(title)}</dc:title><dc:creator>{escape(author)}</dc:creator>"
        f'<dcterms:created xsi:type="dcterms:W3CDTF">{STAMP}</dcterms:created>'
        f'<dcterms:modified xsi:type="dcterms:W3CDTF">{STAMP}</dcterms:modified></cp:coreProperties>'
    )
