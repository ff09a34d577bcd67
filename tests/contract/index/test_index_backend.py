"""What every index backend promises, whatever it stores passages in."""

from __future__ import annotations

import math
import random
from collections import Counter
from dataclasses import replace
from datetime import date

import numpy as np
import pytest

from contracts.chunks import Successor
from contracts.documents import Layer
from contracts.errors import ConfigError, QueryError
from contracts.settings import IndexSettings, SearchSettings
from search.backends.registry import make_index


def texts_of(index, candidates):
    return [stored.chunk.text for stored in index.fetch([c.key for c in candidates])]


def found(index, word, where, limit=50):
    return texts_of(index, index.lexical({word: 1.0}, where, limit))


# -- publishing ------------------------------------------------------------------------------------


def test_a_published_passage_is_found_by_word_and_by_vector(index, build):
    index.publish([build.document_of("d1", "토크 규격", "세척 절차")])
    index.refresh()
    assert found(index, "토크", build.where_of()) == ["토크 규격"]
    nearest = index.nearest(build.vector_of("세척 절차"), build.where_of(), 1)
    assert texts_of(index, nearest) == ["세척 절차"]
    assert nearest[0].score == pytest.approx(1.0, abs=1e-3)


def test_a_new_generation_replaces_the_old_one(index, build):
    index.publish([build.document_of("d1", "예전 내용", "남은 내용")])
    index.publish([build.document_of("d1", "새로운 내용", version_id="v2")])
    assert found(index, "내용", build.where_of()) == ["새로운 내용"]
    assert len(index.nearest(build.vector_of("x"), build.where_of(), 10)) == 1
    assert [(r.document_id, r.version_id, r.chunks) for r in index.inventory()] == [("d1", "v2", 1)]


def test_publishing_twice_is_publishing_once(index, build):
    document = build.document_of("d1", "토크 규격", "토크 표")
    index.publish([document])
    before = index.lexical({"토크": 1.0}, build.where_of(), 10)
    index.publish([document])
    index.publish([document, document])
    again = index.lexical({"토크": 1.0}, build.where_of(), 10)
    assert sorted(texts_of(index, again)) == ["토크 규격", "토크 표"]
    assert [c.score for c in again] == pytest.approx([c.score for c in before])
    assert index.stats()["chunks"] == 2


def test_a_key_held_while_its_document_is_replaced_never_gives_other_text(index, build):
    index.publish([build.document_of("d1", "공개 내용")])
    held = [c.key for c in index.lexical({"공개": 1.0}, build.where_of(), 10)]
    index.publish([build.document_of("d1", "비밀 내용", scope_id="secret")])
    assert [stored.chunk.text for stored in index.fetch(held)] == []


def test_fetch_keeps_the_order_asked_for(index, build):
    index.publish([build.document_of("d1", *(f"공통 {n}" for n in range(5)))])
    keys = [c.key for c in index.lexical({"공통": 1.0}, build.where_of(), 10)]
    keys = keys[1::2] + keys[::2]
    assert [stored.key for stored in index.fetch(keys)] == keys


def test_everything_that_was_stored_of_a_document_comes_back(index, build):
    row = build.row_of(
        "d1",
        path="폴더/깨진\udcff이름.pdf",
        codes=("EQ-PRESS-07",),
        successors=(Successor("d2", "open", date(2026, 1, 1)),),
        effective_from=date(2025, 3, 1),
        ancestors=("m1",),
        groups=("품질팀",),
        stale=True,
    )
    document = replace(build.document_of("d1", "하나", "둘"), row=row)
    index.publish([document])
    stored_row, chunks = index.document("d1")
    assert stored_row == row
    assert [stored.chunk for stored in chunks] == [chunk.chunk for chunk in document.chunks]
    assert all(stored.row == row for stored in chunks)
    assert index.document("d2") is None
    assert index.document("d1", lambda found: found.groups == ("품질팀",)) is not None
    assert index.document("d1", lambda found: found.scope_id == "another") is None


def test_a_document_without_passages_is_counted(index, build):
    index.publish([build.document_of("d1", chunks=[]), build.document_of("d2", "글")])
    assert {(r.document_id, r.chunks) for r in index.inventory()} == {("d1", 0), ("d2", 1)}
    assert index.document("d1")[1] == []


def test_deleted_documents_are_gone_with_everything(index, build):
    index.publish([build.document_of("d1", "지울 글"), build.document_of("d2", "남길 글")])
    index.delete(["d1", "unknown"])
    assert found(index, "글", build.where_of()) == ["남길 글"]
    assert index.document("d1") is None
    assert len(index.nearest(build.vector_of("x"), build.where_of(), 10)) == 1


def test_identical_text_has_one_vector(index, build):
    index.publish([build.document_of("d1", "같은 글"), build.document_of("d2", "같은 글")])
    key = build.chunk_of(0, "같은 글").text_key
    assert index.find_vectors([key, "unknown"]) == {key: build.vector_of("같은 글").tobytes()}
    assert index.stats()["vectors"] == 1
    nearest = index.nearest(build.vector_of("같은 글"), build.where_of(), 10)
    assert texts_of(index, nearest) == ["같은 글", "같은 글"]


def test_ordinals_that_repeat_are_refused_and_change_nothing(index, build):
    twice = [build.chunk_of(3, "하나"), build.chunk_of(3, "둘")]
    with pytest.raises(ValueError, match="ordinal"):
        index.publish([build.document_of("d1", "좋은 글"), build.document_of("d2", chunks=twice)])
    assert list(index.inventory()) == []


# -- rows and epochs -------------------------------------------------------------------------------


def test_a_row_update_changes_what_filters_see_and_keeps_the_passages(index, build):
    index.publish([build.document_of("d1", "토크 규격")])
    index.update_rows([build.row_of("d1", scope_id="other", document_type="8d_report")])
    assert found(index, "토크", build.where_of("open")) == []
    where = build.where_of("other", types=frozenset({"8d_report"}))
    assert found(index, "토크", where) == ["토크 규격"]
    assert index.nearest(build.vector_of("토크 규격"), where, 1)[0].score == pytest.approx(
        1, abs=1e-3
    )


def test_row_updates_of_unknown_documents_are_ignored(index, build):
    index.update_rows([build.row_of("nobody")])
    assert list(index.inventory()) == []


@pytest.mark.parametrize("write", ["publish", "update"])
def test_a_write_from_before_a_permission_change_keeps_the_newer_permissions(index, build, write):
    newer = build.row_of(
        "d1",
        scope_id="closed",
        access_epoch=7,
        successors=(Successor("d9", "closed"),),
        groups=("임원",),
    )
    index.publish([replace(build.document_of("d1", "토크 규격"), row=newer)])
    late = build.row_of("d1", scope_id="open", access_epoch=6, title="새 제목", groups=("전체",))
    if write == "publish":
        index.publish([replace(build.document_of("d1", "토크 새 규격"), row=late)])
    else:
        index.update_rows([late])
    row, _ = index.document("d1")
    assert (row.scope_id, row.groups, row.access_epoch) == ("closed", ("임원",), 7)
    assert row.successors == newer.successors
    assert row.title == "새 제목"
    assert found(index, "토크", build.where_of("open", include_obsolete=True)) == []


def test_a_write_of_the_same_or_a_newer_epoch_counts(index, build):
    index.publish([build.document_of("d1", "글", scope_id="a", access_epoch=7)])
    index.update_rows([build.row_of("d1", scope_id="b", access_epoch=7)])
    assert index.document("d1")[0].scope_id == "b"
    index.update_rows([build.row_of("d1", scope_id="c", access_epoch=8)])
    assert index.document("d1")[0].scope_id == "c"


# -- ranking ---------------------------------------------------------------------------------------


def lucene_bm25(chunks, terms, weights):
    """BM25 by the book, over ``{chunk id: {field: words}}``."""
    scores = Counter()
    for field, field_weight in weights.items():
        bags = {key: fields[field] for key, fields in chunks.items() if fields.get(field)}
        mean = sum(map(len, bags.values())) / max(1, len(bags))
        for term, weight in terms.items():
            holding = [key for key, words in bags.items() if term in words]
            idf = math.log(1 + (len(bags) - len(holding) + 0.5) / (len(holding) + 0.5))
            for key in holding:
                often = bags[key].count(term)
                norm = 1.2 * (1 - 0.75 + 0.75 * len(bags[key]) / mean)
                scores[key] += field_weight * weight * idf * often * 2.2 / (often + norm)
    return scores


# over a server, mean lengths may lag behind deletions; frequencies may not
@pytest.mark.parametrize(("republished", "tolerance"), [(False, 0.02), (True, 0.1)])
def test_words_are_scored_as_bm25_over_weighted_fields(index, build, republished, tolerance):
    draw = random.Random(5)  # noqa: S311  words for a ranking
    words = [f"낱말{number}" for number in range(40)]
    wanted, documents = {}, []
    for number in range(60):
        name = f"d{number}"
        fields = {
            "title": draw.choices(words, k=3),
            "body": draw.choices(words, k=draw.randint(5, 40)),
        }
        if number % 7 == 0:
            fields["codes"] = draw.choices(words[:5], k=2)
        rest = {key: " ".join(value) for key, value in fields.items() if key != "body"}
        chunk = build.chunk_of(0, " ".join(fields["body"]), owner=name, **rest)
        wanted[chunk.chunk.chunk_id] = fields
        documents.append(build.document_of(name, chunks=[chunk]))
    if republished:
        other = "낱말1 낱말2 낱말1 낱말3 낱말4 낱말5 " * 4
        texts = [(f"d{number}", f"낱말17 {other}") for number in range(40)]
        index.publish([build.document_of(*text) for text in [*texts, ("gone", f"낱말39 {other}")]])
    index.publish(documents)
    index.delete(["gone"])
    terms = {"낱말1": 1.0, "낱말2": 0.5, "낱말17": 1.5, "낱말39": 1.0, "없는말": 1.0}
    ranking = SearchSettings()
    weights = {
        "title": ranking.title_weight,
        "heading": ranking.heading_weight,
        "codes": ranking.codes_weight,
        "body": ranking.body_weight,
    }
    expected = lucene_bm25(wanted, terms, weights)
    candidates = index.lexical(terms, build.where_of(), 100)
    ids = [stored.chunk.chunk_id for stored in index.fetch([c.key for c in candidates])]
    best = max(expected.values())
    scores = {name: c.score / candidates[0].score for name, c in zip(ids, candidates, strict=True)}
    assert scores == {
        name: pytest.approx(value / best, rel=1e-5 if index.name == "embedded" else tolerance)
        for name, value in expected.items()
    }
    assert [c.score for c in candidates] == sorted((c.score for c in candidates), reverse=True)


def test_passages_without_any_of_the_terms_are_not_returned(index, build):
    index.publish([build.document_of("d1", "토크 규격", "세척 절차")])
    assert found(index, "없는말", build.where_of()) == []
    assert index.lexical({}, build.where_of(), 10) == []


@pytest.mark.parametrize(
    "term", ["eq-press-07", "a.b/c_d", "n·m", "it's", 'quo"te', "50%", "_토크", "品質", "*", "or"]
)
def test_a_term_is_never_split_or_read_as_syntax(index, build, term):
    index.publish(
        [build.document_of("d1", f"{term} 글"), build.document_of("d2", "eq press 07 a b 글")]
    )
    assert found(index, term, build.where_of()) == [f"{term} 글"]


def test_a_term_that_half_of_a_small_drive_holds_still_ranks(index, build):
    index.publish(
        [
            build.document_of(f"d{n}", "토크 토크 토크" if n == 3 else f"토크 문서 {n}")
            for n in range(5)
        ]
    )
    candidates = index.lexical({"토크": 1.0}, build.where_of(), 10)
    assert texts_of(index, candidates)[0] == "토크 토크 토크"
    assert candidates[0].score > 0.05


@pytest.mark.parametrize("share", [0.005, 0.1, 0.8])
def test_filtered_neighbours_are_exact_at_any_share(index, build, share):
    noise = np.random.default_rng(3)
    vectors = noise.standard_normal((2000, build.DIMENSION)).astype("<f4")
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    allowed = noise.random(200) < share
    allowed[17] = True
    documents = [
        build.document_of(
            f"d{number}",
            chunks=[
                build.chunk_of(
                    place, f"글 {number * 10 + place}", vector=vectors[number * 10 + place]
                )
                for place in range(10)
            ],
            scope_id="open" if allowed[number] else "closed",
        )
        for number in range(200)
    ]
    index.publish(documents)
    query = noise.standard_normal(build.DIMENSION).astype(np.float32)
    query /= np.linalg.norm(query)
    scores = vectors @ query
    scores[~np.repeat(allowed, 10)] = -2
    expected = [f"글 {row}" for row in np.argsort(-scores)[:50] if scores[row] > -2]
    candidates = index.nearest(query, build.where_of(), 50)
    assert texts_of(index, candidates) == expected
    assert [c.score for c in candidates] == pytest.approx(
        np.sort(scores)[::-1][: len(expected)], abs=2e-3
    )
    assert index.similarities(query, [c.key for c in candidates]) == {
        c.key: pytest.approx(c.score, abs=1e-5) for c in candidates
    }


def test_similarities_leave_out_what_was_deleted(index, build):
    index.publish([build.document_of("d1", "하나"), build.document_of("d2", "둘")])
    candidates = index.nearest(build.vector_of("하나"), build.where_of(), 2)
    index.delete(["d2"])
    scores = index.similarities(build.vector_of("하나"), [c.key for c in candidates])
    assert scores == {candidates[0].key: pytest.approx(1.0, abs=1e-3)}


def test_both_legs_search_fifty_thousand_scopes(index, build):
    index.publish([build.document_of(f"d{n}", f"글 {n}", scope_id=f"s{n}") for n in range(40)])
    where = build.where_of(*(f"s{n}" for n in range(20, 50_020)))
    assert len(found(index, "글", where)) == 20
    assert len(index.nearest(build.vector_of("글"), where, 100)) == 20


def test_only_the_layers_asked_for_are_searched(index, build):
    chunks = [build.chunk_of(n, f"글 {layer.value}", layer=layer) for n, layer in enumerate(Layer)]
    index.publish([build.document_of("d1", chunks=chunks)])
    for layers in (
        {Layer.BODY},
        {Layer.QUOTED, Layer.HIDDEN},
        set(Layer),
        {Layer.BODY, Layer.NOTES},
    ):
        where = build.where_of(layers=frozenset(layers))
        expected = {f"글 {layer.value}" for layer in layers}
        assert set(found(index, "글", where)) == expected
        nearest = index.nearest(build.vector_of("글"), where, 10)
        assert set(texts_of(index, nearest)) == expected


def test_an_unknown_filter_field_is_refused(index, build):
    where = build.where_of(fields=(("colour", "red"),))
    with pytest.raises(QueryError, match="colour"):
        index.lexical({"글": 1.0}, where, 10)
    with pytest.raises(QueryError, match="colour"):
        index.nearest(build.vector_of("글"), where, 10)


# -- upkeep ----------------------------------------------------------------------------------------


def test_compaction_changes_no_result_and_forgets_removed_vectors(index, build):
    index.publish([build.document_of(f"d{n}", f"글 {n}", f"또 {n}") for n in range(30)])
    index.delete([f"d{n}" for n in range(0, 30, 2)])
    index.publish([build.document_of("d1", "글 새것")])
    words, vector = {"글": 1.0}, build.vector_of("글 새것")
    before = index.lexical(words, build.where_of(), 50), index.nearest(vector, build.where_of(), 50)
    index.compact()
    after = index.lexical(words, build.where_of(), 50), index.nearest(vector, build.where_of(), 50)
    assert texts_of(index, after[0]) == texts_of(index, before[0])
    assert after[1] == before[1]
    gone = build.chunk_of(0, "글 2").text_key
    kept = build.chunk_of(0, "글 3").text_key
    assert set(index.find_vectors([gone, kept])) == {kept}
    assert index.stats()["vectors"] == index.stats()["chunks"] == 29


def test_an_index_is_the_same_after_it_was_closed(open_index, build):
    first = open_index()
    first.publish([build.document_of("d1", "토크 규격")])
    first.close()
    assert found(open_index(), "토크", build.where_of()) == ["토크 규격"]


@pytest.mark.parametrize("change", [{"fingerprint": "other"}, {"dimension": 24}])
def test_an_index_of_another_embedder_is_refused(open_index, change):
    open_index().close()
    with pytest.raises(ConfigError, match=r"(?i)rebuild"):
        open_index(**change)


def test_an_unknown_backend_is_refused_with_the_known_ones(tmp_path):
    with pytest.raises(ConfigError, match="embedded"):
        make_index(IndexSettings(backend="nowhere"), tmp_path, 16, "test")
