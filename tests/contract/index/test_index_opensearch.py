"""What OpenSearch alone has to promise: publishers that are overtaken, late updates, filters in several forms."""

from __future__ import annotations

import pytest

from search.backends.opensearch.heads import document_key
from search.backends.opensearch.index import OpenSearchIndex

pytestmark = [pytest.mark.distributed, pytest.mark.timeout(600)]  # the first starts the server

WEIGHTS = {"title": 1.5, "heading": 1.2, "codes": 2.0, "body": 1.0}


@pytest.fixture
def open_opensearch(opensearch_index_settings, build):
    """Opens this test's index; what was opened is closed at the end."""
    opened = []

    def open_it():
        made = OpenSearchIndex(opensearch_index_settings, None, build.DIMENSION, "test", WEIGHTS)
        opened.append(made)
        return made

    yield open_it
    for index in opened:
        index.close()


def generations(index, build):
    """Generations that the two legs and the document itself show."""
    words = index.lexical({"세대": 1.0}, build.where_of(), 100)
    near = index.nearest(build.vector_of("세대"), build.where_of(), 100)
    shown = [index.fetch([c.key for c in candidates]) for candidates in (words, near)]
    document = index.document("a")
    if document is not None:
        shown.append(document[1])
    return [{stored.chunk.text.split()[1] for stored in found} for found in shown]


def begin(index, document):
    """A publisher that stops before the moment of publication; what it needs to go on."""
    key = document_key(document.row.document_id)
    writing = index._writing
    drafts = writing._begin({key: document}, writing._heads.read([key]))
    return drafts, lambda: writing._chunks.write(
        {name: (document, draft.token, draft.row, draft.number) for name, draft in drafts.items()}
    )


def test_a_generation_on_its_way_is_not_seen_even_after_a_refresh(open_opensearch, build):
    index = open_opensearch()
    index.publish([build.generation_of("a", 0)])
    _, write = begin(index, build.generation_of("a", 1))
    write()
    index.refresh()
    assert generations(index, build) == [{"g0"}] * 3
    assert [(row.version_id, row.chunks) for row in index.inventory()] == [("v0", 12)]
    assert index.stats()["chunks"] == 12


def test_a_document_that_was_never_published_whole_is_not_there(open_opensearch, build):
    index = open_opensearch()
    _, write = begin(index, build.generation_of("a", 1))
    write()
    index.refresh()
    assert generations(index, build) == [set(), set()]
    assert [(row.document_id, row.version_id) for row in index.inventory()] == [("a", "")]
    open_opensearch().compact()
    assert list(index.inventory()) == []
    assert index.stats() | {"bytes": 0} == {"documents": 0, "chunks": 0, "vectors": 0, "bytes": 0}


def test_an_overtaken_publisher_writes_nothing_that_is_seen(open_opensearch, build):
    slow, other = open_opensearch(), open_opensearch()
    slow.publish([build.generation_of("a", 0)])
    drafts, write = begin(slow, build.generation_of("a", 1))
    other.publish([build.generation_of("a", 2)])
    assert write() == set(drafts), "its chunks are refused"
    assert slow._writing._switch(dict(drafts)) == {}
    slow.refresh()
    assert generations(other, build) == [{"g2"}] * 3
    assert other.stats()["vectors"] == 12
    slow.publish([build.generation_of("a", 3)])
    assert generations(other, build) == [{"g3"}] * 3


def test_a_publisher_that_died_after_publication_left_the_new_generation(open_opensearch, build):
    index = open_opensearch()
    index.publish([build.generation_of("a", 0)])
    drafts, write = begin(index, build.generation_of("a", 1))
    write()
    index._writing._switch(drafts)
    index.refresh()
    assert generations(index, build) == [{"g1"}] * 3
    index.compact()
    assert generations(index, build) == [{"g1"}] * 3
    assert index.stats()["vectors"] == 12


def test_permissions_that_change_while_a_generation_is_written_are_kept(open_opensearch, build):
    index, other = open_opensearch(), open_opensearch()
    index.publish([build.generation_of("a", 0)])
    drafts, write = begin(index, build.generation_of("a", 1))
    write()
    other.update_rows([build.row_of("a", scope_id="closed", access_epoch=5)])
    done = index._writing._switch(drafts)
    index._writing._retire({key: draft.head for key, draft in done.items()})
    index.refresh()
    assert index.lexical({"세대": 1.0}, build.where_of(), 100) == []
    assert len(index.lexical({"세대": 1.0}, build.where_of("closed"), 100)) == 12
    assert index.document("a")[0].scope_id == "closed"


def test_a_late_update_of_chunks_never_restores_an_earlier_row(open_opensearch, build):
    index = open_opensearch()
    index.publish([build.document_of("a", "글")])
    key = document_key("a")
    early = index._heads.read([key])[key].head
    index.update_rows([build.row_of("a", scope_id="closed", access_epoch=5)])
    ids = early.ids(key, early.generation)
    index._writing._chunks.update({key: (ids, early.document_row(), early.row_number)})
    index.refresh()
    assert index.lexical({"글": 1.0}, build.where_of(), 10) == []
    assert len(index.lexical({"글": 1.0}, build.where_of("closed"), 10)) == 1


def test_scopes_are_the_same_as_a_list_and_as_a_bitmap(open_opensearch, build):
    index = open_opensearch()
    index.publish([build.document_of(f"d{n}", "글", scope_id=f"s{n}") for n in range(150)])
    for count in (1, 63, 64, 65, 149):
        found = index.lexical({"글": 1.0}, build.where_of(*(f"s{n}" for n in range(count))), 200)
        scopes = {stored.row.scope_id for stored in index.fetch([c.key for c in found])}
        assert scopes == {f"s{n}" for n in range(count)}


def test_two_processes_number_the_same_scopes_alike(open_opensearch):
    one, other = open_opensearch(), open_opensearch()
    first = one._scopes.assign(f"s{n}" for n in range(20))
    second = other._scopes.assign(f"s{n}" for n in range(10, 30))
    assert {name: second[name] for name in first if name in second} == {
        f"s{n}": first[f"s{n}"] for n in range(10, 20)
    }
    assert one._scopes.assign(f"s{n}" for n in range(30)) == first | second
    assert len(set((first | second).values())) == 30


def test_more_hidden_documents_than_one_clause_takes(open_opensearch, build):
    index = open_opensearch()
    index.publish([build.document_of("a", "글 하나"), build.document_of("b", "글 둘")])
    hidden = frozenset({"a", *(f"x{n}" for n in range(70_000))})
    found = index.lexical({"글": 1.0}, build.where_of(hidden_documents=hidden), 10)
    assert [stored.row.document_id for stored in index.fetch([c.key for c in found])] == ["b"]


def test_terms_are_counted_alike_one_by_one_and_at_once(open_opensearch, build):
    index = open_opensearch()
    index.publish([build.generation_of("a", 0), build.generation_of("b", 0)])
    index.delete(["b"])
    first, second = (
        index.lexical({"세대": 1.0, "없는말": 1.0}, build.where_of(), 100) for _ in range(2)
    )
    assert first == second  # a new index is counted one by one, until it is known to be small
    assert len(first) == 12
    held = [{"exists": {"field": "terms_body"}}, {"term": {"terms_body": "없는말"}}]
    queries = [*held, {"term": {"terms_body": "세대"}}] * 600  # beyond the clauses of one query
    reading = index.parts.reading
    assert reading.counts_at_once(queries) == [12, 0, 12] * 600
    assert reading.counts(queries[:3]) == [12, 0, 12]
