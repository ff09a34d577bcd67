"""XFA forms: the page asks to wait, the form is XML."""

from __future__ import annotations

import pymupdf
import pytest

from contracts.documents import BlockKind, Layer
from contracts.errors import ParseFailure
from contracts.failures import FailureClass

TEMPLATE = """<template xmlns="http://www.xfa.org/schema/xfa-template/3.3/"><subform name="form1" layout="tb">
<pageSet><pageArea><draw><value><text>가온정밀 양식 7호</text></value></draw></pageArea></pageSet>
<draw><value><exData contentType="text/html"><body xmlns="http://www.w3.org/1999/xhtml">
  <p>협력사 <b>등록</b> 신청서</p></body></exData></value></draw>
<subform name="company">
  <field name="title"><caption><value><text>상호</text></value></caption></field>
  <field name="kind"><caption><value><text>구분:</text></value></caption><ui><choiceList/></ui>
    <items save="1"><text>M</text><text>S</text></items><items><text>제조</text><text>판매</text></items></field>
  <field name="agreed"><ui><checkButton/></ui><items><text>1</text><text>0</text></items>
    <caption><value><text>개인정보 동의</text></value></caption></field>
  <field name="fax"><caption><value><text>팩스</text></value></caption></field>
  <field name="country"><caption><value><text>국가</text></value></caption><value><text>대한민국</text></value></field>
  <field name="where"><bind match="dataRef" ref="$.place.city"/><caption><value><text>소재지</text></value></caption></field>
</subform>
<subform name="items" layout="table">
  <subform layout="row"><draw><value><text>품목</text></value></draw><draw><value><text>수량</text></value></draw></subform>
  <subform name="line" layout="row"><occur max="-1"/><field name="part"/><field name="count"/></subform>
</subform>
<field name="secret" presence="hidden"><value><text>내부 번호 41</text></value></field>
</subform></template>"""
DATA = """<xfa:datasets xmlns:xfa="http://www.xfa.org/schema/xfa-data/1.0/"><xfa:data><form1>
<company><title>나래테크</title><kind>M</kind><agreed>1</agreed><place><city>창원</city></place></company>
<items><line><part>브래킷</part><count>120</count></line><line><part>커버</part><count>45</count></line></items>
<memo>도면은 따로 보냅니다</memo></form1></xfa:data></xfa:datasets>"""


def form(maker, *parts: str, whole: bool = False, fields: str = "[]") -> bytes:
    document = maker.pdf
    maker.page.insert_text((60, 80), "Please wait... If this message is not eventually replaced")

    def stream(text: str) -> int:
        number = document.get_new_xref()
        document.update_object(number, "<<>>")
        document.update_stream(number, text.encode())
        return number

    around = ('<xdp:xdp xmlns:xdp="http://ns.adobe.com/xdp/">', *parts, "</xdp:xdp>")
    if whole:
        entry = f"{stream(''.join(around))} 0 R"
    else:
        entry = "[" + " ".join(f"(part{i}) {stream(p)} 0 R" for i, p in enumerate(around)) + "]"
    document.xref_set_key(document.pdf_catalog(), "AcroForm", f"<</Fields {fields} /XFA {entry}>>")
    return document.tobytes()


@pytest.mark.parametrize("whole", [False, True])
def test_labels_values_and_tables_of_the_form(maker, parse, body, whole):
    found = parse(form(maker, TEMPLATE, DATA, whole=whole))
    assert body(found) == [
        "협력사 등록 신청서", "상호: 나래테크", "구분: 제조", "✓ 개인정보 동의", "팩스", "국가: 대한민국",
        "소재지: 창원", "품목 | 수량", "브래킷 | 120", "커버 | 45", "memo: 도면은 따로 보냅니다",
    ]  # fmt: skip
    (table,) = (block.table for block in found.blocks if block.kind is BlockKind.TABLE)
    assert table.header_rows == 1
    by_layer = {block.text: block.layer for block in found.blocks}
    assert by_layer["secret: 내부 번호 41"] is Layer.HIDDEN
    assert by_layer["가온정밀 양식 7호"] is Layer.FURNITURE
    assert {layer for text, layer in by_layer.items() if "Please wait" in text} == {Layer.FURNITURE}


def test_values_without_a_template_keep_their_names(maker, parse, body):
    assert "title: 나래테크" in body(parse(form(maker, DATA)))


def test_a_form_that_cannot_be_read_says_what_to_do(maker, parse):
    with pytest.raises(ParseFailure) as caught:
        parse(form(maker, "<template>"[:3]))
    assert caught.value.failure is FailureClass.UNSUPPORTED
    assert "XFA" in caught.value.detail


def test_a_form_that_the_pages_draw_themselves_keeps_its_pages(maker, parse, body):
    widget = pymupdf.Widget()
    widget.field_name, widget.field_type, widget.field_value = (
        "n",
        pymupdf.PDF_WIDGET_TYPE_TEXT,
        "7",
    )
    widget.rect = pymupdf.Rect(60, 100, 160, 120)
    maker.page.add_widget(widget)
    fields = maker.pdf.xref_get_key(maker.pdf.pdf_catalog(), "AcroForm/Fields")[1]
    found = body(parse(form(maker, TEMPLATE, DATA, fields=fields)))
    assert any("Please wait" in text for text in found)
    assert "상호: 나래테크" not in found
