"""No page shows the name or the text of a document that the person may not read."""

from __future__ import annotations

import re
from urllib.parse import quote

import pytest

from dashboard.roles import RULES

SECRET_NAMES = ("인상안", "설계.dwg", "아무도.txt")


def documents(plant):
    return {d.path: d for d in plant.catalog.documents.stream()}


def pages(plant):
    """Every page that can be read, for every document."""
    found = []
    for rule in RULES:
        if rule.method != "GET" or rule.name in {"login_form", "chart", "picture"}:
            continue
        for document in documents(plant).values():
            path = rule.path.replace("{document_id}", document.document_id)
            path = path.replace("{version_id}", document.version_id or "none").replace(
                "{page}", "0"
            )
            path = (
                path.replace("{name}", "drive").replace("{draw}", "1").replace("{field}", "status")
            )
            found.append(path)
            if rule.name == "explain":
                found.append(f"{path}?document={document.document_id}&reader=anna")
            if rule.name == "report":
                found.append(f"{path}?source=drive")
    return sorted(set(found))


@pytest.mark.parametrize("name", ["olga", "rita", "sam"])
def test_no_page_shows_what_the_person_may_not_read(plant, name):
    who = plant.log_in(name)
    for path in pages(plant):
        for asked in (path, f"{path}{'&' if '?' in path else '?'}csv=documents"):
            text = who.get(asked).text
            for secret in (*SECRET_NAMES, "인상률"):
                assert secret not in text, (asked, secret)


def test_exports_are_masked_as_the_pages_are(plant):
    for name, seen in (("olga", False), ("anna", True)):
        who = plant.log_in(name)
        for path, table in (("/documents", "documents"), ("/failures", "failures")):
            text = who.get(f"{path}?csv={table}").text
            assert text.startswith("\ufeff")
            assert ("설계.dwg" in text) is seen
            assert ("인상안" in text) is (seen and table == "documents")
            assert "빈파일.docx" in text
            assert "아무도.txt" not in text


def test_who_may_read_a_document_sees_its_name_and_its_blocks(plant):
    anna = plant.log_in("anna")
    secret = documents(plant)["비밀/인상안.txt"]
    assert "인상안" in anna.get("/documents").text
    page = anna.get(f"/review/pages/{secret.version_id}/0")
    assert "인상률은 7.3" in page.text


def test_a_page_for_review_that_may_not_be_read_is_as_if_it_were_not_there(plant):
    rita = plant.log_in("rita")
    secret = documents(plant)["비밀/인상안.txt"]
    closed = rita.get(f"/review/pages/{secret.version_id}/0")
    nowhere = rita.get(f"/review/pages/{quote('no-such-version')}/0")
    here = re.compile(r'name="next" value="[^"]*"')
    assert closed.status_code == nowhere.status_code == 404
    assert here.sub("", closed.text) == here.sub("", nowhere.text)
    for action in (
        f"/review/pages/{secret.version_id}/0",
        f"/review/pages/{secret.version_id}/0/picture",
    ):
        assert rita.get(action).status_code == 404
    answer = rita.post(f"/review/pages/{secret.version_id}/0", verdict="good")
    assert answer.status_code == 404
    assert not plant.catalog.reviews.verdicts_over({secret.version_id})


def test_a_draw_holds_only_what_its_reviewer_may_read(plant):
    rita = plant.log_in("rita")
    place = rita.post("/review/draw", count="50", seed="3").headers["location"]
    draw = int(re.search(r"/draws/(\d+)", place)[1])
    drawn = {page.document_id for page in plant.catalog.draws.pages(draw)}
    closed = {documents(plant)[p].document_id for p in ("비밀/인상안.txt", "무제/아무도.txt")}
    assert drawn
    assert not drawn & closed


def test_a_right_that_is_lost_closes_the_page_at_once(make_plant):
    own = make_plant()
    anna = own.log_in("anna")
    secret = documents(own)["비밀/인상안.txt"]
    page = f"/review/pages/{secret.version_id}/0"
    assert anna.get(page).status_code == 200
    lists = own.drive / "acl.yaml"
    lists.write_text(lists.read_text(encoding="utf-8").replace("group:office", "user:sam"), "utf-8")
    from app.wiring import open_kit, source_run

    with open_kit(own.settings) as kit:
        source_run(kit, own.source).permissions()
    assert anna.get(page).status_code == 404
    assert "인상안" not in anna.get("/documents").text


def test_what_is_looked_at_and_done_is_in_the_audit_log(plant):
    anna = plant.log_in("anna")
    secret = documents(plant)["비밀/인상안.txt"]
    anna.get(f"/review/pages/{secret.version_id}/0")
    anna.post("/sources/drive/pause", paused="1")
    anna.post("/sources/drive/pause", paused="0")
    told = [(q.query, q.reader, q.channel) for q in plant.catalog.queries.tail(3)]
    assert told == [
        ("resume", "anna", "ops"),
        ("pause", "anna", "ops"),
        ("sample", "anna", "ops"),
    ]
    assert plant.catalog.queries.tail(3)[2].document_ids == (secret.document_id,)
    assert plant.catalog.queries.verify_chain() is None
    assert "쪽 보기" in anna.get("/permissions/actions").text
