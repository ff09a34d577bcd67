"""Pieces of parts that are parsed alone are those that the XML parser finds in the whole part."""

from __future__ import annotations

import pytest
from lxml import etree

from parsers.common.xml_pieces import pieces_of, without_element

NS = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\r\n'
ROOT = f'<w:styles xmlns:x="urn:x" xmlns:w="{NS}" x:at="1">'
STYLES = (
    '<w:docDefaults/><w:style w:type="paragraph" w:default="1" w:styleId="a"><w:name w:val="표준"/><w:rPr><w:b/></w:rPr></w:style>\n'
    '<w:style w:type="table" w:styleId="T"><w:tblPr/></w:style><w:style w:styleId="1"\n w:type="paragraph"><w:basedOn w:val="a"/></w:style>'
    '<w:styleX/><w:style><w:name w:val="이름 없음"/></w:style>'
)


@pytest.mark.parametrize("head", ["", HEAD, "\ufeff" + HEAD])
def test_pieces_are_the_elements_of_the_part(head):
    part = f"{head}{ROOT}{STYLES}</w:styles>\n".encode()

    pieces = pieces_of(part, "w:styles", "w:style", NS)

    expected = etree.fromstring(part).findall(f"{{{NS}}}style")
    assert pieces is not None
    assert [etree.tostring(etree.fromstring(p)[0], with_tail=False) for _, p in pieces] == [
        etree.tostring(style, with_tail=False) for style in expected
    ]
    assert [a for a, _ in pieces] == [
        {k.replace(f"{{{NS}}}", "w:"): v for k, v in style.attrib.items()} for style in expected
    ]


@pytest.mark.parametrize(
    "part",
    [
        f"{ROOT}<!-- {STYLES} --></w:styles>",
        f"{ROOT}{STYLES}",
        f"{ROOT}{STYLES}<w:style/></w:styles>",
        f"{ROOT}{STYLES}<w:style w:styleId='q'></w:style></w:styles>",
        f'{ROOT}{STYLES}<w:style w:styleId="a&amp;b"></w:style></w:styles>',
        f"{ROOT}<mc:AlternateContent>{STYLES}</mc:AlternateContent></w:styles>",
        f'<w:styles xmlns:w="urn:other">{STYLES}</w:styles>',
        f"<!DOCTYPE styles>{ROOT}{STYLES}</w:styles>",
        f'<?xml version="1.0" encoding="EUC-KR"?>{ROOT}{STYLES}</w:styles>',
    ],
)
def test_other_spellings_are_left_to_the_xml_parser(part):
    assert pieces_of(part.encode(), "w:styles", "w:style", NS) is None


def test_an_element_that_nobody_needs_is_left_out():
    part = b"<p:m><p:a/><p:txStyles><p:a/></p:txStyles><p:b/></p:m>"
    assert without_element(part, b"p:txStyles") == b"<p:m><p:a/><p:b/></p:m>"


@pytest.mark.parametrize(
    "part",
    [
        b"<p:m><p:a/></p:m>",
        b"<p:m><p:txStyles/><p:b/></p:m>",
        b"<p:m><!-- <p:txStyles> --><p:txStyles></p:txStyles></p:m>",
        b"<p:m><p:txStyles>1</p:txStyles>2<p:txStyles>3</p:txStyles></p:m>",
        b"<p:m><p:txStyles>breaks off",
    ],
)
def test_where_that_is_not_sure_it_stays(part):
    assert without_element(part, b"p:txStyles") == part
