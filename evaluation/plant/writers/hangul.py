"""Hangul documents (hwpx, KS X 6101): outline levels, tables, tables in cells."""

from __future__ import annotations

from typing import Any
from xml.sax.saxutils import escape

from evaluation.plant.model import Pages
from evaluation.plant.writers.packages import HEAD, STAMP, fixed_zip

__all__ = ["hwpx"]

_OWPML = "http://www.hancom.co.kr/hwpml/2011"
_HP = f'xmlns:hp="{_OWPML}/paragraph"'
_HS = f'xmlns:hs="{_OWPML}/section"'
_HH = f'xmlns:hh="{_OWPML}/head"'
_HC = f'xmlns:hc="{_OWPML}/core"'
_SHAPES = {"h1": "1", "h2": "2"}


def hwpx(pages: Pages) -> bytes:
    """The document; equal input gives equal bytes."""
    blocks = [("p", pages.header), *pages.blocks] if pages.header else list(pages.blocks)
    body = "".join(_block(kind, value) for kind, value in blocks)
    package = (
        f'{HEAD}<opf:package xmlns:opf="http://www.idpf.org/2007/opf/" version="" unique-identifier="" id="">'
        f"<opf:metadata><opf:title>{escape(pages.title)}</opf:title><opf:language>ko</opf:language>"
        f'<opf:meta name="creator" content="text">{escape(pages.author)}</opf:meta>'
        f'<opf:meta name="CreatedDate" content="text">{STAMP}</opf:meta></opf:metadata>'
        '<opf:manifest><opf:item id="header" href="Contents/header.xml" media-type="application/xml"/>'
        '<opf:item id="section0" href="Contents/section0.xml" media-type="application/xml"/></opf:manifest>'
        '<opf:spine><opf:itemref idref="header"/><opf:itemref idref="section0"/></opf:spine></opf:package>'
    )
    container = (
        f'{HEAD}<ocf:container xmlns:ocf="urn:oasis:names:tc:opendocument:xmlns:container"><ocf:rootfiles>'
        '<ocf:rootfile full-path="Contents/content.hpf" media-type="application/hwpml-package+xml"/>'
        "</ocf:rootfiles></ocf:container>"
    )
    version = (
        f'{HEAD}<hv:HCFVersion xmlns:hv="{_OWPML}/version" tagetApplication="WORDPROCESSOR"'
        ' major="5" minor="1" micro="0" buildNumber="1" os="1" xmlVersion="1.4" application="Seoga plant"/>'
    )
    return fixed_zip(
        [
            ("mimetype", "application/hwp+zip"),
            ("version.xml", version),
            ("META-INF/container.xml", container),
            ("Contents/content.hpf", package),
            ("Contents/header.xml", _header()),
            ("Contents/section0.xml", f"{HEAD}<hs:sec {_HS} {_HP} {_HC}>{body}</hs:sec>"),
        ]
    )


def _header() -> str:
    letters = "".join(
        f'<hh:charPr id="{n}" height="{height}">{"<hh:bold/>" if n else ""}</hh:charPr>'
        for n, height in enumerate((1000, 1400, 1200))
    )
    shapes = '<hh:paraPr id="0"><hh:heading type="NONE" idRef="0" level="0"/></hh:paraPr>' + "".join(
        f'<hh:paraPr id="{n}"><hh:heading type="OUTLINE" idRef="0" level="{n - 1}"/></hh:paraPr>' for n in (1, 2)
    )  # fmt: skip
    return (
        f'{HEAD}<hh:head {_HH} {_HC} version="1.4" secCnt="1"><hh:refList>'
        f'<hh:charProperties itemCnt="3">{letters}</hh:charProperties>'
        f'<hh:paraProperties itemCnt="3">{shapes}</hh:paraProperties></hh:refList></hh:head>'
    )


def _block(kind: str, value: Any) -> str:
    if kind == "turn":
        return '<hp:p id="0" paraPrIDRef="0" styleIDRef="0" pageBreak="1"><hp:run charPrIDRef="0"/></hp:p>'
    if kind == "table":
        rows = "".join(
            "<hp:tr>" + "".join(_cell(cell, r, c) for c, cell in enumerate(row)) + "</hp:tr>"
            for r, row in enumerate(value)
        )
        size = f'rowCnt="{len(value)}" colCnt="{len(value[0])}"'
        table = f'<hp:tbl id="1" {size} repeatHeader="1">{rows}</hp:tbl>'
        return f'<hp:p id="0" paraPrIDRef="0" styleIDRef="0"><hp:run charPrIDRef="0">{table}</hp:run></hp:p>'
    shape = _SHAPES.get(kind, "0")
    text = f'<hp:run charPrIDRef="{shape}"><hp:t>{escape(value)}</hp:t></hp:run>'
    return f'<hp:p id="0" paraPrIDRef="{shape}" styleIDRef="0">{text}</hp:p>'


def _cell(cell: Any, row: int, column: int) -> str:
    blocks = [("p", cell)] if isinstance(cell, str) else cell
    inside = "".join(_block(kind, value) for kind, value in blocks)
    return (
        f'<hp:tc header="0"><hp:subList>{inside}</hp:subList>'
        f'<hp:cellAddr colAddr="{column}" rowAddr="{row}"/><hp:cellSpan colSpan="1" rowSpan="1"/></hp:tc>'
    )
