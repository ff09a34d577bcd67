"""What passages a reader gets from a document."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contracts.documents import BlockKind, Child, ChildRelation, Layer, ParsedDocument, Position
from contracts.settings import ChunkSettings, EmbedderSettings
from contracts.versions import DocumentVersion
from ingest.chunking import chunk_document
from search.embedding.registry import make_embedder


def words(text):
    return re.findall(r"\w+", text)


def long_text(sentences, start=0):
    return " ".join(f"문장{start + n}번은 세척 온도를 정한다." for n in range(sentences))


def test_a_passage_is_headed_by_title_and_heading_path(paper):
    (chunk,) = (
        paper().heading("4. 작업 방법").heading("4.2 헹굼", 2).line("온수로 두 번 헹군다.").cut()
    )
    assert chunk.title_prefix == "세척 표준 › 4. 작업 방법 › 4.2 헹굼"
    assert chunk.headings == ("4. 작업 방법", "4.2 헹굼")
    assert chunk.text == "온수로 두 번 헹군다."
    assert chunk.embedded_text == "세척 표준 › 4. 작업 방법 › 4.2 헹굼\n온수로 두 번 헹군다."


def test_a_heading_ends_where_one_of_its_level_begins(paper):
    chunks = paper().heading("1").heading("1.1", 2).line("가 " * 80).heading("2").line("나").cut()
    assert [chunk.headings for chunk in chunks] == [("1", "1.1"), ("2",)]


def test_headings_without_text_are_still_found(paper):
    chunks = paper().heading("1. 목적").heading("2. 범위").heading("2.1 대상", 2).cut()
    assert [chunk.text for chunk in chunks] == ["1. 목적", "2.1 대상"]
    assert chunks[1].headings == ("2. 범위", "2.1 대상")


def test_short_neighbours_under_one_heading_are_merged_with_their_headings_as_lines(paper):
    (chunk,) = (
        paper()
        .heading("5. 조건")
        .heading("5.1 온도", 2)
        .line("60도")
        .heading("5.2 압력", 2)
        .line("3bar")
        .cut()
    )
    assert chunk.headings == ("5. 조건",)
    assert chunk.text == "5.1 온도\n60도\n5.2 압력\n3bar"


def test_long_sections_are_split_at_sentence_ends_with_overlap(paper):
    chunks = paper().heading("본문").line(long_text(60)).cut(target_tokens=64, overlap_tokens=16)
    assert len(chunks) > 3
    assert all(chunk.text.endswith("정한다.") for chunk in chunks)
    for before, after in pairwise(chunks):
        repeated = [line for line in after.text.split(". ") if line in before.text]
        assert 1 <= len(repeated) <= 3
        assert before.text.endswith(repeated[-1].rstrip(".") + ".")
    assert {chunk.headings for chunk in chunks} == {("본문",)}


def test_without_overlap_nothing_is_repeated(paper):
    chunks = paper().line(long_text(60)).cut(target_tokens=64, overlap_tokens=0)
    assert "\n".join(chunk.text for chunk in chunks).replace("\n", " ") == long_text(60)


def test_numbering_and_revisions_do_not_end_sentences(paper):
    text = "1. 목적 Rev. 3 은 2024. 3. 1. 부터 시행한다. " + long_text(30)
    first = paper().line(text).cut(target_tokens=32)[0]
    assert "1. 목적 Rev. 3 은 2024. 3. 1. 부터 시행한다." in first.text


def test_slides_sheets_and_messages_are_never_joined(paper):
    for field, places in (("slide", (1, 2)), ("sheet", ("가", "나")), ("message", (1, 2))):
        first, second = (
            paper().at(**{field: places[0]}).line("하나").at(**{field: places[1]}).line("둘").cut()
        )
        assert getattr(first.positions[0], field) == places[0]
        assert getattr(second.positions[0], field) == places[1]


def test_a_slide_title_does_not_reach_the_next_slide_and_notes_follow_their_slide(paper):
    chunks = (
        paper(format="pptx")
        .at(slide=1)
        .heading("불량 추이")
        .line("3월에 줄었다")
        .at(Layer.NOTES, slide=1)
        .add(BlockKind.NOTE, "강조할 것")
        .at(slide=2)
        .line("다음 장")
        .cut()
    )
    assert [(c.layer, c.headings) for c in chunks] == [
        (Layer.BODY, ("불량 추이",)),
        (Layer.NOTES, ("불량 추이",)),
        (Layer.BODY, ()),
    ]
    assert chunks[1].positions == (Position(slide=1),)


def test_layers_never_share_a_passage_and_furniture_has_none(paper):
    chunks = (
        paper()
        .line("머리글", layer=Layer.FURNITURE)
        .line("본문 하나")
        .line("인용", layer=Layer.QUOTED)
        .line("숨김", layer=Layer.HIDDEN)
        .line("본문 둘")
        .cut()
    )
    assert [(c.layer.value, c.text) for c in chunks] == [
        ("body", "본문 하나"),
        ("quoted", "인용"),
        ("hidden", "숨김"),
        ("body", "본문 둘"),
    ]


def test_a_hidden_heading_does_not_show_above_open_text(paper):
    chunks = (
        paper()
        .add(BlockKind.HEADING, "인수 계획", level=1, layer=Layer.HIDDEN)
        .line("비공개", layer=Layer.HIDDEN)
        .line("공개")
        .cut()
    )
    assert [(c.text, c.headings) for c in chunks] == [("비공개", ("인수 계획",)), ("공개", ())]


def test_a_word_of_ten_thousand_characters_is_split_and_complete(paper):
    word = "".join(chr(0xAC00 + n % 1000) for n in range(10_000))
    chunks = paper().line(word).cut(max_tokens=64)
    assert "".join(chunk.text for chunk in chunks) == word
    assert max(chunk.tokens for chunk in chunks) <= 64


def test_a_small_window_binds_more_than_the_settings(paper, word_counter):
    embedder = word_counter(window=24)
    chunks = paper().heading("아주 긴 제목 " * 20).line(long_text(20)).cut(embedder)
    assert max(chunk.tokens for chunk in chunks) <= 24
    assert embedder.count_tokens([c.embedded_text for c in chunks]) == [c.tokens for c in chunks]


def test_a_long_prefix_keeps_title_and_innermost_heading(paper):
    made = paper()
    for level in range(1, 7):
        made.heading(f"{level}단계 " + "중간 제목 " * 8, level)
    (chunk,) = made.line("내용").cut(max_tokens=96, target_tokens=64, containers=["메일 " * 30])
    assert chunk.title_prefix.startswith("세척 표준 › ")
    assert "6단계" in chunk.title_prefix
    assert "3단계" not in chunk.title_prefix
    assert len(chunk.headings) == 6


def test_an_attachment_is_headed_by_its_mail(paper):
    (chunk,) = paper().line("내용").cut(containers=["토크 변경 메일"])
    assert chunk.title_prefix == "토크 변경 메일 › 세척 표준"


def test_sizes_follow_the_document_type(paper):
    minutes = DocumentVersion(title="회의록", document_type="minutes")
    made = paper().line(long_text(60))
    small = made.cut(version=minutes, by_type={"minutes": 40})
    assert len(small) > len(made.cut(by_type={"minutes": 40}))


def test_positions_are_unique_in_order_and_boxes_are_joined_by_page(paper):
    (chunk,) = (
        paper(format="pdf")
        .at(page=1, box=(50.0, 100.0, 300.0, 120.0))
        .line("하나")
        .at(page=1, box=(60.0, 130.0, 400.0, 150.0))
        .line("둘")
        .at(page=2, box=(50.0, 40.0, 200.0, 60.0))
        .line("셋")
        .cut()
    )
    assert chunk.positions == (
        Position(page=1, box=(50.0, 100.0, 400.0, 150.0)),
        Position(page=2, box=(50.0, 40.0, 200.0, 60.0)),
    )


def test_confidence_is_that_of_the_worst_block(paper):
    (chunk,) = paper().line("또렷", confidence=0.98).line("흐릿", confidence=0.41).cut()
    assert chunk.confidence == 0.41


def test_a_caption_stays_with_its_figure(paper):
    chunks = (
        paper()
        .line(long_text(40))
        .add(BlockKind.FIGURE, "체결 순서 그림")
        .caption("그림 3. 볼트 체결 순서")
        .line(long_text(40))
        .cut(target_tokens=64)
    )
    (holder,) = [chunk for chunk in chunks if "그림 3." in chunk.text]
    assert "체결 순서 그림" in holder.text


def test_the_same_passage_keeps_its_id_and_equal_words_elsewhere_have_another(paper):
    made = paper().heading("가").line("같은 말").heading("나").line("같은 말").line("같은 말")
    ids = [chunk.chunk_id for chunk in made.cut()]
    assert ids == [chunk.chunk_id for chunk in made.cut()]
    assert len(set(ids)) == len(ids)
    changed = paper().heading("가").line("같은 말").heading("나").line("다른 말").cut()
    assert changed[0].chunk_id == ids[0]
    assert changed[1].chunk_id != ids[1]
    assert [chunk.ordinal for chunk in made.cut()] == list(range(len(ids)))


def test_two_equal_paragraphs_of_plain_text_are_two_passages(paper):
    chunks = paper().line(f"{'가 ' * 60}\n{'가 ' * 60}").cut(target_tokens=64, overlap_tokens=0)
    assert len({chunk.chunk_id for chunk in chunks}) == len(chunks) == 2


def test_a_document_without_text_is_found_by_its_title_name_and_properties(paper):
    version = DocumentVersion(title="브라켓 도면", document_number="DWG-1001")
    (chunk,) = paper(format="pdf", properties={"author": "이정민"}).cut(
        version=version, name="DWG-1001.pdf"
    )
    assert set(chunk.text.split("\n")) == {
        "브라켓 도면",
        "DWG-1001.pdf",
        "DWG-1001",
        "author: 이정민",
    }
    assert chunk.layer is Layer.BODY


def test_mail_headers_and_attachment_names_are_searched_with_the_mail():
    mail = ParsedDocument(
        format="eml",
        properties={
            "from": "김하늘 <kim@hanbit.example>",
            "to": "이정민",
            "date": "2024-03-05T09:10:00+09:00",
        },
        children=(
            Child(name="토크대장.xlsx", relation=ChildRelation.ATTACHMENT),
            Child(name="logo.png", relation=ChildRelation.INLINE),
        ),
    )
    chunks = chunk_document(
        mail,
        DocumentVersion(title="토크 변경"),
        ("d", "v"),
        make_embedder(EmbedderSettings(engine="hash"), None),
        ChunkSettings(),
    )
    text = "\n".join(chunk.text for chunk in chunks)
    assert "보낸 사람: 김하늘" in text
    assert "첨부: 토크대장.xlsx" in text
    assert "logo.png" not in text


def test_tokens_are_counted_in_few_calls(paper, word_counter):
    embedder = word_counter()
    made = paper()
    for number in range(300):
        made.line(long_text(3, number))
    made.cut(embedder)
    assert embedder.calls < 20


TEXT = st.text(alphabet="가나다 abc.\n0-", max_size=400)
BLOCKS = st.lists(
    st.tuples(
        st.sampled_from(["heading", "line"]),
        TEXT,
        st.sampled_from([Layer.BODY, Layer.NOTES, Layer.HIDDEN, Layer.QUOTED]),
    ),
    max_size=8,
)


@given(blocks=BLOCKS, bound=st.integers(64, 96), overlap=st.integers(0, 30))
@settings(deadline=None)
def test_no_word_is_lost_and_no_bound_is_broken(paper, blocks, bound, overlap):
    made = paper()
    for kind, text, layer in blocks:
        kind_of = BlockKind.HEADING if kind == "heading" else BlockKind.PARAGRAPH
        made.add(kind_of, text, layer=layer, level=1 if kind == "heading" else 0)
    chunks = made.cut(max_tokens=bound, target_tokens=40, overlap_tokens=overlap)
    assert chunks
    assert all(chunk.tokens <= bound and chunk.text.strip() for chunk in chunks)
    assert len({chunk.chunk_id for chunk in chunks}) == len(chunks)
    squeezed = (
        "".join("".join((*c.headings, c.text)) for c in chunks).replace("\n", "").replace(" ", "")
    )
    for _, text, _ in blocks:
        for word in text.split():
            assert word in squeezed or len(word) > 100


@pytest.mark.parametrize("engine", ["hash"])
def test_the_bound_holds_in_a_real_embedders_tokens(paper, engine, tmp_path):
    embedder = make_embedder(EmbedderSettings(engine=engine), tmp_path)
    made = paper().heading("4. 방법").line(long_text(200)).line("가" * 10_000)
    chunks = made.cut(embedder)
    assert embedder.count_tokens([chunk.embedded_text for chunk in chunks]) == [
        c.tokens for c in chunks
    ]
    assert max(chunk.tokens for chunk in chunks) <= min(480, embedder.window)
