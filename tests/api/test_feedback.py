"""What readers say of what they were shown: kept, listed, settled; and told to the security officer where it is theirs."""

from __future__ import annotations

import json

import httpx
import pytest
from click.testing import CliRunner

from app.cli import cli
from app.commands.serve import metrics_page
from app.remarks import CatalogFeedback
from app.wiring import open_catalog, open_search_parts
from contracts.feedback import FeedbackKind
from search.api.app import create_app
from search.api.callers import Callers, Key

TOKEN = "a-token-of-the-portal"  # noqa: S105  the tests' own


@pytest.fixture(scope="module")
def portal(service, serving_app):
    with open_search_parts(service.settings, "api") as parts:
        said = CatalogFeedback(parts.catalog, "api")
        app = create_app(parts.searcher, Callers([Key("portal", TOKEN)]), dict, feedback=said)
        head = {"Authorization": f"Bearer {TOKEN}"}
        with (
            serving_app(app) as url,
            httpx.Client(base_url=url, headers=head, timeout=30) as client,
        ):
            yield client


def say(portal, **body):
    return portal.post("/v1/feedback", json={"reader": "kim", **body})


def citation(service, name, reader="kim"):
    return next(h for h in service.hits(top=100, reader=reader) if name in h["path"])["citation"][
        "id"
    ]


def seoga(service, monkeypatch, *words):
    monkeypatch.setenv("SEOGA_HOME", str(service.settings.home))
    done = CliRunner().invoke(cli, list(words), catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.output


def test_what_is_said_is_kept_with_who_said_it_of_what(portal, service, monkeypatch):
    own = citation(service, "공개.txt")
    given = say(portal, kind="click", citation=own, query="설비 점검")
    assert given.status_code == 201
    answered = say(portal, kind="down", query="설비 점검 주기는?", note="요일이 틀림 😀")
    assert answered.json()["id"] == given.json()["id"] + 1
    told = json.loads(seoga(service, monkeypatch, "feedback", "list", "--json"))
    down, click = told[0], told[1]
    assert (down["kind"], down["reader"], down["document_id"]) == ("down", "kim", "")
    assert (click["kind"], click["path"], click["query"]) == ("click", "공개.txt", "설비 점검")
    assert click["via"] == "portal"


def test_a_reader_says_nothing_of_what_they_may_not_read(portal, service):
    secret = citation(service, "비밀/")
    forbidden = say(portal, kind="should_not_see", citation=secret, reader="lee")
    absent = say(portal, kind="should_not_see", citation="0" * 32 + "-" + "0" * 64, reader="lee")
    assert (forbidden.status_code, forbidden.text) == (404, absent.text)
    with open_catalog(service.settings) as catalog:
        said = catalog.feedback.list(kinds=[FeedbackKind.SHOULD_NOT_SEE])
    assert not [one for one in said if one.reader == "lee"]


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"kind": "click"}, 422),
        ({"kind": "wrong_revision", "query": "설비"}, 422),
        ({"kind": "like", "query": "설비"}, 422),
        ({"kind": "up", "query": " "}, 422),
        ({"kind": "up", "query": "설비", "stars": 5}, 422),
        ({"kind": "up", "query": "설비", "reader": "nobody-here"}, 403),
        ({"kind": "click", "citation": "x"}, 404),
    ],
)
def test_what_makes_no_sense_is_told_and_not_kept(portal, service, body, status):
    with open_catalog(service.settings) as catalog:
        before = len(catalog.feedback.list())
        answer = say(portal, **body)
        assert answer.status_code == status
        assert answer.json()["error"]["message"]
        assert len(catalog.feedback.list()) == before


def waiting(service):
    """What Prometheus would read now; a page of its own, which keeps nothing from before."""
    with open_search_parts(service.settings, "api") as parts:
        page = metrics_page(service.settings, parts).text().decode()
    return {
        kind: float(page.split(f'seoga_feedback_waiting{{kind="{kind}"}} ')[1].split()[0])
        for kind in ("should_not_see", "wrong_revision")
    }


def test_what_should_not_be_seen_is_audited_and_alerts_until_it_is_settled(
    portal, service, monkeypatch
):
    own = citation(service, "비밀/")
    before = waiting(service)
    number = say(portal, kind="should_not_see", citation=own, note="원가가 왜 보이죠").json()["id"]
    with open_catalog(service.settings) as catalog:
        (row, *_) = catalog.queries.tail(1)
        assert row.query == f"feedback should_not_see {number}"
        assert (row.reader, row.channel) == ("kim", "api:portal")
        assert row.document_ids == (own.partition("-")[0],)
        assert catalog.queries.verify_chain() is None
    assert waiting(service)["should_not_see"] == before["should_not_see"] + 1
    listed = seoga(service, monkeypatch, "feedback", "list", "--waiting")
    assert "원가가 왜 보이죠" in listed
    assert "should_not_see 1" in seoga(service, monkeypatch, "status")
    done = ("feedback", "settle", str(number), "--verdict", "권한이 맞음", "--by", "security")
    seoga(service, monkeypatch, *done)
    assert waiting(service) == before
    assert "원가가 왜 보이죠" not in seoga(service, monkeypatch, "feedback", "list", "--waiting")
    again = CliRunner().invoke(cli, list(done))
    assert again.exit_code != 0


def test_retention_keeps_reports_that_wait(portal, service):
    say(portal, kind="up", query="설비")
    say(portal, kind="wrong_revision", citation=citation(service, "공개.txt"))
    with open_catalog(service.settings) as catalog:
        for one in catalog.feedback.list(waiting=True):
            if one.kind is FeedbackKind.SHOULD_NOT_SEE:
                catalog.feedback.settle(one.seq, "security", "seen")
        catalog.feedback.prune("9999")
        assert [one.kind for one in catalog.feedback.stream()] == [FeedbackKind.WRONG_REVISION]
