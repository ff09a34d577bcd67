"""Web pages: what a reader sees, without menus, scripts and hidden text."""

from __future__ import annotations

import pytest

from contracts.documents import BlockKind, Layer
from contracts.errors import ParseFailure
from contracts.failures import FailureClass


@pytest.fixture
def read(parse, look):
    def run(page, charset="utf-8"):
        return look(parse(page if isinstance(page, bytes) else page.encode(charset), "html"))

    return run


def test_menus_scripts_and_styles_are_no_text_of_the_page(read):
    shown = read(
        "<html><head><title>공지</title><style>p{color:red}</style><script>alert('x')</script></head><body>"
        "<nav><a href='/'>홈</a> <a href='/b'>게시판</a></nav><div class='lnb-menu'><ul><li><a href='/c'>인사</a></ul></div>"
        "<header>회사 이름</header><main><h1>휴가 공지</h1><p>8월 1일부터 휴무</p></main><footer>주소</footer></body></html>"
    )
    assert shown.texts(layer=Layer.BODY) == ["휴가 공지", "8월 1일부터 휴무"]
    assert shown.texts(layer=Layer.FURNITURE) == ["홈 게시판", "인사", "회사 이름", "주소"]
    assert "alert" not in shown.everything()
    assert shown.document.title == "공지"


def test_headings_lists_and_code_keep_their_kind(read):
    shown = read(
        "<h2>점검</h2>앞말<p>설명<br>둘째 줄</p><ol start=3><li>전원<ul><li>차단</ul><li value=9>밸브</ol><pre>if a:\n    b()</pre>"
    )
    assert [(b.kind, b.text, b.level, b.label) for b in shown.document.blocks] == [
        (BlockKind.HEADING, "점검", 2, ""),
        (BlockKind.PARAGRAPH, "앞말", 0, ""),
        (BlockKind.PARAGRAPH, "설명\n둘째 줄", 0, ""),
        (BlockKind.LIST_ITEM, "전원", 1, "3."),
        (BlockKind.LIST_ITEM, "차단", 2, ""),
        (BlockKind.LIST_ITEM, "밸브", 1, "9."),
        (BlockKind.CODE, "if a:\n    b()", 0, ""),
    ]


def test_tables_keep_spans_captions_and_nested_tables(read):
    shown = read(
        "<table><caption>설비 온도</caption><thead><tr><th rowspan=2>설비<th colspan=2>온도<tr><th>하한<th>상한</thead>"
        "<tr><td>EQ-7<td>180<td>220<table><tr><td>안1<td>안2</table></table>"
    )
    (table,) = shown.tables()
    assert table.caption == "설비 온도"
    assert shown.address(table, "180") == (("온도", "하한"), ("EQ-7",))
    assert shown.address(table, "220") == (("온도", "상한"), ("EQ-7",))
    assert [c.text for c in table.cells[-1].tables[0].cells] == ["안1", "안2"]


def test_tables_that_only_place_things_are_no_tables(read):
    shown = read("<table><tr><td><h1>제목</h1><p>글</p></td></tr></table>")
    assert shown.tables() == []
    assert shown.texts() == ["제목", "글"]


@pytest.mark.parametrize(
    "hidden",
    [
        "<p hidden>비밀</p>",
        "<div style='display: none'><p>비밀</p></div>",
        "<span style='visibility:hidden'>비밀</span>",
        "<font color=white>비밀</font>",
        "<span style='color:#fff'>비밀</span>",
        "<span style='font-size:0px'>비밀</span>",
    ],
)
def test_what_a_reader_cannot_see_is_hidden(read, hidden):
    shown = read(f"<p>보임</p>{hidden}<p>또 보임</p>")
    assert shown.texts(layer=Layer.BODY) == ["보임", "또 보임"]
    assert shown.texts(layer=Layer.HIDDEN) == ["비밀"]


def test_white_text_on_a_coloured_ground_is_seen(read):
    shown = read(
        "<table><tr style='background:#036'><td style='color:#fff'>구분<td>값<tr><td>가<td>1</table>"
    )
    assert "구분" in shown.everything(Layer.BODY)


@pytest.mark.parametrize(
    ("declared", "charset"),
    [
        ("ks_c_5601-1987", "cp949"),
        ("", "cp949"),
        ("", "johab"),
        ("utf-8", "utf-8"),
        ("", "utf-16"),
        ("iso-8859-1", "cp949"),
    ],
)
def test_charsets_are_found_by_declaration_and_by_evidence(read, declared, charset):
    meta = f"<meta charset='{declared}'>" if declared else ""
    text = "금형 온도를 기준에 따라 관리하고 이상이 있으면 보고한다"
    assert read(f"<html><head>{meta}</head><p>{text}</p></html>", charset).texts() == [text]


def test_broken_and_deeply_nested_markup_loses_no_text(read):
    deep = "<div>" * 1500 + "깊은 글" + "</div>" * 1500
    shown = read(f"<p>열림 <b>굵게<p>다음</b>{deep}<table><tr><td>칸")
    for text in ("열림 굵게", "다음", "깊은 글", "칸"):
        assert text in shown.everything()


def test_markup_too_deep_for_a_tree_is_read_as_lines(parse, look):
    page = (
        "<title>x</title><script>var a</script>"
        + "<div>" * 9000
        + "깊은 글 &amp; 값"
        + "</div>" * 9000
    )
    document = parse(f"<p>앞</p>{page}<p>뒤</p>".encode(), "html")
    assert look(document).texts() == ["앞", "깊은 글 & 값", "뒤"]
    assert any("nested too deeply" in warning for warning in document.warnings)


def test_a_blank_file_is_empty(parse):
    with pytest.raises(ParseFailure) as caught:
        parse(b" \r\n", "html")
    assert caught.value.failure is FailureClass.EMPTY
