"""Rehearsals of the runbook (docs/operations/) that no other test is."""

from __future__ import annotations

import json
import shutil

import pytest
from fastapi.testclient import TestClient

from app.commands.serve import callers_of
from app.ops import mount_dashboard
from app.wiring import open_search_parts
from contracts.settings import load_settings
from search.api.app import create_app


def first(plant, query, reader="kim"):
    answer = plant.seoga("search", query, "--as", reader, "--json")
    return next((hit["path"] for hit in json.loads(answer.stdout)["hits"]), "")


def test_a_lost_index_is_made_again_from_what_was_read(plant):
    shutil.rmtree(plant.home / "index")
    told = json.loads(plant.seoga("ingest", "drive", "--json").stdout)
    assert told["work"].get("parsed", 0) == 0, "it was parsed again"
    assert first(plant, "점검 주기") == "공개.txt"
    assert "재고조정안" in first(plant, "잔여재고조정계수는 사백십칠")
    assert "재고조정안" not in first(plant, "잔여재고조정계수는 사백십칠", "lee")


def test_a_bad_synonym_is_taken_back(plant):
    for name, words in (("good", "[점검, 검사]"), ("bad", "[점검, 잔여재고조정계수는]")):
        file = plant.folder / f"{name}.yaml"
        file.write_text(f"synonyms:\n  - {words}\n", encoding="utf-8")
        plant.seoga("synonyms", "apply", str(file))
    found = json.loads(plant.seoga("search", "점검", "--as", "kim", "--json").stdout)["hits"]
    assert any("재고조정안" in hit["path"] for hit in found), "the bad synonym shows"
    plant.seoga("synonyms", "rollback", "1")
    assert "= 1" in plant.seoga("synonyms", "list").stdout
    shown = plant.seoga("synonyms", "show").stdout
    assert "검사" in shown
    assert "잔여재고" not in shown


OLD, NEW = "the-old-key-of-the-plant", "the-new-key-of-the-plant"


@pytest.mark.parametrize(
    ("second", "purged", "status"),
    [(NEW, False, 303), (OLD, True, 303), (OLD, False, 200)],
    ids=["changed", "ended by hand", "as it was"],
)
def test_a_changed_key_opens_nothing_and_sessions_can_be_ended(plant, second, purged, status):
    toml = '[dashboard]\noperators = ["user:kim@plant"]\n'
    (plant.home / "seoga.toml").write_text(toml, encoding="utf-8")
    cookies = {}
    for key in (OLD, second):
        other = NEW if key == OLD else OLD
        own = {
            "SEOGA_HOME": str(plant.home),
            "SEOGA_EMBEDDER__ENGINE": "hash",
            "SEOGA_API_TOKEN": key,
        }
        settings = load_settings(own)
        with open_search_parts(settings, "api") as parts:
            callers = callers_of(settings)
            app = create_app(parts.searcher, callers, dict)
            mount_dashboard(app, settings, parts, callers)
            http = TestClient(app, base_url="https://ops.example", follow_redirects=False)
            if cookies:
                http.cookies.set("__Host-seoga-ops", cookies["was"], domain="ops.example", path="/")
                assert http.get("/ops/").status_code == status
                http.cookies.clear()
            body = {"query": "점검 주기", "reader": "kim"}
            for token, wanted in ((key, 200), (other, 401)):
                bearer = {"Authorization": f"Bearer {token}"}
                assert http.post("/v1/search", json=body, headers=bearer).status_code == wanted
            assert (
                http.post("/ops/login", data={"token": other, "reader": "kim"}).status_code == 403
            )
            assert http.post("/ops/login", data={"token": key, "reader": "kim"}).status_code == 303
            cookies["was"] = http.cookies["__Host-seoga-ops"]
        if purged:
            assert "1" in plant.seoga("purge", "--sessions").stdout
