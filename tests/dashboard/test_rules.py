"""Who may open which page and do what: every row of the table, for every role."""

from __future__ import annotations

import time
from urllib.parse import quote

import pytest
from fastapi.testclient import TestClient

from app.commands.serve import callers_of
from app.ops import mount_dashboard
from contracts.settings import Settings
from dashboard.roles import ANYBODY, RULES, Role, roles_of
from search.api.app import create_app
from search.api.callers import Callers, Key

TOKEN = "a-token-of-the-plant"  # noqa: S105  it opens nothing but this plant
PEOPLE = {"olga": {Role.OPERATOR}, "rita": {Role.REVIEWER}, "sam": {Role.SECURITY}}
FORMS = {
    "login": {"token": "wrong", "reader": "olga"},
    "retry": {"failure": "empty"},
    "draw": {"count": "2", "seed": "1"},
    "verdict": {"verdict": "good"},
    "settle": {"value": "current"},
    "pause": {"paused": "0"},
    "run": {"kind": "permissions"},
    "confirm": {"name": "drive", "count": "0"},
    "change_synonyms": {"do": "apply", "text": "synonyms:\n  - [토크, 체결력]\n"},
    "preferences": {"theme": "dark"},
}


@pytest.fixture(scope="module")
def address(plant):
    """The address of a rule with values that exist."""
    catalog = plant.catalog
    document = next(d for d in catalog.documents.stream() if d.path == "공개.txt")
    conflict = catalog.reviews.list()[0]
    plant.log_in("rita").post("/review/draw", count="1", seed="1")
    values = {
        "document_id": document.document_id,
        "version_id": document.version_id,
        "page": "0",
        "name": "drive",
        "draw": "1",
        "field": conflict.field,
    }

    def make(rule):
        path = rule.path
        if rule.name in {"conflict", "settle"}:
            path = path.replace("{document_id}", conflict.document_id)
        if rule.name == "chart":
            path = path.replace("{name}", "outcomes")
        for name, value in values.items():
            path = path.replace(f"{{{name}}}", quote(value, safe=""))
        return path

    return make


def send(browser, rule, path):
    if rule.method == "GET":
        return browser.get(path)
    return browser.post(path, **FORMS.get(rule.name, {}))


BEHIND_THE_LOGIN = [rule for rule in RULES if rule.roles != ANYBODY]


@pytest.mark.parametrize("rule", BEHIND_THE_LOGIN, ids=lambda rule: f"{rule.method} {rule.path}")
@pytest.mark.parametrize("name", PEOPLE)
def test_a_role_opens_just_what_the_table_gives_it(plant, address, rule, name):
    answer = send(plant.log_in(name), rule, address(rule))
    if PEOPLE[name] & rule.roles:
        # a picture of a text file cannot be drawn
        assert answer.status_code in ({404} if rule.name == "picture" else {200, 303}), answer.text
        assert "/ops/login" not in answer.headers.get("location", "") or rule.name == "logout"
    else:
        assert answer.status_code == 403


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: f"{rule.method} {rule.path}")
def test_without_a_login_only_the_login_answers(plant, address, rule):
    answer = send(plant.log_in(""), rule, address(rule))
    if rule.roles == ANYBODY:
        assert answer.status_code in {200, 303, 403}
    else:
        assert answer.status_code == 303
        assert answer.headers["location"].startswith("/ops/login")


@pytest.mark.parametrize(
    "rule",
    [r for r in RULES if r.method == "POST" and r.roles != ANYBODY],
    ids=lambda rule: rule.path,
)
def test_an_action_without_the_token_of_the_session_is_refused(plant, address, rule):
    anna = plant.log_in("anna")
    anna.csrf = "guessed"
    assert send(anna, rule, address(rule)).status_code == 403


def test_a_form_of_another_site_is_refused(plant):
    nobody = plant.log_in("")
    for headers in ({"Origin": "https://evil.example"}, {"Sec-Fetch-Site": "cross-site"}):
        form = {"token": TOKEN, "reader": "anna"}
        answer = nobody.http.post("/ops/login", data=form, headers=headers)
        assert answer.status_code == 403
        assert "set-cookie" not in answer.headers


def test_who_has_no_role_does_not_get_in(plant):
    answer = plant.log_in("").post("/login", token=TOKEN, reader="ned")
    assert answer.status_code == 403
    assert "set-cookie" not in answer.headers


@pytest.mark.parametrize(
    ("token", "reader"),
    [("a-token-of-nobody-here", "olga"), (TOKEN, "no-such-person"), ("", "olga")],
)
def test_a_wrong_token_and_an_unknown_person_are_refused_alike(plant, token, reader):
    answer = plant.log_in("").post("/login", token=token, reader=reader)
    assert answer.status_code == 403
    assert "토큰이나 사용자가 맞지 않습니다" in answer.text


def test_roles_follow_the_directory(make_plant):
    own = make_plant()
    olga = own.log_in("olga")
    assert olga.get("/sources").status_code == 200
    people = own.drive / "directory.yaml"
    people.write_text(people.read_text(encoding="utf-8").replace("olga", "olav"), encoding="utf-8")
    begun = time.monotonic()
    while olga.get("/sources").status_code == 200 and time.monotonic() - begun < 20:
        time.sleep(0.2)
    assert olga.get("/sources").status_code == 303


def test_who_is_disabled_in_the_directory_is_out_within_its_cache(make_plant):
    own = make_plant()
    olga, anna = own.log_in("olga"), own.log_in("anna")
    assert olga.get("/sources").status_code == 200
    people = own.drive / "directory.yaml"
    text = people.read_text(encoding="utf-8")
    people.write_text(text.replace("olga: {groups: []}", "olga: {groups: [], disabled: true}"))
    begun = time.monotonic()
    while olga.get("/sources").status_code == 200 and time.monotonic() - begun < 20:
        time.sleep(0.1)
    assert time.monotonic() - begun < own.settings.directory.cache_seconds + 5
    assert olga.get("/sources").headers["location"].startswith("/ops/login")
    assert olga.post("/sources/drive/pause", paused="1").status_code == 303
    assert not own.catalog.sources.get("drive").paused
    assert anna.get("/sources").status_code == 200


def served_again(own, api, **dashboard):
    """The same installation after a restart with other settings of who may call."""
    values = {**own.settings.model_dump(), "api": api}
    values["dashboard"] |= dashboard
    settings = Settings.model_validate(values)
    callers = callers_of(settings)
    app = create_app(own.parts.searcher, callers, dict)
    mount_dashboard(app, settings, own.parts, callers)
    return app


def test_a_session_ends_with_the_key_that_it_began_with(make_plant, tmp_path):
    secret = tmp_path / "portal"
    secret.write_text("a-key-of-the-portal", encoding="utf-8")

    def client(**more):
        return {"name": "portal", "token_file": secret, "readers": ["ol*"], **more}

    own = make_plant()
    first = served_again(own, {"token": TOKEN, "clients": [client()]}, keys=["", "portal"])

    def visit(app, cookie):
        http = TestClient(app, base_url="https://ops.plant.example", follow_redirects=False)
        http.cookies.set("__Host-seoga-ops", cookie, domain="ops.plant.example", path="/")
        return http.get("/ops/").status_code

    def come_in():
        http = TestClient(first, base_url="https://ops.plant.example", follow_redirects=False)
        form = {"token": "a-key-of-the-portal", "reader": "olga"}
        assert http.post("/ops/login", data=form).status_code == 303
        return http.cookies["__Host-seoga-ops"]

    same = served_again(own, {"token": TOKEN, "clients": [client()]}, keys=["", "portal"])
    assert visit(same, come_in()) == 200
    for api, keys in (
        ({"token": TOKEN}, ["", "portal"]),
        ({"token": TOKEN, "clients": [client()]}, [""]),
        ({"token": TOKEN, "clients": [client(readers=["kim"])]}, ["", "portal"]),
    ):
        cookie = come_in()
        assert visit(served_again(own, api, keys=keys), cookie) == 303
        assert visit(first, cookie) == 303, "it has ended, and does not come back"
    cookie = come_in()
    secret.write_text("another-key-of-the-portal", encoding="utf-8")
    rotated = served_again(own, {"token": TOKEN, "clients": [client()]}, keys=["", "portal"])
    assert visit(rotated, cookie) == 303


def test_a_mark_tells_nothing_of_the_key_without_the_secret_of_the_session():
    callers = Callers([Key("portal", "a-key-of-the-portal", readers=("ol*",))])
    mark = callers.mark("portal", "olga", "salt")
    assert mark == callers.mark("portal", "olga", "salt")
    assert mark != callers.mark("portal", "olga", "another salt")
    assert callers.mark("portal", "kim", "salt") == ""
    assert callers.mark("nobody", "olga", "salt") == ""
    other = Callers([Key("portal", "another-key-of-the-portal")])
    assert other.mark("portal", "olga", "salt") != mark


def test_a_session_ends_with_the_logout(plant):
    olga = plant.log_in("olga")
    cookie = olga.http.cookies.get("__Host-seoga-ops")
    olga.post("/logout")
    olga.http.cookies.set("__Host-seoga-ops", cookie, domain="ops.plant.example", path="/")
    assert olga.get("/").status_code == 303


def test_the_cookie_cannot_be_read_by_scripts_or_sent_in_the_clear(plant):
    answer = plant.log_in("").post("/login", token=TOKEN, reader="olga")
    cookie = answer.headers["set-cookie"].lower()
    for word in ("httponly", "secure", "samesite=strict", "path=/", "__host-"):
        assert word in cookie


def test_every_answer_has_a_policy_without_inline_script_or_style(plant):
    anna = plant.log_in("anna")
    for path in ("/", "/documents", "/review", "/nowhere", "/static/ops.css"):
        answer = anna.get(path)
        policy = answer.headers["content-security-policy"]
        assert "unsafe" not in policy
        assert "default-src 'none'" in policy
        for inline in (" style=", "<style", "javascript:", " onclick", "<script>"):
            assert inline not in answer.text


def test_the_login_leads_to_no_other_site(plant):
    for wanted in ("//evil.example/", "https://evil.example", "/\\evil.example", "/\n//evil"):
        form = {"token": TOKEN, "reader": "olga", "next": wanted}
        answer = plant.log_in("").post("/login", **form)
        assert answer.headers["location"] == "/ops/"


def test_a_key_that_is_not_named_opens_nothing(make_plant):
    own = make_plant(keys=[])
    answer = own.log_in("").post("/login", token=TOKEN, reader="olga")
    assert answer.status_code == 403


def test_roles_are_given_by_any_principal_of_a_person(plant):
    settings = plant.settings.dashboard
    assert roles_of(settings, frozenset({"user:rita@plant", "group:quality@plant"})) == {
        Role.REVIEWER
    }
    assert roles_of(settings, frozenset({"group:quality@plant"})) == frozenset()


def test_a_settled_value_is_the_documents_from_then_on(make_plant):
    own = make_plant()
    conflict = next(c for c in own.catalog.reviews.list() if c.field == "status")
    rita = own.log_in("rita")
    here = f"/conflicts/{conflict.document_id}/status"
    assert rita.post(here, other="아무 말").headers["location"].endswith("notice=no_value&count=0")
    assert own.catalog.reviews.of_document(conflict.document_id) == [conflict]
    assert rita.post(here, other="초안").status_code == 303
    version = own.catalog.versions.get(own.catalog.documents.get(conflict.document_id).version_id)
    assert version.metadata.status == "draft"
    row, _ = own.parts.index.document(conflict.document_id)
    assert row.status == "draft"
    told = own.catalog.queries.tail(1)[0]
    assert (told.query, told.filters) == ("settle", {"field": "status", "verdict": "초안"})
    assert "정리됨: 초안 (rita)" in rita.get(f"/documents/{conflict.document_id}").text
